"""Deadline analysis: synthetic records with answers worked out by hand."""

from dataclasses import fields, replace

import pytest

from hil.deadlines import Analysis, Timing, analyse, headline
from hil.messages import Fault, Outcome, Record, RunState, Summary
from hil.session import FreeRun
from hil.statistics import spread_of
from hil.timebase import Timebase

CLOCK = Timebase("CMSDK APB timer", 25_000_000, 32, 5, True, 64)
TIMING = Timing(period_ticks=25_000, deadline_ticks=10_000)


def summary(**changes: int) -> Summary:
    """1,000 activations of 300 ticks each, begun 20 ticks late, all in time."""
    names = [each.name for each in fields(Summary)]
    plain = dict.fromkeys(names, 0) | {
        "state": RunState.FINISHED, "requested": 1000, "ran": 1000, "period_ticks": 25_000, "deadline_ticks": 10_000,
        "latch_after": 3, "duration_min": 300, "duration_max": 300, "duration_sum": 300_000, "late_min": 20,
        "late_max": 20, "late_sum": 20_000, "response_max": 340, "histogram_used": 1, "envelope_block": 2,
    }  # fmt: skip
    return Summary(**(plain | changes))


def run(log: tuple[Record, ...] = (), histogram: dict[int, int] | None = None, **changes: int) -> FreeRun:
    """A run with this log."""
    return FreeRun(summary(**changes), {300: 1000} if histogram is None else histogram, log, (), ())


def analysed(records: FreeRun, clock: Timebase = CLOCK) -> Analysis:
    """With a ring of 64 vectors."""
    return analyse(records, clock, TIMING, 64)


def record(index: int, duration: int = 300, outcome: Outcome = Outcome.IN_TIME, skipped: int = 0) -> Record:
    """An activation begun 20 ticks after its release and finished 20 ticks after the step."""
    return Record(index, 20, duration, duration + 40, 0, skipped, index % 64, outcome, (0.5,))


def test_a_clean_run_passes_with_its_margin() -> None:
    """340 ticks of 10,000: 13.6 us of 400 us, 3 %, margin 386.4 us."""
    analysis = analysed(run())
    assert analysis.passed
    assert headline(analysis) == (
        "1,000 activations, 0 missed, worst 13.6 us of 400 us (3 %), margin 386.4 us, at vector 0, "
        "virtual time (64 ns per instruction)"
    )


def test_percentiles_are_values_that_occurred() -> None:
    """Nearest rank: of 1,000 values the 500th, 990th and 999th."""
    spread = spread_of({100: 500, 200: 489, 300: 10, 900: 1})
    assert (spread.p50, spread.p99, spread.p999, spread.greatest) == (100, 300, 300, 900)
    assert spread.mean == pytest.approx((500 * 100 + 489 * 200 + 10 * 300 + 900) / 1000)
    assert spread_of({7: 1}).p999 == 7


def test_a_stall_is_named_with_its_index_its_size_and_its_neighbours() -> None:
    """12,000 ticks at activation 500 where 300 are usual: 11,700 above the median, 2,040 after the deadline."""
    log = (
        *(record(i) for i in (497, 498, 499)),
        record(500, 12_000, Outcome.OVERRUN),
        *(record(i) for i in (501, 502, 503)),
    )
    histogram = {300: 999, 12_000: 1}
    analysis = analysed(run(log, histogram, missed=1, duration_max=12_000, response_max=12_040, response_index=500))
    (violation,) = analysis.violations
    assert (violation.index, violation.vector, violation.excess_ticks, violation.over_ticks) == (500, 52, 11_700, 2_040)
    assert [each.index for each in violation.before] == [497, 498, 499]
    assert [each.index for each in violation.after] == [501, 502, 503]
    assert not analysis.passed
    assert "at vector 52" in headline(analysis)


def test_neighbours_come_from_near_by_only() -> None:
    """What an earlier violation logged is no context of a later one."""
    log = (
        record(10, 12_000, Outcome.OVERRUN),
        record(11),
        record(12),
        record(13),
        record(900, 12_000, Outcome.OVERRUN),
    )
    later = analysed(run(log, {300: 998, 12_000: 2}, missed=2)).violations[1]
    assert later.before == ()


