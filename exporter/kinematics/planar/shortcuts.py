"""The shortest way: a sum of moving vectors with closures added or taken away where that leaves less of it.

In: the terms of a closure or of a point, closures, and what is short. Out: the same vector by fewer terms,
along a body whose place another loop has given for example, not by way of the ground's origin.
"""

from collections.abc import Callable, Iterable

from exporter.kinematics.planar.model import Closure
from exporter.kinematics.planar.plane import Term, gather, negative

Terms = tuple[Term, ...]


def shortest(
    terms: Terms,
    closures: Iterable[Closure],
    length: Callable[[Terms], tuple[int, ...]],
    gathered: Callable[[Terms], Terms] = gather,
) -> Terms:
    """The gathered terms by the closures that make them shorter, one after the other; as they are where none does."""
    best = gathered(terms)
    for closure in closures:
        for way in (closure.terms, negative(closure.terms)):
            around = gathered((*best, *way))
            if length(around) < length(best):
                best = around
    return best


def components(terms: Terms) -> tuple[int]:
    """Real products or addends that the terms take."""
    return (sum(bool(part) for term in terms for part in (term.vector.re, term.vector.im)),)
