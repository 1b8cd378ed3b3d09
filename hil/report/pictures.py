"""The picture of a mechanism for the index: the one that lies there, or one drawn from the export.

In: a folder and an export below it. Out: a relative path, or the picture itself as a URI.
"""

import base64
from pathlib import Path

from exporter.errors import KinefixError
from exporter.export import Export

SUFFIXES = (".svg", ".png")
"""What `kinefix show --picture` writes."""


def picture_of(folder: Path, export: Export) -> str:
    """The picture called as the mechanism, the one nearest to the folder; else one drawn; empty where none can be."""
    name = export.manifest.name
    found = [path for suffix in SUFFIXES for path in folder.rglob(f"{name}{suffix}") if path.is_file()]
    if found:
        nearest = min(found, key=lambda path: (len(path.parts), path))
        return nearest.relative_to(folder).as_posix()
    return _drawn(export)


def _drawn(export: Export) -> str:
    from exporter.drawing.from_model import picture_of_model  # noqa: PLC0415 - SymPy only where it is needed

    try:
        picture = picture_of_model(export.manifest)
    except KinefixError:
        return ""  # a mechanism that the tables of another version describe; the page does without
    return f"data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}" if picture else ""
