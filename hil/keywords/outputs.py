"""Keywords that read outputs and the status, and claim what they should be."""

from robot.api import logger
from robot.api.deco import keyword

from hil.driving.claims import read_output, require_output, require_status, require_within, status_text
from hil.driving.measure import Measure
from hil.driving.span import Span
from hil.keywords.state import State


class OutputKeywords:
    """Read Output, Output Should Be, Output Should Stay Within, Status Should Be."""

    def __init__(self, state: State) -> None:
        self._state = state

    @keyword("Read Output")
    def read_output(self, name: str, unit: str | None = None) -> float:
        """Give an output of the last step as a number, in its SI unit or in this one.

        Example: | ${x}= | Read Output | piston_position | mm |
        """
        value = read_output(self._state.bench(), self._state.ran(), name, unit)
        logger.info(f"{name} = {value:.9g} {unit or ''}".rstrip())
        return value

    @keyword("Output Should Be")
    def output_should_be(self, name: str, value: Measure, tolerance: Measure) -> None:
        """An output of the last step is no farther from `value` than `tolerance`; nothing is near to NaN.

        Example: | Output Should Be | piston_position | 612 mm | tolerance=0.5 mm |
        """
        require_output(self._state.bench(), self._state.ran(), name, value, tolerance)

    @keyword("Output Should Stay Within")
    def output_should_stay_within(self, name: str, low: Measure, high: Measure, during: Span) -> None:
        """Step the device for a time or a number of steps; the output is within both limits after each step.

        Fails with the first step that leaves them, and its inputs.

        Example: | Output Should Stay Within | piston_position | 100 mm | 700 mm | during=200 ms |
        Example: | Output Should Stay Within | piston_position | 100 mm | 700 mm | during=50 steps |
        """
        self._state.lockstep = self._state.driving().step_for(during)
        require_within(self._state.bench(), self._state.lockstep, name, low, high)

    @keyword("Status Should Be")
    def status_should_be(self, *conditions: str) -> None:
        """The status of the last step has exactly these conditions; `ok` is none.

        Example: | Status Should Be | ok |
        Example: | Status Should Be | ARG_REJECTED |
        """
        runtime, run = self._state.bench(), self._state.ran()
        require_status(runtime, run, conditions)
        logger.info(f"status {status_text(runtime, run, -1)}")
