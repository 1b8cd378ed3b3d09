"""Keywords that step the device while faults happen to the frames on its link."""

from robot.api import logger
from robot.api.deco import keyword

from hil.errors import BenchError
from hil.faults.findings import fault_counts_text, judge_under_faults
from hil.faults.steps import run_under_faults
from hil.keywords.state import State


class FaultKeywords:
    """Step Under Faults, No Wrong Result Should Be Accepted."""

    def __init__(self, state: State) -> None:
        self._state = state

    @keyword("Step Under Faults")
    def step_under_faults(self, seed: int = 1) -> str:
        """Step the device as often as the faults file of Open Bench says, with vectors from `seed`; says what happened.

        Example: | Step Under Faults | seed=7 |
        """
        runtime = self._state.bench()
        self._state.driving().leave_device()
        self._state.under = None
        if self._state.faults is None:
            raise BenchError("the bench was opened without a faults file; give Open Bench one, faults=FILE")
        self._state.under = run_under_faults(runtime, self._state.faults, seed)
        if self._state.under.ended:
            runtime.open_session_again()
        text = fault_counts_text(self._state.under)
        logger.info(text)
        return text

    @keyword("No Wrong Result Should Be Accepted")
    def no_wrong_result_should_be_accepted(self) -> None:
        """The last steps under faults were all done, each once, and every accepted answer is right."""
        run, runtime = self._state.under_faults(), self._state.bench()
        wrong = [each for each in judge_under_faults(run, runtime.bench, runtime.function.name)
                 if each.stands_against]  # fmt: skip
        if wrong:
            raise AssertionError(" ".join(f"{each.sentence()[len('FAIL ') :]}: {each.detail}." for each in wrong))
