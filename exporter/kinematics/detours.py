"""A closure by the shortest way: along a body whose place another loop has given, not by way of the ground's origin.

Comes in: a closure and solved ones. Goes out: the same closure, or its sum or difference with some of the others,
whichever has the fewest components to add.
"""

from collections.abc import Sequence
from dataclasses import replace

from exporter.kinematics.planar import Closure, PlaneVector, Term, gather


def shortest(closure: Closure, solved: Sequence[Closure]) -> Closure:
    """The closure with the fewest components; as it is where none has fewer."""
    best = closure
    for known in solved:
        for sign in (1, -1):
            candidate = replace(closure, terms=gather((*best.terms, *(_times(term, sign) for term in known.terms))))
            if _components(candidate) < _components(best):
                best = candidate
    return best


def _components(closure: Closure) -> int:
    """Real products or addends that its terms take."""
    return sum(bool(part) for term in closure.terms for part in (term.vector.re, term.vector.im))


def _times(term: Term, sign: int) -> Term:
    re, im = (tuple((sign * factor, length) for factor, length in part) for part in (term.vector.re, term.vector.im))
    return replace(term, vector=PlaneVector(re, im))
