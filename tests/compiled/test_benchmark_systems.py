"""The cost of benchmarks W1 to W5 stays within ci/budgets.toml, in operations and in host instructions."""

import importlib
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
ALL_BUDGETS = tomllib.loads((ROOT / "ci" / "budgets.toml").read_text())
BUDGETS, EXPORTED = ALL_BUDGETS["benchmarks"], ALL_BUDGETS["exported"]
MODULES = {
    "w2": "w2_spatial_four_bar",
    "w3": "w3_gough_stewart",
    "w3d": "w3d_gough_stewart",
    "w4k": "w4_parallel_robot",
    "w4d": "w4_parallel_robot",
    "w5": "w5_five_link",
}


@pytest.fixture
def item(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Any, Any]:
    """Name, sequence and pinned rows of a benchmark item, from benchmarks/."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    for module in ("bare_arithmetic", "callgrind_count", *MODULES.values()):
        sys.modules.pop(module, None)
    write, rows = importlib.import_module(MODULES[request.param]).ITEMS[request.param]
    return request.param, write(), rows


def test_every_budget_has_its_benchmark() -> None:
    """No budget is left over, and none is missing."""
    assert set(BUDGETS) == set(MODULES)


@pytest.mark.compiled
@pytest.mark.parametrize("item", MODULES, indirect=True)
def test_benchmark_is_within_its_budget(item: tuple[str, Any, Any], require_tool: Callable[[str], str]) -> None:
    """Operations are exactly the budget; the function's instructions, and those with libm's, are not above it."""
    for tool in ("gcc", "valgrind"):
        require_tool(tool)
    from bare_arithmetic import instructions, operations

    name, sequence, rows = item
    budget = BUDGETS[name]
    counted = operations(sequence).as_dict()
    assert {kind: counted[kind] for kind in budget["operations"]} == budget["operations"]
    measured = instructions(sequence, rows)
    assert measured.own <= budget["own"], f"{measured.own} instructions per call, budget {budget['own']}"
    assert measured.total <= budget["total"], f"{measured.total} with libm, budget {budget['total']}"


@pytest.mark.compiled
@pytest.mark.parametrize("name", EXPORTED)
def test_export_is_within_its_budget(
    name: str, monkeypatch: pytest.MonkeyPatch, require_tool: Callable[[str], str]
) -> None:
    """As users link it: a proof that got weaker, or a guard that got longer, shows here."""
    for tool in ("gcc", "valgrind"):
        require_tool(tool)
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    for module in ("as_linked", "bare_arithmetic", "callgrind_count", "w1_slider_crank", *MODULES.values()):
        sys.modules.pop(module, None)
    as_linked = importlib.import_module("as_linked")
    assert set(as_linked.ITEMS) == set(EXPORTED)
    measured = as_linked.instructions(name).total
    assert measured <= EXPORTED[name], f"{measured} instructions per call, budget {EXPORTED[name]}"
