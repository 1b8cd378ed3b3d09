"""Assembles an export: the one module of the exporter that writes to the disk.

In: a program, or the name of a model. Out: a folder with C files, a report and manifest.json, written beside
its place and renamed into it, so that nothing half-written is ever seen.
"""

import os
import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from exporter.c99.description import describe
from exporter.c99.files import program_texts
from exporter.c99.readback import problems
from exporter.c99.report import report_text
from exporter.errors import CheckFailed, ModelError
from exporter.export_folder import MANIFEST_NAME, STAMP_NAME, require_place, require_replaceable, require_unchanged
from exporter.full_disk import named_when_full
from exporter.interruption import unbroken
from exporter.manifest import Manifest, from_json, to_json
from exporter.missing import no_folder
from exporter.model.changes import Changes
from exporter.model.mechanism import Mechanism
from exporter.progress import counted, say
from exporter.records import dataclass
from exporter.request import SYMBOLIC, Request, request_of
from exporter.sequence.in_pieces import bounds_of
from exporter.sequence.intervals import domain_notes
from exporter.sequence.operations import Precision
from exporter.sequence.program import Program
from exporter.sequence.shared_bounds import SharedBounds
from exporter.up_to_date import stamp_of
from exporter.whole_file import write_below

if TYPE_CHECKING:
    from exporter.composition import Composition
    from exporter.symbolic import SymbolicModel

Tell = Callable[[str], None]
NO_CHANGES = Changes()
REPORT_NAME = "report/export.md"


@dataclass(frozen=True, slots=True)
class Export:
    """An export on the disk."""

    folder: Path
    manifest: Manifest


def export_source(
    source: str,
    folder: Path,
    precision: Precision,
    changes: Changes = NO_CHANGES,
    tell: Tell | None = None,
    functions: Collection[str] = (),
) -> Export:
    """Export a model by name.

    Args:
        source: a name of the library, the path of a mechanism file, or "module:function" of a symbolic model.
        folder: where to; see `write_export`.
        precision: "float32" or "float64".
        changes: what is to differ from a mechanism's file.
        tell: hears of what takes long.
        functions: what the export offers, with what these need; all that the model has where none is named.

    Raises:
        ModelError: the model is wrong, a change does not fit it, it has no such function, or the folder has other
            content.
        CheckFailed: see `write_export`.
    """
    require_place(Path(folder))
    return export_request(request_of(source, precision, changes, functions), folder, tell)


def export_request(request: Request, folder: Path, tell: Tell | None = None) -> Export:
    """Export what was asked for, with a stamp beside it that says what it was made from and with.

    Raises:
        ModelError: see `export_source`.
        CheckFailed: see `write_export`.
    """
    shared = SharedBounds()
    program = _program_of_request(request, tell, shared)
    return _write(program, Path(folder), request.canonical, request.kind, request, shared)


def program_of_source(source: str, precision: Precision, changes: Changes = NO_CHANGES) -> Program:
    """The program of a model by name.

    Args:
        source: a name of the library, the path of a mechanism file, or "module:function" of a symbolic model.
        precision: "float32" or "float64".
        changes: what is to differ from a mechanism's file.

    Raises:
        ModelError: the model is wrong, or a change does not fit it.
    """
    return _program_of_request(request_of(source, precision, changes))


def program_of_export(export: Export) -> Program | None:
    """The program that an export prints, rebuilt from its manifest; None where the manifest holds no model.

    Raises:
        ModelError: the model in the manifest gives another program than the one that was exported.
    """
    manifest = export.manifest
    program = _program_of_manifest(manifest)
    if program is not None and program.model_hash != manifest.model_hash:
        raise ModelError(
            f"the model in the manifest of '{manifest.name}' has hash {program.model_hash[:16]}, the manifest says "
            f"{manifest.model_hash[:16]}; export the model again"
        )
    return program


def _program_of_manifest(manifest: Manifest) -> Program | None:
    precision = cast(Precision, manifest.real)
    if manifest.kind == "mechanism" and manifest.model:
        from exporter.functions.program import program_of_mechanism  # noqa: PLC0415 - SymPy only where it is needed
        from exporter.model.canonical import from_canonical  # noqa: PLC0415

        names = [function.name for function in manifest.functions]
        return program_of_mechanism(from_canonical(dict(manifest.model)), precision, only=names)
    if manifest.model.get("kind") == "composed":
        from exporter.composition.canonical import from_canonical as from_composed  # noqa: PLC0415
        from exporter.composition.program import program_of_composition  # noqa: PLC0415

        return program_of_composition(from_composed(dict(manifest.model)), precision)
    if manifest.model.get("kind") == "symbolic":
        from exporter.symbolic.canonical import from_canonical as from_symbolic  # noqa: PLC0415
        from exporter.symbolic.program import program_of_symbolic  # noqa: PLC0415

        return program_of_symbolic(from_symbolic(dict(manifest.model)), precision)
    return None


