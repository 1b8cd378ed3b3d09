"""How many Newton steps a seeded Newton block takes, and what they leave without rounding: in 50 digits."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from exact_interpreter import interpret_exact

from exporter.errors import RangesRefused
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.spatial.form import unsigned_spatial_form
from exporter.model.library import model_path
from exporter.model.parameter_sets import shaping_names
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.operations import OperationSequence
from exporter.sequence.program import Program

PLACES = 60
LARGEST_REMAINDER = 1e-15  # of the residual: five eps of float64


def position(program: Program) -> OperationSequence:
    return next(function for function in program.functions if function.name == "position")


def steps(program: Program) -> set[str]:
    return {str(step) for step in position(program).steps if ": Newton step" in str(step)}


def remainder(sequence: OperationSequence) -> float:
    """The largest residual over the range of the one input, in exact arithmetic."""
    (height,) = sequence.inputs
    number = [output.signal.name for output in sequence.outputs].index("residual.L1")
    rows = np.linspace(float(height.minimum or 0), float(height.maximum or 0), PLACES)
    return max(float(interpret_exact(sequence, [row])[0][number]) for row in rows.tolist())


def test_one_step_where_the_polynomials_come_near() -> None:
    """The five-link's seeds are within 2e-8, so that one step ends below rounding."""
    program = program_of_mechanism(read_mechanism(model_path("five_link")), "float64", only=("position",))
    assert steps(program) == {"L1.1: Newton step 1 of 1 on y, x, psi, phi, theta"}
    assert 0 < remainder(position(program)) < LARGEST_REMAINDER


def test_two_steps_where_tunable_parameters_move_joints() -> None:
    """At other lengths seeds are farther away, and a second step makes up for it."""
    text = model_path("five_link").read_text(encoding="utf-8")
    lengths = 'frozen = true, about = "squared length'
    assert lengths in text
    tunable = parse_mechanism(
        text.replace(lengths, 'range = ["0.05 m^2", "0.25 m^2"], about = "squared length'), "text"
    )
    assert shaping_names(tunable)
    program = program_of_mechanism(tunable, "float64", only=("position",))
    assert {step.partition(" on ")[0] for step in steps(program)} == {
        "L1.1: Newton step 1 of 2",
        "L1.2: Newton step 2 of 2",
    }


@pytest.mark.parametrize("past_m", [1e-5, 1e-4])
def test_a_range_beyond_what_assembles_has_no_table(past_m: float) -> None:
    """The carrier folds at z = 0.339228 m: at the end of the range Newton's method settles nowhere."""
    mechanism = read_mechanism(model_path("five_link"))
    beyond = replace(mechanism.ranges["z"], maximum=Fraction("0.339228") + Fraction(past_m))
    with pytest.raises(RangesRefused):
        unsigned_spatial_form(replace(mechanism, ranges={**mechanism.ranges, "z": beyond}, model_hash=str(past_m)))
