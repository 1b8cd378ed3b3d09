"""A look-up table in float64 on a core whose instructions convert to 32 bits alone: no function of the compiler's."""

from collections.abc import Callable
from pathlib import Path

import pytest

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from targets.audit.export import audit_export

pytestmark = pytest.mark.emulated


def test_an_engine_with_its_gas_table_is_fixed_time(require_tool: Callable[[str], str], tmp_path: Path) -> None:
    """Every optimisation level of a Cortex-M7; it called a conversion to 64 bits, which is no single path."""
    require_tool("arm-none-eabi-gcc")
    mechanism = read_mechanism(model_path("engine"))
    export = write_export(
        program_of_mechanism(mechanism, "float64", only=["dynamics"]), tmp_path / "engine", canonical(mechanism)
    )
    audited = audit_export(export, "arm-m7")
    assert audited.passed, f"{audited.verdict}, forbidden {audited.forbidden}"
