"""Runs the suites of a folder on a target of a bench file, with Robot Framework in this process.

In: an export, a bench file, a target. Out: `SuiteRun`: how each test ended, and where the pages are.
"""

import io
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

from exporter.export import load_export
from exporter.manifest import Manifest
from exporter.writable import remove_earlier
from hil.bench import Bench, read_bench
from hil.device import require_reachable
from hil.errors import BenchError
from hil.exported import export_of
from hil.requirements.endings import Ending, RunTest
from hil.requirements.files import MATRIX_FILES, write_matrix
from hil.requirements.matrix import matrix_of
from hil.requirements.results import read_results
from hil.suite.kept_files import Kept, write_unless_changed
from hil.suite.said_tests import SaidTests
from hil.suite.suite_document import DATA, LOG, suite_document, write_suite
from hil.suite.suite_text import BENCH_LINE, suite_files
from sil.figures import count_text
from targets.build import default_function
from targets.rows import stepped_function

NOTHING_RAN = 250  # exit codes of Robot Framework from here on are no numbers of failed tests
ROBOT_OUTPUT, ROBOT_REPORT = "output.xml", "robot-report.html"  # report.html is what kinefix hil writes
STOPPED = "Execution terminated by signal"  # what Robot Framework says of the keyword that was running
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """What came of it."""

    files: list[Kept]
    tests: list[RunTest]
    results: Path  # folder of log.html, output.xml, ...
    matrix: Path | None  # where tests name requirements

    @property
    def passed(self) -> bool:
        """Whether a test passed, and none failed."""
        endings = {test.ending for test in self.tests}
        return Ending.PASSED in endings and Ending.FAILED not in endings

    @property
    def headline(self) -> str:
        """The line that is read first."""
        return f"{'PASSED' if self.passed else 'FAILED'}: {self.counts}"

    @property
    def counts(self) -> str:
        """How many tests there were, and how many ended how."""
        number = {ending: sum(test.ending is ending for test in self.tests) for ending in Ending}
        parts = ", ".join(f"{count:,} {ending.value}" for ending, count in number.items())
        return f"{count_text(len(self.tests), 'test')}, {parts}"


def run_suite(export: Path, bench: Path, target: str | None, results: Path | None, progress: Progress) -> SuiteRun:
    """Write the suite of an export beside the bench file where it is missing, and run all suites of its folder.

    Raises:
        MissingTool: the emulator is not installed.
        BenchError: the port is busy, the bench file is of another export, or Robot Framework could not run.
    """
    manifest, read = load_export(export).manifest, read_bench(bench, target)
    require_reachable(read)
    _require_same_export(read, manifest)
    folder = bench.resolve().parent / f"{manifest.name}-suite"
    function = stepped_function(manifest, read.function or default_function(manifest))
    beside = Path(os.path.relpath(bench.resolve(), folder)).as_posix()
    files = write_unless_changed(folder, suite_files(manifest, function, beside), BENCH_LINE)
    out = results or folder / "results"
    remove_earlier("--report", out, (DATA, LOG, ROBOT_REPORT, ROBOT_OUTPUT, *MATRIX_FILES))
    progress(f"running the suites of {folder} on {read.target.name}")
    _run_robot(folder, out, {"BENCH": str(bench.resolve()), "TARGET": read.target.name})
    tests = read_results(out / ROBOT_OUTPUT)
    if _was_stopped(out / ROBOT_OUTPUT):
        raise KeyboardInterrupt  # which Robot Framework ends its tests with, as if they had failed
    named = any(test.requirements for test in tests)
    done = SuiteRun(files, tests, out, None)
    write_suite(suite_document(read, manifest, tests, done.counts, done.passed), out)
    if not named:
        return done
    return replace(done, matrix=write_matrix(matrix_of(tests, None, f"{manifest.title} on {read.target.name}"), out))


def _was_stopped(output: Path) -> bool:
    """Whether a signal ended it: in a test, or in the setup of a suite, which no test tells."""
    return any((status.text or "").startswith(STOPPED) for status in ElementTree.parse(output).iter("status"))


def _require_same_export(bench: Bench, manifest: Manifest) -> None:
    other = export_of(bench).manifest
    if other.export_id != manifest.export_id:
        raise BenchError(
            f"{bench.path} is of export {other.export_id:08x} of '{other.name}', and the suite of export "
            f"{manifest.export_id:08x} of '{manifest.name}'; name that as bench.export"
        )


def _run_robot(folder: Path, out: Path, variables: dict[str, str]) -> None:
    from robot import run  # noqa: PLC0415 - not for --help

    said = io.StringIO()
    words = [f"{name}:{value}" for name, value in variables.items()]
    code = run(  # type: ignore[no-untyped-call]
        str(folder),
        outputdir=str(out),
        report=ROBOT_REPORT,
        variable=words,
        console="quiet",
        stdout=said,
        stderr=said,
        listener=SaidTests(),
    )
    if code > NOTHING_RAN:
        raise BenchError(f"Robot Framework could not run {folder}: {' '.join(said.getvalue().split())}")
