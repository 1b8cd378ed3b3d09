"""Writes a report folder: `report.html`, `report.json`, `report.xml`."""

import json
from pathlib import Path

from exporter.whole_file import write_together
from exporter.writable import remove_earlier, require_folder
from hil.errors import BenchError
from hil.report.names import DATA, JUNIT, PAGE
from hil.report.page import page_text
from hil.report.report import Report
from sil.report.junit import junit_text


def require_report(folder: Path) -> None:
    """Raises `KinefixError` where a report cannot be written into the folder."""
    require_folder("--report", folder, (PAGE, DATA, JUNIT))


def remove_report(folder: Path) -> None:
    """Remove the report of an earlier run. Raises `KinefixError` where it cannot be removed."""
    remove_earlier("--report", folder, (PAGE, DATA, JUNIT))


def write_report(report: Report, folder: Path) -> Path:
    """Write or replace the three files; returns the page. Raises `BenchError` where the folder cannot be written."""
    texts = {
        PAGE: page_text(report),
        DATA: json.dumps(report.document, indent=2, ensure_ascii=False) + "\n",
        JUNIT: junit_text(report.result.bench.name, report.result.verdicts, report.properties, "hil"),
    }
    try:
        write_together(folder, ((name, text.encode("utf-8")) for name, text in texts.items()))
    except OSError as error:
        raise BenchError(
            f"the report cannot be written to {folder} ({error.strerror}); choose another --report"
        ) from error
    return folder / PAGE
