"""Rows through the interpreter, in the order of the manifest, against closed forms of the slider-crank."""

import math
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from exporter.c99.rows import interpret_rows

Loader = Callable[[str], ModuleType]
CRANK, ROD, INERTIA, MASS = 0.3, 0.4, 0.03, 2.0


def slide(theta: float) -> float:
    """Position of the piston."""
    return CRANK * math.cos(theta) + math.sqrt(ROD**2 - (CRANK * math.sin(theta)) ** 2)


def acceleration(theta: float, rate: float, force: float) -> float:
    """theta'' by Lagrange with k = ds/dtheta by central differences: accurate to about 1e-7."""
    h = 1e-4
    k = (slide(theta + h) - slide(theta - h)) / (2 * h)
    slope = (slide(theta + h) - 2 * slide(theta) + slide(theta - h)) / h**2
    return (force * k - MASS * k * slope * rate**2) / (INERTIA + MASS * k**2)


@pytest.mark.parametrize("tunable", [False, True])
def test_a_row_of_dynamics_gives_position_and_acceleration(load_data_module: Loader, tunable: bool) -> None:
    """Derived constants come from recalibrate at the nominal parameters."""
    program = load_data_module("sample_program").slider_crank_program("float64", tunable=tunable)
    rows = np.array([[0.7, 3.0, 10.0], [-2.0, 0.5, -100.0]])
    result = interpret_rows(program, "dynamics", rows)
    for row, outputs in zip(rows, result.outputs, strict=True):
        assert outputs[2] == pytest.approx(slide(row[0]), abs=1e-14)
        assert outputs[6] == pytest.approx(acceleration(*row), rel=1e-6)
    assert result.status.tolist() == [0, 0]


def test_a_row_of_dostep_starts_with_the_state_and_gives_it_first(load_data_module: Loader) -> None:
    """Semi-implicit Euler: the new rate moves the angle."""
    program = load_data_module("sample_program").slider_crank_program("float64")
    theta, rate, force = 0.7, 3.0, 10.0
    outputs = interpret_rows(program, "dostep", np.array([[theta, rate, force]])).outputs[0]
    next_rate = rate + 1e-3 * acceleration(theta, rate, force)
    assert outputs[:2] == pytest.approx([theta + 1e-3 * next_rate, next_rate], rel=1e-9)


def test_a_rejected_input_is_replaced_by_the_design_pose(load_data_module: Loader) -> None:
    """NaN and infinity give the pose of 45 degrees and ARG_REJECTED, bit 22."""
    program = load_data_module("sample_program").slider_crank_program("float64")
    result = interpret_rows(program, "position", np.array([[math.nan], [math.inf], [2e4]]))
    assert result.outputs[:, 2] == pytest.approx([slide(math.pi / 4)] * 3, abs=1e-14)
    assert result.status.tolist() == [1 << 22] * 3


def test_a_function_without_inputs_takes_empty_rows(load_data_module: Loader) -> None:
    """Startup reads nothing and writes the state."""
    program = load_data_module("sample_program").slider_crank_program("float32")
    assert interpret_rows(program, "startup", np.empty((1, 0))).outputs.tolist() == [[np.float32(math.pi / 4), 0.0]]


def test_rows_of_recalibrate_are_parameters_and_derived_constants(load_data_module: Loader) -> None:
    """l1 -> l1, l1/l2."""
    program = load_data_module("sample_program").slider_crank_program("float64", tunable=True)
    assert interpret_rows(program, "recalibrate", np.array([[0.2]])).outputs[0] == pytest.approx([0.2, 0.5])


def test_a_wrong_function_or_width_is_named(load_data_module: Loader) -> None:
    """The sentence lists what there is."""
    program = load_data_module("sample_program").slider_crank_program("float64")
    with pytest.raises(ValueError, match="no function 'speed'; it has position, dynamics, startup, dostep"):
        interpret_rows(program, "speed", np.empty((1, 0)))
    with pytest.raises(ValueError, match="takes rows of 1 inputs"):
        interpret_rows(program, "position", np.empty((1, 2)))
