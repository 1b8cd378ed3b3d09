"""Every mechanism of the library becomes a proven program in both precisions; any length may be made tunable.

How its C reads is counted by ci/headings.py and held within ci/budgets.toml.
"""

import importlib.util
import re
import tomllib
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from exporter.c99.files import program_files
from exporter.functions.program import program_of_mechanism
from exporter.model.complete import with_tunable
from exporter.model.library import model_names, model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.operations import Precision
from exporter.sequence.program import Program

ROOT = Path(__file__).resolve().parents[3]
BUDGETS = tomllib.loads((ROOT / "ci" / "budgets.toml").read_text(encoding="utf-8"))["headings"]


@cache
def exported(name: str, precision: Precision) -> Program:
    """The program of a mechanism of the library."""
    return program_of_mechanism(read_mechanism(model_path(name)), precision)


@cache
def source_of(name: str) -> str:
    """The C of a mechanism of the library, float32."""
    program = exported(name, "float32")
    return program_files(program)[f"{program.name}.c"]


@pytest.fixture(scope="module")
def headings() -> ModuleType:
    """The script."""
    spec = importlib.util.spec_from_file_location("headings", ROOT / "ci" / "headings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def beyond(headings: ModuleType, text: str) -> dict[str, int]:
    """The figures that are above their budget."""
    found = headings.listing(text).figures()
    return {name: found[name] for name, most in BUDGETS["every"].items() if found[name] > most}


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("name", model_names())
def test_every_mechanism_is_proven_total(name: str, precision: Precision) -> None:
    """Interval arithmetic excludes overflow, division by zero and negative roots (it raises where it cannot)."""
    program = exported(name, precision)
    assert [function.name for function in program.functions][:3] == ["position", "velocity", "acceleration"]


@pytest.mark.parametrize("name", model_names())
def test_every_source_is_told_in_headings(headings: ModuleType, name: str) -> None:
    """No heading over many statements, none over nothing, no statement without, few tags."""
    assert beyond(headings, source_of(name)) == {}


def test_the_largest_source_is_no_larger_than_it_was(headings: ModuleType) -> None:
    """Bytes of the five-link suspension, headings included."""
    assert headings.listing(source_of("five_link")).figures()["bytes"] <= BUDGETS["five_link"]["bytes"]


@pytest.mark.parametrize(
    ("pattern", "replacement", "found"),
    [
        (r"^    /\* .*\*/\n", "", "longest"),
        (r"^    /\* .*\*/\n", "", "unheaded"),
        (r"^    /\* L.*\*/\n", r"\g<0>    /* E9: nothing */\n", "empty"),
        (r"^(    const real .*;)$", r"\1 /* E9 */", "tagged"),
        (r"^    /\* L1", "    /* L1.v: rates of rates of", "doubled"),
    ],
)
def test_a_source_that_is_not_told_is_seen(headings: ModuleType, pattern: str, replacement: str, found: str) -> None:
    """Headings taken out, one over nothing, tags on every statement: each is counted."""
    text = re.sub(pattern, replacement, source_of("five_link"), flags=re.MULTILINE)
    assert found in beyond(headings, text)


def with_ranges(mechanism: Mechanism) -> Mechanism:
    """Every parameter within 5 % of its value."""
    parameters = tuple(
        replace(p, minimum=min(p.value * Fraction(95, 100), p.value * Fraction(105, 100)),
                maximum=max(p.value * Fraction(95, 100), p.value * Fraction(105, 100)))
        for p in mechanism.parameters
    )  # fmt: skip
    return replace(mechanism, parameters=parameters)


@pytest.mark.parametrize(
    ("name", "parameter"), [("five_link", "S1"), ("spatial_four_bar", "Lr"), ("stephenson_iii", "l4")]
)
def test_a_length_may_be_tunable(name: str, parameter: str) -> None:
    """The program then has a recalibrate function that takes it."""
    mechanism = with_tunable(with_ranges(read_mechanism(model_path(name))), [parameter])
    program = program_of_mechanism(mechanism, "float64")
    assert program.recalibrate is not None
    assert [signal.name for signal in program.recalibrate.inputs] == [parameter]
