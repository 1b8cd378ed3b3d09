"""Writes files that a user may go on with: again only while they are as they were written.

In: a folder and texts by name. Out: what was done with each. The first line of a file is a comment with the hash of
what follows, by which a change by hand is seen. What would be written now stands beside a changed file as NAME.new.
"""

import hashlib
import re
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


def write_unless_changed(folder: Path, texts: dict[str, str], place: str = "") -> list[Kept]:
    """Write each file that is missing, or as it was written.

    Args:
        folder: where to; made where it is missing.
        texts: by name.
        place: a pattern of the line that says where things lie, in which a file that was changed may differ.

    Raises:
        BenchError: the folder cannot be written.
    """
    try:
        return [Kept(folder / name, _write(folder / name, text, place)) for name, text in texts.items()]
    except (OSError, UnicodeDecodeError) as error:
        raise BenchError(f"the suite cannot be written to {folder} ({error}); mend that, or move it away") from error


def marked(text: str) -> str:
    """The text after its mark."""
    return f"{MARK}{hashlib.sha256(text.encode()).hexdigest()}\n{text}"


def _write(path: Path, text: str, place: str) -> str:
    fresh = marked(text)
    known = path.read_bytes().decode("utf-8").replace("\r\n", "\n") if path.exists() else ""
    if known == fresh:
        return "up to date"
    head, _, rest = known.partition("\n")
    if known and marked(rest) != known:
        is_newer = head not in {marked(each).partition("\n")[0] for each in (text, _placed(text, rest, place))}
        if is_newer:
            write_whole(path.with_name(f"{path.name}.new"), fresh.encode())
        return "left as it is: changed by hand" + (f"; {path.name}.new is of this export" if is_newer else "")
    write_whole(path, fresh.encode())
    return "written"


def _placed(text: str, known: str, place: str) -> str:
    """The text with the line of a place as it stands in the known one."""
    found = re.search(place, known, re.MULTILINE) if place else None
    return re.sub(place, lambda _: found.group(), text, flags=re.MULTILINE) if found else text
