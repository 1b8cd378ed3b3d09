"""Reads what runs left behind: every `report.json` below a folder, and whatever else says that it is a report.

In: a folder. Out: `ReportData`, one for each. What should be a report and cannot be read as one is an error: it must
not vanish from a page that lists them all.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exporter.missing import no_file, no_folder
from hil.errors import BenchError
from hil.report.names import DATA, REPORT_KIND, VERSION
from sil.report.document import VERSION as SIL_VERSION

KIND_PREFIX = "kinefix-"
SIL_KIND, MATRIX_KIND, SUITE_KIND = "kinefix-sil", "kinefix-requirements", "kinefix-suite"
READABLE_VERSIONS = {SIL_KIND: SIL_VERSION, REPORT_KIND: VERSION, MATRIX_KIND: 1, SUITE_KIND: 1}
"""Kinds of report, and the version of each that is read."""
REPORT_KEYS: Mapping[str, type] = {"title": str, "headline": str, "passed": bool, "verdicts": list}
VERDICT_KEYS: Mapping[str, type] = {"function": str, "check": str, "outcome": str, "passed": bool, "reason": str}
LONGEST_VALUE = 60
"""Characters of a wrong value that are repeated."""
NEXT_STEP = "run again what wrote it, or move it out of the folder"


@dataclass(frozen=True, slots=True)
class ReportData:
    """One report as data."""

    path: Path
    document: dict[str, Any]

    @property
    def kind(self) -> str:
        """Which command wrote it, as in "kinefix-sil"."""
        return str(self.document["report"])

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        """All verdicts; each has at least the keys of `VERDICT_KEYS`."""
        return list(self.document["verdicts"])


def read_reports(folder: Path) -> tuple[ReportData, ...]:
    """All reports below `folder`, by path. Raises `BenchError` where there is none or one cannot be read."""
    if not folder.is_dir():
        raise BenchError(f"{no_folder(folder)}; give the one that kinefix sil and kinefix hil wrote to")
    documents = ((path, _document(path)) for path in sorted(folder.rglob("*.json")))
    found = tuple(ReportData(path, document) for path, document in documents if document is not None)
    if not found:
        raise BenchError(f"there is no report below {folder}; run kinefix sil or kinefix hil with --report first")
    return found


def read_report(path: Path) -> ReportData:
    """One report. Raises `BenchError` where there is no such file, or where it is none."""
    if not path.is_file():
        raise BenchError(f"{no_file(path, 'report')}; give a report.json that kinefix sil or kinefix hil wrote")
    document = _document(path)
    if document is None:
        raise BenchError(f"{path} is no report; give a report.json that kinefix sil or kinefix hil wrote")
    return ReportData(path, document)


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
    if wrong := wrong_keys(document, {"report": str}):
        return wrong
    if document["report"] not in READABLE_VERSIONS:
        return f"'report' is {_short(document['report'])}, known are {', '.join(READABLE_VERSIONS)}"
    known = READABLE_VERSIONS[document["report"]]
    if type(document.get("version")) is not int or document["version"] != known:
        return f"'version' is {_short(document.get('version'))}, known is {known}"
    if wrong := wrong_keys(document, REPORT_KEYS):
        return wrong
    found = (wrong_keys(verdict, VERDICT_KEYS) for verdict in document["verdicts"])
    return next((f"in 'verdicts' {each}" for each in found if each), "")


def wrong_keys(table: Any, keys: Mapping[str, type]) -> str:
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
