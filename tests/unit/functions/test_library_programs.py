"""Every mechanism of the library becomes a proven program in both precisions; any length may be made tunable."""

from dataclasses import replace
from fractions import Fraction

import pytest

from exporter.functions.program import program_of_mechanism
from exporter.model.complete import with_tunable
from exporter.model.library import model_names, model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.operations import Precision


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("name", model_names())
def test_every_mechanism_is_proven_total(name: str, precision: Precision) -> None:
    """Interval arithmetic excludes overflow, division by zero and negative roots (it raises where it cannot)."""
    program = program_of_mechanism(read_mechanism(model_path(name)), precision)
    assert [function.name for function in program.functions][:3] == ["position", "velocity", "acceleration"]


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
