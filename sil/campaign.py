"""Runs a campaign: vectors, runners, reference, checks. In: an export; out: `Campaign`, every verdict with its figures.

Nothing here knows a mechanism by name: what a function computes is told by the names of its signals.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from exporter.errors import KinefixError
from exporter.export import Export
from exporter.manifest import Field, Function, Manifest
from exporter.sequence.program import Program
from sil.checks.agreement import check_agreement
from sil.checks.angles import check_angles
from sil.checks.attitudes import check_attitudes
from sil.checks.closure import check_closure
from sil.checks.coordinates import check_coordinates
from sil.checks.differences import check_differences
from sil.checks.flags import check_false_alarms
from sil.checks.judged import Judgement
from sil.checks.mechanism_case import Case, case_of
from sil.checks.motion import check_dynamics, check_power
from sil.checks.points import check_points
from sil.checks.rates import check_accelerations, check_rates
from sil.checks.stepping import check_start, check_state_range, check_step
from sil.checks.switching import Step, check_roots, check_rule, check_switched_step
from sil.checks.symbolic import check_symbolic
from sil.checks.totality import check_totality
from sil.domain import Domain, Rows, domain_of
from sil.evidence import Evidence, Series
from sil.limits import LIMITS, Limits
from sil.margins import margins_of, probe_of
from sil.previous import iterative_limits, starts_from_previous, with_previous
from sil.reference.mechanism import Reference
from sil.reference.symbolic import SymbolicReference
from sil.runners.interpreted import program_of
from sil.runners.runner import Ran, Runner, emulated_runner, host_runner, interpreter_runner, m7_runner, runner_names
from sil.subject import subject_of
from sil.switching import References, alternative_reference, driven_by_alternative, groups_of, switches
from sil.vectors import Vectors, vectors
from sil.verdict import Verdict, all_pass

SEED = 20_110_301
COUNT = 100_000
Progress = Callable[[str], None]
CHECKS: tuple[Callable[[Case], Judgement], ...] = (
    check_closure,
    check_coordinates,
    check_rates,
    check_accelerations,
    check_points,
    check_angles,
    check_attitudes,
    check_dynamics,
    check_power,
    check_step,
    check_state_range,
    check_false_alarms,
)


@dataclass(frozen=True, slots=True)
class Options:
    """What a campaign is asked for."""

    functions: tuple[str, ...] = ()  # none: all of the export
    count: int = COUNT
    seed: int = SEED
    runner: str = "host"  # interpreter, host, emulated, m7 or all
    limits: Limits | None = None  # none: those of the number type
    row: int | None = None  # run this vector alone


@dataclass(frozen=True, slots=True)
class Tested:
    """The vectors of one function and how they were flagged."""

    function: str
    fields: tuple[Field, ...]  # of the outputs
    vectors: Vectors
    ran: Ran
    margins: NDArray[np.float64]

    @property
    def flagged(self) -> int:
        """How many vectors set a status bit."""
        return int((self.ran.status != 0).sum())


@dataclass(frozen=True, slots=True)
class Campaign:
    """Everything that a report says."""

    manifest: Manifest
    options: Options
    runners: tuple[str, ...]  # "host: gcc ..."
    tested: tuple[Tested, ...]
    verdicts: tuple[Verdict, ...]
    series: tuple[Series, ...]
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether a check passed and none stands against it."""
        return all_pass(self.verdicts)


