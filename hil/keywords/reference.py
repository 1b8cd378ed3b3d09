"""Keywords that hold the last lockstep run against the independent reference of the model."""

from robot.api import SkipExecution, logger
from robot.api.deco import keyword

from hil.errors import BenchError
from hil.keywords.state import State
from hil.reference_verdicts import judge_against_reference


class ReferenceKeywords:
    """Reference Checks Should Pass."""

    def __init__(self, state: State) -> None:
        self._state = state

    @keyword("Reference Checks Should Pass")
    def reference_checks_should_pass(self, *checks: str) -> None:
        """The device's outputs hold against the independent reference, as in `kinefix sil`: all checks, or these.

        Skips the test, with the reason, where none of them can be judged.

        Example: | Reference Checks Should Pass | closure residual |
        """
        found = judge_against_reference(self._state.bench(), [self._state.ran()])
        asked = [each for each in found if not checks or each.check in checks]
        missing = sorted(set(checks) - {each.check for each in asked})
        if missing:
            known = ", ".join(dict.fromkeys(each.check for each in found))
            raise BenchError(f"there is no check '{missing[0]}' of these outputs; there are {known}")
        for each in asked:
            logger.info(f"{each.sentence()}; {each.detail}")
        wrong = [each for each in asked if each.stands_against]
        if wrong:
            raise AssertionError(" ".join(f"{each.sentence()[len('FAIL ') :]}: {each.detail}." for each in wrong))
        if not any(each.passed for each in asked):
            raise SkipExecution("; ".join(each.sentence()[len("--   ") :] for each in asked))
