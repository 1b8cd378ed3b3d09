"""Holds the proved count of a function against what was counted while it ran.

In: `path.prove` (or an audited function) and the counts of a batch run. Used by: sil, the demo, reports.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Agreement:
    """Static against dynamic, in instructions. `rows` calls took between `fewest` and `most`."""

    symbol: str
    static: int | None
    fewest: int
    most: int
    rows: int

    @property
    def holds(self) -> bool:
        """Every call took exactly what was proved."""
        return self.rows > 0 and self.fewest == self.most == self.static

    def sentence(self) -> str:
        """One line for a report."""
        proved = "no count" if self.static is None else f"{self.static} instructions"
        counted = f"{self.fewest}" if self.fewest == self.most else f"{self.fewest} to {self.most}"
        verdict = "they agree" if self.holds else "they do not agree"
        return f"{self.symbol}: {proved} proved, {counted} counted over {self.rows} calls; {verdict}"


def agreement(symbol: str, static: int | None, counts: Iterable[int]) -> Agreement:
    """Compare; `counts` holds the instructions of each call."""
    counted = [int(count) for count in counts]
    return Agreement(symbol, static, min(counted, default=0), max(counted, default=0), len(counted))
