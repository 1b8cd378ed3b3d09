"""Vectors of the plane of motion: constant ones in body axes, and sums of those that turn with their bodies.

In: `orientation` and `planar`. Used by: `scope`, which writes them into a sequence, and whatever adds them. A
component is a sum of factor * expression, so that a tunable length stays an expression of its parameter.
"""

from collections.abc import Iterable

from exporter.kinematics.protocol.frames import Vector3
from exporter.kinematics.protocol.linear_sums import PlaneVector, linear_sum, opposite
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class Plane:
    """The plane of motion in ground axes."""

    e1: Vector3
    e2: Vector3
    normal: Vector3


@dataclass(frozen=True, slots=True)
class Term:
    """D_body * vector, times the displacement `slide` where one is named."""

    body: str
    vector: PlaneVector
    slide: str = ""


def negative(terms: Iterable[Term]) -> tuple[Term, ...]:
    """A sum of moving vectors with its sign changed."""
    return tuple(
        Term(term.body, PlaneVector(opposite(term.vector.re), opposite(term.vector.im)), term.slide) for term in terms
    )


def gather(terms: Iterable[Term]) -> tuple[Term, ...]:
    """One term per body and slide; what cancels is gone."""
    sums: dict[tuple[str, str], PlaneVector] = {}
    for term in terms:
        known = sums.get((term.body, term.slide), PlaneVector((), ()))
        sums[term.body, term.slide] = PlaneVector(
            linear_sum((*known.re, *term.vector.re)), linear_sum((*known.im, *term.vector.im))
        )
    return tuple(Term(body, vector, slide) for (body, slide), vector in sums.items() if vector.re or vector.im)
