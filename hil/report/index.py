"""One page over all reports below a folder: what `kinefix report` writes.

In: a folder in which runs left `report.json` files (SIL and HIL alike). Out: `index.html` with the line that is read
first, the verdict and a link for each.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil.errors import BenchError
from hil.report.page import render_template
from sil.verdict import Outcome

INDEX = "index.html"
NOT_JUDGED = Outcome.NOT_JUDGED.value
PAGES = ("report.html", "index.html", "sil.html")


@dataclass(frozen=True, slots=True)
class Entry:
    """One report."""

    title: str
    kind: str
    headline: str
    passed: bool
    link: str  # relative to the index
    failed: tuple[str, ...]  # checks that did not hold, or compared nothing
    unjudged: tuple[str, ...]  # checks that were not made, each with its reason


def collect(folder: Path) -> tuple[Entry, ...]:
    """All reports below `folder`, by path. Raises `BenchError` where there is none or one cannot be read."""
    if not folder.is_dir():
        raise BenchError(f"there is no folder {folder}; give the one that kinefix sil and kinefix hil wrote to")
    entries = [entry for path in sorted(folder.rglob("*.json")) if (entry := _entry(folder, path)) is not None]
    if not entries:
        raise BenchError(f"there is no report below {folder}; run kinefix sil or kinefix hil with --report first")
    return tuple(entries)


def write_index(folder: Path, entries: tuple[Entry, ...]) -> Path:
    """Write the page; returns its path."""
    page = folder / INDEX
    page.write_bytes(render_template("index.html.j2", entries=entries).encode("utf-8"))
    return page


def _entry(folder: Path, path: Path) -> Entry | None:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        if path.name == "report.json":
            raise BenchError(f"{path} is no JSON ({error}); run again what wrote it") from error
        return None
    if not isinstance(document, dict) or "verdicts" not in document or "passed" not in document:
        return None
    verdicts: list[dict[str, Any]] = document["verdicts"]
    failed = tuple(_check(each) for each in verdicts if not each["passed"] and each.get("outcome") != NOT_JUDGED)
    unjudged = tuple(f"{_check(each)}: not judged, {each['reason']}" for each in verdicts if each.get("reason"))
    return Entry(
        title=str(document.get("title") or document.get("name") or path.parent.name),
        kind=str(document.get("report", "kinefix-sil")).removeprefix("kinefix-").upper(),
        headline=str(document.get("headline") or f"{len(verdicts)} checks, {len(failed)} failed"),
        passed=bool(document["passed"]),
        link=_page_of(folder, path),
        failed=failed,
        unjudged=unjudged,
    )


def _check(verdict: dict[str, Any]) -> str:
    return f"{verdict['function']}: {verdict['check']}"


def _page_of(folder: Path, path: Path) -> str:
    """The HTML page beside the data, or the data itself."""
    pages = [path.with_suffix(".html"), *(path.with_name(name) for name in PAGES)]
    found = next((page for page in pages if page.is_file() and page != folder / INDEX), path)
    return found.relative_to(folder).as_posix()
