"""The result files of a matrix: where each lies, what its tests ran on, and the log beside it.

In: tests that ran, and the folder of the page that links the logs. Out: `ResultFile`, one for each file.
"""

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from hil.errors import BenchError
from hil.report.columns import place_of
from hil.report.report_data import SUITE_KIND, read_report
from hil.requirements.endings import RunTest

SUITE, LOG = "suite.json", "log.html"
"""What `kinefix hil --suite` and Robot Framework leave beside their output.xml."""


@dataclass(frozen=True, slots=True)
class ResultFile:
    """One file with results."""

    name: str
    folder: str
    on: str  # what its tests ran on, as in "emulated arm-m4f, CAN"; empty where nothing tells it
    log: str  # relative to the page; empty where there is none

    def as_dict(self) -> dict[str, str]:
        """For JSON."""
        return asdict(self)


def result_files(tests: Iterable[RunTest], folder: Path) -> tuple[ResultFile, ...]:
    """Every file that the tests are of, once; `folder` is that of the page."""
    return tuple(_result_file(Path(name), folder) for name in dict.fromkeys(test.file for test in tests))


def _result_file(path: Path, folder: Path) -> ResultFile:
    return ResultFile(path.name, path.parent.as_posix(), _ran_on(path), _log_of(path, folder))


def _ran_on(path: Path) -> str:
    """As the result of a suite says that lies beside it and is no older."""
    suite = path.with_name(SUITE)
    if path.name != "output.xml" or not suite.is_file() or suite.stat().st_mtime < path.stat().st_mtime:
        return ""
    try:
        data = read_report(suite)
    except BenchError:
        return ""
    return place_of(data.document) if data.kind == SUITE_KIND else ""


def _log_of(path: Path, folder: Path) -> str:
    log = path.with_name(LOG)
    if path.name != "output.xml" or not log.is_file():
        return ""
    try:
        return Path(os.path.relpath(log.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive
        return ""