def test_skipped_releases_count_as_missed() -> None:
    """Two releases that were never served are two misses, although nothing ran late."""
    log = (replace(record(7), outcome=Outcome.SKIPPED, skipped=2, duration_ticks=0, row=()),)
    analysis = analysed(run(log, {300: 998}, ran=998, skipped=2))
    assert analysis.all_missed == 2
    assert analysis.violations[0].count == 2
    assert not analysis.passed


def test_a_run_that_ended_early_does_not_pass() -> None:
    """A latched fault, or fewer activations than asked for, is no pass even without a miss."""
    assert not analysed(run(histogram={300: 10}, ran=10)).passed
    assert not analysed(run(fault=Fault.STARVED)).passed


def test_the_guard_counts() -> None:
    """The worst duration and the guard together must stay below the deadline."""
    close = run(histogram={9_900: 1000}, duration_max=9_900, response_max=9_940)
    assert analyse(close, CLOCK, TIMING, 64).passed
    assert not analyse(close, CLOCK, replace(TIMING, guard_ticks=200), 64).passed


@pytest.mark.parametrize(
    ("records", "clock", "why"),
    [
        (run(), replace(CLOCK, moves=False), "no counter that moves"),
        (run(), replace(CLOCK, counter_hz=0), "no counter that moves"),
        (
            run(histogram={0: 1000}, duration_min=0, duration_max=0),
            CLOCK,
            "a call took 0 ticks, and two reads of the counter with nothing between take 5 ticks",
        ),
        (run(histogram={300: 999, 4: 1}, duration_min=4), CLOCK, "a call took 4 ticks, and two reads"),
        (run(histogram={300: 999, 4: 1}), CLOCK, "a call took 4 ticks, and two reads"),
        (
            run(histogram={0: 1000}, duration_min=0, duration_max=0),
            replace(CLOCK, overhead_ticks=0),
            "the counter is too slow to see a call: every duration is 0 ticks, and so are two reads of it",
        ),
        (run(histogram={}, ran=0, requested=1000), CLOCK, "no activation ran"),
        (run(histogram={300: 999}), CLOCK, "the histogram holds 999 of 1000"),
        (
            run(response_max=299),
            CLOCK,
            "the latest finish came 299 ticks after its release, and the longest activation",
        ),
        (
            run((replace(record(7), response_ticks=318),)),
            CLOCK,
            "activation 7 started 20 ticks after its release, took 300 and fin",
        ),
    ],
)
def test_nothing_measured_is_never_a_pass(records: FreeRun, clock: Timebase, why: str) -> None:
    """Zeros, a standing counter, an incomplete record: no measurement, and said so."""
    analysis = analysed(records, clock)
    assert not analysis.passed
    assert why in analysis.invalid
    assert headline(analysis).startswith("no measurement")


def test_a_call_may_take_as_long_as_two_reads() -> None:
    """5 ticks where two reads take 5; and 0 now and then where the counter is slow, for others took more."""
    assert analysed(run(histogram={300: 999, 5: 1}, duration_min=5)).passed
    slow = replace(CLOCK, overhead_ticks=0)
    assert analysed(run(histogram={0: 999, 1: 1}, duration_min=0, duration_max=1), slow).passed


def test_ticks_become_instructions_exactly_at_64_ns() -> None:
    """308 ticks of 40 ns with 5 of overhead: 192 or 193 instructions between the stamps, 3 of them not the call's."""
    assert CLOCK.instructions(307.2) == 190
    assert replace(CLOCK, instruction_ns=None).instructions(307) is None


def test_time_on_an_emulator_is_never_called_hardware_time() -> None:
    """The label says which clock a verdict is in."""
    assert CLOCK.label == "virtual time (64 ns per instruction)"
    assert replace(CLOCK, instruction_ns=None).label == "hardware time (CMSDK APB timer)"
    assert replace(CLOCK, moves=False).label == "no measurement (no counter moves)"