def _program_of_request(request: Request, tell: Tell | None = None, shared: SharedBounds | None = None) -> Program:
    """The program of a model of any kind; each kind imports its own, SymPy only where it is needed."""
    model = request.model
    if isinstance(model, Mechanism):
        return _program_of_mechanism(model, request, tell, shared)
    if request.kind == SYMBOLIC:
        from exporter.symbolic.program import program_of_symbolic  # noqa: PLC0415

        return program_of_symbolic(cast("SymbolicModel", model), request.precision)
    from exporter.composition.program import program_of_composition  # noqa: PLC0415

    return program_of_composition(cast("Composition", model), request.precision)


def _program_of_mechanism(
    mechanism: Mechanism, request: Request, tell: Tell | None, shared: SharedBounds | None
) -> Program:
    from exporter.functions.program import program_of_mechanism  # noqa: PLC0415
    from exporter.proposals import with_proposal  # noqa: PLC0415

    with with_proposal(mechanism, request.precision, tell or (lambda _: None)):
        return program_of_mechanism(mechanism, request.precision, only=request.functions, tell=tell, shared=shared)


def write_export(
    program: Program, folder: Path, canonical_model: Mapping[str, object], kind: str = "mechanism"
) -> Export:
    """Print a program into a folder. The same program gives the same bytes in any folder.

    Args:
        program: what to print.
        folder: where to; it may hold a previous export, which is replaced, and nothing else.
        canonical_model: what the manifest keeps of the model, JSON-able.
        kind: "mechanism", "symbolic" or "composed".

    Raises:
        ModelError: the folder has other content, the program cannot be printed, or interval arithmetic cannot exclude
            that an operation overflows, divides by zero or takes the root of a negative number.
        CheckFailed: the text, read back, breaks the contract or has other counts than the sequences.
    """
    return _write(program, Path(folder), canonical_model, kind, None, SharedBounds())


def _write(
    program: Program,
    folder: Path,
    canonical_model: Mapping[str, object],
    kind: str,
    request: Request | None,
    shared: SharedBounds,
) -> Export:
    """Print a program into a folder; with a stamp where the whole request is known."""
    require_replaceable(folder)
    bound = _bound_program(program, shared)
    say("writing the C and reading it back")
    texts = program_texts(bound)
    files = dict(texts.files)
    manifest = describe(texts, files, kind, canonical_model)
    files[REPORT_NAME] = report_text(texts.layout, manifest)
    manifest = describe(texts, files, kind, canonical_model)
    _require_contract(files, manifest)
    files[MANIFEST_NAME] = to_json(manifest)
    if request is not None:
        files[STAMP_NAME] = stamp_of(request, files[MANIFEST_NAME])
    _replace(folder, files)
    return Export(folder, manifest)


def _bound_program(program: Program, shared: SharedBounds) -> Program:
    """The program, with notes on what interval arithmetic found, once it shows that nothing overflows."""
    recalibrate = (program.recalibrate,) if program.recalibrate else ()
    sequences = (*recalibrate, *program.functions)
    notes = [
        note
        for sequence in counted("bounding", sequences, lambda each: each.name)
        for note in domain_notes(sequence, bounds_of(sequence, shared))
    ]
    return replace(program, notes=(*program.notes, *notes))


def _require_contract(files: Mapping[str, str], manifest: Manifest) -> None:
    found = problems(files, manifest)
    if found:
        raise CheckFailed(f"the printed C breaks its contract: {found[0]}; nothing was written, please report this")


def load_export(folder: Path) -> Export:
    """Read an export and hold every file against the manifest's hash.

    Raises:
        ModelError: there is no manifest, or a file is missing or was changed.
    """
    folder = Path(folder)
    path = folder / MANIFEST_NAME
    if not folder.is_dir():
        raise ModelError(f"{no_folder(folder)}; give the folder that `kinefix export` wrote")
    if not path.is_file():
        raise ModelError(f"'{folder}' holds no {MANIFEST_NAME}; make it with `kinefix export`")
    manifest = from_json(path.read_text(encoding="utf-8"))
    for name, digest in manifest.files.items():
        require_unchanged(folder, name, digest)
    return Export(folder, manifest)


def _replace(folder: Path, files: Mapping[str, str]) -> None:
    """Write beside the folder, then rename; a link stays, and what it points to is replaced."""
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    stale = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    try:
        with named_when_full(folder):
            for name, text in files.items():
                write_below(fresh, name, text.encode())
        with unbroken(f"the new export in '{folder}' is complete"):
            _swap(folder, fresh, stale)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _swap(folder: Path, fresh: Path, stale: Path) -> None:
    """Rename the new export into its place and delete the old one, which comes back where that fails."""
    try:
        if folder.exists():
            folder.rename(stale)
        fresh.rename(folder)
    finally:
        if stale.exists() and not folder.exists():
            stale.rename(folder)
        shutil.rmtree(stale, ignore_errors=True)
