"""What is known of a number before it is computed: bounds, and how far from zero it stays.

Endpoints are numbers of the precision and every operation on them is rounded to nearest in that precision. Rounding is
monotone, so the result encloses every value that the exported code can compute, without widening.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from exporter.sequence.operations import EPSILON, Precision

KERNEL_ULPS = 4
"""Room for the error of a kernel around the range of its function."""


@dataclass(frozen=True, slots=True)
class Enclosure:
    """low <= value <= high and |value| >= away. Infinite ends: unbounded, and it may be NaN."""

    low: float
    high: float
    away: float = 0.0

    @property
    def bounded(self) -> bool:
        """Whether both ends are finite."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def smallest(self) -> float:
        """The least magnitude."""
        return max(self.away, self.low, -self.high, 0.0)

    @property
    def largest(self) -> float:
        """The greatest magnitude."""
        return max(abs(self.low), abs(self.high))

    @property
    def empty(self) -> bool:
        """Whether no number is left: the code that would compute it cannot matter."""
        return self.low > self.high or self.largest < self.away


UNBOUNDED = Enclosure(-math.inf, math.inf)
EMPTY = Enclosure(math.inf, -math.inf)
"""No number: what computes it cannot matter."""


def text(enclosure: Enclosure) -> str:
    """The bounds, for messages."""
    gap = f" without ({-enclosure.away:.6g}, {enclosure.away:.6g})"
    away = gap if enclosure.low < 0 < enclosure.high and enclosure.away > 0 else ""
    return f"[{enclosure.low:.6g}, {enclosure.high:.6g}]{away}"


def constant(value: float) -> Enclosure:
    """Bounds of a single number."""
    return Enclosure(value, value)


def union(one: Enclosure, other: Enclosure) -> Enclosure:
    """Bounds of what is within one of two bounds."""
    if one.empty or other.empty:
        return other if one.empty else one
    return Enclosure(min(one.low, other.low), max(one.high, other.high), min(one.smallest, other.smallest))


def intersection(one: Enclosure, other: Enclosure) -> Enclosure:
    """Bounds of what is within two bounds."""
    return Enclosure(max(one.low, other.low), min(one.high, other.high), max(one.away, other.away))


def positive_part(value: Enclosure) -> Enclosure:
    """Bounds of the larger of the number and 0."""
    return Enclosure(max(value.low, 0.0), max(value.high, 0.0))


def at_least(value: Enclosure, bound: float) -> Enclosure:
    """What of the bounds is not below a number."""
    return replace(value, low=max(value.low, bound))


def at_most(value: Enclosure, bound: float) -> Enclosure:
    """What of the bounds is not above a number."""
    return replace(value, high=min(value.high, bound))


def away_from_zero(value: Enclosure, bound: float) -> Enclosure:
    """What of the bounds has at least this magnitude."""
    return replace(value, away=max(value.away, bound))


def negative(value: Enclosure) -> Enclosure:
    """Bounds of the number with the other sign."""
    return Enclosure(-value.high, -value.low, value.away)


def magnitude(value: Enclosure) -> Enclosure:
    """Bounds of the magnitude."""
    return Enclosure(value.smallest, value.largest, value.away)


class Arithmetic:
    """Operations on enclosures, rounded as the exported code rounds."""

    def __init__(self, precision: Precision) -> None:
        self.precision: Precision = precision
        self._real: Callable[[float], Any] = np.float32 if precision == "float32" else np.float64

    def _rounded(self, function: Callable[..., Any], *operands: float) -> float:
        with np.errstate(all="ignore"):
            return float(function(*(self._real(operand) for operand in operands)))

    def add(self, left: Enclosure, right: Enclosure) -> Enclosure:
        """left + right."""
        return Enclosure(
            self._rounded(operator.add, left.low, right.low), self._rounded(operator.add, left.high, right.high)
        )

    def mul(self, left: Enclosure, right: Enclosure) -> Enclosure:
        """left * right."""
        corners = [self._rounded(operator.mul, a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
        return Enclosure(min(corners), max(corners), self._rounded(operator.mul, left.smallest, right.smallest))

    def square(self, value: Enclosure) -> Enclosure:
        """value * value: never negative."""
        low, high = (self._rounded(operator.mul, end, end) for end in (value.smallest, value.largest))
        return Enclosure(low, high)

    def div(self, left: Enclosure, right: Enclosure) -> Enclosure:
        """left / right, where right stays away from zero."""
        largest = self._rounded(operator.truediv, left.largest, right.smallest)
        smallest = self._rounded(operator.truediv, left.smallest, right.largest)
        if right.low < 0 < right.high:
            return Enclosure(-largest, largest, smallest)
        nearest, farthest = math.copysign(right.smallest, right.high + right.low), self._farthest(right)
        corners = [
            self._rounded(operator.truediv, numerator, denominator)
            for numerator in (left.low, left.high)
            for denominator in (nearest, farthest)
        ]
        return Enclosure(min(corners), max(corners), smallest)

    @staticmethod
    def _farthest(value: Enclosure) -> float:
        return value.low if -value.low > value.high else value.high

    def sqrt(self, value: Enclosure) -> Enclosure:
        """The root of what is never negative."""
        return Enclosure(self._rounded(np.sqrt, max(value.smallest, 0.0)), self._rounded(np.sqrt, value.high))

    def around(self, low: float, high: float) -> Enclosure:
        """The range of a kernel's function, widened by the kernel's error."""
        room = KERNEL_ULPS * float(EPSILON[self.precision])
        return Enclosure(low - room * abs(low), high + room * abs(high))

    def sine(self, angle: Enclosure, phase: float) -> Enclosure:
        """sin(angle + phase); `phase` is a number of quarter turns, 1 for the cosine."""
        start, end = angle.low + phase * math.pi / 2, angle.high + phase * math.pi / 2
        ends = sorted((math.sin(start), math.sin(end)))
        high = 1.0 if _passes(start, end, math.pi / 2) else ends[1]
        low = -1.0 if _passes(start, end, -math.pi / 2) else ends[0]
        room = KERNEL_ULPS * float(EPSILON[self.precision])
        return Enclosure(low - room, high + room)


def _passes(start: float, end: float, angle: float) -> bool:
    """Whether an angle, or one some turns on, lies between the two."""
    room = 1e-6  # rad; to be on the safe side costs 1e-12 of the range
    return math.floor((end + room - angle) / (2 * math.pi)) >= math.ceil((start - room - angle) / (2 * math.pi))
