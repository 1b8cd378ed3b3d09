"""Point masses of one rigid body merged: one mass at their centre, and a moment of inertia of the body.

Comes in: point masses and moments of inertia of a planar mechanism. Goes out: the same kinetic energy by fewer of them.
m1 |v1|^2 + m2 |v2|^2 = (m1 + m2) |vc|^2 + m1 m2 / (m1 + m2) |d|^2 w^2, with d from one to the other (Steiner).
"""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

from exporter.kinematics.complex_value import Complex
from exporter.kinematics.planar import PlaneVector, Term, gather, negative
from exporter.kinematics.scope import Scope
from exporter.sequence.builder import Value

Terms = tuple[Term, ...]
Key = TypeVar("Key")


def merge_masses(scope: Scope, masses: dict[Terms, Value], moments: dict[str, Value]) -> None:
    """Merge as long as two masses that are frozen numbers are fixed to one body."""
    while found := _pair(masses):
        first, second, between = found
        one, other = masses.pop(first), masses.pop(second)
        share = (other.constant or Fraction(0)) / ((one + other).constant or Fraction(1))
        centre = gather((*first, _times(between, share)))
        distance = Complex(*scope.vector(between.vector))
        _add(masses, centre, one + other)
        _add(moments, between.body, one * share * distance.squared())


def _pair(masses: dict[Terms, Value]) -> tuple[Terms, Terms, Term] | None:
    for first, second in combinations(masses, 2):
        between = gather((*second, *negative(first)))
        if len(between) == 1 and not between[0].slide and (masses[first] + masses[second]).constant:
            return first, second, between[0]
    return None


def _times(term: Term, factor: Fraction) -> Term:
    re, im = (tuple((factor * part, length) for part, length in side) for side in (term.vector.re, term.vector.im))
    return replace(term, vector=PlaneVector(re, im))


def _add(total: dict[Key, Value], key: Key, value: Value) -> None:
    total[key] = total[key] + value if key in total else value