def run(
    export: Export,
    options: Options = Options(),
    program: Program | None = None,
    folder: Path | None = None,
    progress: Progress = lambda _: None,
) -> Campaign:
    """Run a campaign on an export.

    Args:
        export: what is judged; its C is compiled here.
        options: functions, vectors, runners, limits.
        program: the program it prints; None: rebuilt from the model in its manifest.
        folder: where to build; None: a temporary one.
        progress: called with a line before every longer part.

    Raises:
        KinefixError: no such function or runner.
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
        subject = subject_of(export)
        bench = _Bench(export, options, host, others, subject, progress)
        results = [_run_function(bench, function) for function in _functions(export.manifest, options)]
    return Campaign(
        manifest=export.manifest,
        options=options,
        runners=tuple(f"{runner.name}: {runner.about}" for runner in (host, *others)),
        tested=tuple(tested for tested, _, _ in results),
        verdicts=tuple(verdict for _, verdicts, _ in results for verdict in verdicts),
        series=tuple(entry for _, _, series in results for entry in series),
        notes=_notes(program, subject),
    )


@dataclass(frozen=True)
class _Bench:
    """What all functions of a campaign share."""

    export: Export
    options: Options
    host: Runner
    others: tuple[Runner, ...]
    subject: Reference | SymbolicReference | None
    progress: Progress

    @cached_property
    def references(self) -> References:
        """Of both choices of coordinates, kept: following a branch takes longer than a small campaign."""
        if not isinstance(self.subject, Reference):
            raise TypeError("only a mechanism has choices of coordinates")
        return References(self.subject)

    @property
    def limits(self) -> Limits:
        return self.options.limits or LIMITS[self.export.manifest.real]


def _run_function(bench: _Bench, function: Function) -> tuple[Tested, list[Verdict], list[Series]]:
    bench.progress(f"{function.name}: vectors")
    domain = function_domain(bench.export, function)
    made = function_vectors(bench.export, function, domain, bench.options, bench.host.run, bench.subject)
    evidence = _evidence(bench, function, domain, made)
    bench.progress(f"{function.name}: {len(made.rows):,} vectors on the host")
    verdicts = check_totality(evidence)
    for runner in bench.others:
        bench.progress(f"{function.name}: {runner.name}")
        verdicts += check_agreement(evidence, runner, runner.run(function.name, made.rows))
    bench.progress(f"{function.name}: reference")
    against, series = _against_reference(bench, evidence)
    tested = Tested(function.name, function.row_outputs, made, evidence.ran, evidence.margins)
    return tested, [*verdicts, *against], series


def _against_reference(bench: _Bench, evidence: Evidence) -> Judgement:
    if isinstance(bench.subject, SymbolicReference):
        return check_symbolic(evidence, bench.subject)
    if bench.subject is None:
        return [], []
    if switches(evidence.function):
        return _against_references(evidence, bench.references)
    subject = bench.subject
    if driven_by_alternative(evidence.function, subject):
        subject = alternative_reference(subject)
    verdicts: list[Verdict] = check_start(evidence, subject)
    series: list[Series] = []
    case = case_of(evidence, subject)
    if case is not None:
        found = [check(case) for check in CHECKS]
        found.append(check_differences(case, *_sources(bench.export.manifest, subject)))
        verdicts += [verdict for some, _ in found for verdict in some]
        series += [entry for _, some in found for entry in some]
    return verdicts, series


def _against_references(evidence: Evidence, references: References) -> Judgement:
    """A function of two choices of coordinates: every group of vectors against its own reference."""
    verdicts: list[Verdict] = []
    series: list[Series] = []
    for group in groups_of(evidence, references):
        case = case_of(group.evidence, group.reference)
        if case is None:
            continue
        step = Step(group, case, references)
        found = [check(case) for check in CHECKS if check is not check_step]
        found += [check_switched_step(step), check_rule(step), check_roots(step)]
        verdicts += [replace(each, check=f"{each.check}, {group.name}") for some, _ in found for each in some]
        series += [replace(each, check=f"{each.check}, {group.name}") for _, some in found for each in some]
    return verdicts, series


def _sources(manifest: Manifest, reference: Reference) -> tuple[Function | None, Function | None]:
    """The functions that give positions, and velocities, of nothing but the independent motion."""
    independent = reference.skeleton.mechanism.independent
    place, motion = set(independent), {*independent, *(f"{name}.rate" for name in independent)}
    positions = velocities = None
    for function in manifest.functions:
        given = {field.name for field in function.row_inputs}
        made = {field.name for field in function.row_outputs}
        if given == place:
            positions = positions or function
        if given == motion and any(name.endswith(".rate") for name in made - given):
            velocities = velocities or function
    return positions, velocities


def _evidence(bench: _Bench, function: Function, domain: Domain, made: Vectors) -> Evidence:
    ran = bench.host.run(function.name, made.rows)
    options, limits = bench.options, bench.limits
    if starts_from_previous(function):
        limits = iterative_limits(limits, bench.export.manifest)
    return Evidence(
        export=bench.export,
        function=function,
        domain=domain,
        vectors=made,
        ran=ran,
        margins=margins_of(bench.export.manifest, function, made.rows, ran, bench.host.run),
        call=bench.host.run,
        limits=limits,
        replay=lambda row: replay_command(bench.export, options, function.name, row),
        first=options.row or 0,
    )


def function_domain(export: Export, function: Function) -> Domain:
    """The ranges of a function's inputs; parameters that the model declares integer must be whole."""
    listed = export.manifest.model.get("parameters", [])
    entries = listed if isinstance(listed, list) else []
    whole = {entry["name"] for entry in entries if entry.get("integer")}
    return domain_of(function.row_inputs, export.manifest.real, whole)


def function_vectors(
    export: Export,
    function: Function,
    domain: Domain,
    options: Options,
    call: Callable[[str, Rows], Ran],
    subject: Reference | SymbolicReference | None = None,
) -> Vectors:
    """The vectors of one function; a function without inputs gets one empty row.

    Previous solutions that an iterative method starts from are the subject's.
    """
    if not domain.names:
        return vectors(domain, options.seed, 1)
    made = vectors(domain, options.seed, options.count, probe_of(export.manifest, function, call))
    if isinstance(subject, Reference) and starts_from_previous(function):
        made = with_previous(made, function, domain, subject)
    return made if options.row is None else made.only(options.row)


def replay_command(export: Export, options: Options, function: str, row: int) -> str:
    """What a user types to run one vector again."""
    return (
        f"kinefix sil {export.folder.as_posix()} --function {function} "
        f"--count {options.count} --seed {options.seed} --replay {row}"
    )


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


def _notes(program: Program | None, subject: object) -> tuple[str, ...]:
    notes = []
    if program is None:
        notes.append("the manifest holds no model: the interpreter was not run")
    if subject is None:
        notes.append("the manifest holds no model: nothing was held against a reference")
    return tuple(notes)
