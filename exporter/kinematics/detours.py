"""A closure by the shortest way: along a body whose place another loop has given, not by way of the ground's origin.

Comes in: a closure and solved ones. Goes out: the same closure, or its sum or difference with others, taken one after
the other where that leaves fewer components to add.
"""

from collections.abc import Sequence
from dataclasses import replace

from exporter.kinematics.planar import Closure, gather, negative


def shortest(closure: Closure, solved: Sequence[Closure]) -> Closure:
    """The closure with fewer components where there is a way; as it is where there is none."""
    best = closure
    for known in solved:
        for way in (known.terms, negative(known.terms)):
            candidate = replace(closure, terms=gather((*best.terms, *way)))
            if _components(candidate) < _components(best):
                best = candidate
    return best


def _components(closure: Closure) -> int:
    """Real products or addends that its terms take."""
    return sum(bool(part) for term in closure.terms for part in (term.vector.re, term.vector.im))
