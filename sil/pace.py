"""How far a campaign is, how fast, and how long the rest will take: what a progress line says."""

from dataclasses import dataclass

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


def _time(seconds: float) -> str:
    """A time that nobody needs to the second."""
    if seconds < 2 * MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{seconds / HOUR:.1f} h"
