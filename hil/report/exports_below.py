"""The exports below a folder, and which of them cannot be read.

In: a folder. Out: `ExportsBelow`. A file `manifest.json` of another program is no export, and is left alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from exporter.errors import KinefixError
from exporter.export import Export, load_export
from exporter.export_folder import MANIFEST_NAME

MARK = '"export_id"'
"""A manifest that has this word is one of an export."""


@dataclass(frozen=True, slots=True)
class ExportsBelow:
    """What lies there; where an export lies twice, the one nearest to the folder."""

    by_id: Mapping[str, Export]  # eight hexadecimal digits
    unread: tuple[str, ...]  # sentences: which export cannot be read, and why


def exports_below(folder: Path) -> ExportsBelow:
    """Every export by its path, those nearest to the folder first."""
    found: dict[str, Export] = {}
    unread = []
    for path in sorted(folder.rglob(MANIFEST_NAME), key=lambda path: (len(path.parts), path)):
        if MARK not in path.read_text(encoding="utf-8", errors="replace"):
            continue
        try:
            export = load_export(path.parent)
        except KinefixError as error:
            unread.append(f"the export {path.parent.relative_to(folder).as_posix()} is left out: {error}")
        else:
            found.setdefault(export_key(export), export)
    return ExportsBelow(found, tuple(unread))


def export_key(export: Export) -> str:
    """What a report calls it by."""
    return f"{export.manifest.export_id:08x}"
