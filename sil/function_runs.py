"""Runs functions on their vectors and has them judged: one task for each function at each set of parameters.

In: an export, its runners, the functions. Out: of every function its vectors, verdicts and series, whatever the number
of processes.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property

from exporter.export import Export
from exporter.manifest import Function
from sil.against_reference import check_against_reference
from sil.checks.agreement import check_agreement, reads_derived
from sil.checks.calibration import check_calibration
from sil.checks.condition_scaling import Judgement
from sil.checks.totality import check_totality
from sil.domain import Rows
from sil.evidence import Evidence, Series, flagged_rows
from sil.function_vectors import LotPlace, ParameterLot, lot_at, lot_places
from sil.limits import LIMITS, Limits
from sil.margins import margins_of
from sil.merged_verdicts import merged_series, merged_verdicts
from sil.options import Options, excuse_of_few, replay_command
from sil.pace import Meter
from sil.parameter_sets import function_domain, parameter_domain, parameter_sets, user_set
from sil.processes import finished_tasks
from sil.runners.runner import Runner, RunResult
from sil.setting import Setting
from sil.shares import in_parts, part
from sil.tested_vectors import Part, TestedVectors
from sil.verdict import Verdict
from sil.warm_start import limits_of
from sil.whole_poses import whole_poses

Progress = Callable[[str], None]
FEWEST_SHARED_VECTORS = 20_000
"""Vectors of all functions from which on several processes are worth their start."""
EMULATED_NAMES = ("emulated", "m7")
MADE, RAN, TOTAL, AGREED, CALIBRATED = 0.04, 0.06, 0.08, 0.12, 0.14
"""Which share of a task is about done where its vectors are made, run, and so on; the rest is the reference's."""


@dataclass(frozen=True)
class Bench:
    """What all functions of a campaign share."""

    export: Export
    options: Options
    host: Runner
    others: tuple[Runner, ...]
    progress: Progress

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """The sets of parameters that are run, each with its reference."""
        manifest, options = self.export.manifest, self.options
        given = (user_set(manifest, options.parameters),) if options.parameters else ()
        return tuple(Setting(each, self.export) for each in given or parameter_sets(manifest, options.seed))

    @property
    def limits(self) -> Limits:
        """What errors are allowed."""
        return self.options.limits or LIMITS[self.export.manifest.real]


@dataclass(frozen=True, slots=True)
class _Task:
    """One function at one set of parameters."""

    function: Function
    place: LotPlace


FunctionResult = tuple[TestedVectors, list[Verdict], list[Series]]


def run_functions(bench: Bench, functions: tuple[Function, ...], processes: int) -> list[FunctionResult]:
    """Every function at every set of parameters; recalibrate, whose inputs they are, once."""
    tasks = [_Task(function, place) for function in functions for place in _places(bench, function)]
    processes = _useful_processes(bench, sum(task.place.size for task in tasks), processes)
    if processes > 1:
        tasks.sort(key=lambda task: -task.place.size)  # so that all processes end at about the same time
        _assemble_references(bench)  # once, before they are forked
    meter = _meter(bench, tasks)
    found: dict[int, tuple[Part, Judgement]] = {}
    work = finished_tasks(lambda number: _run_task(bench, tasks[number]), len(tasks), processes, meter.hear)
    with closing(work) as results:
        for number, result in results:
            found[number] = result
            meter.end(number)
    parts = {function.name: [found[k] for k in found if tasks[k].function is function] for function in functions}
    return [_function_result(function, sorted(parts[function.name], key=_first_vector)) for function in functions]


def _places(bench: Bench, function: Function) -> list[LotPlace]:
    alone = function is bench.export.manifest.recalibrate
    return lot_places(
        function_domain(bench.export.manifest, function), bench.options, 1 if alone else len(bench.settings)
    )


def _assemble_references(bench: Bench) -> None:
    """Make the reference of every set of parameters, which the setting keeps."""
    for number, setting in enumerate(bench.settings, start=1):
        place = f"{setting.parameters.name} ({number} of {len(bench.settings)})"
        bench.progress(f"assemble the reference: {place}")
        setting.reference  # noqa: B018 - kept by the setting


