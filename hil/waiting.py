"""Waiting for a device, with an end: in seconds by the clock for a board, in computing time for an emulator.

An emulator on a busy computer is late and not broken: it is given the seconds that it computes. By the clock it gets
`WAITING_FACTOR` times as much, since a device that is frozen may compute nothing.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from exporter.time_limits import WAITING_FACTOR


@dataclass(frozen=True, slots=True)
class Clock:
    """What counts against a limit."""

    now_s: Callable[[], float] = time.monotonic
    factor: float = 1.0  # seconds by the clock that a second of the limit may last
    unit: str = "s"
    in_vain: Callable[[], bool] = lambda: False  # nothing will come: a wait is over at once
    look_s: float = math.inf  # by the clock, after which to look again whether it is in vain


def computing_clock(computed_s: Callable[[], float]) -> Clock:
    """The clock of an emulator that has computed for `computed_s()` seconds."""
    return Clock(computed_s, WAITING_FACTOR, "s of the emulator's computing time")


BY_THE_CLOCK = Clock()


class Wait:
    """One wait of `limit_s` seconds, which begins now."""

    def __init__(self, limit_s: float, clock: Clock) -> None:
        self._clock = clock
        self._end = clock.now_s() + limit_s
        self._last = time.monotonic() + limit_s * clock.factor

    def remaining(self) -> float:
        """Seconds after which to look again; 0 when the wait has ended or is in vain."""
        if self._clock.in_vain():
            return 0.0
        left_s = min(self._end - self._clock.now_s(), self._last - time.monotonic())
        return max(0.0, min(left_s, self._clock.look_s))
