"""docs/compare.md: tables are fresh, its commands run, and the printed tables are met where the page says so."""

import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from exporter.cli import kinefix

ROOT = Path(__file__).resolve().parents[2]
PRINTED: dict[str, Any] = tomllib.loads((ROOT / "tests" / "data" / "published_comparisons.toml").read_text("utf-8"))


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import comparison_tables

    sys.modules["comparison_tables"] = comparison_tables
    return comparison_tables


def test_tables_are_fresh(tables: ModuleType) -> None:
    """Byte for byte: counts exactly, residuals by their power of ten."""
    known = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    assert tables.refreshed(known) == known, "run benchmarks/comparison_tables.py --write"


def test_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both of docs/compare.md."""
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    lines = page.partition("```sh\n")[2].partition("```")[0].splitlines()
    assert len(lines) == 2
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


def test_the_spatial_four_bar_takes_fewer_multiplications_than_printed(tables: ModuleType) -> None:
    """Table 4.1, every row; additions no more."""
    ours = tables.counted("spatial_four_bar", "triangular").arithmetic
    assert all(ours["mul_div"] < row["mul"] and ours["add"] <= row["add"] for row in PRINTED["table_4_1"].values())
