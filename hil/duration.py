"""Durations as a test engineer writes them: "400 us", "1.5 ms", "168 cycles".

A type of its own, because general time parsers round to milliseconds (400 us became 0.0) and accept zero. Exact:
a Fraction of a second, or a number of counter ticks whose length only the device knows.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

from hil.errors import BenchError

UNITS: dict[str, Fraction] = {
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "ms": Fraction(1, 10**3),
    "s": Fraction(1),
}
CYCLE_UNIT = "cycles"
LARGEST_NUMBER = 10**12  # of any unit
DURATION_PATTERN = re.compile(r"\s*(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>ns|us|µs|ms|s|cycles)\s*")


@dataclass(frozen=True, slots=True)
class Duration:
    """A time above zero."""

    text: str  # as it was written
    number: Fraction
    unit: str  # ns | us | ms | s | cycles

    def seconds(self, counter_hz: int) -> Fraction:
        """In seconds; cycles are ticks of a counter that runs at `counter_hz`."""
        return self.ticks(counter_hz) / counter_hz if self.unit == CYCLE_UNIT else self.number * UNITS[self.unit]

    def ticks(self, counter_hz: int) -> Fraction:
        """In ticks of a counter that runs at `counter_hz`; raises `BenchError` when that is zero."""
        if counter_hz <= 0:
            raise BenchError(f"'{self.text}' cannot be counted: the device has no counter that moves")
        return self.number if self.unit == CYCLE_UNIT else self.number * UNITS[self.unit] * counter_hz

    def whole_ticks(self, counter_hz: int, what: str) -> int:
        """In ticks, which must be a whole number of them."""
        ticks = self.ticks(counter_hz)
        if ticks.denominator != 1:
            raise BenchError(
                f"the {what} '{self.text}' is {float(ticks):.12g} ticks of a {counter_hz:,} Hz counter; "
                "choose one that is a whole number of ticks"
            )
        return ticks.numerator


def parse_duration(text: str, what: str = "duration") -> Duration:
    """Read "400 us". Raises `BenchError` on another form, on zero and on what is not finite."""
    found = DURATION_PATTERN.fullmatch(text)
    if found is None:
        raise BenchError(
            f"{what} '{text}' is no duration; write a number and ns, us, ms, s or cycles, such as '400 us'"
        )
    number = Fraction(found["number"])
    if number > LARGEST_NUMBER:
        raise BenchError(
            f"{what} '{text[:20]}...' is beyond {LARGEST_NUMBER:,} of any unit; a limit without an end shows nothing"
        )
    if number == 0:
        raise BenchError(f"{what} '{text}' is zero; a limit of zero would hide every measurement; state one above it")
    return Duration(text.strip(), number, found["unit"].replace("µs", "us"))


def format_seconds(seconds: float) -> str:
    """A time for people: "312.4 us". NaN becomes "no measurement"."""
    if not seconds < float("inf"):
        return "no measurement"
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if abs(seconds) * factor >= 1.0:
            return f"{_short_text(seconds * factor)} {unit}"
    return f"{_short_text(seconds * 1e9)} ns"


def _short_text(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
