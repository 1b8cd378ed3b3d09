"""Did every activation finish in time? Analysis of what a device recorded during a free run.

In: `FreeRun` (counts, exact histogram, logged activations), the time base, period and deadline. Out: `Analysis`.
Release n is due one period after release n - 1; an activation is missed when it finishes later than its deadline after
its release, or is never served. Everything is counted by the device's free-running counter; the host's clock and the
link's latency take no part.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hil.duration import format_seconds
from hil.messages import Fault, Outcome, Record
from hil.session import FreeRun
from hil.statistics import IntegerStatistics, spread_of
from hil.timebase import TOO_SLOW, Timebase
from sil.figures import count_text

CONTEXT_ACTIVATIONS = 3
"""Activations shown before and after a violation, and the latest finish."""


@dataclass(frozen=True, slots=True)
class Timing:
    """What was asked for, in ticks of the device's counter."""

    period_ticks: int
    deadline_ticks: int
    guard_ticks: int = 0  # added to the worst duration, for what was not seen


@dataclass(frozen=True, slots=True)
class Violation:
    """An activation that missed its deadline, a run of releases that were never served, or the latest finish."""

    outcome: Outcome
    index: int
    count: int  # 1, or how many releases were skipped from `index` on
    vector: int
    late_ticks: int  # start of the step after the release
    duration_ticks: int
    over_ticks: int  # finish after the deadline; negative where it is in time
    excess_ticks: int  # duration above the median
    status: int
    row: tuple[float, ...]
    before: tuple[Record, ...]
    after: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Lateness:
    """Start of the step after its release, in ticks."""

    least: int
    mean: float
    greatest: int

    @property
    def jitter(self) -> int:
        """Greatest less least."""
        return self.greatest - self.least


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that a free run says about deadlines."""

    timebase: Timebase
    timing: Timing
    requested: int
    ran: int
    skipped: int
    missed: int  # executed and late
    longest_run: int  # most consecutive misses, skipped ones included
    fault: Fault
    durations: IntegerStatistics  # ticks, with the overhead of measuring
    lateness: Lateness
    response_ticks: int  # release to finish, the worst
    response_index: int
    worst_index: int  # of the longest duration
    vectors: int
    violations: tuple[Violation, ...]
    latest: Violation | None  # the latest finish, in time or not; None where the device kept none
    unlogged: int  # records that found no room on the device
    uncounted: int  # durations that found no room in the histogram
    invalid: str  # why nothing was measured, empty when something was

    @property
    def is_measured(self) -> bool:
        """Whether the numbers mean anything."""
        return not self.invalid

    @property
    def all_missed(self) -> int:
        """Releases that did not end in time, for whatever reason."""
        return self.missed + self.skipped

    @property
    def passed(self) -> bool:
        """Every requested activation ran and finished in time, as far as this clock can tell."""
        complete = self.ran == self.requested and self.all_missed == 0 and self.fault is Fault.NONE
        return self.is_measured and complete and self.durations.greatest + self.timing.guard_ticks <= self._deadline

    @property
    def _deadline(self) -> int:
        return self.timing.deadline_ticks


def analyse(run: FreeRun, timebase: Timebase, timing: Timing, vectors: int) -> Analysis:
    """Turn the records of a free run that went through `vectors` stored rows into an analysis."""
    summary, durations = run.summary, spread_of(run.histogram)
    mean_late = summary.late_sum / summary.ran if summary.ran else float("nan")
    return Analysis(
        timebase=timebase,
        timing=timing,
        requested=summary.requested,
        ran=summary.ran,
        skipped=summary.skipped,
        missed=summary.missed,
        longest_run=summary.longest_run,
        fault=Fault(summary.fault),
        durations=durations,
        lateness=Lateness(summary.late_min if summary.ran else 0, mean_late, summary.late_max),
        response_ticks=summary.response_max,
        response_index=summary.response_index,
        worst_index=summary.worst_index,
        vectors=vectors,
        violations=_violations(run.log, timing, durations.p50),
        latest=_latest(run, timing, durations.p50),
        unlogged=summary.log_lost,
        uncounted=summary.histogram_lost,
        invalid=_why_invalid(run, timebase, durations),
    )


def _why_invalid(run: FreeRun, timebase: Timebase, durations: IntegerStatistics) -> str:
    """A counter that stands still, or is too slow, gives zeros, and zeros are no measurement."""
    if not timebase.moves or not timebase.counter_hz:
        return "the device has no counter that moves"
    if not run.summary.ran:
        return "no activation ran"
    if why := _why_not_seen(run, timebase, durations):
        return why
    if not run.summary.histogram_lost and durations.count != run.summary.ran:
        return f"the histogram holds {durations.count} of {run.summary.ran} activations"
    if run.summary.response_max < run.summary.duration_max:
        return (
            f"the latest finish came {run.summary.response_max:,} ticks after its release, and the longest activation "
            f"took {run.summary.duration_max:,}; the device's numbers contradict each other"
        )
    return _contradiction([*run.log, *run.latest])


def _why_not_seen(run: FreeRun, timebase: Timebase, durations: IntegerStatistics) -> str:
    """Why the counter did not see the activations."""
    if timebase.is_too_slow(run.summary.duration_max):
        return TOO_SLOW
    least = min(run.summary.duration_min, durations.least) if durations.count else run.summary.duration_min
    return timebase.why_wrong(least)


def _contradiction(records: Sequence[Record]) -> str:
    """The first record whose finish does not follow its start; a tick may be lost where both are read."""
    for each in records:
        least = each.late_ticks + each.duration_ticks - 1
        if each.outcome != Outcome.SKIPPED and each.response_ticks < least:
            return (
                f"activation {each.index:,} started {each.late_ticks:,} ticks after its release, took "
                f"{each.duration_ticks:,} and finished {each.response_ticks:,} after it; "
                "the device's numbers contradict each other"
            )
    return ""


def _violations(log: Sequence[Record], timing: Timing, median: int) -> tuple[Violation, ...]:
    found = [(place, record) for place, record in enumerate(log) if record.outcome != Outcome.IN_TIME]
    return tuple(_violation(log, place, record, timing, median) for place, record in found)


def _latest(run: FreeRun, timing: Timing, median: int) -> Violation | None:
    places = [place for place, record in enumerate(run.latest) if record.index == run.summary.response_index]
    return _violation(run.latest, places[0], run.latest[places[0]], timing, median) if places else None


def _violation(log: Sequence[Record], place: int, record: Record, timing: Timing, median: int) -> Violation:
    is_skip = record.outcome == Outcome.SKIPPED
    count = record.skipped if is_skip else 1
    last = record.index + count - 1
    return Violation(
        outcome=Outcome(record.outcome),
        index=record.index,
        count=count,
        vector=record.vector,
        late_ticks=record.late_ticks,
        duration_ticks=record.duration_ticks,
        over_ticks=0 if is_skip else record.response_ticks - timing.deadline_ticks,
        excess_ticks=0 if is_skip else record.duration_ticks - median,
        status=record.status,
        row=() if is_skip else record.row,
        before=tuple(
            each
            for each in log[max(0, place - CONTEXT_ACTIVATIONS) : place]
            if _end(each) + CONTEXT_ACTIVATIONS > record.index
        ),
        after=tuple(
            each
            for each in log[place + 1 : place + 1 + CONTEXT_ACTIVATIONS]
            if each.index <= last + CONTEXT_ACTIVATIONS
        ),
    )


def _end(record: Record) -> int:
    """The release after those that this record speaks of."""
    return record.index + max(1, record.skipped)


def headline(analysis: Analysis) -> str:
    """The one line that is read first."""
    base, timing = analysis.timebase, analysis.timing
    if not analysis.is_measured:
        return f"no measurement: {analysis.invalid}"
    worst, limit = base.seconds(analysis.response_ticks), base.seconds(timing.deadline_ticks)
    share = 100 * analysis.response_ticks / timing.deadline_ticks
    vector = analysis.response_index % max(1, analysis.vectors)
    return (
        f"{_ran(analysis)}, {analysis.all_missed:,} missed, worst {format_seconds(worst)} of "
        f"{format_seconds(limit)} ({share:.0f} %), margin {format_seconds(limit - worst)}, at vector {vector}, "
        f"{base.label}"
    )


def _ran(analysis: Analysis) -> str:
    """How many activations ran, and of how many where that is not all."""
    if analysis.ran == analysis.requested:
        return count_text(analysis.ran, "activation")
    return f"{analysis.ran:,} of {count_text(analysis.requested, 'activation')} ran"
