"""The example models: Marlin's delta against printed carriage heights, a double pendulum against its energy."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from exporter.sequence.interpreter import InterpretedRows, interpret
from exporter.sequence.operations import Precision
from exporter.sequence.status import BITS
from exporter.symbolic import SymbolicModel, load
from exporter.symbolic.program import program_of_symbolic

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
OUTSIDE = 1 << BITS["OUT_OF_WORKSPACE"][0]

REACHED = {
    (0.0, 0.0): (253.310476491, 253.310476491, 253.310476491),
    (0.0, 104.45): (205.782877082, 205.782877082, 274.0),
    (134.30, 104.45): (3.67776698127, 220.469224678, 238.829457982),
}
"""(x, y) in mm -> carriage heights in mm: Marlin#928, recomputed from rod 274 and radius 104.45."""
LIMIT_MM = 134.33008828106
"""Where the line y = 104.45 leaves the reach of tower A."""


def run(model: SymbolicModel, rows: list[list[float]], precision: Precision = "float64") -> InterpretedRows:
    return interpret(program_of_symbolic(model, precision).functions[0], np.array(rows))


@pytest.fixture(scope="module")
def delta() -> SymbolicModel:
    return load(f"{EXAMPLES / 'linear_delta.py'}:model")


@pytest.mark.parametrize(("precision", "tolerance_mm"), [("float64", 1e-8), ("float32", 1e-3)])
def test_delta_reaches_the_printed_heights(delta: SymbolicModel, precision: Precision, tolerance_mm: float) -> None:
    rows = [[x / 1000, y / 1000, 0.0] for x, y in REACHED]
    result = run(delta, rows, precision)
    assert 1000 * result.outputs == pytest.approx(np.array(list(REACHED.values())), abs=tolerance_mm)
    assert not result.status.any()


def test_delta_out_of_reach_is_flagged_and_stays_finite(delta: SymbolicModel) -> None:
    """0.07 mm past the limit: tower A's root is clamped, B and C follow the geometry; just before, no flag."""
    result = run(delta, [[0.1344, 0.10445, 0.01], [(LIMIT_MM - 1e-6) / 1000, 0.10445, 0], [0.15, 0.15, 0]])
    assert list(result.status) == [OUTSIDE, 0, OUTSIDE]
    assert np.isfinite(result.outputs).all()
    assert result.outputs[0, 0] == 0.01
    expected = [0.01 + height_m(134.4, 104.45, tower) for tower in (330, 90)]
    assert result.outputs[0, 1:] == pytest.approx(expected, abs=1e-12)


def height_m(x_mm: float, y_mm: float, tower_deg: float) -> float:
    """Pythagoras with the horizontal distance between effector and tower."""
    tower = 104.45 * np.exp(1j * np.radians(tower_deg))
    return float(np.sqrt(274.0**2 - abs(tower - complex(x_mm, y_mm)) ** 2)) / 1000


def test_double_pendulum_keeps_its_energy() -> None:
    """RK4 with the exported accelerations: the energy drifts by less than 1e-5 J in 0.4 s of tumbling."""
    function = program_of_symbolic(load(f"{EXAMPLES / 'double_pendulum.py'}:model"), "float64").functions[0]

    def evaluated(state: NDArray[np.float64]) -> NDArray[np.float64]:
        wrapped = [*((state[:2] + np.pi) % (2 * np.pi) - np.pi), *state[2:]]
        result = interpret(function, np.array([wrapped]))
        assert result.status[0] == 0
        return np.asarray(result.outputs[0], dtype=np.float64)

    def derivative(state: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate((state[2:], evaluated(state)[:2]))

    state, step = np.array([2.0, 1.0, 0.5, -1.0]), 4e-3
    start = evaluated(state)[2]
    for _ in range(100):
        k1 = derivative(state)
        k2 = derivative(state + step / 2 * k1)
        k3 = derivative(state + step / 2 * k2)
        k4 = derivative(state + step * k3)
        state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    assert evaluated(state)[2] == pytest.approx(start, abs=1e-5)
    assert abs(state[0] - 2.0) > 1


def test_double_pendulum_at_rest_in_line_satisfies_virtual_work() -> None:
    """Bobs of 1.2 and 0.8 kg on rods of 0.4 and 0.3 m, both at 0.3 rad: the two rows of M a = f, written out."""
    outputs = run(load(f"{EXAMPLES / 'double_pendulum.py'}:model"), [[0.3, 0.3, 0, 0]]).outputs[0]
    gravity = 9.81 * np.sin(0.3)
    assert 2.0 * 0.4 * outputs[0] + 0.8 * 0.3 * outputs[1] == pytest.approx(-2.0 * gravity, rel=1e-13)
    assert 0.4 * outputs[0] + 0.3 * outputs[1] == pytest.approx(-gravity, rel=1e-13)
