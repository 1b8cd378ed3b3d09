"""Scales of charts, linear or logarithmic, and the ticks on them.

In: the least and the greatest value of an axis. Out: the part of the way between them at which a value
lies, and round values with their text.
"""

import math
from collections.abc import Iterable

from exporter.records import dataclass

TICKS = 6  # about so many on an axis
LEAST_STEP_RATIO = 0.8  # of the step that gives just so many, a step may have
TICK_ROUNDING = 1e-9  # part of a step by which a tick may lie beyond an end, for rounding
POWER_NOTATION_VALUE = 1e7  # from here on a tick is written with a power of ten
POWER_NOTATION_DECIMALS = 6  # as many or more are written with a power of ten
PLAIN_POWERS = range(-3, 7)  # powers of ten that are written out


@dataclass(frozen=True, slots=True)
class Tick:
    """A round value of an axis."""

    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Scale:
    """Values from `low` to `high`, which are not equal; both above zero where it is logarithmic."""

    low: float
    high: float
    logarithmic: bool = False
    whole: bool = False  # of what is counted: ticks at whole numbers alone

    def part(self, value: float) -> float:
        """Where a value lies: 0 at the low end, 1 at the high one; minus infinity for what has no logarithm."""
        if self.logarithmic and value <= 0:
            return -math.inf
        low, high = self.ends()
        return ((math.log10(value) if self.logarithmic else value) - low) / (high - low)

    def value(self, part: float) -> float:
        """The value at a part of the way: the inverse of `part`."""
        low, high = self.ends()
        place = low + part * (high - low)
        return float(10.0**place) if self.logarithmic else place

    def ends(self) -> tuple[float, float]:
        """Both ends, as powers of ten where it is logarithmic."""
        return (math.log10(self.low), math.log10(self.high)) if self.logarithmic else (self.low, self.high)

    def ticks(self, wanted: int = TICKS) -> tuple[Tick, ...]:
        """Multiples of 1, 2 or 5 times a power of ten, or powers of ten on a logarithmic scale; about `wanted`."""
        return _powers(self, wanted) if self.logarithmic else _multiples(self, wanted)


def linear(low: float, high: float, *, whole: bool = False) -> Scale:
    """A scale from one value to another, one unit long where they are equal."""
    return Scale(low, high if high > low else low + 1.0, whole=whole)


def fit_scale(values: Iterable[float], spare: float = 0.0) -> Scale:
    """A linear scale over all finite values, with a part of its length to spare at both ends."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    room = (high - low) * spare or (abs(high) * 0.05 or 1.0) * (high == low)
    return Scale(low - room, high + room)


def _multiples(scale: Scale, wanted: int) -> tuple[Tick, ...]:
    rough = (scale.high - scale.low) / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * LEAST_STEP_RATIO)
    step = max(step, 1.0) if scale.whole else step
    first, last = math.ceil(scale.low / step - TICK_ROUNDING), math.floor(scale.high / step + TICK_ROUNDING)
    digits = max(0, -math.floor(math.log10(step) + TICK_ROUNDING))
    is_short = digits < POWER_NOTATION_DECIMALS and max(abs(scale.low), abs(scale.high)) < POWER_NOTATION_VALUE
    values = [number * step + 0.0 for number in range(first, last + 1)]
    return tuple(Tick(value, f"{value:,.{digits}f}" if is_short else f"{value:g}") for value in values)


def _powers(scale: Scale, wanted: int) -> tuple[Tick, ...]:
    low, high = scale.ends()
    first, last = math.ceil(low - TICK_ROUNDING), math.floor(high + TICK_ROUNDING)
    step = max(1, math.ceil((last - first) / wanted))
    powers = range(first, last + 1, step)
    is_plain = all(power in PLAIN_POWERS for power in powers)
    return tuple(
        Tick(10.0**power, f"{10.0**power:,.{max(0, -power)}f}" if is_plain else f"1e{power}") for power in powers
    )
