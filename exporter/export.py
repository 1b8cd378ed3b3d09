"""Assembles an export: the one module of the exporter that writes to the disk.

In: a program, or the name of a model. Out: a folder with C files, a report and manifest.json, written beside
its place and renamed into it, so that nothing half-written is ever seen.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from exporter.c99.description import describe
from exporter.c99.files import program_texts
from exporter.c99.readback import problems
from exporter.c99.report import report_text
from exporter.errors import CheckFailed, ModelError
from exporter.manifest import Manifest, from_json, to_json
from exporter.missing import no_folder
from exporter.model.changes import Changes
from exporter.sequence.intervals import analyse, domain_notes
from exporter.sequence.operations import Precision
from exporter.sequence.program import Program
from exporter.sources import mechanism_of, names_function
from exporter.writable import require_folder

if TYPE_CHECKING:
    from exporter.composition import Composition

Tell = Callable[[str], None]
NO_CHANGES = Changes()
MANIFEST_NAME = "manifest.json"
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
    _require_replaceable(Path(folder))
    require_folder("the folder of the export", Path(folder).parent)
    described = _describe_export(source, precision, changes, tell, functions)
    return write_export(described.program, folder, described.canonical, described.kind)


def program_of_source(source: str, precision: Precision, changes: Changes = NO_CHANGES) -> Program:
    """The program of a model by name.

    Args:
        source: a name of the library, the path of a mechanism file, or "module:function" of a symbolic model.
        precision: "float32" or "float64".
        changes: what is to differ from a mechanism's file.

    Raises:
        ModelError: the model is wrong, or a change does not fit it.
    """
    return _describe_export(source, precision, changes).program


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


@dataclass(frozen=True, slots=True)
class _Described:
    """A program with what the manifest keeps of its model."""

    program: Program
    canonical: dict[str, object]
    kind: str


def _describe_export(
    source: str, precision: Precision, changes: Changes, tell: Tell | None = None, functions: Collection[str] = ()
) -> _Described:
    if not names_function(source):
        return _mechanism(source, precision, changes, tell, functions)
    if functions:
        raise ModelError(f"'{source}' is Python code, whose export has all of its functions; leave --functions out")
    if changes:
        raise ModelError(
            f"'{source}' is Python code, and coordinates, pose, parameters and step can be changed in a mechanism "
            "only; change the Python function"
        )
    return _symbolic(source, precision)


def _symbolic(source: str, precision: Precision) -> _Described:
    from exporter.composition import Composition  # noqa: PLC0415 - SymPy only where it is needed
    from exporter.symbolic.canonical import canonical  # noqa: PLC0415
    from exporter.symbolic.loading import load_object, require_model  # noqa: PLC0415
    from exporter.symbolic.program import program_of_symbolic  # noqa: PLC0415

    loaded = load_object(source)
    if isinstance(loaded, Composition):
        return _composed(loaded, precision)
    model = require_model(loaded, source)
    return _Described(program_of_symbolic(model, precision), dict(canonical(model)), "symbolic")


def _composed(composition: "Composition", precision: Precision) -> _Described:
    from exporter.composition.canonical import canonical  # noqa: PLC0415 - SymPy only where it is needed
    from exporter.composition.composition import KIND  # noqa: PLC0415
    from exporter.composition.program import program_of_composition  # noqa: PLC0415

    return _Described(program_of_composition(composition, precision), canonical(composition), KIND)


def _mechanism(
    source: str, precision: Precision, changes: Changes, tell: Tell | None, functions: Collection[str]
) -> _Described:
    from exporter.functions.program import program_of_mechanism  # noqa: PLC0415 - SymPy only where it is needed
    from exporter.model.canonical import canonical  # noqa: PLC0415
    from exporter.proposals import with_proposal  # noqa: PLC0415

    mechanism = mechanism_of(source, changes, "the change of a mechanism")
    with with_proposal(mechanism, precision, tell or (lambda _: None)):
        program = program_of_mechanism(mechanism, precision, only=functions, tell=tell)
    return _Described(program, canonical(mechanism), "mechanism")


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
    folder = Path(folder)
    _require_replaceable(folder)
    texts = program_texts(_bound_program(program))
    files = dict(texts.files)
    manifest = describe(texts, files, kind, canonical_model)
    files[REPORT_NAME] = report_text(texts.layout, manifest)
    manifest = describe(texts, files, kind, canonical_model)
    _require_contract(files, manifest)
    _replace(folder, {**files, MANIFEST_NAME: to_json(manifest)})
    return Export(folder, manifest)


def _bound_program(program: Program) -> Program:
    """The program, with notes on what interval arithmetic found, once it shows that nothing overflows."""
    recalibrate = (program.recalibrate,) if program.recalibrate else ()
    notes = [
        note for sequence in (*recalibrate, *program.functions) for note in domain_notes(sequence, analyse(sequence))
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
        _require_unchanged(folder, name, digest)
    return Export(folder, manifest)


def _require_unchanged(folder: Path, name: str, digest: str) -> None:
    path = folder / name
    if not path.is_file():
        raise ModelError(f"'{name}' is missing in '{folder}'; export the model again")
    if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
        raise ModelError(f"'{name}' in '{folder}' was changed after the export; export the model again")


def _require_replaceable(folder: Path) -> None:
    """The folder has a name, and is absent, empty, or an export of ours and nothing else."""
    if folder.name in ("", ".."):
        raise ModelError(f"'{folder}' has no name of its own, and an export is renamed into place; name a folder in it")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ModelError(f"'{folder}' is no folder; name another place for the export")
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    if not present:
        return
    known = _files_of_export(folder)
    foreign = sorted(present - known)
    if foreign:
        raise ModelError(
            f"'{folder}' holds '{foreign[0]}', which is not part of an export; empty the folder or name another"
        )


def _files_of_export(folder: Path) -> set[str]:
    """The files that a previous export put there; none where the manifest is not ours."""
    path = folder / MANIFEST_NAME
    try:
        manifest = from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ModelError):
        return set()
    return {MANIFEST_NAME, *manifest.files}


def _replace(folder: Path, files: Mapping[str, str]) -> None:
    """Write beside the folder, then rename."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    stale = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    try:
        for name, text in files.items():
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        if folder.exists():
            folder.rename(stale)
        fresh.rename(folder)
    finally:
        if stale.exists() and not folder.exists():
            stale.rename(folder)
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(stale, ignore_errors=True)
