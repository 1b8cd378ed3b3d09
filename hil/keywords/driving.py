"""Keywords that set inputs by name and unit, step the device, and start it anew."""

from robot.api import logger
from robot.api.deco import keyword

from hil.driving.measure import Measure
from hil.driving.restart import require_restart, restarted
from hil.driving.span import Span
from hil.duration import Duration
from hil.errors import BenchError
from hil.keywords.state import State

RAW_INPUTS = {"nan": float("nan"), "infinity": float("inf"), "-infinity": float("-inf")}


class DrivingKeywords:
    """Set Input, Set Invalid Input, Set State, Reset Inputs, Step, Run For, Reset Ecu."""

    def __init__(self, state: State) -> None:
        self._state = state

    @keyword("Set Input")
    def set_input(self, name: str, value: Measure) -> None:
        """Feed this value of an input from the next step on; it stays until it is set again.

        A value beyond the input's range is fed as it is: what the device does about it is what a test is for.

        Example: | Set Input | F | 200 N |
        """
        self._state.driving().set_input(name, value)

    @keyword("Set Invalid Input")
    def set_invalid_input(self, name: str, value: str) -> None:
        """Feed what is no number from the next step on: NaN, Infinity or -Infinity.

        Example: | Set Invalid Input | F | NaN |
        """
        if value.lower() not in RAW_INPUTS:
            raise BenchError(f"'{value}' is none of NaN, Infinity, -Infinity; use Set Input for a number with its unit")
        self._state.driving().set_raw_input(name, RAW_INPUTS[value.lower()])

    @keyword("Set State")
    def set_state(self, name: str, value: Measure) -> None:
        """Let the next step go on from this value of the state; the others of the state stay as they are.

        Example: | Set State | theta | 30 deg |
        """
        self._state.driving().set_state(name, value)

    @keyword("Reset Inputs")
    def reset_inputs(self) -> None:
        """Bring all inputs and the state to their nominal values; results of earlier steps are forgotten."""
        self._state.driving().reset_inputs()
        self._state.lockstep = self._state.timed = self._state.under = None

    @keyword("Step")
    def step(self, count: int = 1) -> None:
        """Step the device `count` times in lockstep with the inputs in force.

        Example: | Step | 20 |
        """
        self._state.lockstep = self._state.driving().step(count)

    @keyword("Run For")
    def run_for(self, time: Duration) -> None:
        """Step the device in lockstep for as many periods of the bench as this time lasts, a whole number of them.

        Says nothing about deadlines; Run In Real Time does.

        Example: | Run For | 20 ms |
        """
        self._state.lockstep = self._state.driving().step_for(Span(time.text, None, time))

    @keyword("Reset Ecu")
    def reset_ecu(self) -> None:
        """Start the device anew, a board by the reset command of the bench file, and ask again who it is.

        Inputs and state are nominal afterwards, parameters those of the bench file; results are forgotten.
        """
        runtime, faults = self._state.bench(), self._state.faults
        require_restart(runtime)
        self._state.opened(None)
        self._state.opened(restarted(runtime, faults), faults)
        logger.info(f"started anew: {self._state.bench().facts['device']}")
