"""Writes the matrix: `requirements.html`, its twins `requirements.json` and `requirements.txt`, and a flat JUnit file.

In: a `Matrix`. Out: files in a folder. The JSON has what `kinefix report` needs to list it among the other reports.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from exporter.drawing.characters import readable
from exporter.whole_file import write_together
from hil.errors import BenchError
from hil.report.page import render_template
from hil.report.report_data import MATRIX_KIND
from hil.requirements.endings import RunTest
from hil.requirements.matrix import Line, Matrix, Shown
from hil.requirements.result_files import result_files
from sil.verdict import Outcome

MATRIX_VERSION = 1
PAGE, DATA, TEXT, JUNIT = "requirements.html", "requirements.json", "requirements.txt", "requirements.xml"
MATRIX_FILES = (PAGE, DATA, TEXT, JUNIT)
OUTCOMES = {
    Shown.PASSED: Outcome.PASSED,
    Shown.FAILED: Outcome.FAILED,
    Shown.OPEN: Outcome.NOT_JUDGED,
    Shown.UNTESTED: Outcome.NOTHING_COMPARED,
    Shown.UNLISTED: Outcome.FAILED,
}
"""How other reports call it."""
JUNIT_KINDS = {Shown.FAILED: "failure", Shown.UNLISTED: "failure", Shown.UNTESTED: "error", Shown.OPEN: "skipped"}


def write_matrix(matrix: Matrix, folder: Path, now: datetime | None = None) -> Path:
    """Write or replace the four files, dated `now`; returns the page.

    Raises:
        BenchError: the folder cannot be written.
    """
    tests = (*(test for line in matrix.lines for test in line.tests), *matrix.without)
    files = result_files(tests, folder)
    time = (datetime.now().astimezone() if now is None else now).isoformat(sep=" ", timespec="seconds")
    document = matrix_document(matrix) | {"time": time, "files": [each.as_dict() for each in files]}
    texts = {
        PAGE: render_template("requirements.html.j2", matrix=matrix, files=files, time=time),
        DATA: json.dumps(document, indent=2, ensure_ascii=False) + "\n",
        TEXT: readable("\n".join(matrix_text(matrix)) + "\n"),
        JUNIT: _junit_text(matrix),
    }
    try:
        write_together(folder, ((name, text.encode("utf-8")) for name, text in texts.items()))
    except OSError as error:
        raise BenchError(
            f"the matrix cannot be written to {folder} ({error.strerror}); choose another --out"
        ) from error
    return folder / PAGE


def matrix_text(matrix: Matrix) -> Iterator[str]:
    """The matrix in lines for a terminal."""
    yield matrix.headline
    for line in matrix.lines:
        words = f" {line.words}" if line.words else ""
        tests = f" ({', '.join(test.name for test in line.tests)})" if line.tests else ""
        yield f"  {line.shown.value:8} {line.number}{words}{tests}"
        if line.reason:
            yield f"           {line.reason}"
    if matrix.without:
        yield f"  without a requirement: {', '.join(test.name for test in matrix.without)}"


def matrix_document(matrix: Matrix) -> dict[str, Any]:
    """The matrix for JSON. Additions keep the version, other changes raise it."""
    return {
        "report": MATRIX_KIND,
        "version": MATRIX_VERSION,
        "title": matrix.title,
        "headline": matrix.headline,
        "passed": matrix.passed,
        "has_list": matrix.has_list,
        "verdicts": [_verdict(line) for line in matrix.lines],
        "requirements": [
            {
                "number": line.number,
                "words": line.words,
                "shown": line.shown.value,
                "reason": line.reason,
                "tests": [_test(test) for test in line.tests],
            }
            for line in matrix.lines
        ],
        "without_requirement": [_test(test) for test in matrix.without],
    }


def _verdict(line: Line) -> dict[str, Any]:
    """A requirement as the index of reports reads it."""
    return {
        "function": line.number,
        "check": f"{line.words or 'requirement'} ({line.shown.value})",
        "outcome": OUTCOMES[line.shown].value,
        "passed": line.shown is Shown.PASSED,
        "reason": line.reason if line.shown is Shown.OPEN else "",
    }


def _test(test: RunTest) -> dict[str, str]:
    return {"name": test.name, "ending": test.ending.value, "message": test.message, "file": test.file}


def _junit_text(matrix: Matrix) -> str:
    kinds = [JUNIT_KINDS.get(line.shown, "") for line in matrix.lines]
    suite = ElementTree.Element(
        "testsuite", name=matrix.title, tests=str(len(kinds)), failures=str(kinds.count("failure")),
        errors=str(kinds.count("error")), skipped=str(kinds.count("skipped")),
    )  # fmt: skip
    for line, kind in zip(matrix.lines, kinds, strict=True):
        case = ElementTree.SubElement(
            suite, "testcase", classname="requirements", name=f"{line.number} {line.words}".strip()
        )
        properties = ElementTree.SubElement(case, "properties")
        for test in line.tests:
            ElementTree.SubElement(properties, "property", name="test", value=test.name)
        if kind:
            ElementTree.SubElement(case, kind, message=line.reason)
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + readable(ElementTree.tostring(suite, encoding="unicode")) + "\n"