def _meter(bench: Bench, tasks: list[_Task]) -> Meter:
    """What says how far the tasks are, by vectors."""
    sizes = [1 if bench.options.row is not None else task.place.size for task in tasks]
    names = [f"{task.function.name}, {bench.settings[task.place.number].parameters.name}" for task in tasks]
    return Meter(names, sizes, bench.progress)


def _useful_processes(bench: Bench, vectors: int, processes: int) -> int:
    """One where few vectors are judged sooner than a process starts, and where firmware is built and emulated."""
    emulates = any(runner.name in EMULATED_NAMES for runner in bench.others)
    return 1 if emulates or vectors < FEWEST_SHARED_VECTORS else processes


def _run_task(bench: Bench, task: _Task) -> tuple[Part, Judgement]:
    setting = bench.settings[task.place.number]
    with part("making vectors", 0.0, MADE):
        lot = lot_at(bench.export, task.function, bench.options, task.place, setting, bench.host)
    with part(f"running on {bench.host.name}", MADE, RAN):
        evidence = _evidence(bench, task.function, lot)
    judged = _judge_function(bench, evidence, setting)
    return Part(evidence.parameters, lot.first, evidence.vectors, evidence.ran, evidence.margins), judged


def _first_vector(result: tuple[Part, Judgement]) -> int:
    return result[0].first


def _function_result(function: Function, found: list[tuple[Part, Judgement]]) -> FunctionResult:
    tested = TestedVectors(function.name, function.row_outputs, tuple(part for part, _ in found))
    verdicts = merged_verdicts(verdicts for _, (verdicts, _) in found)
    return tested, verdicts, merged_series(series for _, (_, series) in found)


def _judge_function(bench: Bench, evidence: Evidence, setting: Setting) -> Judgement:
    """Every check of one function at one set of parameters."""
    with part("checking that it is total", RAN, TOTAL):
        verdicts = check_totality(evidence)
    with part("comparing runners", TOTAL, AGREED):
        verdicts += _agreement(bench, evidence)
    domain = parameter_domain(bench.export.manifest)
    if evidence.first == 0 and domain is not None and reads_derived(evidence.function):
        with part("checking recalibrate", AGREED, CALIBRATED):
            verdicts += check_calibration(evidence, bench.host, domain)
    with part("assembling the reference", CALIBRATED, 1.0):
        against, series = check_against_reference(evidence, setting)
    return [*verdicts, *against], series


def _agreement(bench: Bench, evidence: Evidence) -> list[Verdict]:
    """Every other runner against the host."""

    def check(runner: Runner) -> list[Verdict]:
        ran = runner.run(evidence.function.name, evidence.vectors.rows, evidence.parameters.changed)
        return check_agreement(evidence, runner, ran)

    found = in_parts(bench.others, lambda runner: f"comparing with {runner.name}", check)
    return [verdict for some in found for verdict in some]


def _evidence(bench: Bench, function: Function, lot: ParameterLot) -> Evidence:
    changed = lot.setting.parameters.changed
    ran = bench.host.run(function.name, lot.made.rows, changed)
    options = bench.options

    def call(name: str, rows: Rows) -> RunResult:
        return bench.host.run(name, rows, changed)

    whole = whole_poses(bench.export, call, changed)
    return Evidence(
        export=bench.export,
        function=function,
        domain=function_domain(bench.export.manifest, function),
        vectors=lot.made,
        ran=ran,
        margins=margins_of(whole, function, lot.made.rows, ran),
        call=call,
        limits=limits_of(bench.limits, whole.manifest, function, nominal=not changed),
        replay=lambda row: replay_command(bench.export.folder, options, function.name, row),
        parameters=lot.setting.parameters,
        first=lot.first,
        share=lot.share,
        whole=whole,
        excuse=_excuse(options, judgeable=not flagged_rows(bench.export.manifest, ran).all()),
    )


def _excuse(options: Options, *, judgeable: bool) -> str:
    """Why a check that no vector is fit for is not judged: it is one vector alone, or there are few."""
    if options.row is not None:
        return f"vector {options.row:,} is not among those that it compares"
    return excuse_of_few(options.count, "--count") if judgeable else ""
