"""Exports grow as the mechanism does: operations written and operations exported, held by ci/budgets.toml."""

import sys
import tomllib
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
BUDGETS = tomllib.loads((ROOT / "ci" / "budgets.toml").read_text(encoding="utf-8"))["growth"]
PAGE = ROOT / "docs" / "growth.md"


@pytest.fixture
def growth(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    sys.modules.pop("growth", None)
    import growth

    return growth


@pytest.mark.parametrize("family", BUDGETS)
def test_operations_written_grow_with_the_parts(growth: ModuleType, family: str) -> None:
    """A larger mechanism is held against a smaller one of its family, and the page shows both."""
    budget = BUDGETS[family]
    small, large = (growth.measured(family, budget[size]) for size in ("small", "large"))
    assert large.written <= budget["times"] * small.written
    page = PAGE.read_text(encoding="utf-8")
    for size in (small, large):
        assert (
            f"| {growth.WORDS[family]} | {size.parts} | {size.positions:,} | {size.step:,} | {size.written:,} |" in page
        )


def test_positions_of_a_row_are_proportional_to_its_loops(growth: ModuleType) -> None:
    """Thirty operations for each four-bar; each two stages of a lift take as many, where they stand on six."""
    bars = {parts: growth.measured("four_bars", parts).positions for parts in (1, 2, 5)}
    assert bars == {1: bars[1], 2: 2 * bars[1], 5: 5 * bars[1]}
    lifts = [growth.measured("scissors", parts).positions for parts in (6, 8, 10)]
    assert len({later - earlier for earlier, later in pairwise(lifts)}) == 1


def test_a_row_of_many_roots_is_on_the_branch_of_its_pose(growth: ModuleType) -> None:
    """Twelve blocks of two roots: every assembled angle is that of the pose, which the family computes by itself."""
    from exporter.kinematics.planar.assembly import assembly_at
    from exporter.kinematics.planar.triangular import triangular_form
    from exporter.model.toml.reader import parse_mechanism

    mechanism = parse_mechanism(growth.FAMILIES["four_bars"](12), "row")
    found = assembly_at(triangular_form(mechanism), mechanism.pose).coordinates
    for name, value in mechanism.pose.items():
        assert abs(mechanism.difference(name, found[name], float(value))) < 0.05


def test_one_family_is_printed(growth: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """Counts, times and memory of each size that is asked for."""
    assert growth.main(["four_bars", "1,2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0].strip() for line in lines] == ["1", "2"]
    assert all("times numpy's import" in line and "MiB" in line for line in lines)


@pytest.mark.slow
def test_the_page_is_fresh(growth: ModuleType) -> None:
    """Table and picture, on every computer."""
    sizes = growth.every_size()
    known = PAGE.read_text(encoding="utf-8")
    assert growth.fresh_page(known, sizes) == known, "run benchmarks/growth.py --write"
    assert growth.PICTURE.read_text(encoding="utf-8") == growth.picture(sizes)
