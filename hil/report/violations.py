"""Violations and the latest finish for a reader: a sentence, inputs with units, neighbours, a replay command."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hil.campaign import BenchResult
from hil.deadlines import CONTEXT_ACTIVATIONS, Analysis, Violation
from hil.digest import flag_names
from hil.duration import format_seconds
from hil.freerun import TimedRun
from hil.messages import Outcome, Record
from hil.stimulus import replay_command

MOST_SHOWN = 25
"""Violations shown in full; the JSON has all that the device kept."""

OUTCOME_NAMES: dict[Outcome, str] = {
    Outcome.IN_TIME: "in time",
    Outcome.OVERRUN: "overrun",
    Outcome.LATE_START: "late start",
    Outcome.SKIPPED: "skipped",
}


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One line of the table around a violation; times as text."""

    index: str
    outcome: str
    late: str
    duration: str
    rest: str  # of the way to the finish, which is the bench's own
    finish: str
    is_violation: bool

    def as_dict(self) -> dict[str, str]:
        """For JSON."""
        names = ("index", "outcome", "late", "duration", "rest", "finish")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class ShownViolation:
    """One violation for the page and for JSON."""

    outcome: str
    index: int
    count: int
    sentence: str
    status: tuple[str, ...]
    inputs: Mapping[str, float]
    neighbours: tuple[Neighbour, ...]
    window: tuple[Record, ...]  # the neighbours as the device kept them
    replay: str

    @property
    def is_late(self) -> bool:
        """Whether it missed its deadline."""
        return self.outcome != OUTCOME_NAMES[Outcome.IN_TIME]

    def as_dict(self) -> dict[str, Any]:
        """For JSON; inputs as hexadecimal floats."""
        return {
            "outcome": self.outcome,
            "index": self.index,
            "count": self.count,
            "sentence": self.sentence,
            "status": list(self.status),
            "inputs": {name: value.hex() for name, value in self.inputs.items()},
            "neighbours": [each.as_dict() for each in self.neighbours],
            "replay": self.replay,
        }


def shown_violations(result: BenchResult) -> tuple[ShownViolation, ...]:
    """All violations that the device kept, in order."""
    if result.timed is None:
        return ()
    return tuple(_shown_violation(result, result.timed, each) for each in result.timed.analysis.violations)


def shown_latest(result: BenchResult) -> ShownViolation | None:
    """The latest finish of all, in time or not; None where the device kept none."""
    if result.timed is None or result.timed.analysis.latest is None:
        return None
    return _shown_violation(result, result.timed, result.timed.analysis.latest)


def _shown_violation(result: BenchResult, timed: TimedRun, violation: Violation) -> ShownViolation:
    analysis = timed.analysis
    window = window_of(analysis, violation)
    upto = min(timed.request.activations, violation.index + violation.count + CONTEXT_ACTIVATIONS)
    return ShownViolation(
        outcome=OUTCOME_NAMES[violation.outcome],
        index=violation.index,
        count=violation.count,
        sentence=sentence(analysis, violation),
        status=flag_names(violation.status, result.status_bits),
        inputs=dict(zip(result.input_names, violation.row, strict=False)),
        neighbours=tuple(_neighbour(analysis, each, each.index == violation.index) for each in window),
        window=window,
        replay=replay_command(result.bench, 0, upto, timed.stimulus),
    )


def sentence(analysis: Analysis, violation: Violation) -> str:
    """What happened, with the numbers."""
    base = analysis.timebase
    phase = f"{base.seconds(analysis.timing.period_ticks * (violation.index + 1)):.6f} s"
    if violation.outcome is Outcome.SKIPPED:
        which = f"activation {violation.index:,}"
        if violation.count > 1:
            which = f"activations {violation.index:,} to {violation.index + violation.count - 1:,}"
        return f"{which} never ran; due at {phase}"
    late, duration, over, excess = (
        format_seconds(base.seconds(ticks))
        for ticks in (violation.late_ticks, violation.duration_ticks, abs(violation.over_ticks), violation.excess_ticks)
    )
    longer = (
        f", {excess} ({violation.excess_ticks:,} ticks) longer than the median" if violation.excess_ticks > 0 else ""
    )
    return (
        f"activation {violation.index:,} (vector {violation.vector}, due at {phase}) began {late} after its release, "
        f"ran {duration}{longer}, and finished {over} {'after' if violation.over_ticks > 0 else 'before'} its deadline"
    )


def window_of(analysis: Analysis, violation: Violation) -> tuple[Record, ...]:
    """The activation itself between those before and after it that the device kept."""
    own = Record(
        violation.index, violation.late_ticks, violation.duration_ticks,
        violation.over_ticks + analysis.timing.deadline_ticks, violation.status,
        violation.count if violation.outcome is Outcome.SKIPPED else 0, violation.vector, violation.outcome,
        violation.row,
    )  # fmt: skip
    return (*violation.before, own, *violation.after)


def _neighbour(analysis: Analysis, record: Record, is_violation: bool) -> Neighbour:
    outcome = Outcome(record.outcome)
    if outcome is Outcome.SKIPPED:
        last = record.index + record.skipped - 1
        index = f"{record.index:,}" if record.skipped == 1 else f"{record.index:,} to {last:,}"
        return Neighbour(index, OUTCOME_NAMES[outcome], "", "", "", "", is_violation)
    rest = max(0, record.response_ticks - record.late_ticks - record.duration_ticks)  # a tick may be lost
    late, duration, own, finish = (
        format_seconds(analysis.timebase.seconds(ticks))
        for ticks in (record.late_ticks, record.duration_ticks, rest, record.response_ticks)
    )
    return Neighbour(f"{record.index:,}", OUTCOME_NAMES[outcome], late, duration, own, finish, is_violation)
