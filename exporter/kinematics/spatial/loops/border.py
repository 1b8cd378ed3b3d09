"""The border of what is reached: a polynomial in the independent coordinates that is large inside and small beyond.

In: points of the ranges, how far inside or beyond they are, and those of them that lead to another assembly. Out: a
`Border`. Newton steps alone do not tell the border: beyond it they may end, closed, on an assembly that crosses that of
the design pose there, with a determinant of the same sign.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from exporter.kinematics.seeded.seed import Box, rounded
from exporter.kinematics.spatial.loops.basis import Basis, ridge_squares
from exporter.kinematics.spatial.loops.constraint import Array
from exporter.records import dataclass
from exporter.sequence.builder import Value

DEGREES = (2, 4, 6, 8)  # of the polynomial
MOST_COEFFICIENTS = 200
PLACES_PER_COEFFICIENT = 4
DECIMALS = 4  # of coefficients
BEYOND = 2  # depth outside is so many times the part of the half ranges to the end of what is reached
CLEARANCE = Fraction(1, 40)  # at least, between the border and what was seen to lead elsewhere
ENOUGH_KEPT, LEAST_KEPT = 0.96, 0.8  # of what is reached, inside of the border
ENOUGH_CUT = 0.7  # of what is not reached, beyond it


@dataclass(frozen=True, slots=True)
class Border:
    """A polynomial, and the value from which a place is inside."""

    basis: Basis
    coefficients: tuple[float, ...]  # of few decimals
    least: Fraction

    def at(self, values: Mapping[str, Array]) -> Array:
        """How far inside places are, (n,), at values (n,) of the independent coordinates."""
        return np.asarray(self.basis.matrix(values) @ np.array(self.coefficients))

    def write(self, values: Mapping[str, Value], pairs: Mapping[str, tuple[Value, Value]]) -> Value:
        """How far inside the place of a sequence is."""
        middle, series = self.basis.series(np.array(self.coefficients))
        return self.basis.write(series, values, pairs) + middle

    def excluding(self, values: Mapping[str, Array]) -> "Border":
        """The border drawn tighter, so that these places are beyond it."""
        return replace(self, least=max(self.least, _least_above(float(self.at(values).max()))))


@dataclass(frozen=True)
class Depths:
    """Points, and how far inside they are: a determinant of the loops, below zero where a point is not reached."""

    values: Mapping[str, Array]  # of the independent coordinates, (n,)
    depth: Array  # (n,)
    astray: Array  # (n,), not reached, yet closed on another assembly


def border_of(depths: Depths, cranks: tuple[str, ...], bounded: tuple[str, ...], box: Box) -> Border | None:
    """The border of the smallest degree inside of which nearly all is that is reached, and hardly anything else.

    Nothing that is astray is inside. None where too much of what is reached would be beyond.
    """
    best: tuple[float, Border] | None = None
    for basis in _bases(cranks, bounded, box, len(depths.depth)):
        border = _fitted(depths, basis)
        inside = border.at(depths.values) > float(border.least)
        kept, cut = float(inside[depths.depth > 0].mean()), 1 - float(inside[depths.depth <= 0].mean())
        if kept > LEAST_KEPT and (best is None or kept + cut > best[0]):
            best = kept + cut, border
        if kept > ENOUGH_KEPT and cut > ENOUGH_CUT:
            break
    return None if best is None else best[1]


def _bases(cranks: tuple[str, ...], bounded: tuple[str, ...], box: Box, places: int) -> Iterator[Basis]:
    for degree in DEGREES:
        basis = Basis(cranks, bounded, box, degree)
        if len(basis.terms) > min(MOST_COEFFICIENTS, places / PLACES_PER_COEFFICIENT):
            return
        yield basis


def _fitted(depths: Depths, basis: Basis) -> Border:
    fit = ridge_squares(basis.matrix(depths.values), depths.depth[:, None])
    border = Border(basis, tuple(rounded(fit, DECIMALS, [1.0])[:, 0].tolist()), CLEARANCE)
    found = border.at(depths.values)
    return replace(border, least=_least_above(float(found[depths.astray].max(initial=0.0))))


def _least_above(highest: float) -> Fraction:
    """Clear of the highest value of what is to be beyond."""
    return CLEARANCE * (int(highest / float(CLEARANCE)) + 2)


def depth_beyond(cube: Array, ends: Array) -> Array:
    """Below zero: how far points (n, f) of the cube are beyond the ends (n, f) of the ways to them."""
    return np.asarray(-BEYOND * np.abs(cube - ends).max(axis=1))
