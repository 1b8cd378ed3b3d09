"""A PI controller's step costs at most twice the same by hand: operations, Cortex-M4F, this computer."""

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BUDGET = tomllib.loads((ROOT / "ci" / "budgets.toml").read_text())["controllers"]["pi"]
COUNTED_BY_HAND = ("add", "mul", "div", "sqrt", "compare", "abs")


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """benchmarks/pi_controller.py as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    sys.modules.pop("pi_controller", None)
    import pi_controller

    return pi_controller


def test_operations_are_at_most_twice_those_by_hand(benchmark: ModuleType) -> None:
    """The text by hand has 5 sums and products, 11 comparisons and 4 magnitudes."""
    counted = benchmark.operations()
    assert benchmark.operations_by_hand() == 20
    assert sum(counted[name] for name in COUNTED_BY_HAND) <= BUDGET["times_by_hand"] * 20


@pytest.mark.compiled
def test_instructions_on_a_cortex_m4f(benchmark: ModuleType, require_tool: Callable[[str], str]) -> None:
    """The export's one path against the longest by hand."""
    require_tool("arm-none-eabi-gcc")
    counted = benchmark.on_m4f()
    assert counted.exported <= BUDGET["m4f"]
    assert counted.exported <= BUDGET["times_by_hand"] * counted.by_hand


@pytest.mark.compiled
def test_instructions_on_the_host_for_the_same_commands(
    benchmark: ModuleType, require_tool: Callable[[str], str]
) -> None:
    """In a run of 1,000 steps in which the limit is met; the commands are the same to rounding."""
    for tool in ("gcc", "valgrind"):
        require_tool(tool)
    counted, apart = benchmark.on_host()
    assert counted.exported <= BUDGET["host"]
    assert counted.exported <= BUDGET["times_by_hand"] * counted.by_hand
    assert apart < 1e-6
