"""Writes files that a user may go on with: again only while they are as they were written.

In: a folder and texts by name. Out: what was done with each. The first line of a file is a comment with the hash of
what follows, by which a change by hand is seen. What would be written now stands beside a changed file as NAME.new.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from exporter.whole_file import write_whole
from hil.errors import BenchError

MARK = "# written by kinefix, SHA-256 of what follows: "


@dataclass(frozen=True, slots=True)
class Kept:
    """What was done with a file."""

    path: Path
    done: str  # "written", "up to date", or "left as it is, changed by hand ..."


def write_unless_changed(folder: Path, texts: dict[str, str]) -> list[Kept]:
    """Write each file that is missing, or as it was written; raises `BenchError` where the folder cannot be written."""
    try:
        return [Kept(folder / name, _write(folder / name, text)) for name, text in texts.items()]
    except (OSError, UnicodeDecodeError) as error:
        raise BenchError(f"the suite cannot be written to {folder} ({error}); mend that, or move it away") from error


def marked(text: str) -> str:
    """The text after its mark."""
    return f"{MARK}{hashlib.sha256(text.encode()).hexdigest()}\n{text}"


def _write(path: Path, text: str) -> str:
    fresh = marked(text)
    known = path.read_bytes().decode("utf-8").replace("\r\n", "\n") if path.exists() else ""
    if known == fresh:
        return "up to date"
    head, _, rest = known.partition("\n")
    if known and marked(rest) != known:
        is_newer = head != fresh.partition("\n")[0]
        if is_newer:
            write_whole(path.with_name(f"{path.name}.new"), fresh.encode())
        return "left as it is: changed by hand" + (f"; {path.name}.new is of this export" if is_newer else "")
    write_whole(path, fresh.encode())
    return "written"
