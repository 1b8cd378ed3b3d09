"""docs/systems.md: operations are fresh; the rest too, in the full run. Times are held by nothing."""

import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
RENEW = "run benchmarks/systems_table.py --write"


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    sys.modules.pop("systems_table", None)
    import systems_table

    return systems_table


def test_operations_are_fresh(tables: ModuleType) -> None:
    """Every system stands on the page, with the degrees of its blocks and its exact counts."""
    assert tables.refreshed(PAGE, ["operations"]) == PAGE, RENEW


def test_the_first_page_has_the_figures_of_the_pages_it_names() -> None:
    """The step of the quarter car and that of the PI controller, in instructions of a Cortex-M4F."""
    first, controllers = ((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/controllers.md"))
    (row,) = re.findall(r"\| `quarter_car` \| wheel, body \| linearly_implicit \|.*", PAGE)
    car = row.split("|")[6].strip()
    (pi,) = re.findall(r"One step of it takes (\d+) instructions on a Cortex-M4F", controllers)
    assert f"takes {car} instructions, one of a PI controller with anti-windup {pi} " in first


@pytest.mark.slow
def test_mechanisms_of_practice_are_fresh(tables: ModuleType) -> None:
    """All sixty stand on the page, with the degrees of their blocks and their exact counts."""
    assert tables.refreshed(PAGE, ["practice"]) == PAGE, RENEW


@pytest.mark.slow
@pytest.mark.emulated
def test_accuracy_and_instructions_are_fresh(tables: ModuleType) -> None:
    """Residuals by their power of ten; instructions exactly, with the compilers that the page names."""
    assert tables.refreshed(PAGE, ["measured"]) == PAGE, RENEW
