"""One page over all reports below a folder: what `kinefix report` writes.

In: a folder with reports (of SIL, HIL and requirements) and exports. Out: `index.html` with each mechanism, its cost
and how every check ended in every run, each requirement, and the line that each report begins with.
"""

from dataclasses import dataclass
from pathlib import Path

from exporter.whole_file import write_page
from hil.errors import BenchError
from hil.report.entries import INDEX_NAME, Entry, entry_of, labelled
from hil.report.exports_below import exports_below
from hil.report.mechanisms import MechanismSummary, mechanisms_of
from hil.report.page import render_template
from hil.report.report_data import MATRIX_KIND, ReportData, read_reports
from sil.figures import count_text


@dataclass(frozen=True, slots=True)
class RequirementLine:
    """A requirement, and what its tests have shown."""

    number: str
    words: str
    word: str  # PASSED, FAILED, OPEN, UNTESTED, UNLISTED


@dataclass(frozen=True, slots=True)
class RequirementMatrix:
    """A matrix of requirements below the folder."""

    entry: Entry
    lines: tuple[RequirementLine, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """Everything that was found below a folder."""

    entries: tuple[Entry, ...]
    mechanisms: tuple[MechanismSummary, ...]
    matrices: tuple[RequirementMatrix, ...] = ()
    notes: tuple[str, ...] = ()  # exports that cannot be read

    @property
    def passed(self) -> bool:
        """Whether every report passed."""
        return all(entry.passed for entry in self.entries)

    @property
    def others(self) -> tuple[Entry, ...]:
        """Reports that are neither of a mechanism nor a matrix."""
        shown = {id(entry) for each in self.mechanisms for entry in each.runs} | {
            id(each.entry) for each in self.matrices
        }
        return tuple(entry for entry in self.entries if id(entry) not in shown)

    @property
    def headline(self) -> str:
        """The line that is read first."""
        failed = sum(not entry.passed for entry in self.entries)
        total = count_text(len(self.entries), "report")
        unrun = sum(not each.runs for each in self.mechanisms)
        nothing = f"; nothing was run of {count_text(unrun, 'export')}" if unrun else ""
        return (f"{failed:,} of {total} failed" if failed else f"{total}, none failed") + nothing


def collect(folder: Path) -> tuple[Entry, ...]:
    """The reports below `folder`, by path. Raises `BenchError` where there is none or one cannot be read."""
    return labelled([entry_of(folder, each) for each in read_reports(folder)])


def index_of(folder: Path) -> Index:
    """Everything below `folder`. Raises `BenchError` where there is no report or one cannot be read."""
    reports = read_reports(folder)
    entries = labelled([entry_of(folder, each) for each in reports])
    matrices = tuple(
        _matrix(entry, each) for entry, each in zip(entries, reports, strict=True) if each.kind == MATRIX_KIND
    )
    exports = exports_below(folder)
    return Index(entries, mechanisms_of(folder, exports.by_id, entries), matrices, exports.unread)


def write_index(folder: Path, index: Index) -> Path:
    """Write the page; returns its path. Raises `BenchError` where it cannot be written."""
    page = folder / INDEX_NAME
    try:
        write_page(page, render_template("index.html.j2", index=index))
    except OSError as error:
        raise BenchError(f"{page} cannot be written ({error.strerror}); mend the folder's permissions") from error
    return page


def html_pages(folder: Path, index: Index) -> tuple[Path, ...]:
    """The index and every page that it links as a report."""
    links = dict.fromkeys(entry.link for entry in index.entries if entry.link.endswith(".html") and not entry.is_suite)
    return (folder / INDEX_NAME, *(folder / link for link in links))


def _matrix(entry: Entry, data: ReportData) -> RequirementMatrix:
    listed = data.document.get("requirements")
    lines = (each for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()
    return RequirementMatrix(
        entry,
        tuple(
            RequirementLine(str(each.get("number", "")), str(each.get("words", "")), str(each.get("shown", "")).upper())
            for each in lines
        ),
    )
