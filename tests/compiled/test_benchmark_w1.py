"""The cost of the slider-crank benchmark stays within ci/budgets.toml, in operations and in host instructions."""

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
BUDGETS = tomllib.loads((ROOT / "ci" / "budgets.toml").read_text())["w1"]


@pytest.fixture
def benchmark_w1(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """benchmarks/w1_slider_crank.py as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    sys.modules.pop("w1_slider_crank", None)
    import w1_slider_crank

    return w1_slider_crank


def test_operation_count_of_the_arithmetic(benchmark_w1: ModuleType) -> None:
    """Each operation class is exactly the budget: more is a regression, fewer wants the budget lowered."""
    counted = benchmark_w1.operations(benchmark_w1.bare_program()).as_dict()
    assert {name: counted[name] for name in BUDGETS["operations"]} == BUDGETS["operations"]


@pytest.mark.compiled
def test_host_instructions_of_the_arithmetic(benchmark_w1: ModuleType, require_tool: Callable[[str], str]) -> None:
    """The function's own instructions, counted by callgrind, stay within the budget."""
    require_tool("gcc")
    require_tool("valgrind")
    own = benchmark_w1.instructions(benchmark_w1.bare_program()).own
    assert own <= BUDGETS["host"]["own"], f"{own} instructions per call, budget {BUDGETS['host']['own']}"
