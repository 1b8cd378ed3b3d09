"""One equation per variable, as a lexicographic basis gives it: data between search, plan and writing."""

from fractions import Fraction

from exporter.records import dataclass

Monomial = tuple[tuple[str, int], ...]  # variable and power, sorted
Polynomial = tuple[tuple[Monomial, Fraction], ...]


@dataclass(frozen=True, slots=True)
class UnivariateEquation:
    """sum of coefficient[k] * variable^k = 0."""

    variable: str
    coefficients: tuple[Polynomial, ...]  # k = 0, 1, ...

    @property
    def degree(self) -> int:
        """Degree in the variable."""
        return len(self.coefficients) - 1

    @property
    def terms(self) -> int:
        """Terms of all coefficients."""
        return sum(len(terms) for terms in self.coefficients)

    @property
    def is_safe(self) -> bool:
        """Whether the leading coefficient cannot vanish: a constant, or a constant and squares of one sign."""
        return has_no_zero(self.coefficients[-1])


def has_no_zero(terms: Polynomial) -> bool:
    """A constant, or a constant and squares of one sign."""
    even = all(power % 2 == 0 for monomial, _ in terms for _, power in monomial)
    one_sign = len({coefficient > 0 for _, coefficient in terms}) == 1
    return even and one_sign and any(not monomial for monomial, _ in terms)
