"""A report before it is written: the run, the form that is signed, the runs beside it, and what was not shown.

In: a run. Out: `Report`, which the page, the data and the JUnit file tell alike.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from hil.campaign import BenchResult
from hil.coverage import EXPORT
from hil.report.beside import reports_beside
from hil.report.columns import MOST_COLUMNS, Column, column_of, ordered
from hil.report.document import run_document
from hil.report.form import Form, form_of
from hil.report.not_shown import not_shown
from hil.report.report_data import ReportData
from sil.not_shown import NotShown


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is told."""

    result: BenchResult
    form: Form
    columns: tuple[Column, ...]
    not_shown: tuple[NotShown, ...]

    @property
    def word(self) -> str:
        """The verdict."""
        return "PASSED" if self.result.passed else "FAILED"

    @property
    def document(self) -> dict[str, Any]:
        """For JSON: the run, and what is told of it."""
        told = {
            "verdict": self.word,
            "not_shown": [{"what": each.what, "why": each.why} for each in self.not_shown],
            "form": self.form.as_dict(),
            "columns": [each.as_dict() for each in self.columns],
        }
        return run_document(self.result) | told

    @property
    def properties(self) -> dict[str, str]:
        """For JUnit."""
        result = self.result
        told: Mapping[str, str] = {
            "headline": result.headline,
            "verdict": self.word,
            **result.identity,
            **self.form.flat(),
            **{f"not shown.{number}": each.text for number, each in enumerate(self.not_shown, start=1)},
            **{
                f"column.{number}.{label}": text
                for number, column in enumerate(self.columns, start=1)
                for label, text in {"run": f"{column.head}, {column.title}", **column.cells}.items()
            },
        }
        return dict(sorted(told.items()))


def make_report(
    result: BenchResult, folder: Path | None, beside: Sequence[ReportData] = (), now: datetime | None = None
) -> Report:
    """The report of a run that goes to `folder`, dated `now`.

    Beside it stand the reports of `beside`; where none was named, those in the folders beside `folder`.
    """
    found = tuple(beside)
    if not found and folder is not None:
        found = reports_beside(folder, {**result.coverage.setting, EXPORT: result.identity[EXPORT]})
    others = [column_of(each.document, each.path.parent.name, result.function) for each in found]
    shown, left = others[: MOST_COLUMNS - 1], others[MOST_COLUMNS - 1 :]
    own = column_of(run_document(result), "", result.function)
    missing = list(not_shown(result, (own, *others)))
    if left:
        missing.append(
            NotShown(f"{len(left):,} more runs beside this one", f"there is room for {MOST_COLUMNS} columns")
        )
    when = datetime.now().astimezone() if now is None else now
    return Report(result, form_of(result, when, sys.argv), ordered((own, *shown)), tuple(missing))
