"""One page over all reports below a folder: what `kinefix report` writes.

In: a folder in which runs left `report.json` files (SIL and HIL alike). Out: `index.html` with the line that is read
first, the verdict and a link for each.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exporter.missing import no_folder
from hil.errors import BenchError
from hil.report.document import REPORT_KIND, VERSION
from hil.report.files import DATA
from hil.report.page import render_template
from sil.report.document import VERSION as SIL_VERSION
from sil.verdict import Outcome

INDEX_NAME = "index.html"
NOT_JUDGED = Outcome.NOT_JUDGED.value
KIND_PREFIX = "kinefix-"
READABLE_VERSIONS = {"kinefix-sil": SIL_VERSION, REPORT_KIND: VERSION, "kinefix-requirements": 1}
"""Kinds of report, and the version of each that is read."""
REPORT_KEYS: Mapping[str, type] = {"title": str, "headline": str, "passed": bool, "verdicts": list}
VERDICT_KEYS: Mapping[str, type] = {"function": str, "check": str, "outcome": str, "passed": bool, "reason": str}
LONGEST_VALUE = 60
"""Characters of a wrong value that are repeated."""
NEXT_STEP = "run again what wrote it, or move it out of the folder"
PAGE_NAMES = ("report.html", "index.html", "sil.html")


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
        raise BenchError(f"{no_folder(folder)}; give the one that kinefix sil and kinefix hil wrote to")
    entries = [entry for path in sorted(folder.rglob("*.json")) if (entry := _entry(folder, path)) is not None]
    if not entries:
        raise BenchError(f"there is no report below {folder}; run kinefix sil or kinefix hil with --report first")
    return tuple(entries)


def write_index(folder: Path, entries: tuple[Entry, ...]) -> Path:
    """Write the page; returns its path."""
    page = folder / INDEX_NAME
    page.write_bytes(render_template("index.html.j2", entries=entries).encode("utf-8"))
    return page


def _entry(folder: Path, path: Path) -> Entry | None:
    document = _document(path)
    if document is None:
        return None
    verdicts: list[dict[str, Any]] = document["verdicts"]
    failed = tuple(_check(each) for each in verdicts if not each["passed"] and each["outcome"] != NOT_JUDGED)
    unjudged = tuple(f"{_check(each)}: not judged, {each['reason']}" for each in verdicts if each["reason"])
    return Entry(
        title=document["title"],
        kind=str(document["report"]).removeprefix(KIND_PREFIX).upper(),
        headline=document["headline"],
        passed=document["passed"],
        link=_page_of(folder, path),
        failed=failed,
        unjudged=unjudged,
    )


def _document(path: Path) -> dict[str, Any] | None:
    """A report; None where the file is something else.

    Raises:
        BenchError: it should be a report, by its name or by what it says, and cannot be read as one.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        if path.name == DATA:
            raise BenchError(f"{path} is no JSON ({error}); {NEXT_STEP}") from error
        return None
    is_ours = isinstance(document, dict) and str(document.get("report")).startswith(KIND_PREFIX)
    if not is_ours and path.name != DATA:
        return None
    if wrong := _wrong(document):
        raise BenchError(f"{path} is no report that this version of Kinefix reads: {wrong}; {NEXT_STEP}")
    found: dict[str, Any] = document
    return found


def _wrong(document: Any) -> str:
    """What is wrong with a report; empty where nothing is."""
    if wrong := _wrong_keys(document, {"report": str}):
        return wrong
    if document["report"] not in READABLE_VERSIONS:
        return f"'report' is {_short(document['report'])}, known are {', '.join(READABLE_VERSIONS)}"
    known = READABLE_VERSIONS[document["report"]]
    if type(document.get("version")) is not int or document["version"] != known:
        return f"'version' is {_short(document.get('version'))}, known is {known}"
    if wrong := _wrong_keys(document, REPORT_KEYS):
        return wrong
    found = (_wrong_keys(verdict, VERDICT_KEYS) for verdict in document["verdicts"])
    return next((f"in 'verdicts' {each}" for each in found if each), "")


def _wrong_keys(table: Any, keys: Mapping[str, type]) -> str:
    """Which key is missing, or holds another kind of value; empty where none does."""
    if not isinstance(table, dict):
        return f"{_short(table)} stands where a table belongs"
    for key, kind in keys.items():
        if key not in table:
            return f"'{key}' is missing"
        if not isinstance(table[key], kind):
            return f"'{key}' is {_short(table[key])}"
    return ""


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."


def _check(verdict: dict[str, Any]) -> str:
    return f"{verdict['function']}: {verdict['check']}"


def _page_of(folder: Path, path: Path) -> str:
    """The HTML page beside the data, or the data itself."""
    pages = [path.with_suffix(".html"), *(path.with_name(name) for name in PAGE_NAMES)]
    found = next((page for page in pages if page.is_file() and page != folder / INDEX_NAME), path)
    return found.relative_to(folder).as_posix()
