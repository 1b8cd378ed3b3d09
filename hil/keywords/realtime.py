"""Keywords on deadlines: the device's own timer paces the step."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from robot.api import logger
from robot.api.deco import keyword
from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError

from hil.campaign import Runs, result_of
from hil.deadlines import Analysis, headline
from hil.duration import Duration, format_seconds
from hil.errors import BenchError
from hil.freerun import fault_text, results_text, run_free
from hil.keywords.state import HERE, State
from hil.report.files import write_report
from hil.report.report import make_report
from hil.requirements.robot_results import numbers_in


class RealTimeKeywords:
    """Run In Real Time and what it must show."""

    def __init__(self, state: State) -> None:
        self._state = state

    @keyword("Run In Real Time")
    def run_in_real_time(self, activations: int, seed: int = 1) -> str:
        """Let the device's timer activate the step at the bench file's period; returns the report's first line.

        Skips the test, with the reason, where the device has no counter to be trusted.

        Example: | Run In Real Time | 60000 |
        """
        runtime = self._state.bench()
        self._state.require_clock()
        if activations < 1:
            raise BenchError(f"{activations} activations were asked for; at least 1 is needed")
        self._state.driving().leave_device()
        self._state.timed = run_free(runtime, activations, runtime.bench.timing, runtime.bench.runs.vectors, seed)
        line = headline(self._state.timed.analysis)
        logger.info(line)
        return line

    @keyword("No Deadline Should Be Missed")
    def no_deadline_should_be_missed(self) -> None:
        """Every activation of the last run finished before its deadline, and the results were right."""
        timed = self._state.free_run()
        analysis = timed.analysis
        if not analysis.is_measured:
            raise AssertionError(f"No measurement: {analysis.invalid}.")
        if not analysis.passed:
            raise AssertionError(f"{headline(analysis)}: {_failure_text(analysis)}.")
        if timed.device_digest != timed.expected:
            results = results_text(timed, self._state.bench().export.manifest.status)
            raise AssertionError(f"The deadlines were met with wrong results: {results}.")

    @keyword("Start Jitter Should Be Below")
    def start_jitter_should_be_below(self, limit: Duration) -> None:
        """Starts after their releases spread over less than `limit`.

        Example: | Start Jitter Should Be Below | 2 us |
        """
        analysis = self._state.free_run().analysis
        base = analysis.timebase
        if not analysis.is_measured:
            raise AssertionError(f"No measurement: {analysis.invalid}.")
        if not analysis.lateness.jitter < limit.ticks(base.counter_hz):
            jitter = format_seconds(base.seconds(analysis.lateness.jitter))
            raise AssertionError(f"The start jitter is {jitter}, the limit is {limit.text} ({base.label}).")

    @keyword("Save Deadline Report")
    def save_deadline_report(self, folder: str) -> str:
        """Write report.html, report.json and report.xml of the last runs; returns the page's path.

        The report names the requirements of the running test.

        Example: | Save Deadline Report | ${OUTPUT DIR}/deadlines |
        """
        runtime, timed, lockstep = self._state.bench(), self._state.timed, self._state.lockstep
        under = self._state.under
        if lockstep is None and timed is None and under is None:
            raise BenchError(f"nothing was run{HERE}; call Run Test Vectors or Run In Real Time first")
        runs = Runs([] if lockstep is None else [lockstep], timed=timed, under=under)
        result = result_of(runtime, runs)
        if numbers := requirements_of_test():
            result = replace(result, identity=result.identity | {"requirements": ", ".join(numbers)})
        page = write_report(make_report(result, Path(folder)), Path(folder))
        logger.info(f'<a href="{page.resolve().as_uri()}">deadline report</a>', html=True)
        return str(page)


def requirements_of_test() -> tuple[str, ...]:
    """The numbers of the requirements that the running test names; none where no test runs."""
    with suppress(RobotNotRunningError):
        return numbers_in(BuiltIn().get_variable_value("@{TEST TAGS}") or ())
    return ()


def _failure_text(analysis: Analysis) -> str:
    """What kept the run from passing, with its numbers."""
    parts = [f"{analysis.missed:,} finished late, {analysis.skipped:,} never ran", fault_text(analysis)]
    if analysis.ran + analysis.skipped < analysis.requested:
        parts.append(f"{analysis.ran + analysis.skipped:,} of {analysis.requested:,} were released")
    if analysis.violations:
        first = analysis.violations[0]
        over = format_seconds(analysis.timebase.seconds(first.over_ticks))
        parts.append(f"the first is activation {first.index:,} with vector {first.vector}, {over} late")
    return "; ".join(parts)
