"""The list of mechanisms of practice as entries: a name, a kind, a choice of independent coordinates, the text.

In: practice.toml and the files that it names. Out: an `Entry` for each mechanism and for each further choice.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).resolve().parent
INDEPENDENT = re.compile(r"^independent = \[.*?\]", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """A mechanism file, driven by one choice of coordinates."""

    key: str  # the name, with the choice behind it where that is not the file's own
    name: str
    kind: str
    spatial: bool
    text: str


def practice_entries() -> list[Entry]:
    """All mechanisms of the list, each followed by its further choices."""
    listed = tomllib.loads((DATA / "practice.toml").read_text(encoding="utf-8"))["mechanism"]
    found = []
    for each in listed:
        name, spatial = each["name"], not each.get("planar", False)
        text = (DATA / each.get("file", f"practice/{name}.toml")).read_text(encoding="utf-8")
        own = Entry(name, name, each["kind"], spatial, text)
        found += [own, *(driven_by(own, choice) for choice in each.get("also", []))]
    return found


def driven_by(entry: Entry, choice: list[str]) -> Entry:
    """A listed mechanism driven by other coordinates, whose pose, ranges and rates its file has."""
    listed = ", ".join(f'"{name}"' for name in choice)
    text = INDEPENDENT.sub(f"independent = [{listed}]", entry.text, count=1)
    return Entry(f"{entry.name} by {','.join(choice)}", entry.name, entry.kind, entry.spatial, text)
