"""Looks at this computer: which tools are there, in which version, what needs them, how to get the others.

In: `tools.toml`. Out: findings, one per tool, for `kinefix doctor`.
"""

import shutil
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from exporter.programs import run
from exporter.time_limits import VERSION
from targets.toolchain import version_of

TOOL_TABLE = Path(__file__).parent / "tools.toml"


@dataclass(frozen=True, slots=True)
class Finding:
    """One tool on this computer."""

    name: str
    found: str | None  # its version; None where it is missing
    why: str
    needed_by: tuple[str, ...]  # purposes
    get_it: str  # a command


def purposes() -> dict[str, str]:
    """Purpose -> what it is, as `--for` takes them."""
    return dict(_table()["purposes"])


def examine() -> tuple[Finding, ...]:
    """All tools of the table, in its order."""
    table = _table()
    programs = [_examine_program(entry) for entry in table["program"]]
    return (*programs, *(_examine_python(entry) for entry in table["python"]))


def missing_tools(findings: Iterable[Finding], wanted: Iterable[str]) -> tuple[Finding, ...]:
    """What is missing of that which these purposes need."""
    asked = set(wanted)
    return tuple(each for each in findings if each.found is None and asked & set(each.needed_by))


def _table() -> dict[str, Any]:
    return tomllib.loads(TOOL_TABLE.read_text(encoding="utf-8"))


def _examine_program(entry: dict[str, Any]) -> Finding:
    path = shutil.which(entry["name"])
    library = entry.get("library")
    found = None
    if path is not None:
        found = version_of(Path(path)) if library is None else _library_of(path, library)
    name = entry["name"] if library is None else f"{library} of {entry['name']}"
    return Finding(name, found, entry["why"], tuple(entry["needed_by"]), f"sudo apt-get install {entry['package']}")


def _library_of(compiler: str, library: str) -> str | None:
    """Whether the compiler finds a library: where it does not, it repeats the bare name."""
    done = run([compiler, f"-print-file-name={library}"], VERSION)
    return "present" if done.code == 0 and done.out.strip() != library else None


def _examine_python(entry: dict[str, Any]) -> Finding:
    try:
        found: str | None = version(entry["name"])
    except PackageNotFoundError:
        found = None
    return Finding(entry["name"], found, entry["why"], tuple(entry["needed_by"]), f"pip install {entry['name']}")
