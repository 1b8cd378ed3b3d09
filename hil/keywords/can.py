"""Keywords that send and expect CAN messages by their names in the DBC."""

from robot.api import logger
from robot.api.deco import keyword

from hil.keywords.state import State
from sil.figures import figure
from sil.stated_limits import require_tolerance


class CanKeywords:
    """Send CAN Message, Commit CAN Step, Expect CAN Message, Read CAN Signal, CAN Signal Should Be."""

    def __init__(self, state: State) -> None:
        self._state = state

    @keyword("Send CAN Message")
    def send_can_message(self, name: str, invalid: bool = False, **signals: float) -> None:
        """Send a message of the DBC; all of its signals are given by name, in their units.

        Numbers that are not finite or out of a signal's range are refused unless `invalid=yes`.

        Example: | Send CAN Message | Inputs1 | F_N=-12.5 |
        """
        self._state.can().send(name, signals, invalid=invalid)

    @keyword("Commit CAN Step")
    def commit_can_step(self, with_state: bool = False) -> int:
        """Let the ECU step with the inputs that were sent, from its own state or from the one sent; returns the status.

        All messages of the inputs must have been sent in this test. What was stepped before is no longer judged: read
        messages and the status that is returned.

        Example: | Commit CAN Step | with_state=yes |
        """
        runtime = self._state.bench()
        self._state.can().require_sent(with_state=with_state)
        self._state.driving().leave_device()
        self._state.lockstep = None
        return runtime.session.step_bytes(self._state.can().row(with_state=with_state), with_state)

    @keyword("Expect CAN Message")
    def expect_can_message(self, name: str, within_s: float = 1.0) -> dict[str, float]:
        """Wait for a message of this name that came after the last one was sent; returns its signals.

        Example: | ${signals}= | Expect CAN Message | Outputs1 |
        """
        found = self._state.can().next(name, within_s)
        logger.info(f"{name}: {found}")
        return found

    @keyword("Read CAN Signal")
    def read_can_signal(self, name: str, signal: str) -> float:
        """Return a signal of the last message of this name in this test, in the signal's unit.

        Example: | ${x}= | Read CAN Signal | Outputs1 | piston_position_m |
        """
        return self._state.can().signal(name, signal)

    @keyword("CAN Signal Should Be")
    def can_signal_should_be(self, name: str, signal: str, expected: float, tolerance: float = 0.0) -> None:
        """The signal of the last message of this name is as expected, within a tolerance, both in the signal's unit.

        Example: | CAN Signal Should Be | Outputs1 | piston_position_m | 0.45 | tolerance=1e-6 |
        """
        require_tolerance(tolerance, "tolerance")
        found = self._state.can().signal(name, signal)
        if not abs(found - expected) <= tolerance:
            raise AssertionError(
                f"{name}.{signal} is {found!r} and should be {expected!r}; it is {figure(abs(found - expected))} off, "
                f"allowed are {figure(tolerance)}."
            )
