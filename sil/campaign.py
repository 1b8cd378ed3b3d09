"""Runs a campaign: parameters, vectors, runners, reference, checks. In: an export; out: `Campaign`, all verdicts.

Nothing here knows a mechanism by name: what a function computes is told by the names of its signals.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from exporter.errors import KinefixError
from exporter.export import Export
from exporter.manifest import Function, Manifest
from exporter.sequence.program import Program
from sil.against_reference import check_against_reference
from sil.checks.agreement import check_agreement, reads_derived
from sil.checks.calibration import check_calibration
from sil.checks.condition_scaling import Judgement
from sil.checks.totality import check_totality
from sil.domain import Rows
from sil.evidence import Evidence, Series, flagged_rows
from sil.figures import count_text
from sil.function_vectors import ParameterLot, function_domain, lots_of
from sil.limits import LIMITS, Limits
from sil.margins import margins_of
from sil.merged_verdicts import merged_series, merged_verdicts
from sil.options import DEFAULT_OPTIONS, Options, excuse_of_few, replay_command
from sil.parameter_sets import ParameterSet, parameter_domain, parameter_sets, user_set
from sil.reference.mechanism import Reference
from sil.runners.interpreted import program_of
from sil.runners.runner import (
    Runner,
    RunResult,
    emulated_runner,
    host_runner,
    interpreter_runner,
    m7_runner,
    runner_names,
)
from sil.setting import Setting
from sil.tested_vectors import Part, TestedVectors
from sil.verdict import Verdict, all_pass
from sil.warm_start import limits_of

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Campaign:
    """Everything that a report says."""

    manifest: Manifest
    options: Options
    runners: tuple[str, ...]  # "host: gcc ..."
    tested: tuple[TestedVectors, ...]
    verdicts: tuple[Verdict, ...]
    series: tuple[Series, ...]
    notes: tuple[str, ...]

    @property
    def parameter_sets(self) -> tuple[ParameterSet, ...]:
        """The sets of parameters that were run; of one vector alone, its own."""
        return tuple(dict.fromkeys(part.parameters for tested in self.tested for part in tested.parts))

    @property
    def passed(self) -> bool:
        """Whether a check passed and none stands against it."""
        return all_pass(self.verdicts)


def run(
    export: Export,
    options: Options = DEFAULT_OPTIONS,
    program: Program | None = None,
    folder: Path | None = None,
    progress: Progress = lambda _: None,
) -> Campaign:
    """Run a campaign on an export.

    Args:
        export: what is judged; its C is compiled here.
        options: functions, vectors, parameters, runners, limits.
        program: the program it prints; None: rebuilt from the model in its manifest.
        folder: where to build; None: a temporary one.
        progress: called with a line before every longer part.

    Raises:
        KinefixError: no such function, runner or tunable parameter, or no such vector.
        MissingTool: a compiler or emulator is not there.
        CheckFailed: the self-test failed on this computer, or a firmware did not run.
    """
    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(TemporaryDirectory(prefix="kinefix-sil-")))
        program = program or program_of(export)
        progress("compile for the host")
        host = _primary(export, options, program, place / "host")
        others = _runners(export, options, program, place)
        progress("assemble the reference")
        bench = _Bench(export, options, host, others, progress)
        results = [_run_function(bench, function) for function in _functions(export.manifest, options)]
    return Campaign(
        manifest=export.manifest,
        options=options,
        runners=tuple(f"{runner.name}: {runner.about}" for runner in (host, *others)),
        tested=tuple(tested for tested, _, _ in results),
        verdicts=tuple(verdict for _, verdicts, _ in results for verdict in verdicts),
        series=tuple(entry for _, _, series in results for entry in series),
        notes=_notes(program, bench.settings),
    )


@dataclass(frozen=True)
class _Bench:
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
        return self.options.limits or LIMITS[self.export.manifest.real]


def _run_function(bench: _Bench, function: Function) -> tuple[TestedVectors, list[Verdict], list[Series]]:
    """One function at every set of parameters; recalibrate, whose inputs they are, once."""
    bench.progress(f"{function.name}: vectors")
    alone = function is bench.export.manifest.recalibrate
    settings = bench.settings[:1] if alone else bench.settings
    parts: list[Part] = []
    found: list[Judgement] = []
    for lot in lots_of(bench.export, function, bench.options, settings, bench.host):
        evidence = _evidence(bench, function, lot)
        bench.progress(f"{function.name}: {count_text(len(lot.made.rows), 'vector')}, {lot.setting.parameters.name}")
        found.append(_judge_function(bench, evidence, lot.setting))
        parts.append(Part(evidence.parameters, lot.first, evidence.vectors, evidence.ran, evidence.margins))
    tested = TestedVectors(function.name, function.row_outputs, tuple(parts))
    return tested, merged_verdicts(some for some, _ in found), merged_series(some for _, some in found)


def _judge_function(bench: _Bench, evidence: Evidence, setting: Setting) -> Judgement:
    """Every check of one function at one set of parameters."""
    verdicts = check_totality(evidence)
    for runner in bench.others:
        ran = runner.run(evidence.function.name, evidence.vectors.rows, evidence.parameters.changed)
        verdicts += check_agreement(evidence, runner, ran)
    domain = parameter_domain(bench.export.manifest)
    if evidence.first == 0 and domain is not None and reads_derived(evidence.function):
        verdicts += check_calibration(evidence, bench.host, domain)
    against, series = check_against_reference(evidence, setting)
    return [*verdicts, *against], series


def _evidence(bench: _Bench, function: Function, lot: ParameterLot) -> Evidence:
    changed = lot.setting.parameters.changed
    ran = bench.host.run(function.name, lot.made.rows, changed)
    options = bench.options

    def call(name: str, rows: Rows) -> RunResult:
        return bench.host.run(name, rows, changed)

    return Evidence(
        export=bench.export,
        function=function,
        domain=function_domain(bench.export, function),
        vectors=lot.made,
        ran=ran,
        margins=margins_of(bench.export.manifest, function, lot.made.rows, ran, call),
        call=call,
        limits=limits_of(bench.limits, bench.export.manifest, function, nominal=not changed),
        replay=lambda row: replay_command(bench.export.folder, options, function.name, row),
        parameters=lot.setting.parameters,
        first=lot.first,
        share=lot.share,
        excuse=_excuse(options, judgeable=not flagged_rows(bench.export.manifest, ran).all()),
    )


def _excuse(options: Options, *, judgeable: bool) -> str:
    """Why a check that no vector is fit for is not judged: it is one vector alone, or there are few."""
    if options.row is not None:
        return f"vector {options.row:,} is not among those that it compares"
    return excuse_of_few(options.count, "--count") if judgeable else ""


def _functions(manifest: Manifest, options: Options) -> tuple[Function, ...]:
    everything = (*(() if manifest.recalibrate is None else (manifest.recalibrate,)), *manifest.functions)
    if not options.functions:
        return everything
    names = {function.name: function for function in everything}
    for name in options.functions:
        if name not in names:
            raise KinefixError(f"'{manifest.name}' has no function '{name}'; it has {', '.join(names)}")
    return tuple(names[name] for name in options.functions)


def _primary(export: Export, options: Options, program: Program | None, folder: Path) -> Runner:
    """What is judged: the compiled C, or the interpreter where no compiler is wanted."""
    if options.runner != "interpreter":
        return host_runner(export, folder)
    if program is None:
        raise KinefixError(f"the manifest of '{export.manifest.name}' holds no model to interpret; use `--runner host`")
    return interpreter_runner(program)


def _runners(export: Export, options: Options, program: Program | None, folder: Path) -> tuple[Runner, ...]:
    found = []
    for name in runner_names(options.runner, export.manifest.real):
        match name:
            case "interpreter":
                if program is not None:
                    found.append(interpreter_runner(program))
            case "emulated":
                found.append(emulated_runner(export, folder / "emulated"))
            case "m7":
                found.append(m7_runner(export, folder / "m7"))
    return tuple(found)


def _notes(program: Program | None, settings: tuple[Setting, ...]) -> tuple[str, ...]:
    notes = []
    if program is None:
        notes.append("the manifest holds no model: the interpreter was not run")
    if settings[0].reference is None:
        notes.append("the manifest holds no model: nothing was held against a reference")
    return (*notes, *_assembly_notes(settings))


def _assembly_notes(settings: tuple[Setting, ...]) -> Iterator[str]:
    """At which of the parameters that were run the design pose does not close."""
    references = [(each.parameters.name, each.reference) for each in settings if each.has_reference]
    names = [name for name, found in references if isinstance(found, Reference) and not found.assembled]
    if names:
        yield f"the design pose does not close with {'; '.join(names)}: closures alone are judged there"
