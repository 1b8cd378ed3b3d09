"""Rings in which closures are polynomials modulo a prime: displacements, turns about an axis, and rotations.

In: what is unknown. Out: a `Ring` that multiplies. Every displacement has a variable x. A turn about a
constant axis v has s and c with c^2 + N s^2 = 1, N = v.v. A rotation has the even polynomials of a unit quaternion
(w, x, y, z), in which the entries of its matrix are quadratic: both signs of the quaternion are one rotation, and no
equation is needed. Degrees count a displacement, s, c and an entry of a matrix as 1.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement
from operator import add
from typing import Literal

from exporter.kinematics.degrees.linear_elimination import PRIME, Monomial, Polynomial
from exporter.records import dataclass

SIZES = {"slide": 1, "turn": 2, "rotation": 4}  # variables; the last of a turn or rotation has the powers 0 and 1 only


@dataclass(frozen=True, slots=True)
class Part:
    """One unknown: its first variable, and N of a turn."""

    kind: Literal["slide", "turn", "rotation"]
    start: int
    norm: int = 1

    @property
    def last(self) -> int:
        """The variable whose square is replaced; none of a displacement."""
        return self.start + SIZES[self.kind] - 1


@dataclass(frozen=True)
class Ring:
    """Polynomials in the variables of all parts, as exponents -> coefficient."""

    parts: tuple[Part, ...]

    @property
    def variables(self) -> int:
        """Number of variables."""
        return sum(SIZES[part.kind] for part in self.parts)

    def degree(self, monomial: Monomial) -> int:
        """Rotations count by half their exponents."""
        total = 0
        for part in self.parts:
            exponents = sum(monomial[part.start : part.last + 1])
            total += exponents // 2 if part.kind == "rotation" else exponents
        return total

    def degree_of(self, polynomial: Polynomial) -> int:
        """The highest."""
        return max((self.degree(monomial) for monomial in polynomial), default=0)

    def constant(self, value: int) -> Polynomial:
        """A number."""
        return {(0,) * self.variables: value % PRIME} if value % PRIME else {}

    def variable(self, position: int, power: int = 1) -> Polynomial:
        """A variable, or its power; not beyond 1 for the last of a turn or rotation."""
        return {tuple(power * int(k == position) for k in range(self.variables)): 1}

    def times(self, left: Polynomial, right: Polynomial) -> Polynomial:
        """The product, squares replaced."""
        total: Polynomial = {}
        for one, a in left.items():
            for other, b in right.items():
                for monomial, factor in self.reduced(tuple(map(add, one, other))):
                    total[monomial] = (total.get(monomial, 0) + a * b * factor) % PRIME
        return {monomial: value for monomial, value in total.items() if value}

    def reduced(self, monomial: Monomial) -> tuple[tuple[Monomial, int], ...]:
        """A monomial after c^2 = 1 - N s^2 and w^2 = 1 - x^2 - y^2 - z^2; single powers of c and w stay."""
        for part in self.parts:
            if part.kind != "slide" and monomial[part.last] > 1:
                return self._replaced(monomial, part)
        return ((monomial, 1),)

    def _replaced(self, monomial: Monomial, part: Part) -> tuple[tuple[Monomial, int], ...]:
        total: dict[Monomial, int] = {}
        lower = _shift_power(monomial, part.last, -2)
        terms = [(lower, 1)]
        terms += [(_shift_power(lower, k, 2), -part.norm) for k in range(part.start, part.last)]
        for term, factor in terms:
            for found, inner in self.reduced(term):
                total[found] = (total.get(found, 0) + factor * inner) % PRIME
        return tuple(total.items())

    def monomials(self, degree: int) -> list[Monomial]:
        """A basis of all polynomials up to a degree, highest first."""
        found: list[tuple[Monomial, int]] = [((), 0)]
        for part in self.parts:
            found = [
                (start + end, done + more)
                for start, done in found
                for end, more in _of_part(part.kind, degree)
                if done + more <= degree
            ]
        return [monomial for monomial, _ in sorted(found, key=lambda entry: (entry[1], entry[0]), reverse=True)]

    def generators(self) -> list[Monomial]:
        """Monomials of degree 1."""
        return [monomial for monomial in self.monomials(1) if self.degree(monomial) == 1]


def ring_of(unknowns: Sequence[tuple[Literal["slide", "turn", "rotation"], int]]) -> Ring:
    """The ring of these unknowns: kind, and N of a turn."""
    parts, start = [], 0
    for kind, norm in unknowns:
        parts.append(Part(kind, start, norm))
        start += SIZES[kind]
    return Ring(tuple(parts))


def _shift_power(monomial: Monomial, position: int, by: int) -> Monomial:
    return (*monomial[:position], monomial[position] + by, *monomial[position + 1 :])


@cache
def _of_part(kind: str, degree: int) -> tuple[tuple[Monomial, int], ...]:
    """Monomials of one part with their degrees, up to a degree."""
    if kind == "slide":
        return tuple(((k,), k) for k in range(degree + 1))
    if kind == "turn":
        return tuple(((k - c, c), k) for k in range(degree + 1) for c in (0, 1) if k >= c)
    return tuple((monomial, k) for k in range(degree + 1) for w in (0, 1) for monomial in _even(2 * k, w))


def _even(total: int, last: int) -> Iterator[Monomial]:
    """Exponents of x, y, z, w that add up to `total`, that of w given."""
    if total < last:
        return
    for chosen in combinations_with_replacement(range(3), total - last):
        yield (chosen.count(0), chosen.count(1), chosen.count(2), last)
