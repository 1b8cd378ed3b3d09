"""How far a campaign is, how fast, and how long the rest will take: what a progress line says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from sil.figures import count_text

MINUTE, HOUR = 60, 3600


@dataclass(frozen=True, slots=True)
class Pace:
    """Vectors that were judged, of how many, in how many seconds."""

    done: int
    total: int
    seconds: float

    @property
    def text(self) -> str:
        """Words for a progress line; before anything is done there is no rate."""
        if not self.done or self.seconds <= 0:
            return count_text(self.total, "vector")
        rate = self.done / self.seconds
        left = (self.total - self.done) / rate
        part = f"{self.done / self.total:.0%} of {count_text(self.total, 'vector')}"
        return f"{part}, {rate:,.0f} a second, {_time(left)} left"


class Meter:
    """Hears how far the tasks of a campaign are, and says it in one line with what is at work now."""

    def __init__(self, names: Sequence[str], sizes: Sequence[int], say: Callable[[str], None]) -> None:
        self._names, self._sizes, self._say = names, sizes, say
        self._shares = [0.0] * len(sizes)
        self._at_work: dict[int, str] = {}  # by the number of the task; what was heard last comes last
        self._start = perf_counter()

    def hear(self, number: int, share: float, what: str) -> None:
        """Take in which share of a task is done, and what is at work there."""
        self._shares[number] = max(self._shares[number], share)
        self._at_work.pop(number, None)
        self._at_work[number] = what
        self._tell()

    def end(self, number: int) -> None:
        """Take in that a task is done."""
        self._shares[number] = 1.0
        self._at_work.pop(number, None)
        self._tell()

    def _tell(self) -> None:
        done = sum(size * share for size, share in zip(self._sizes, self._shares, strict=True))
        words = [Pace(int(done), sum(self._sizes), perf_counter() - self._start).text]
        for number, what in list(self._at_work.items())[-1:]:
            words += [self._names[number], *([what] if what else [])]
        self._say(": ".join(words))


def _time(seconds: float) -> str:
    """A time that nobody needs to the second."""
    if seconds < 2 * MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{seconds / HOUR:.1f} h"
