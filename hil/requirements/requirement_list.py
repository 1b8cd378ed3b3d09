"""The list of requirements that must be tested: one a line, its number first, then its words.

In: a text file. Out: words by number, in the order of the file. Empty lines and those that begin with # are left out.
"""

from pathlib import Path

from exporter.missing import no_file
from hil.errors import BenchError


def read_requirement_list(path: Path) -> dict[str, str]:
    """Read the file; raises `BenchError` where it is no text, a number stands twice, or there is none."""
    if not path.is_file():
        raise BenchError(
            f"{no_file(path, 'list of requirements')}; its lines are as 'SYS-12 the piston stays below 1 m'"
        )
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise BenchError(f"{path} is no text in UTF-8 ({error}); save it as one") from error
    listed: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        name, words = [*line.split(maxsplit=1), "", ""][:2]
        if not name or name.startswith("#"):
            continue
        if name in listed:
            raise BenchError(f"{path}, line {number}: '{name}' is listed already; leave one out")
        listed[name] = words.strip()
    if not listed:
        raise BenchError(f"{path} lists no requirement; write one a line, its number first")
    return listed
