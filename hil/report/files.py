"""Writes a report folder: `report.html`, `report.json`, `report.xml`."""

import json
from pathlib import Path

from exporter.whole_file import write_whole
from exporter.writable import require_folder
from hil.campaign import BenchResult
from hil.errors import BenchError
from hil.report.document import document_of
from hil.report.names import DATA, JUNIT, PAGE
from hil.report.page import page_text
from sil.report.junit import junit_text


def require_report(folder: Path) -> None:
    """Raises `KinefixError` where a report cannot be written into the folder."""
    require_folder("--report", folder, (PAGE, DATA, JUNIT))


def write_report(result: BenchResult, folder: Path) -> Path:
    """Write or replace the three files; returns the page. Raises `BenchError` where the folder cannot be written."""
    texts = {
        PAGE: page_text(result),
        DATA: json.dumps(document_of(result), indent=2, ensure_ascii=False) + "\n",
        JUNIT: junit_text(result.bench.name, result.verdicts, _properties(result), "hil"),
    }
    try:
        for name, text in texts.items():
            write_whole(folder / name, text.encode("utf-8"))
    except OSError as error:
        raise BenchError(
            f"the report cannot be written to {folder} ({error.strerror}); choose another --report"
        ) from error
    return folder / PAGE


def _properties(result: BenchResult) -> dict[str, str]:
    return dict(sorted({"headline": result.headline, **result.identity}.items()))
