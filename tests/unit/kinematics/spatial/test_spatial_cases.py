"""Spatial mechanisms from practice, from files alone, against closed forms printed in the cases file (30 digits)."""

from pathlib import Path

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.status import BITS

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"
OUT_OF_WORKSPACE = 1 << BITS["OUT_OF_WORKSPACE"][0]


def solve(name: str, rows: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Outputs by name, and the status, at rows of independent coordinates."""
    sequence = functions.position(solved_mechanism(read_mechanism(DATA / f"{name}.toml")), "float64", contract=True)
    result = interpret(sequence, rows)
    assert np.isfinite(result.outputs).all()
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}, result.status


def test_linear_delta_carriages() -> None:
    """Case M15: carriage heights in mm, z = 0."""
    rows = np.array([[0, 0, 0], [0, 104.45, 0], [134.30, 104.45, 0]]) / 1000
    values, status = solve("linear_delta", rows)
    assert not status.any()
    expected = [
        (253.310476491, 253.310476491, 253.310476491),
        (205.782877082, 205.782877082, 274.0),
        (3.67776698127, 220.469224678, 238.829457982),
    ]
    heights = np.stack([values[f"height{tower}"] for tower in "ABC"], axis=-1)
    np.testing.assert_allclose(heights * 1000, expected, atol=1e-8)


def test_linear_delta_beyond_its_reach_is_flagged_and_recovers() -> None:
    """Cases M15 and S01: 0.1 mm farther is flagged, finite, and leaves no trace in the call after it."""
    rows = np.array([[134.30, 104.45, 0], [134.40, 104.45, 0], [0, 0, 0]]) / 1000
    values, status = solve("linear_delta", rows)
    assert [bool(word & OUT_OF_WORKSPACE) for word in status] == [False, True, False]
    np.testing.assert_allclose(values["heightA"][2] * 1000, 253.310476491, atol=1e-8)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ((0, 0, 0.155, 0, 0, 0), (-0.000981434212923,) * 6),
        (
            (0.005, -0.008, 0.150, *np.radians((6, -3, 4))),
            (-0.369926937214, 0.0592961850095, 0.0847947783336, -0.125929745168, -0.485159537698, -0.312886504533),
        ),
    ],
)
def test_rotary_hexapod_horns(row: tuple[float, ...], expected: tuple[float, ...]) -> None:
    """Case M18: horn angles in rad, rotation Rz(yaw) Ry(pitch) Rx(roll)."""
    values, status = solve("rotary_hexapod", np.array([row]))
    assert not status.any()
    horns = [float(np.arctan2(values[f"servo{k}.sin"][0], values[f"servo{k}.cos"][0])) for k in range(1, 7)]
    np.testing.assert_allclose(horns, expected, atol=1e-11)


def test_rotary_hexapod_out_of_reach() -> None:
    """Case M18: at z = 0.19 m all six legs are too short."""
    values, status = solve("rotary_hexapod", np.array([[0, 0, 0.19, 0, 0, 0]]))
    assert status[0] & OUT_OF_WORKSPACE
    short = [name for name, value in values.items() if name.startswith("margin.") and value[0] < 0]
    assert len(short) >= 6, short
