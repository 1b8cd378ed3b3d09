"""Runs a bench from end to end: identity, lockstep, free run, steps under faults, verdicts.

What `kinefix hil` and the keywords do.

In: a `Bench` and how much to run. Out: `BenchResult`, everything that a report says.
"""

import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from exporter.progress import within
from hil.baseline import Baseline, Change, Terms, changes_since, require_comparable
from hil.bench import Bench
from hil.bench_runtime import BenchRuntime, open_bench
from hil.coverage import FUNCTION, Coverage, coverage_of, setting_of, subject_of
from hil.duration_statistics import DurationStatistics, free_run_statistics, lockstep_statistics
from hil.errors import INTERRUPTIONS, BenchError
from hil.faults.fault_file import FaultFile
from hil.faults.findings import judge_under_faults
from hil.faults.steps import FaultRun, run_under_faults
from hil.freerun import TimedRun, judge_free, run_free
from hil.lockstep import Lockstep, judge_lockstep, random_vectors, run_as_stated, run_lockstep
from hil.reference_verdicts import judge_against_reference, judge_parameters, sets_of
from hil.report.beside import require_same_subject
from hil.report.report_data import ReportData
from hil.run_verdicts import (
    command_of,
    constancy_between_modes,
    constancy_of,
    constancy_of_free_run,
    cut_short,
    not_measured,
)
from hil.statistics import spread_of
from hil.stimulus import Stimulus, replay_command
from hil.timebase import Timebase
from hil.traffic import Traffic
from hil.wording import headline_of, honesty_notes, identity_of, soft_of
from sil.parameter_texts import parse_parameters
from sil.verdict import Verdict, all_pass

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to run, with what."""

    lockstep: int
    free_run: int
    vectors: int
    seed: int
    rows: Path | None = None  # a file of vectors for lockstep, instead of the seed
    parameters: Mapping[str, float | str] = field(default_factory=dict)  # run at these; none: those of the bench file
    faults: FaultFile | None = None  # then also steps under these
    baseline: Baseline | None = None  # then times are held against it
    beside: tuple[ReportData, ...] = ()  # runs that stand beside this one in the report


@dataclass(frozen=True, slots=True)
class BenchResult:
    """One run of a bench."""

    bench: Bench
    command: str
    identity: dict[str, str]
    timebase: Timebase
    headline: str
    verdicts: tuple[Verdict, ...]
    duration_statistics: tuple[DurationStatistics, ...]
    timed: TimedRun | None
    traffic: Traffic
    notes: tuple[str, ...]
    input_names: tuple[str, ...]  # of a row, with units
    status_bits: dict[str, int]
    coverage: Coverage
    under_faults: FaultRun | None = None
    baseline: Baseline | None = None
    changes: tuple[Change, ...] = ()  # against the baseline
    interruption: BenchError | None = None  # what cut the run short
    left_out: tuple[str, ...] = ()  # what of a file of rows was not stepped; in the notes too

    @property
    def function(self) -> str:
        """What the device runs."""
        return self.coverage.setting[FUNCTION]

    @property
    def passed(self) -> bool:
        """Whether a verdict passed and none stands against it; a run without any verdict does not."""
        return all_pass(self.verdicts)


def plan_of(bench: Bench, lockstep: int | None, free_run: int | None, seed: int | None) -> Plan:
    """The bench file's plan, with what the command line says instead."""
    runs = bench.runs
    return Plan(
        lockstep=runs.lockstep if lockstep is None else lockstep,
        free_run=runs.free_run if free_run is None else free_run,
        vectors=runs.vectors,
        seed=runs.seed if seed is None else seed,
    )


@dataclass(slots=True)
class Runs:
    """What was run and came to its end."""

    lockstep: list[Lockstep] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)  # on lockstep, made already
    timed: TimedRun | None = None
    under: FaultRun | None = None  # steps under faults
    interruption: BenchError | None = None  # what cut the rest short


def run_campaign(bench: Bench, plan: Plan, progress: Progress = lambda _: None) -> BenchResult:
    """Open the bench, run the plan, close it.

    What ends the run early, such as a link that is pulled, is the result's `interruption`: what had come to its end by
    then is judged all the same, and the result has not passed. Raises `BenchError` where the bench does not open.
    """
    progress("building and starting the device")
    with open_bench(bench, plan.faults) as runtime:
        _require_comparable(runtime, plan)
        if plan.parameters:
            runtime.set_parameters(parse_parameters(runtime.export.manifest, plan.parameters))
        runs = Runs()
        try:
            _run(runtime, plan, progress, runs)
        except INTERRUPTIONS as error:
            runs.interruption = error
        if runs.lockstep:
            progress("holding the outputs against the reference")
            runs.verdicts += judge_against_reference(runtime, runs.lockstep)
        file = None if plan.faults is None else plan.faults.path
        asked = replay_command(bench, plan.lockstep, plan.free_run, _stimulus_of(runtime, plan), file)
        result = result_of(runtime, runs, plan.free_run, asked)
        return result if plan.baseline is None or runs.interruption else held_against(result, plan.baseline)


