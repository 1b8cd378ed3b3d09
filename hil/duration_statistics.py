"""One row of the report's table: statistics of measured durations, with the limit beside every number.

In: ticks as the device counted them. Out: times, and beside them operations (exporter), instructions (emulator) and
cycles (a real board's cycle counter), which are four different quantities.
"""

from dataclasses import asdict, dataclass
from typing import Any

from hil.deadlines import Analysis
from hil.messages import COUNTER_NAMES, Counter
from hil.statistics import IntegerStatistics
from hil.timebase import Timebase


@dataclass(frozen=True, slots=True)
class DurationStatistics:
    """Times in microseconds, NaN where nothing was measured."""

    name: str
    count: int
    least_us: float
    mean_us: float
    p50_us: float
    p99_us: float
    p999_us: float
    greatest_us: float
    guarded_us: float  # greatest plus guard
    spread_us: float
    limit_us: float | None  # deadline; None where no deadline applies
    use: float | None  # greatest over period
    misses: int | None
    longest_run: int | None
    jitter_us: float | None  # start, greatest less least
    operations: int
    instructions: int | None  # of the longest call, on an emulator
    cycles: int | None  # of the longest call, on a board with a cycle counter

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def lockstep_statistics(durations: IntegerStatistics, base: Timebase, operations: int) -> DurationStatistics:
    """Cost per vector, without a deadline."""
    return _statistics_of("lockstep: one vector", durations, base, operations)


def free_run_statistics(analysis: Analysis, operations: int) -> DurationStatistics:
    """Cost per activation against the deadline."""
    base, timing = analysis.timebase, analysis.timing
    return _statistics_of(
        "free run: one activation", analysis.durations, base, operations,
        guard=timing.guard_ticks, limit_us=_us(base, timing.deadline_ticks),
        use=analysis.durations.greatest / timing.period_ticks, misses=analysis.all_missed,
        longest_run=analysis.longest_run, jitter_us=_us(base, analysis.lateness.jitter),
    )  # fmt: skip


def _statistics_of(
    name: str, spread: IntegerStatistics, base: Timebase, operations: int, guard: int = 0, **more: Any
) -> DurationStatistics:
    none: dict[str, Any] = dict.fromkeys(("limit_us", "use", "misses", "longest_run", "jitter_us"))
    is_cycles = base.moves and base.counter == COUNTER_NAMES[Counter.CYCLES]
    return DurationStatistics(
        name=name,
        count=spread.count,
        least_us=_us(base, spread.least),
        mean_us=_us(base, spread.mean),
        p50_us=_us(base, spread.p50),
        p99_us=_us(base, spread.p99),
        p999_us=_us(base, spread.p999),
        greatest_us=_us(base, spread.greatest),
        guarded_us=_us(base, spread.greatest + guard),
        spread_us=_us(base, spread.spread),
        operations=operations,
        instructions=_instructions(spread, base),
        cycles=spread.greatest - base.overhead_ticks if is_cycles and base.instruction_ns is None else None,
        **(none | more),
    )


def _instructions(spread: IntegerStatistics, base: Timebase) -> int | None:
    """Instructions of the longest call. Where all durations agree to a tick, their mean is finer than one tick."""
    if spread.count == 0:
        return None
    return base.instructions(spread.mean if spread.spread <= 1 else spread.greatest)


def _us(base: Timebase, ticks: float) -> float:
    return base.seconds(ticks) * 1e6
