"""A report as the index shows it: its first line, the word for every check, its cost and its worst time.

In: `ReportData`. Out: `Entry`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hil.check_names import BenchCheck
from hil.report.columns import core_of, place_of
from hil.report.names import REPORT_KIND
from hil.report.report_data import KIND_PREFIX, SIL_KIND, SUITE_KIND, ReportData
from sil.check_names import Check
from sil.figures import figure
from sil.verdict import Outcome

INDEX_NAME = "index.html"
PAGE_NAMES = ("report.html", "index.html", "sil.html")
NOT_JUDGED = Outcome.NOT_JUDGED.value
Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CheckWord:
    """How one check of one function ended, in capitals: PASSED, FAILED, NOT JUDGED, NOTHING COMPARED."""

    function: str
    check: str
    word: str


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
    export_id: str = ""  # of what was run, eight hexadecimal digits; empty where the report names none
    model: str = ""  # title of the model; empty where the report names none
    checks: tuple[CheckWord, ...] = ()
    worst_time: str = ""  # from release to finish, with the deadline; empty where nothing was timed
    instructions: Mapping[str, str] = field(default_factory=dict)  # of one call, by function
    core: str = ""  # whose machine code ran; empty where it was this computer's, or is not told
    on: str = ""  # what it ran on, as in "emulated arm-m4f, CAN"
    label: str = ""  # what ran, told apart from all others

    @property
    def word(self) -> str:
        """How it ended."""
        return "PASSED" if self.passed else "FAILED"

    @property
    def folder(self) -> str:
        """Where it lies, relative to the index."""
        return self.link.rpartition("/")[0] or "."

    @property
    def place(self) -> str:
        """Where it lies, and what it ran on."""
        return f"{self.folder}; {self.on}" if self.on else self.folder

    @property
    def passed_checks(self) -> int:
        """How many checks passed."""
        return sum(check.word == Outcome.PASSED.value.upper() for check in self.checks)

    @property
    def is_sil(self) -> bool:
        """Whether it ran in software."""
        return self.kind == "SIL"

    @property
    def is_suite(self) -> bool:
        """Whether Robot Framework ran it, whose page is no page of Kinefix."""
        return self.kind == "SUITE"


def entry_of(folder: Path, data: ReportData) -> Entry:
    """The entry of a report for the index in `folder`."""
    document, verdicts = data.document, data.verdicts
    export_id, model = _run_model(data)
    return Entry(
        title=document["title"],
        kind=data.kind.removeprefix(KIND_PREFIX).upper(),
        headline=document["headline"],
        passed=document["passed"],
        link=_page_of(folder, data),
        failed=tuple(_check(each) for each in verdicts if not each["passed"] and each["outcome"] != NOT_JUDGED),
        unjudged=tuple(f"{_check(each)}: not judged, {each['reason']}" for each in verdicts if each["reason"]),
        export_id=export_id,
        model=model,
        checks=tuple(CheckWord(each["function"], each["check"], each["outcome"].upper()) for each in verdicts),
        worst_time=_worst_time(document, verdicts),
        instructions=_instructions(document, verdicts),
        core=core_of(document),
        on=place_of(document),
    )


def labelled(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Each with what ran as its label, and with its folder where others of its model are called the same."""
    names = [_name(entry) for entry in entries]
    said = Counter((entry.export_id, name) for entry, name in zip(entries, names, strict=True))
    return tuple(
        replace(entry, label=name if said[entry.export_id, name] == 1 else f"{name} ({entry.folder})")
        for entry, name in zip(entries, names, strict=True)
    )


def _name(entry: Entry) -> str:
    words = entry.kind if entry.is_sil else f"{entry.kind}: {entry.title}"
    return f"{words}, {entry.core if entry.is_sil else entry.on}".removesuffix(", ")


def _run_model(data: ReportData) -> tuple[str, str]:
    """What was run: the export's identity, and the title of its model."""
    if data.kind == SIL_KIND:
        return _table(data.document, "model").get("export_id", "").lower(), data.document["title"]
    if data.kind in (REPORT_KIND, SUITE_KIND):
        identity = _table(data.document, "identity")
        return identity.get("export", "").partition(",")[0], identity.get("model", "").rpartition(" (")[0]
    return "", ""


def _worst_time(document: Table, verdicts: list[dict[str, Any]]) -> str:
    """The longest way from release to finish: "26.8 us of 400 us, virtual time"."""
    found = next((each for each in verdicts if each["check"].startswith(BenchCheck.RESPONSE)), {})
    value, limit = found.get("value"), found.get("limit")
    if not isinstance(value, float | int) or not isinstance(limit, float | int):
        return ""
    unit = found.get("unit", "")
    return f"{figure(value)} {unit} of {figure(limit)} {unit}, {document.get('time_base', '')}".rstrip(", ")


def _instructions(document: Table, verdicts: list[dict[str, Any]]) -> dict[str, str]:
    """Counted over all vectors by SIL; by a bench in the longest call, to within one."""
    counted = {}
    for each in verdicts:
        fewest, spread = each.get("fewest"), each.get("value")
        if each["check"].startswith(Check.SPREAD) and isinstance(fewest, int) and isinstance(spread, float | int):
            counted[each["function"]] = f"{fewest:,}" if spread == 0 else f"{fewest:,} to {fewest + int(spread):,}"
    longest = [section.get("instructions") for section in document.get("sections") or ()]
    seen = [number for number in longest if isinstance(number, int)]
    if seen and verdicts:
        counted.setdefault(verdicts[0]["function"], f"about {max(seen):,}")
    return counted


def _table(document: Table, key: str) -> dict[str, Any]:
    """The table under a key, with its texts alone; empty where there is none."""
    found = document.get(key)
    return {name: each for name, each in found.items() if isinstance(each, str)} if isinstance(found, dict) else {}


def _check(verdict: Table) -> str:
    return f"{verdict['function']}: {verdict['check']}"


def _page_of(folder: Path, data: ReportData) -> str:
    """The HTML page beside the data, of a suite its log; or the data itself."""
    path, log = data.path, data.document.get("log")
    pages = [path.with_name(Path(log).name)] if data.kind == SUITE_KIND and isinstance(log, str) and log else []
    pages += [path.with_suffix(".html"), *(path.with_name(name) for name in PAGE_NAMES)]
    found = next((page for page in pages if page.is_file() and page != folder / INDEX_NAME), path)
    return found.relative_to(folder).as_posix()
