"""Free run: the device's own timer paces the step; what its counter saw is analysed for deadlines.

The only mode that can show a missed deadline. On an emulator the verdict is in virtual time.
"""

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.time_limits import free_run_s
from hil.bench import Timing as WantedTiming
from hil.bench_runtime import BenchRuntime
from hil.check_names import BenchCheck
from hil.counter import CounterRate
from hil.deadlines import Analysis, Timing, analyse
from hil.digest import RunDigest, expected_digest
from hil.errors import BenchError, FramingError
from hil.lockstep import random_vectors
from hil.messages import FAULT_TEXT, Fault, Outcome, RunRequest
from hil.session import FreeRun
from hil.stimulus import Stimulus, replay_command
from sil.figures import count_text
from sil.verdict import Verdict

ENVELOPE_POINTS = 500
"""Points over time that the device keeps."""

LONGEST_PERIOD_PARTS = 16
"""A period must fit this often into one wrap of the counter, so that a long stall is still told apart."""


@dataclass(frozen=True, slots=True)
class TimedRun:
    """A free run with all that the report needs."""

    request: RunRequest
    analysis: Analysis
    records: FreeRun
    ring: NDArray[Any]  # (vectors, inputs without the state)
    start_state: NDArray[Any]
    expected: RunDigest | None  # of a right device; None where it cannot be known
    stimulus: Stimulus = field(default_factory=Stimulus)

    @property
    def device_digest(self) -> RunDigest:
        """What the device tells of its results."""
        summary = self.records.summary
        return RunDigest(summary.digest, summary.flagged, summary.status_or)


def run_free(runtime: BenchRuntime, activations: int, timing: WantedTiming, vectors: int, seed: int) -> TimedRun:
    """Upload a ring of vectors, run, fetch the records; raises `Refused` where the device has no counter."""
    ring, state = ring_of(runtime, vectors, seed)
    return run_free_with(runtime, activations, timing, ring, state, Stimulus(seed=seed))


def run_free_with(
    runtime: BenchRuntime,
    activations: int,
    timing: WantedTiming,
    ring: NDArray[Any],
    state: NDArray[Any],
    stimulus: Stimulus | None = None,
) -> TimedRun:
    """Free run with given inputs and a given state to begin with, at the parameters in force.

    Raises `Refused` where the device has no counter, `FramingError` where it tells of another run.
    """
    session = runtime.session
    request = request_of(runtime, activations, timing, len(ring))
    stored = session.store_vectors(ring)
    if stored < len(ring):
        raise BenchError(f"the device keeps {stored:,} vectors, {len(ring):,} were given; lower [run] vectors")
    if len(state):
        session.set_state(tuple(state.tolist()))
    if session.fault() is not Fault.NONE:
        session.fault(clear=True)
    session.start(request)
    session.await_end(_limit_s(runtime, request))
    records = session.records()
    if records.summary.requested != activations:
        raise FramingError(
            f"{activations:,} activations were asked for, the device tells of a run of {records.summary.requested:,}"
        )
    guard = timing.guard.ticks(session.hello.counter_hz) if timing.guard else 0
    limits = Timing(request.period_ticks, request.deadline_ticks, int(np.ceil(float(guard))))
    analysis = analyse(records, runtime.timebase, limits, len(ring))
    fed = replace(stimulus or Stimulus(), parameters=dict(runtime.parameters))
    return TimedRun(request, analysis, records, ring, state, _expected_digest(runtime, records, ring, state), fed)


