"""Where in a mechanism file a key stands, for errors about what the file says once and means several times.

In: TOML text that can be read. Out: line numbers, from 1, by path of keys. Keys inside an inline table have the line
of the table.
"""

import re
import tomllib
from collections.abc import Mapping
from typing import Any

Path = tuple[str, ...]

_HEADER = re.compile(r"\s*\[[^\[].*\]\s*(#.*)?$")
_KEY = re.compile(r"""\s*(?P<key>[A-Za-z0-9_-]+|"[^"]*"|'[^']*')\s*=""")


def key_lines(text: str) -> dict[Path, int]:
    """The line of every table and of every key that starts a line."""
    lines: dict[Path, int] = {}
    table: Path = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if _HEADER.match(line):
            table = _path_of(line) or table
            for length in range(1, len(table) + 1):
                lines.setdefault(table[:length], number)
        elif match := _KEY.match(line):
            lines.setdefault((*table, match["key"].strip("\"'")), number)
    return lines


def _path_of(header: str) -> Path:
    """The keys of a table's header, as TOML reads them; none where the line is no header."""
    try:
        content: Any = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return ()
    path: list[str] = []
    while isinstance(content, dict) and content:
        key, content = next(iter(content.items()))
        path.append(key)
    return tuple(path)


def line_of(path: Path, lines: Mapping[Path, int]) -> int:
    """The line of the nearest key above, or at, a path; 1 where there is none."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1
