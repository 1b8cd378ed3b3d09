"""How long a span a counter can tell: one that may have wrapped twice is refused, not guessed.

The device takes differences modulo the counter's width, which are right across one wrap; see `targets/ecu/counter.h`.
"""

from dataclasses import dataclass

from hil.errors import BenchError


@dataclass(frozen=True, slots=True)
class CounterRate:
    """A free-running counter."""

    hz: int
    bits: int

    @property
    def wrap_s(self) -> float:
        """Seconds until it has counted through once."""
        return float(1 << self.bits) / self.hz

    def require_unambiguous(self, seconds: float, what: str) -> None:
        """Raises `BenchError` when a span of `seconds` may be longer than one wrap."""
        if not seconds < self.wrap_s:
            raise BenchError(
                f"{what} of {seconds:g} s is longer than one wrap of the {self.bits}-bit counter at {self.hz} Hz "
                f"({self.wrap_s:.9g} s); it cannot be told from a shorter one"
            )
