"""Durations as numbers: exact statistics out of a histogram that counts every activation."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IntegerStatistics:
    """Statistics of integers; all zero of nothing."""

    count: int
    least: int
    mean: float
    p50: int
    p99: int
    p999: int
    greatest: int

    @property
    def spread(self) -> int:
        """Greatest less least."""
        return self.greatest - self.least


def spread_of(histogram: Mapping[int, int]) -> IntegerStatistics:
    """Statistics of a histogram value -> count; percentiles by nearest rank, so that each is a value that occurred."""
    ordered = sorted((value, count) for value, count in histogram.items() if count)
    if not ordered:
        return IntegerStatistics(0, 0, float("nan"), 0, 0, 0, 0)
    count = sum(number for _, number in ordered)
    mean = sum(value * number for value, number in ordered) / count
    p50, p99, p999 = (_nearest_rank(ordered, -(-count * part // 1000)) for part in (500, 990, 999))
    return IntegerStatistics(count, ordered[0][0], mean, p50, p99, p999, ordered[-1][0])


def _nearest_rank(ordered: list[tuple[int, int]], rank: int) -> int:
    seen = 0
    for value, count in ordered:
        seen += count
        if seen >= rank:
            return value
    return ordered[-1][0]