def ring_of(runtime: BenchRuntime, count: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Inputs from the fixed mix (invalid ones too: they must cost the same), and the nominal state to begin with."""
    rows = random_vectors(runtime, count, seed).rows
    state = [each.nominal or 0.0 for each in runtime.function.row_inputs[: runtime.state_values]]
    return rows[:, runtime.state_values :], np.array(state, dtype=rows.dtype)


def request_of(runtime: BenchRuntime, activations: int, timing: WantedTiming, vectors: int) -> RunRequest:
    """Ticks instead of times; raises `BenchError` where a period is no whole number of ticks or too long to count."""
    hello = runtime.session.hello
    if not runtime.timebase.moves:
        raise BenchError("no measurement: the device has no counter that moves, so a free run shows nothing")
    period = timing.period.whole_ticks(hello.counter_hz, "period")
    timer = timing.period.seconds(hello.counter_hz) * hello.timer_hz
    if timer.denominator != 1:
        raise BenchError(
            f"the period '{timing.period.text}' is {float(timer):,.12g} ticks of the {hello.timer_hz:,} Hz timer; "
            "choose one that is a whole number of ticks"
        )
    rate = CounterRate(hello.counter_hz, hello.counter_bits)
    rate.require_unambiguous(LONGEST_PERIOD_PARTS * period / hello.counter_hz, "sixteen periods")
    deadline = int(timing.deadline.ticks(hello.counter_hz))
    block = max(1, -(-activations // ENVELOPE_POINTS))
    return RunRequest(activations, period, timer.numerator, max(1, deadline), timing.latch_after, block, vectors)


def _limit_s(runtime: BenchRuntime, request: RunRequest) -> float:
    """How long the run may take: what the bench file says, or what its length asks for."""
    stated = runtime.bench.timeouts.run_s
    period_s = request.period_ticks / runtime.session.hello.counter_hz
    return free_run_s(request.activations, period_s, runtime.timebase.instruction_ns) if stated is None else stated


def _expected_digest(
    runtime: BenchRuntime, records: FreeRun, ring: NDArray[Any], state: NDArray[Any]
) -> RunDigest | None:
    if records.summary.skipped and records.summary.log_lost:
        return None
    total = records.summary.ran + records.summary.skipped
    lost = {
        index
        for record in records.log
        if record.outcome == Outcome.SKIPPED
        for index in range(record.index, min(total, record.index + record.skipped))
    }
    served = [index for index in range(total) if index not in lost]
    return expected_digest(runtime.host, ring, state, served)


def judge_free(runtime: BenchRuntime, timed: TimedRun) -> tuple[Verdict, ...]:
    """Misses, completeness, worst finish and right results, each a verdict; NaN, which is no measurement, fails."""
    analysis, base = timed.analysis, timed.analysis.timebase
    replay = replay_command(runtime.bench, 0, timed.request.activations, timed.stimulus)
    valid = analysis.is_measured
    name = runtime.function.name
    nothing = float("nan")
    worst = base.seconds(analysis.response_ticks) * 1e6 if valid else nothing
    longest = base.seconds(analysis.durations.greatest + analysis.timing.guard_ticks) * 1e6 if valid else nothing
    limit = base.seconds(analysis.timing.deadline_ticks) * 1e6 if valid else nothing
    detail = f"{analysis.ran:,} of {analysis.requested:,} activations ran, {base.label}"
    if not valid:
        detail = f"no measurement: {analysis.invalid}"
    missed = float(analysis.all_missed) if valid else nothing
    short = float(analysis.requested - analysis.ran - analysis.skipped)
    vector = analysis.response_index % max(1, analysis.vectors)
    return (
        Verdict(BenchCheck.MISSED, name, missed, 0.0, "activations", detail, _first_violation(analysis), {}, replay),
        Verdict(BenchCheck.RELEASED, name, short, 0.0, "activations", fault_text(analysis), None, {}, replay),
        Verdict(BenchCheck.RESPONSE, name, worst, limit, "us", detail, vector, {}, replay),
        Verdict(BenchCheck.DURATION, name, longest, limit, "us", detail, None, {}, replay),
        Verdict(
            BenchCheck.RESULTS, name, _wrong_facts(timed), 0.0, "1",
            f"digest over status and outputs, number of flagged activations, and their flags: "
            f"{results_text(timed, runtime.export.manifest.status)}", None, {}, replay, compared=analysis.ran,
            unknown=_lost_text(timed),
        ),
    )  # fmt: skip


def _first_violation(analysis: Analysis) -> int | None:
    return analysis.violations[0].vector if analysis.violations else None


def _wrong_facts(timed: TimedRun) -> float:
    """How many of the facts that the device tells of its results are wrong."""
    if timed.expected is None:
        return float("nan")
    return float(
        sum(one != other for one, other in zip(astuple(timed.device_digest), astuple(timed.expected), strict=True))
    )


def results_text(timed: TimedRun, bits: Mapping[str, int]) -> str:
    """The results of the device and those of the same C on this computer, flags by the status table `bits`."""
    told = f"the device has {timed.device_digest.text(bits)}"
    if timed.expected is None:
        return f"{told}; what is right is not known: {_lost_text(timed)}"
    return f"{told}; this computer has {timed.expected.text(bits)}"


def _lost_text(timed: TimedRun) -> str:
    """Why it is not known what is right; empty where it is."""
    if timed.expected is not None:
        return ""
    lost = count_text(timed.analysis.unlogged, "record")
    return f"the log on the device lost {lost}, which may have told the activations that were skipped"


def fault_text(analysis: Analysis) -> str:
    """What the device latched, in words."""
    if analysis.fault is Fault.NONE:
        return "no fault was latched"
    return f"the device latched a fault: {FAULT_TEXT[analysis.fault]}"
