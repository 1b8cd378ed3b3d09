"""Which clock a verdict is in: hardware, or the virtual time of an emulator, which is never a pass of hardware."""

import math
from dataclasses import dataclass

from hil.hello import Hello
from hil.messages import COUNTER_NAMES, Counter
from sil.figures import count_text

TOO_SLOW = "the counter is too slow to see a call: every duration is 0 ticks, and so are two reads of it"


@dataclass(frozen=True, slots=True)
class Timebase:
    """How ticks become seconds and, on an emulator, instructions."""

    counter: str  # "CMSDK APB timer"
    counter_hz: int
    counter_bits: int
    overhead_ticks: int  # between two reads with nothing but a return between them
    moves: bool
    instruction_ns: int | None  # None: real hardware

    @property
    def label(self) -> str:
        """Stands beside every verdict."""
        if not self.moves:
            return "no measurement (no counter moves)"
        if self.instruction_ns is None:
            return f"hardware time ({self.counter})"
        return f"virtual time ({self.instruction_ns} ns per instruction)"

    @property
    def tick_s(self) -> float:
        """Seconds of one tick; NaN without a counter."""
        return 1.0 / self.counter_hz if self.moves and self.counter_hz else float("nan")

    def seconds(self, ticks: float) -> float:
        """Ticks to seconds; NaN without a counter."""
        return ticks * self.tick_s

    def is_too_slow(self, greatest: int) -> bool:
        """Whether the counter sees neither a call of these ticks at most nor two reads of it: nothing is measured."""
        return self.moves and greatest == 0 and self.overhead_ticks == 0

    def why_wrong(self, least: int) -> str:
        """Why no call can have taken so few ticks, which contain two reads; empty where one can."""
        if not self.moves or least >= self.overhead_ticks:
            return ""
        reads = count_text(self.overhead_ticks, "tick")
        return (
            f"a call took {count_text(least, 'tick')}, and two reads of the counter with nothing between take {reads}"
        )

    def instructions(self, ticks: float) -> int | None:
        """Instructions of the measured call alone, to within one; None where time is not instructions.

        The two reads are `overhead_ticks` apart around a call of one instruction.
        """
        if self.instruction_ns is None or not self.moves:
            return None
        return self._whole_instructions(ticks) - self._whole_instructions(self.overhead_ticks) + 1

    def _whole_instructions(self, ticks: float) -> int:
        assert self.instruction_ns is not None  # asked before
        return math.floor(ticks * 1_000_000_000 / (self.counter_hz * self.instruction_ns) + 0.5)


def timebase_of(hello: Hello, instruction_ns: int | None) -> Timebase:
    """The clock of a device; `instruction_ns` is what an emulated instruction lasts, None on a board."""
    counter = Counter(hello.counter)
    moves = bool(hello.counter_moves) and counter is not Counter.NONE
    name = COUNTER_NAMES[counter]
    return Timebase(name, hello.counter_hz, hello.counter_bits, hello.overhead_ticks, moves, instruction_ns)