def held_against(result: BenchResult, baseline: Baseline) -> BenchResult:
    """The run with its times held against an earlier one, which must be of the same setting."""
    command = f"{result.command} {shlex.join(('--baseline', str(baseline.path.resolve())))}"
    terms = Terms(result.function, result.bench.max_slower, result.timebase.tick_s * 1e6, command)
    found = changes_since(baseline, result.duration_statistics, terms)
    verdicts = (*result.verdicts, *(change.verdict for change in found))
    told = f"{result.headline}{baseline.warning}"
    return replace(result, command=command, headline=told, verdicts=verdicts, baseline=baseline, changes=found)


def _require_comparable(runtime: BenchRuntime, plan: Plan) -> None:
    """Before anything is run: the reports that were named are of this model."""
    require_same_subject(plan.beside, subject_of(runtime.export.manifest, runtime.function.name))
    if plan.baseline is not None:
        require_comparable(plan.baseline, setting_of(runtime), runtime.timebase)


def _run(runtime: BenchRuntime, plan: Plan, progress: Progress, runs: Runs) -> None:
    """Lockstep, free run and steps under faults, each where the plan asks for it."""
    if plan.lockstep or plan.rows is not None:
        _step(runtime, plan, runs)
    if plan.free_run and runtime.timebase.moves:
        progress(f"{plan.free_run:,} activations, {runtime.bench.timing.period.text} apart")
        runs.timed = run_free(runtime, plan.free_run, runtime.bench.timing, plan.vectors, plan.seed)
    if plan.faults is not None:
        runs.under = run_under_faults(runtime, plan.faults, plan.seed, progress)


def _stimulus_of(runtime: BenchRuntime, plan: Plan) -> Stimulus:
    """What the plan feeds, as options."""
    parameters = dict(runtime.parameters) if plan.parameters else {}
    return Stimulus(seed=plan.seed, file=plan.rows, parameters=parameters)


def _step(runtime: BenchRuntime, plan: Plan, runs: Runs) -> None:
    """Lockstep at every set of parameters, and whether the device judges the sets as this computer does.

    The parameters in force before are in force afterwards.
    """
    if plan.rows is not None:
        rows, stimulus = runtime.load_rows(plan.rows)
        run = run_lockstep if plan.parameters else run_as_stated
        runs.lockstep.append(run(runtime, rows[: plan.lockstep or None], stimulus))
        return
    before, statuses = dict(runtime.parameters), []
    for parameters, share in sets_of(runtime, before, plan.lockstep, plan.seed):
        statuses.append((runtime.try_parameters(parameters.changed), runtime.host_status(parameters.changed)))
        if statuses[-1][0] == 0:
            with within(f"stepping {share:,} vectors in lockstep, parameters {parameters.name}"):
                made = random_vectors(runtime, share, plan.seed)
                runs.lockstep.append(run_lockstep(runtime, made.rows, Stimulus(seed=plan.seed)))
    runs.verdicts += judge_parameters(runtime, statuses)
    runtime.set_parameters(before)


def result_of(runtime: BenchRuntime, runs: Runs, wanted: int = 0, command: str = "") -> BenchResult:
    """Judge what was run and say on what.

    `wanted` activations were asked for, even where none could be timed; `command` is the one that was given, left out:
    those that repeat the runs.
    """
    timed, under, interruption = runs.timed, runs.under, runs.interruption
    operations = sum(runtime.function.cost.values())
    verdicts: list[Verdict] = []
    rows: list[DurationStatistics] = []
    if runs.lockstep:
        ticks = np.concatenate([run.ticks for run in runs.lockstep])
        durations = spread_of(Counter(ticks.tolist()))
        verdicts += [
            judge_lockstep(runtime, runs.lockstep),
            *runs.verdicts,
            constancy_of(runtime, "in lockstep", durations, runs.lockstep[0].stimulus),
        ]
        rows.append(lockstep_statistics(durations, runtime.timebase, operations))
    if timed is not None:
        verdicts += [*judge_free(runtime, timed), constancy_of_free_run(runtime, timed)]
        verdicts += constancy_between_modes(runtime, runs.lockstep, timed)
        rows.append(free_run_statistics(timed.analysis, operations))
    elif wanted and interruption is None:
        verdicts.append(not_measured(runtime))
    if under is not None:
        verdicts += judge_under_faults(under, runtime.bench, runtime.function.name)
    if interruption is not None:
        verdicts.append(cut_short(runtime, interruption, has_ended=bool(verdicts)))
    fields = runtime.function.row_inputs
    left_out = tuple(dict.fromkeys(note for run in runs.lockstep for note in run.stimulus.notes))
    return BenchResult(
        bench=runtime.bench,
        command=command or command_of(runtime.bench, runs.lockstep, timed),
        identity=identity_of(runtime, runs.lockstep, timed, under),
        timebase=runtime.timebase,
        headline=headline_of(runtime, runs.lockstep, timed, under, interruption),
        verdicts=tuple(verdicts),
        duration_statistics=tuple(rows),
        timed=timed,
        traffic=runtime.session.traffic,
        notes=(*honesty_notes(runtime.timebase, soft_of(runtime)), *left_out),
        left_out=left_out,
        input_names=tuple(f"{each.name} [{each.unit}]" for each in fields),
        status_bits=dict(runtime.export.manifest.status),
        coverage=coverage_of(runtime, runs.lockstep, timed),
        under_faults=under,
        interruption=interruption,
    )
