"""Exports by name: a library model, a mechanism file, a function of the user's; nothing is written for a wrong one."""

import re
from dataclasses import astuple
from fractions import Fraction
from pathlib import Path

import pytest

from exporter.errors import ModelError
from exporter.export import export_source, load_export, program_of_source, write_export
from exporter.sequence.builder import Builder
from exporter.sequence.operations import Group, Signal
from exporter.sequence.program import Program

SYMBOLIC = """
import sympy as sp
from exporter.symbolic import SymbolicModel, given, output

def model():
    x, y = sp.symbols("x0 lambda")
    return SymbolicModel(
        name="user_model",
        inputs=(given("x0", -2, 2), given("lambda", -1, 1)),
        outputs=(output("int", x**2 + y / 3),),
    )
"""


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_library_model_becomes_an_export(tmp_path: Path, precision: str) -> None:
    """The manifest holds the mechanism itself, so that a reference can be built from the export alone."""
    exported = export_source("slider_crank", tmp_path / "x", precision)
    assert exported == load_export(tmp_path / "x")
    assert exported.manifest.kind == "mechanism"
    assert exported.manifest.real == precision
    assert {"position", "velocity", "acceleration", "dynamics", "startup", "dostep"} == {
        function.name for function in exported.manifest.functions
    }
    assert exported.manifest.model


def test_a_function_of_the_users_becomes_an_export(tmp_path: Path) -> None:
    """No mechanism is needed; the names that a user gave are in the mangling."""
    (tmp_path / "mine.py").write_text(SYMBOLIC)
    exported = export_source(f"{tmp_path / 'mine.py'}:model", tmp_path / "x", "float32")
    assert exported.manifest.kind == "symbolic"
    assert exported.manifest.name == "user_model"
    assert {"x0", "lambda", "int"} <= set(exported.manifest.mangling)
    assert exported.manifest.mangling["int"] != "int"
    source = (tmp_path / "x" / "user_model.c").read_text()
    assert not re.search(r"[^.\w]\d+ */|/ *\d+[^.\d]", re.sub(r"/\*.*?\*/|#.*", "", source, flags=re.DOTALL))


def test_the_same_source_gives_the_same_program() -> None:
    """What is interpreted is what was exported."""
    assert astuple(program_of_source("four_bar", "float64")) == astuple(program_of_source("four_bar", "float64"))


@pytest.mark.parametrize("source", ["slider_cranc", "no/such/file.toml", "no_such_module:model"])
def test_a_wrong_source_writes_nothing(tmp_path: Path, source: str) -> None:
    """One clear error."""
    with pytest.raises(ModelError):
        export_source(source, tmp_path / "x", "float32")
    assert not list(tmp_path.iterdir())


def test_a_taken_folder_is_refused_before_the_model_is_read(tmp_path: Path) -> None:
    """The quick check comes first."""
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ModelError, match=r"holds 'notes.txt'"):
        export_source("no_such_model", tmp_path, "float32")


def test_a_program_that_may_overflow_is_refused(tmp_path: Path) -> None:
    """Interval arithmetic at export: 1e30 squared is beyond float32."""
    builder = Builder("f", "float32")
    limit = Fraction(10**30)
    x = builder.input(Signal("x", "1", "", -limit, limit, Fraction(0), group=Group.INPUT))
    builder.output(Signal("y", "1", group=Group.OUTPUT), builder.square(x))
    with pytest.raises(ModelError):
        write_export(Program("m", "", "", "float32", "0" * 64, (builder.finish(),)), tmp_path / "x", {})
    assert not list(tmp_path.iterdir())
