"""How many solutions a system of polynomials has, over the complex numbers, counted modulo a prime.

Comes in: polynomials with coefficients modulo PRIME. Goes out: the number of solutions with their multiplicities, or
None. Multiples of the equations up to a degree are brought to echelon form (python-flint); what has fallen in degree is
multiplied again until nothing new falls. Once every monomial of the highest degree leads a row, the monomials that lead
none are a basis of the quotient ring: their number is that of the solutions (graded border basis).
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement

from flint import nmod_mat

from exporter.kinematics.analysis.linear_elimination import PRIME, Monomial, Polynomial, without_linear

LARGEST = 1300  # monomials that one echelon form may have


def number_of_solutions(equations: Sequence[Polynomial], variables: int) -> int | None:
    """The number of solutions; None where they are infinitely many or the count would be too large a computation."""
    equations, variables = without_linear(equations, variables)
    if any(set(equation) == {(0,) * variables} for equation in equations):
        return 0
    if not equations:
        return None if variables else 1
    degree = max((sum(monomial) for equation in equations for monomial in equation), default=0)
    highest = sum(_degree(equation) - 1 for equation in equations) + 2  # Macaulay's bound, and one more
    while True:
        monomials = _monomials(variables, degree)
        if len(monomials) > LARGEST or degree > highest:
            return None
        leading = _leading(equations, monomials, degree)
        rest = [monomial for monomial in monomials if monomial not in leading]
        if all(sum(monomial) < degree for monomial in rest):
            return len(rest)
        degree += 1


def _monomials(variables: int, degree: int) -> list[Monomial]:
    """All monomials up to a degree, highest degree first."""
    found = []
    for total in range(degree, -1, -1):
        for chosen in combinations_with_replacement(range(variables), total):
            exponents = [0] * variables
            for variable in chosen:
                exponents[variable] += 1
            found.append(tuple(exponents))
    return found


def _leading(equations: Sequence[Polynomial], monomials: list[Monomial], degree: int) -> set[Monomial]:
    """Leading monomials of what the equations generate without exceeding this degree on the way."""
    rows = [row for equation in equations for row in _multiples(equation, degree)]
    multiplied: set[Monomial] = set()
    while True:
        rows = _echelon(rows, monomials)
        fresh = [row for row in rows if _degree(row) < degree and _leader(row) not in multiplied]
        if not fresh:
            return {_leader(row) for row in rows}
        multiplied.update(_leader(row) for row in fresh)
        rows += [product for row in fresh for product in _neighbours(row)]


def _degree(row: Polynomial) -> int:
    return max(sum(monomial) for monomial in row)


def _leader(row: Polynomial) -> Monomial:
    return max(row, key=lambda monomial: (sum(monomial), monomial))


def _neighbours(row: Polynomial) -> Iterator[Polynomial]:
    """The row times each variable."""
    for variable in range(len(next(iter(row)))):
        yield {(*m[:variable], m[variable] + 1, *m[variable + 1 :]): value for m, value in row.items()}


def _multiples(equation: Polynomial, degree: int) -> Iterable[Polynomial]:
    variables = len(next(iter(equation)))
    for factor in _monomials(variables, degree - _degree(equation)):
        yield {tuple(a + b for a, b in zip(m, factor, strict=True)): value for m, value in equation.items()}


def _echelon(rows: list[Polynomial], monomials: list[Monomial]) -> list[Polynomial]:
    """Independent combinations of rows with different leading monomials."""
    if not rows:
        return []
    ordered = sorted(monomials, key=lambda monomial: (sum(monomial), monomial), reverse=True)
    column = {monomial: position for position, monomial in enumerate(ordered)}
    matrix = nmod_mat(len(rows), len(ordered), PRIME)
    for number, row in enumerate(rows):
        for monomial, value in row.items():
            matrix[number, column[monomial]] = value
    reduced, rank = matrix.rref()
    return [
        {ordered[k]: value for k, entry in enumerate(row) if (value := int(entry))} for row in reduced.tolist()[:rank]
    ]
