"""Enclosures over pieces of the inputs' ranges, all pieces at once: arrays in place of numbers.

As in `exporter.sequence.enclosure`, endpoints are numbers of the precision and every operation on them rounds to
nearest in it: it encloses what the exported code computes in each piece, without widening.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from exporter.records import dataclass
from exporter.sequence.enclosure import KERNEL_ULPS, Enclosure
from exporter.sequence.operations import EPSILON, Precision

Ends = NDArray[np.floating]
"""One number for every piece."""
ROOM = 1e-6
"""rad by which an angle may miss an extreme of its sine and is taken to pass it."""


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """low <= value <= high, (pieces,) each, all finite; |value| >= away, where that says more than the ends."""

    low: Ends
    high: Ends
    away: Ends | None = None

    @property
    def smallest(self) -> Ends:
        """The least magnitude."""
        least = np.maximum(np.maximum(self.low, -self.high), 0.0)
        return least if self.away is None else np.maximum(least, self.away)

    @property
    def largest(self) -> Ends:
        """The greatest magnitude."""
        return np.maximum(-self.low, self.high)

    @property
    def hull(self) -> Enclosure:
        """Bounds over all pieces."""
        low, high = float(np.minimum.reduce(self.low)), float(np.maximum.reduce(self.high))
        return Enclosure(low, high, max(0.0, low, -high) if self.away is None else float(self.smallest.min()))

    def within(self, known: Enclosure) -> "Pieces":
        """What of the bounds is within others; a piece that keeps nothing, for no input reaches it, has the others."""
        real = self.low.dtype.type
        low, high = np.maximum(self.low, real(known.low)), np.minimum(self.high, real(known.high))
        away = np.maximum(self.smallest, real(known.away))
        empty = (low > high) | (np.maximum(-low, high) < away)
        if empty.any():
            ends = (known.low, low), (known.high, high), (known.smallest, away)
            low, high, away = (np.where(empty, real(bound), mine) for bound, mine in ends)
        return _with_gap(low, high, away)


def _with_gap(low: Ends, high: Ends, away: Ends) -> Pieces:
    """Bounds with a gap around zero, where that says more than the ends in some piece."""
    says = (low < 0) & (high > 0) & (away > 0)
    return Pieces(low, high, away if says.any() else None)


def everywhere(known: Enclosure, like: Pieces) -> Pieces:
    """Bounds that every piece has alike."""
    kind = like.low.dtype
    ends = (known.low, known.high, known.away)[: 3 if known.away > 0 else 2]
    return Pieces(*[np.array(end, dtype=kind) for end in ends])


def negative(value: Pieces) -> Pieces:
    """-value."""
    return Pieces(-value.high, -value.low, value.away)


def magnitude(value: Pieces) -> Pieces:
    """|value|."""
    return Pieces(value.smallest, value.largest)


def union(one: Pieces, other: Pieces) -> Pieces:
    """What is within one of two bounds."""
    low, high = np.minimum(one.low, other.low), np.maximum(one.high, other.high)
    return _with_gap(low, high, np.minimum(one.smallest, other.smallest))


def chosen(flags: NDArray[np.int8], one: Pieces, zero: Pieces) -> Pieces:
    """A select: of one where the flag holds (1), of the other where it fails (-1), of both where nobody knows (0)."""
    both = union(one, zero)
    ends = "low", "high", "smallest"
    parts = [(getattr(one, end), getattr(zero, end), getattr(both, end)) for end in ends]
    return _with_gap(*(np.where(flags == 1, a, np.where(flags == -1, b, c)) for a, b, c in parts))


def add(left: Pieces, right: Pieces) -> Pieces:
    """left + right."""
    return Pieces(left.low + right.low, left.high + right.high)


def sub(left: Pieces, right: Pieces) -> Pieces:
    """left - right."""
    return Pieces(left.low - right.high, left.high - right.low)


def mul(left: Pieces, right: Pieces) -> Pieces:
    """left * right."""
    corner, *corners = left.low * right.low, left.low * right.high, left.high * right.low, left.high * right.high
    low, high = np.minimum(corner, corners[0]), np.maximum(corner, corners[0], out=corner)
    for other in corners[1:]:
        np.minimum(low, other, out=low)
        np.maximum(high, other, out=high)
    if left.away is None and right.away is None:
        return Pieces(low, high)
    return _with_gap(low, high, left.smallest * right.smallest)


def scaled(value: Pieces, factor: float) -> Pieces:
    """value * factor, for one factor in all pieces."""
    real = value.low.dtype.type(factor)
    ends = (value.low, value.high) if factor >= 0 else (value.high, value.low)
    return Pieces(ends[0] * real, ends[1] * real, None if value.away is None else value.away * abs(real))


def square(value: Pieces) -> Pieces:
    """value * value: never negative."""
    low, high = value.smallest, value.largest
    return Pieces(low * low, high * high)


def twice_positive(value: Pieces) -> Pieces:
    """value + |value|."""
    low, high = np.maximum(value.low, 0.0), np.maximum(value.high, 0.0)
    return Pieces(low + low, high + high)


def div(left: Pieces, right: Pieces) -> Pieces:
    """left / right, where right stays away from zero in every piece."""
    near, far = right.smallest, right.largest
    largest, smallest = left.largest / near, left.smallest / far
    sign = np.where(right.low >= 0, 1.0, -1.0).astype(near.dtype)
    quotients = [end / (sign * size) for end in (left.low, left.high) for size in (near, far)]
    low, high = np.minimum.reduce(quotients), np.maximum.reduce(quotients)
    across = (right.low < 0) & (right.high > 0)
    return _with_gap(np.where(across, -largest, low), np.where(across, largest, high), smallest)


def sqrt(value: Pieces) -> Pieces:
    """The root of what is never negative."""
    return Pieces(np.sqrt(value.smallest), np.sqrt(value.high))


def with_sign_of(size: Pieces, sign: Pieces) -> Pieces:
    """The magnitude of one number with the sign of another."""
    positive = magnitude(size)
    low = np.where(sign.low > 0, positive.low, -positive.high)
    return _with_gap(low, positive.high, positive.low)


def sine(angle: Pieces, precision: Precision) -> Pieces:
    """sin(angle)."""
    return _wave(np.sin, angle, precision, greatest=np.pi / 2, least=-np.pi / 2)


def cosine(angle: Pieces, precision: Precision) -> Pieces:
    """cos(angle)."""
    return _wave(np.cos, angle, precision, greatest=0.0, least=np.pi)


def _wave(
    function: Callable[[Ends], Ends], angle: Pieces, precision: Precision, greatest: float, least: float
) -> Pieces:
    """What a kernel makes of an angle, with the places of the function's extremes and room for the kernel's error."""
    low, high = angle.low.astype(np.float64), angle.high.astype(np.float64)
    ends, room = (function(low), function(high)), KERNEL_ULPS * float(EPSILON[precision])
    most = np.where(_passes(low, high, greatest), 1.0, np.maximum(*ends)) + room
    fewest = np.where(_passes(low, high, least), -1.0, np.minimum(*ends)) - room
    return Pieces(fewest.astype(angle.low.dtype), most.astype(angle.low.dtype))


def _passes(low: Ends, high: Ends, angle: float) -> NDArray[np.bool_]:
    turns = (low - ROOM - angle) / (2 * np.pi), (high + ROOM - angle) / (2 * np.pi)
    return np.asarray(np.floor(turns[1]) >= np.ceil(turns[0]))


def compared(left: Pieces, right: Pieces, *, equal: bool) -> NDArray[np.int8]:
    """In each piece 1 where left < right (or left <= right) holds, -1 where it fails, 0 where it may do either."""
    holds = left.high <= right.low if equal else left.high < right.low
    fails = left.low > right.high if equal else left.low >= right.high
    return holds.astype(np.int8) - fails.astype(np.int8)
