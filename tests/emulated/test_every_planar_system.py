"""Every planar system of tests/data/systems.toml through export, strict compile, all runners, reference and audit."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from exporter.model.library import model_names, practice_names

pytestmark = pytest.mark.emulated

TABLE = tomllib.loads((Path(__file__).resolve().parents[1] / "data" / "systems.toml").read_text())["system"]
ROWS = {
    " ".join((row["model"], *row.get("independent", row.get("tunable", ())))): row
    for row in TABLE
    if not row.get("spatial", False)
}


@pytest.fixture(scope="module")
def systems(load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str]) -> ModuleType:
    """What runs a row of the table."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)
    return load_data_module("every_system")


def test_every_file_of_the_library_is_a_system() -> None:
    """No mechanism is exported by nothing."""
    assert {row["model"] for row in TABLE} == {*model_names(), *practice_names()}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_sample_holds(row: dict[str, Any], systems: ModuleType, tmp_path: Path) -> None:
    """Host, interpreter and emulated core agree bit for bit, close the loops, and take one number of instructions."""
    assert systems.sampled(row, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_everything_holds(row: dict[str, Any], precision: str, systems: ModuleType, tmp_path: Path) -> None:
    """Many vectors of every function in both number types, and the audit at every optimisation level."""
    assert systems.whole(row, precision, tmp_path) == []
