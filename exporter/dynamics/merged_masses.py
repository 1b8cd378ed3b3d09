"""Point masses of one rigid body merged: one mass at their centre, and a moment of inertia of the body.

In: point masses and moments of inertia of a planar mechanism. Out: the same kinetic energy by fewer of them.
m1 |v1|^2 + m2 |v2|^2 = (m1 + m2) |vc|^2 + m1 m2 / (m1 + m2) |d|^2 w^2, with d from one to the other (Steiner).
"""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

from exporter.kinematics.planar.complex_value import Complex
from exporter.kinematics.planar.plane import Term, gather, negative
from exporter.kinematics.planar.shortcuts import Terms
from exporter.kinematics.protocol.linear_sums import PlaneVector
from exporter.kinematics.protocol.scope import Scope
from exporter.sequence.builder import Value

Key = TypeVar("Key")
LARGEST_CANCELLATION = 4  # a negative mass may take away three quarters of a positive one


def merge_masses(scope: Scope, masses: dict[Terms, Value], moments: dict[str, Value]) -> None:
    """Merge as long as two masses that are frozen numbers are fixed to one body.

    A mass whose only vector turns with a body is left to that body's moment of inertia.
    """
    while found := _pair(masses):
        first, second, between, share = found
        one, other = masses.pop(first), masses.pop(second)
        _add(masses, gather((*first, _times(between, share))), one + other)
        _add(moments, between.body, one * share * _square_term(scope, between))
    for terms in [terms for terms in masses if len(terms) == 1 and not terms[0].slide]:
        _add(moments, terms[0].body, masses.pop(terms) * _square_term(scope, terms[0]))


def _pair(masses: dict[Terms, Value]) -> tuple[Terms, Terms, Term, Fraction] | None:
    """Two masses, the vector from the first to the second, and the second one's share."""
    for first, second in combinations(masses, 2):
        between, share = gather((*second, *negative(first))), _share(masses[first], masses[second])
        if share is not None and len(between) == 1 and not between[0].slide:
            return first, second, between[0], share
    return None


def _share(one: Value, other: Value) -> Fraction | None:
    """The second one's part of the sum; None where these are no numbers, or cancel so that their centre is far away."""
    if one.constant is None or other.constant is None:
        return None
    total = one.constant + other.constant
    return (
        other.constant / total
        if abs(total) * LARGEST_CANCELLATION >= max(abs(one.constant), abs(other.constant))
        else None
    )


def _square_term(scope: Scope, term: Term) -> Value:
    return Complex(*scope.vector(term.vector)).squared()


def _times(term: Term, factor: Fraction) -> Term:
    re, im = (tuple((factor * part, length) for part, length in side) for side in (term.vector.re, term.vector.im))
    return replace(term, vector=PlaneVector(re, im))


def _add(total: dict[Key, Value], key: Key, value: Value) -> None:
    total[key] = total[key] + value if key in total else value
