"""How many solutions a system of polynomials has, over the complex numbers, counted modulo a prime.

In: polynomials with coefficients modulo PRIME, in a ring. Out: the number of solutions with their
multiplicities, or None. Multiples of the equations up to a degree are brought to echelon form (`echelon_rows`); what
has fallen in degree is multiplied again until nothing new falls. The next degree goes on from there: only rows whose
leading monomial has the highest degree are not multiplied yet. Once every monomial of the highest degree leads a row,
the monomials that lead none are a basis of the quotient ring: their number is that of the solutions (graded border
basis).
"""

from collections.abc import Callable, Iterable, Sequence

from exporter.kinematics.degrees.echelon_rows import EchelonRows
from exporter.kinematics.degrees.linear_elimination import Polynomial, without_linear
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
    found: EchelonRows | None = None
    while True:
        monomials = ring.monomials(degree)
        if len(monomials) > largest or degree > highest:
            return None
        tell(f"counting solutions: degree {degree}, {len(monomials)} monomials")
        start = (row for equation in equations for row in _multiples(ring, equation, degree)) if found is None else ()
        found = EchelonRows(ring, degree, start, found)
        found.fill()
        rest = found.rest()
        if all(ring.degree(monomial) < degree for monomial in rest):
            return len(rest)
        degree += 1


def _multiples(ring: Ring, equation: Polynomial, degree: int) -> Iterable[Polynomial]:
    for factor in ring.monomials(degree - ring.degree_of(equation)):
        yield ring.times(equation, {factor: 1})
