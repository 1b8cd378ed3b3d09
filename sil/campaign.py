"""Runs a campaign: parameters, vectors, runners, reference, checks. In: an export; out: `Campaign`, all verdicts.

Nothing here knows a mechanism by name: what a function computes is told by the names of its signals.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from exporter.errors import KinefixError
from exporter.export import Export
from exporter.full_disk import temporary_folder
from exporter.manifest import Function, Manifest
from exporter.sequence.program import Program
from sil.evidence import Series
from sil.function_runs import Bench, Progress, run_functions
from sil.options import DEFAULT_OPTIONS, Options
from sil.parameter_sets import ParameterSet
from sil.reference.mechanism import Reference
from sil.runners.interpreted import program_of
from sil.runners.runner import (
    Runner,
    emulated_runner,
    host_runner,
    interpreter_runner,
    m7_runner,
    runner_names,
)
from sil.setting import Setting
from sil.tested_vectors import TestedVectors
from sil.verdict import Verdict, all_pass


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
    processes: int = 1,
) -> Campaign:
    """Run a campaign on an export.

    Args:
        export: what is judged; its C is compiled here.
        options: functions, vectors, parameters, runners, limits.
        program: the program it prints; None: rebuilt from the model in its manifest.
        folder: where to build; None: a temporary one.
        progress: called with a line before every longer part.
        processes: how many may be busy at once, where this computer can; the results are those of one. Emulated
            firmware is run by one.

    Raises:
        KinefixError: no such function, runner or tunable parameter, or no such vector.
        MissingTool: a compiler or emulator is not there.
        CheckFailed: the self-test failed on this computer, or a firmware did not run.
    """
    with ExitStack() as stack:
        place = folder or stack.enter_context(temporary_folder("kinefix-sil-"))
        program = program or program_of(export)
        progress("compile for the host")
        host = _primary(export, options, program, place / "host")
        others = _runners(export, options, program, place)
        progress("assemble the reference")
        bench = Bench(export, options, host, others, progress)
        results = run_functions(bench, _functions(export.manifest, options), processes)
    return Campaign(
        manifest=export.manifest,
        options=options,
        runners=tuple(f"{runner.name}: {runner.about}" for runner in (host, *others)),
        tested=tuple(tested for tested, _, _ in results),
        verdicts=tuple(verdict for _, verdicts, _ in results for verdict in verdicts),
        series=tuple(entry for _, _, series in results for entry in series),
        notes=_notes(program, bench.settings),
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
