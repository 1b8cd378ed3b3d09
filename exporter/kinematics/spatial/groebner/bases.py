"""Lexicographic bases of a loop and what is extracted from them: one equation per variable, solved in turn.

In: an `Ideal` and an order of its unknown variables. Out: candidate steps for each variable. Flint's
Buchberger runs under limits (terms, degrees and bits); a basis that is not finished is no basis. Per variable the
lowest degree counts first, then a leading coefficient that cannot vanish; the cost decides later.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from exporter.errors import ModelError
from exporter.kinematics.spatial.groebner.polynomials import Ideal, polynomial_in, variables_of
from exporter.kinematics.spatial.groebner.steps import Monomial, UnivariateEquation

Limits = tuple[int, int, int]  # polynomials, terms and bits of a coefficient
SEARCH_LIMITS: tuple[Limits, ...] = ((300, 300, 500), (300, 1000, 1000), (300, 2000, 2000))
"""Limits that a search over orders goes through, each some five times as long as the one before.

What does not finish on the first rung is no cheap solution."""
HIGHEST_DEGREE = 2  # degree that a step solves in closed form


def orders(ideal: Ideal) -> Iterator[tuple[str, ...]]:
    """All orders of the unknown turns, largest first, and of sine and cosine within each."""
    for turns in permutations(ideal.unknown):
        for swapped in product((False, True), repeat=len(turns)):
            pairs = [variables_of(name)[:: -1 if swap else 1] for name, swap in zip(turns, swapped, strict=True)]
            yield tuple(variable for pair in pairs for variable in pair)


def basis(ideal: Ideal, order: Sequence[str], limits: Limits = SEARCH_LIMITS[0]) -> list[Any] | None:
    """The reduced lexicographic basis, unknown variables in this order before the known ones; None beyond the limits.

    Raises:
        ModelError: the basis is [1]: the equations contradict each other.
    """
    names = (*order, *ideal.known)
    equations = [polynomial_in(names, terms) for terms in ideal.equations]
    from flint import fmpz_mpoly_vec  # noqa: PLC0415 - only bases need it

    vector: Any = fmpz_mpoly_vec(equations, equations[0].context())
    found, finished = vector.buchberger_naive(limits=limits)
    if not finished:
        return None
    reduced = found.autoreduction()
    if not reduced.is_groebner():
        return None
    polynomials = list(reduced)
    if any(poly.total_degree() == 0 for poly in polynomials):
        raise ModelError(
            "the closure equations contradict each other for all values of the independent coordinates (basis [1]); "
            "check lengths and axes"
        )
    return polynomials


def candidates(
    polynomials: Sequence[Any], ideal: Ideal, order: Sequence[str]
) -> dict[str, list[UnivariateEquation]] | None:
    """Steps for every unknown variable, best class first; None where one has none of low degree."""
    names = (*order, *ideal.known)
    found: dict[str, list[UnivariateEquation]] = {}
    for position, variable in reversed(list(enumerate(order))):
        steps = [
            _step(variable, names, poly)
            for poly in polynomials
            if poly.degrees()[position] > 0 and not any(poly.degrees()[:position])
        ]
        steps = [step for step in steps if step.degree <= HIGHEST_DEGREE]
        if not steps:
            return None
        lowest = min(step.degree for step in steps)
        steps = [step for step in steps if step.degree == lowest]
        safe = [step for step in steps if step.is_safe]
        found[variable] = safe or steps
    return found


def _step(variable: str, names: Sequence[str], poly: Any) -> UnivariateEquation:
    parts: dict[int, list[tuple[Monomial, Fraction]]] = {}
    for exponents, value in sorted(poly.to_dict().items(), reverse=True):
        powers = {name: int(power) for name, power in zip(names, exponents, strict=True) if power}
        degree = powers.pop(variable, 0)
        parts.setdefault(degree, []).append((tuple(sorted(powers.items())), Fraction(int(value))))
    return UnivariateEquation(variable, tuple(tuple(parts.get(k, ())) for k in range(max(parts) + 1)))
