"""docs/compare.md: tables are fresh, its commands run, and the printed tables are met where the page says so."""

import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from exporter.cli import kinefix

ROOT = Path(__file__).resolve().parents[3]
PRINTED: dict[str, Any] = tomllib.loads((ROOT / "tests" / "data" / "published_comparisons.toml").read_text("utf-8"))


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import comparison_tables

    sys.modules["comparison_tables"] = comparison_tables
    return comparison_tables


def test_tables_are_fresh(tables: ModuleType) -> None:
    """Byte for byte: counts exactly, residuals by their power of ten. Those that take long have a test of their own."""
    known = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    quick = [name for name in tables.TABLES if name not in tables.LONG]
    assert tables.refreshed(known, quick) == known, "run benchmarks/comparison_tables.py --write"


@pytest.mark.slow
def test_long_tables_are_fresh(tables: ModuleType) -> None:
    """Tables of systems of a high degree are what the script makes."""
    known = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    assert tables.refreshed(known, tables.LONG) == known, "run benchmarks/comparison_tables.py --write"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "printed"),
    [
        ("stephenson_iii", "table_4_4"),
        ("five_link", "table_5_2"),
        ("double_wishbone_front_by_wheel", "table_5_4"),
    ],
)
def test_driven_systems_stand_in_the_printed_order(tables: ModuleType, system: str, printed: str) -> None:
    """Triangular before Newton's method with the steps that the same accuracy takes, as the printed times."""
    (driver,) = (driver for model, driver in tables.DRIVEN if model == system)
    times = list(PRINTED[printed].values())
    assert times == sorted(times)
    newton = [
        sum(tables.counted(system, method, driver, tables.ENOUGH).operations.values())
        for method in ("newton-per-loop", "newton")
    ]
    assert sum(tables.counted(system, "triangular", driver, 0).operations.values()) < newton[0] <= newton[1]


def test_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of docs/compare.md."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    lines = page.partition("```sh\n")[2].partition("```")[0].splitlines()
    assert len(lines) == 3
    for line in lines:
        result = CliRunner().invoke(kinefix, line.split()[1:], catch_exceptions=False)
        assert result.exit_code == 0, result.output


def everything(tables: ModuleType, model: str, method: str) -> int:
    return sum(tables.counted(model, method).operations.values())


@pytest.mark.parametrize(
    ("model", "printed"),
    [("stephenson_iii", "table_4_5"), ("parallel_robot", "table_4_9"), ("gough_stewart", "table_4_10")],
)
def test_methods_stand_in_the_printed_order(tables: ModuleType, model: str, printed: str) -> None:
    """Triangular, then separate Newton procedures, then a single one: in operations as in the printed times."""
    times = list(PRINTED[printed].values())
    ours = [everything(tables, model, method) for method in ("triangular", "newton-per-loop", "newton")]
    assert times == sorted(times)
    assert ours[0] < ours[1] < ours[2]
    assert (
        tables.counted(model, "newton-per-loop").dense_elimination < tables.counted(model, "newton").dense_elimination
    )


@pytest.mark.parametrize(
    ("model", "printed"), [("spatial_four_bar", "table_4_3"), ("double_wishbone_front", "table_5_4")]
)
def test_triangular_comes_before_newton_as_printed(tables: ModuleType, model: str, printed: str) -> None:
    """Table 4.3 gives speeds, Table 5.4 times: either way Newton's methods come last."""
    numbers = list(PRINTED[printed].values())
    assert numbers == sorted(numbers)
    ours = [everything(tables, model, method) for method in ("triangular", "newton-per-loop", "newton")]
    assert ours[0] < ours[1] <= ours[2]


@pytest.mark.parametrize(("model", "printed"), [("slider_crank", "table_3_1"), ("parallel_robot", "table_4_7")])
def test_the_triangular_form_takes_fewer_operations_than_printed(tables: ModuleType, model: str, printed: str) -> None:
    """Multiplications and additions."""
    ours = tables.counted(model, "triangular").arithmetic
    assert all(ours["mul_div"] < row["mul"] and ours["add"] < row["add"] for row in PRINTED[printed].values())


def test_a_symbolic_twist_takes_fewer_multiplications_than_printed(tables: ModuleType) -> None:
    """Table 4.2, every row; additions: more than the best row, fewer than the others."""
    ours, rows = tables.with_symbolic_twist(), list(PRINTED["table_4_2"].values())
    assert all(ours["mul_div"] < row["mul"] for row in rows)
    assert sorted([ours["add"], *(row["add"] for row in rows)]).index(ours["add"]) == 1


def test_newton_takes_enough_steps_in_the_driven_table(tables: ModuleType) -> None:
    """As many as leave rounding, by the table of accuracy, for both mechanisms there."""
    page = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    table = page.partition("<!-- table: accuracy -->")[2].partition("<!-- end of table -->")[0]
    rows = [line for line in table.splitlines() if f"newton, {tables.ENOUGH} steps" in line]
    assert len(rows) == len(tables.MEASURED)
    assert all("| < 1e-15 |" in row for row in rows)


def test_the_spatial_four_bar_takes_fewer_multiplications_than_printed(tables: ModuleType) -> None:
    """Table 4.1, every row; additions no more."""
    ours = tables.counted("spatial_four_bar", "triangular").arithmetic
    assert all(ours["mul_div"] < row["mul"] and ours["add"] <= row["add"] for row in PRINTED["table_4_1"].values())
