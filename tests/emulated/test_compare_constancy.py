"""Constancy of the methods on the emulated board: one count where it is proved, several where an iteration may end."""

from collections.abc import Callable

import pytest

from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from targets.compare.instructions import EMULATED_TARGET, NOT_FIXED, with_instructions
from targets.compare.methods import facts_of

pytestmark = pytest.mark.emulated


@pytest.fixture(autouse=True)
def _tools(require_tool: Callable[[str], str]) -> None:
    for tool in ("arm-none-eabi-gcc", "qemu-system-arm", "gcc"):
        require_tool(tool)


def test_fixed_steps_take_one_count_and_a_tolerance_takes_several() -> None:
    """The slider-crank: run = proved for two steps and for the triangular form; a tolerance is refused and varies."""
    mechanism = read_mechanism(model_path("slider_crank"))
    for method in ("triangular", "newton"):
        facts, missing = with_instructions(mechanism, facts_of(mechanism, method, 2, poses=60))
        assert not missing
        assert facts.verdicts[EMULATED_TARGET] == "single path"
        assert facts.measured[EMULATED_TARGET] == (facts.instructions[EMULATED_TARGET],) * 2
    facts, _ = with_instructions(mechanism, facts_of(mechanism, "newton", 2, 60, "1e-6"))
    least, greatest = facts.measured[EMULATED_TARGET]
    assert facts.verdicts[EMULATED_TARGET] == NOT_FIXED
    assert EMULATED_TARGET not in facts.instructions
    assert least < greatest
