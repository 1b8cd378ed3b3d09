"""Points on a body that hangs on a universal joint whose angles are solved for, against Newton on the rods' lengths.

The body's own axes give parts of a point that the block before has already written: their derivatives must not be taken
from rates that are solved from them. The data are those of a plate on a cross, held by two horns with rods.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from plain_rotations import about

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret

Array = np.ndarray
X, Y, _ = np.eye(3)
TEXT = (Path(__file__).resolve().parents[3] / "data" / "mechanisms" / "tilt_stage.toml").read_text()
STEP = 2e-3  # s, of differences of the fourth order
LENGTHS = 0.065, 0.095


def stage(mirror: str, independent: str = '"m1", "m2"') -> Mechanism:
    text = TEXT.replace('mirror = ["0", "0", "10 mm"]', f"mirror = {mirror}")
    assert 'independent = ["m1", "m2"]' in text
    return parse_mechanism(text.replace('independent = ["m1", "m2"]', f"independent = [{independent}]"), "stage")


def plate(lean: float, tilt: float) -> Array:
    return about(X, lean) @ about(Y, tilt)


def gaps(lean: float, tilt: float, m: Array, h: float) -> Array:
    """By how much the distances of pins and ears miss the lengths of the rods, m."""
    servos = np.array([[0.03, 0.025, -0.06], [0.03, -0.025, -0.09]])
    ears = np.array([[0.05, 0.025, h], [0.05, -0.025, h]])
    pins = [at + about(Y, angle) @ [0.02, 0, 0] for at, angle in zip(servos, m, strict=True)]
    arms = [pin - plate(lean, tilt) @ ear for pin, ear in zip(pins, ears, strict=True)]
    return np.array([np.linalg.norm(arm) - length for arm, length in zip(arms, LENGTHS, strict=True)])


def newton(equations: Callable[[Array], Array], start: Array) -> Array:
    at = np.array(start, float)
    for _ in range(8):
        jacobian = np.stack([(equations(at + d) - equations(at - d)) / 2e-6 for d in 1e-6 * np.eye(len(at))], axis=-1)
        at = at - np.linalg.solve(jacobian, equations(at))
    assert np.abs(equations(at)).max() < 1e-14
    return at


def attitude(m: Array, h: float) -> Array:
    """Lean and tilt, followed from where all angles are zero."""
    at = np.zeros(2)
    for part in np.linspace(0, 1, 6):
        height = 0.005 + part * (h - 0.005)
        at = newton(lambda q, part=part, height=height: gaps(q[0], q[1], part * m, height), at)
    return at


def differences(values: dict[int, Array]) -> tuple[Array, Array]:
    """First and second derivative in the middle of five places."""
    a, b, c, d, e = (values[k] for k in (-2, -1, 0, 1, 2))
    return (a - 8 * b + 8 * d - e) / (12 * STEP), (-a + 16 * b - 30 * c + 16 * d - e) / (12 * STEP**2)


MIRRORS = ['["0", "0", "10 mm"]', '["0", "7 mm", "h"]', '["50 mm", "0", "0"]', '["0", "25 mm", "0"]']
SLOW = [pytest.param(mirror, marks=pytest.mark.slow) for mirror in MIRRORS[2:]]


@pytest.mark.parametrize("mirror", [*MIRRORS[:2], *SLOW])
def test_a_point_of_the_plate_and_how_it_moves(mirror: str) -> None:
    """Position, rate and acceleration of lean, tilt and a point, by both servos."""
    solved = solved_mechanism(stage(mirror))
    writers = (functions.position, functions.velocity, functions.acceleration)
    sequences = [write(solved, "float64", contract=True) for write in writers]
    numbers = [part.split()[0].strip('"[] ') for part in mirror.split(",")]
    for m, h in (((0.1, -0.15), 0.005), ((-0.2, 0.25), 0.005), ((0.3, 0.3), 0.005)):
        local = np.array([h if number == "h" else float(number) / 1000 for number in numbers])
        rates, accelerations = np.array([0.7, -0.4]), np.array([3.0, 2.0])
        seen = {}
        for k in range(-2, 3):
            t = k * STEP
            angles = attitude(np.array(m) + rates * t + accelerations * t * t / 2, h)
            seen[k] = np.concatenate([angles, plate(*angles) @ local])
        expected = dict(zip(("position", "velocity", "acceleration"), (seen[0], *differences(seen)), strict=True))
        states = {"position": [*m, h], "velocity": [*m, *rates, h], "acceleration": [*m, *rates, *accelerations, h]}
        for sequence in sequences:
            result = interpret(sequence, np.array([states[sequence.name]]))
            assert not result.status.any()
            found = {output.signal.name: result.outputs[0, k] for k, output in enumerate(sequence.outputs)}
            suffix = {"position": "", "velocity": ".rate", "acceleration": ".acceleration"}[sequence.name]
            values = [found[f"mirror.{axis}{suffix}"] for axis in "xyz"]
            if suffix:
                angles = [found[f"{name}{suffix}"] for name in ("lean", "tilt")]
            else:
                angles = [np.arctan2(found[f"{name}.sin"], found[f"{name}.cos"]) for name in ("lean", "tilt")]
            tolerance = 1e-9 if sequence.name != "acceleration" else 1e-7
            np.testing.assert_allclose([*angles, *values], expected[sequence.name], rtol=0, atol=tolerance)


@pytest.mark.parametrize("independent", ['"lean", "tilt"', '"lean", "m2"', '"tilt", "m1"', '"m1", "lean"'])
def test_every_choice_of_coordinates_gives_the_same_pose(independent: str) -> None:
    """At the attitude that the servos give, the servos' angles come back, and the point with them."""
    m = np.array([0.1, -0.15])
    every = dict(zip(("lean", "tilt", "m1", "m2"), (*attitude(m, 0.005), *m), strict=True))
    solved = solved_mechanism(stage(MIRRORS[0], independent))
    sequence = functions.position(solved, "float64", contract=True)
    result = interpret(sequence, np.array([[every.get(signal.name, 0.005) for signal in sequence.inputs]]))
    assert not result.status.any()
    found = {output.signal.name: result.outputs[0, k] for k, output in enumerate(sequence.outputs)}
    for name in set(every) - set(solved.mechanism.independent):
        assert np.arctan2(found[f"{name}.sin"], found[f"{name}.cos"]) == pytest.approx(every[name], abs=1e-9)
    point = plate(every["lean"], every["tilt"]) @ [0, 0, 0.01]
    np.testing.assert_allclose([found[f"mirror.{axis}"] for axis in "xyz"], point, rtol=0, atol=1e-10)
