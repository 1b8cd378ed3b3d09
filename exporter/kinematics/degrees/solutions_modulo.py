"""How many solutions a system of polynomials has, over the complex numbers, counted modulo a prime.

In: polynomials with coefficients modulo PRIME, in a ring. Out: the number of solutions with their
multiplicities, or None. Multiples of the equations up to a degree are brought to echelon form (python-flint); what has
fallen in degree is multiplied again until nothing new falls. Once every monomial of the highest degree leads a row, the
monomials that lead none are a basis of the quotient ring: their number is that of the solutions (graded border basis).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from flint import nmod_mat

from exporter.kinematics.degrees.linear_elimination import PRIME, Monomial, Polynomial, without_linear
from exporter.kinematics.degrees.rings import Ring, ring_of

LARGEST_ECHELON_FORM = 1300  # monomials that one echelon form may have
QUICK_ECHELON_FORM = 500  # the same where many choices are judged: a second each


def number_of_solutions(equations: Sequence[Polynomial], variables: int) -> int | None:
    """How many solutions plain polynomials have; None where infinitely many, or where counting takes too long."""
    equations, variables = without_linear(equations, variables)
    return solutions_in(ring_of([("slide", 1)] * variables), equations)


def solutions_in(
    ring: Ring,
    equations: Sequence[Polynomial],
    largest: int = LARGEST_ECHELON_FORM,
    tell: Callable[[str], None] = lambda _: None,
) -> int | None:
    """How many solutions polynomials of a ring have; None where infinitely many, or where counting takes too long.

    `tell` hears of the progress.
    """
    equations = [equation for equation in equations if equation]
    if any(ring.degree_of(equation) == 0 for equation in equations):
        return 0
    if not equations:
        return None if ring.variables else 1
    degree = max(ring.degree_of(equation) for equation in equations)
    highest = sum(ring.degree_of(equation) for equation in equations) + 2  # beyond Macaulay's bound
    while True:
        monomials = ring.monomials(degree)
        if len(monomials) > largest or degree > highest:
            return None
        tell(f"counting solutions: degree {degree}, {len(monomials)} monomials")
        leading = _leading_monomials(ring, equations, monomials, degree)
        rest = [monomial for monomial in monomials if monomial not in leading]
        if all(ring.degree(monomial) < degree for monomial in rest):
            return len(rest)
        degree += 1


def _leading_monomials(
    ring: Ring, equations: Sequence[Polynomial], monomials: list[Monomial], degree: int
) -> set[Monomial]:
    """Leading monomials of what the equations generate without exceeding this degree on the way."""
    rows = [row for equation in equations for row in _multiples(ring, equation, degree)]
    multiplied: set[Monomial] = set()
    order = {monomial: position for position, monomial in enumerate(monomials)}
    while True:
        rows = _echelon(rows, monomials, order)
        leaders = [min(row, key=order.__getitem__) for row in rows]
        fresh = [
            (row, leader)
            for row, leader in zip(rows, leaders, strict=True)
            if ring.degree(leader) < degree and leader not in multiplied
        ]
        if not fresh:
            return set(leaders)
        multiplied.update(leader for _, leader in fresh)
        rows += [product for row, _ in fresh for product in _neighbours(ring, row)]


def _neighbours(ring: Ring, row: Polynomial) -> Iterator[Polynomial]:
    """The row times each generator."""
    for generator in ring.generators():
        yield ring.times(row, {generator: 1})


def _multiples(ring: Ring, equation: Polynomial, degree: int) -> Iterable[Polynomial]:
    for factor in ring.monomials(degree - ring.degree_of(equation)):
        yield ring.times(equation, {factor: 1})


def _echelon(rows: list[Polynomial], monomials: list[Monomial], column: dict[Monomial, int]) -> list[Polynomial]:
    """Independent combinations of rows with different leading monomials; reduced, so that few entries are left."""
    if not rows:
        return []
    matrix = nmod_mat(len(rows), len(monomials), PRIME)
    for number, row in enumerate(rows):
        for monomial, value in row.items():
            matrix[number, column[monomial]] = value
    reduced, rank = matrix.rref()
    leaders, place = [], 0
    for line in range(rank):
        while not int(reduced[line, place]):
            place += 1
        leaders.append(place)
    others = sorted(set(range(len(monomials))).difference(leaders))
    found = []
    for line, leader in enumerate(leaders):
        rest = {monomials[k]: value for k in others if k > leader and (value := int(reduced[line, k]))}
        found.append({monomials[leader]: 1, **rest})
    return found
