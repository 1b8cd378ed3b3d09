"""What a counter's numbers mean: spans across a wrap, and whether it counts at all.

A counter that does not move gives zeros for everything; zeros look like a pass. So a span is only a measurement when
the counter was seen to move, and only as long as it cannot have wrapped twice.
"""

from collections.abc import Sequence
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

    def elapsed(self, start: int, stop: int) -> int:
        """Ticks from `start` to `stop`, right across one wrap; absolute and signed comparisons are not."""
        return (stop - start) & ((1 << self.bits) - 1)

    def require_unambiguous(self, seconds: float, what: str) -> None:
        """Raises `BenchError` when a span of `seconds` may be longer than one wrap."""
        if not seconds < self.wrap_s:
            raise BenchError(
                f"{what} of {seconds:g} s is longer than one wrap of the {self.bits}-bit counter at {self.hz} Hz "
                f"({self.wrap_s:.9g} s); it cannot be told from a shorter one"
            )


def does_move(samples: Sequence[int], is_present: bool = True) -> bool:
    """Whether samples taken around some work show a counter that counts."""
    return is_present and len(set(samples)) > 1


@dataclass(frozen=True, slots=True)
class Repeatability:
    """What identical runs say about a clock."""

    spread: float  # (max - min) / min
    is_exact: bool

    @property
    def text(self) -> str:
        """For the report."""
        if self.is_exact:
            return "repeats exactly: instructions (icount), not cycles"
        return f"non-deterministic (spread {100 * self.spread:.2f} %), no worst case claimed"


def repeatability(ticks: Sequence[int]) -> Repeatability:
    """Compare the same measurement of identical runs, at least two; raises `BenchError` on nothing measured."""
    if len(ticks) < 2 or min(ticks) <= 0:
        raise BenchError(f"{len(ticks)} runs, least {min(ticks, default=0)} ticks: nothing to compare")
    spread = (max(ticks) - min(ticks)) / min(ticks)
    return Repeatability(spread, spread == 0)
