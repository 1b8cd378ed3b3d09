"""The folder of an export: which files in it are its own, and whether they are as they were written.

In: a folder. Out: nothing, or an error in a sentence. Nothing heavy is imported, so that these questions are answered
at once.
"""

import hashlib
from pathlib import Path

from exporter.errors import ModelError
from exporter.manifest import from_json
from exporter.writable import require_folder

MANIFEST_NAME = "manifest.json"
STAMP_NAME = ".made_with"
"""Beside the files of an export, not one of them: what they were made from and with, see `exporter.up_to_date`."""


def require_place(folder: Path) -> None:
    """An export can be written there: asked before a run.

    Raises:
        ModelError: see `require_replaceable`.
        KinefixError: the folder around it cannot be written.
    """
    require_replaceable(folder)
    require_folder("the folder of the export", folder.parent, asked=folder)


def require_replaceable(folder: Path) -> None:
    """The folder has a name, and is absent, empty, or an export of ours and nothing else.

    Raises:
        ModelError: it is not.
    """
    if folder.name in ("", ".."):
        raise ModelError(f"'{folder}' has no name of its own, and an export is renamed into place; name a folder in it")
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ModelError(f"'{folder}' is no folder; name another place for the export")
    present = files_in(folder)
    if not present:
        return
    foreign = sorted(present - _files_of_export(folder))
    if foreign:
        raise ModelError(
            f"'{folder}' holds '{foreign[0]}', which is not part of an export; empty the folder or name another"
        )


def files_in(folder: Path) -> set[str]:
    """All files below a folder, by their paths in it."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def _files_of_export(folder: Path) -> set[str]:
    """The files that a previous export put there; none where the manifest is not ours."""
    path = folder / MANIFEST_NAME
    try:
        manifest = from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ModelError):
        return set()
    return {MANIFEST_NAME, STAMP_NAME, *manifest.files}


def require_unchanged(folder: Path, name: str, digest: str) -> None:
    """A file is there, and has the SHA-256 that the manifest says.

    Raises:
        ModelError: it is missing or was changed.
    """
    path = folder / name
    if not path.is_file():
        raise ModelError(f"'{name}' is missing in '{folder}'; export the model again")
    if hashlib.sha256(path.read_bytes()).hexdigest() != digest:
        raise ModelError(f"'{name}' in '{folder}' was changed after the export; export the model again")
