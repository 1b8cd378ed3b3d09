"""What is known of a number before it is computed: bounds, and how far from zero it stays.

Endpoints are numbers of the precision and every operation on them is rounded to nearest in that precision. Rounding is
monotone, so the result encloses every value that the exported code can compute, without widening.
"""

import math
import struct
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from exporter.records import dataclass
from exporter.sequence.operations import EPSILON, Precision

KERNEL_ULPS = 4
"""Room for the error of a kernel around the range of its function."""
BEYOND_FLOAT32 = float(2**128 - 2**103)
"""The least number that float32 rounds to infinity."""


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


def _nearest_float32(number: float) -> float:
    return float(np.float32(number)) if not abs(number) >= BEYOND_FLOAT32 else math.copysign(math.inf, number)


_SINGLES = {count: struct.Struct(f"<{count}f") for count in range(1, 7)}


def _in_float32(*numbers: float) -> tuple[float, ...]:
    """Up to six numbers, each rounded to float32; packing rounds them all at once, and refuses what overflows."""
    packing = _SINGLES[len(numbers)]
    try:
        return packing.unpack(packing.pack(*numbers))
    except OverflowError:
        return tuple(map(_nearest_float32, numbers))


def _in_float64(*numbers: float) -> tuple[float, ...]:
    return numbers


def _quotient(numerator: float, denominator: float) -> float:
    """By the rules of IEEE 754: a division by zero is infinite or NaN."""
    with np.errstate(all="ignore"):
        return float(np.float64(numerator) / denominator)


def _root(number: float) -> float:
    """The square root; NaN of a negative number."""
    return math.sqrt(number) if number >= 0 else math.nan


class Arithmetic:
    """Operations on enclosures, rounded as the exported code rounds.

    Each is done in float64 and then rounded to the precision: for one sum, product, quotient or root that is what
    float32 gives at once, for float64 has more than twice its digits.
    """

    def __init__(self, precision: Precision) -> None:
        self.precision: Precision = precision
        self._rounded: Callable[..., tuple[float, ...]] = _in_float32 if precision == "float32" else _in_float64

    def _number(self, function: Callable[..., float], *operands: float) -> float:
        return self._rounded(function(*self._rounded(*operands)))[0]

    def add(self, left: Enclosure, right: Enclosure) -> Enclosure:
        """left + right."""
        a, b, c, d = self._rounded(left.low, left.high, right.low, right.high)
        return Enclosure(*self._rounded(a + c, b + d))

    def sub(self, left: Enclosure, right: Enclosure) -> Enclosure:
        """left - right."""
        a, b, c, d = self._rounded(left.low, left.high, right.low, right.high)
        return Enclosure(*self._rounded(a - d, b - c))

    def mul(self, left: Enclosure, right: Enclosure) -> Enclosure:
        """left * right."""
        a, b, c, d, m, n = self._rounded(left.low, left.high, right.low, right.high, left.smallest, right.smallest)
        corners = (a * c, a * d, b * c, b * d)
        return Enclosure(*self._rounded(min(corners), max(corners), m * n))

    def square(self, value: Enclosure) -> Enclosure:
        """value * value: never negative."""
        low, high = self._rounded(value.smallest, value.largest)
        return Enclosure(*self._rounded(low * low, high * high))

    def div(self, left: Enclosure, right: Enclosure) -> Enclosure:
        """left / right, where right stays away from zero."""
        largest = self._number(_quotient, left.largest, right.smallest)
        smallest = self._number(_quotient, left.smallest, right.largest)
        if right.low < 0 < right.high:
            return Enclosure(-largest, largest, smallest)
        nearest, farthest = math.copysign(right.smallest, right.high + right.low), self._farthest(right)
        corners = [
            self._number(_quotient, numerator, denominator)
            for numerator in (left.low, left.high)
            for denominator in (nearest, farthest)
        ]
        return Enclosure(min(corners), max(corners), smallest)

    @staticmethod
    def _farthest(value: Enclosure) -> float:
        return value.low if -value.low > value.high else value.high

    def sqrt(self, value: Enclosure) -> Enclosure:
        """The root of what is never negative."""
        return Enclosure(self._number(_root, max(value.smallest, 0.0)), self._number(_root, value.high))

    def around(self, low: float, high: float) -> Enclosure:
        """The range of a kernel's function, widened by the kernel's error."""
        room = KERNEL_ULPS * float(EPSILON[self.precision])
        return Enclosure(low - room * abs(low), high + room * abs(high))

    def sine(self, angle: Enclosure) -> Enclosure:
        """sin(angle), which is greatest a quarter turn on, and least a quarter turn back."""
        return self._wave(math.sin, angle, greatest=math.pi / 2, least=-math.pi / 2)

    def cosine(self, angle: Enclosure) -> Enclosure:
        """cos(angle): not the sine of an angle that was shifted, for far from zero the sum is rounded."""
        return self._wave(math.cos, angle, greatest=0.0, least=math.pi)

    def _wave(self, function: Callable[[float], float], angle: Enclosure, greatest: float, least: float) -> Enclosure:
        """What the function of an angle comes to, with the places of its extremes."""
        ends = sorted((function(angle.low), function(angle.high)))
        high = 1.0 if _passes(angle, greatest) else ends[1]
        low = -1.0 if _passes(angle, least) else ends[0]
        room = KERNEL_ULPS * float(EPSILON[self.precision])
        return Enclosure(low - room, high + room)


def _passes(within: Enclosure, angle: float) -> bool:
    """Whether an angle, or one some turns on, lies between the two ends."""
    room = 1e-6  # rad; to be on the safe side costs 1e-12 of the range
    turns = (within.low - room - angle) / (2 * math.pi), (within.high + room - angle) / (2 * math.pi)
    return math.floor(turns[1]) >= math.ceil(turns[0])
