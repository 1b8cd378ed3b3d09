"""Scales and tick marks of the charts: values to pixels."""

import math
from dataclasses import dataclass

STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Mark:
    """A tick mark."""

    at: float  # pixel
    text: str


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear scale from values to pixels."""

    least: float
    greatest: float
    start: float  # pixel of `least`
    end: float  # pixel of `greatest`

    def at(self, value: float) -> float:
        """Pixel of `value`, rounded so that the same numbers give the same bytes everywhere."""
        part = (value - self.least) / (self.greatest - self.least)
        return round(self.start + part * (self.end - self.start), 2)

    def marks(self, wanted: int = 6) -> tuple[Mark, ...]:
        """About `wanted` marks at round values."""
        step = round_step((self.greatest - self.least) / wanted)
        first = math.ceil(self.least / step - 1e-9)
        last = math.floor(self.greatest / step + 1e-9)
        return tuple(Mark(self.at(number * step), short(number * step)) for number in range(first, last + 1))


def axis(least: float, greatest: float, start: float, end: float) -> Axis:
    """A scale that is never empty."""
    if not greatest > least:
        greatest = least + 1.0
    return Axis(least, greatest, start, end)


def round_step(rough: float) -> float:
    """The next of 1, 2, 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return power * next(step for step in STEPS if step * power >= rough * (1 - 1e-9))


def short(value: float) -> str:
    """A number for a tick mark."""
    return f"{value:,.10g}" if abs(value) < 1e6 else f"{value:.3g}"
