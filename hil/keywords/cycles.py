"""Keywords on the cost of one call: time and operations, measured in lockstep."""

from robot.api import SkipExecution, logger
from robot.api.deco import keyword

from hil.duration import Duration, format_seconds
from hil.errors import BenchError
from hil.keywords.state import State
from hil.messages import COUNTER_NAMES, Counter
from hil.statistics import IntegerStatistics
from hil.timebase import TOO_SLOW
from hil.wording import soft_of


class CycleKeywords:
    """Measure and judge what one call costs."""

    def __init__(self, state: State) -> None:
        self._state = state

    @keyword("Measure Cycle Time")
    def measure_cycle_time(self) -> str:
        """Say how long the calls of the last Run Test Vectors took. Skips the test where nothing was timed."""
        durations = self._durations()
        base = self._state.bench().timebase
        least, greatest = (format_seconds(base.seconds(each)) for each in (durations.least, durations.greatest))
        text = f"{durations.count} calls, {least} to {greatest} each, {base.label}"
        logger.info(text)
        return text

    @keyword("Worst Cycle Time Should Be Below")
    def worst_cycle_time_should_be_below(self, limit: Duration) -> None:
        """The longest call took less than `limit`. Skips the test where nothing was timed.

        Example: | Worst Cycle Time Should Be Below | 400 us |
        """
        durations, base = self._durations(), self._state.bench().timebase
        if not durations.greatest < limit.ticks(base.counter_hz):
            took = format_seconds(base.seconds(durations.greatest))
            raise AssertionError(f"The longest call took {took}, the limit is {limit.text} ({base.label}).")

    @keyword("Cycle Count Should Not Depend On Inputs")
    def cycle_count_should_not_depend_on_inputs(self) -> None:
        """All calls took the same number of ticks; one tick is allowed where a tick is not a core cycle.

        Fails where calls may cost differently by design, whatever was measured: reals by routines, steps to a
        tolerance.
        """
        durations, base = self._durations(), self._state.bench().timebase
        soft = soft_of(self._state.bench())
        allowed = 0 if base.counter == COUNTER_NAMES[Counter.CYCLES] else 1
        if durations.count < 2:
            raise BenchError(f"{durations.count} call was timed; at least 2 vectors are needed to compare")
        if not durations.spread <= allowed:
            raise AssertionError(
                f"Calls took {durations.least} to {durations.greatest} ticks of the {base.counter}: "
                f"{durations.spread} apart, allowed is {allowed}{f'; {soft}' if soft else ''}."
            )
        if soft:
            raise AssertionError(f"These {durations.count} calls took equally long, others need not: {soft}.")

    @keyword("Operation Count Should Be")
    def operation_count_should_be(self, total: int, **classes: int) -> None:
        """The function costs `total` operations, as the exporter counted and the device says; classes by name.

        Example: | Operation Count Should Be | 64 | sqrt=1 | sincos=1 |
        """
        runtime = self._state.bench()
        cost, device = runtime.function.cost, runtime.session.hello.operations
        counted = sum(cost.values())
        if not total == counted == device:
            raise AssertionError(
                f"{total} operations were expected, the export has {counted}, the device says {device}."
            )
        for name, expected in classes.items():
            if cost.get(name, 0) != expected:
                raise AssertionError(
                    f"{expected} operations of class {name} were expected, the export has {cost.get(name, 0)}."
                )

    def _durations(self) -> IntegerStatistics:
        self._state.require_clock()
        durations = self._state.ran().durations
        base = self._state.bench().timebase
        if base.is_too_slow(durations.greatest):
            raise SkipExecution(f"Not judged: {TOO_SLOW}.")
        if why := base.why_wrong(durations.least):
            raise AssertionError(f"No measurement: {why}.")
        return durations
