"""Verdicts of a whole run: whether calls cost the same, in each mode and between them, and whether it came to its end.

In: an open bench and its runs. Out: verdicts, each with the command that does the same again.
"""

from collections.abc import Sequence

import numpy as np

from hil.bench import Bench
from hil.bench_runtime import BenchRuntime
from hil.check_names import BenchCheck
from hil.constancy import Durations, judge_constancy, ticks_per_instruction
from hil.errors import BenchError
from hil.freerun import TimedRun
from hil.lockstep import Lockstep
from hil.statistics import IntegerStatistics
from hil.stimulus import Stimulus, replay_command
from hil.wording import soft_of
from sil.verdict import Verdict


def command_of(bench: Bench, runs: Sequence[Lockstep], timed: TimedRun | None) -> str:
    """What does the same again: one command, or one for each run where they were fed differently."""
    activations = 0 if timed is None else timed.request.activations
    fed = [run.stimulus for run in runs] + ([] if timed is None else [timed.stimulus])
    if len(runs) <= 1 and all(each == fed[0] for each in fed):
        return replay_command(bench, sum(len(run.rows) for run in runs), activations, fed[0]) if fed else ""
    commands = [replay_command(bench, len(run.rows), 0, run.stimulus) for run in runs]
    if timed is not None:
        commands.append(replay_command(bench, 0, activations, timed.stimulus))
    return " && ".join(command for command in commands if command)


def constancy_of(runtime: BenchRuntime, mode: str, spread: IntegerStatistics, stimulus: Stimulus) -> Verdict:
    """Whether all calls of a mode cost the same."""
    found = Durations(mode, spread.count, spread.least, spread.greatest)
    replay = replay_command(runtime.bench, spread.count, 0, stimulus)
    name, timing = runtime.function.name, runtime.bench.timing
    return judge_constancy(found, name, runtime.timebase, timing, soft_of(runtime), replay)


def constancy_of_free_run(runtime: BenchRuntime, timed: TimedRun) -> Verdict:
    """Whether all activations cost the same, those too that found no room in the histogram."""
    summary, per_instruction = timed.records.summary, ticks_per_instruction(runtime.timebase)
    aligned = (
        per_instruction is not None
        and timed.analysis.lateness.jitter == 0
        and timed.request.period_ticks % per_instruction.numerator == 0
    )
    least = summary.duration_min if summary.ran else 0
    found = Durations("in free run", summary.ran, least, summary.duration_max, aligned)
    replay = replay_command(runtime.bench, 0, timed.request.activations, timed.stimulus)
    name, timing = runtime.function.name, runtime.bench.timing
    return judge_constancy(found, name, runtime.timebase, timing, soft_of(runtime), replay)


def constancy_between_modes(runtime: BenchRuntime, lockstep: Sequence[Lockstep], timed: TimedRun) -> list[Verdict]:
    """On an emulator: a call takes as many instructions when the host asks for it as when the timer does."""
    summary = timed.records.summary
    if not lockstep or not summary.ran or soft_of(runtime) or ticks_per_instruction(runtime.timebase) is None:
        return []
    ticks = np.concatenate([run.ticks for run in lockstep])
    ends = [int(ticks.min()), int(ticks.max()), summary.duration_min, summary.duration_max]
    found = Durations("in either mode", len(ticks) + summary.ran, min(ends), max(ends))
    name, timing = runtime.function.name, runtime.bench.timing
    return [judge_constancy(found, name, runtime.timebase, timing, "", command_of(runtime.bench, lockstep, timed))]


def not_measured(runtime: BenchRuntime) -> Verdict:
    """A free run was asked for, and there is no counter that moves."""
    next_step = "take --free-run 0, or a target with a counter"
    detail = f"{runtime.timebase.label}: a free run shows nothing without a counter; {next_step}"
    return Verdict(BenchCheck.MISSED, runtime.function.name, float("nan"), 0.0, "activations", detail)


def cut_short(runtime: BenchRuntime, interruption: BenchError, *, has_ended: bool) -> Verdict:
    """What ended a run before its end; `has_ended` says whether something had come to its end by then."""
    before = "what had ended before is judged; nothing is said of the rest"
    detail = before if has_ended else "nothing had ended before"
    nothing = float("nan")
    return Verdict(BenchCheck.FINISHED, runtime.function.name, nothing, 0.0, "runs", detail, unknown=str(interruption))
