"""A universal joint turns about the axes that its file names, in order. Oracle: rotation matrices by Rodrigues."""

from itertools import product

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.evaluate import evaluate
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret

PLATE = """schema = 1
[mechanism]
name = "plate"
[ground]
frames = { bracket = { at = ["0", "0", "1 m"], turns = [["z", "30 deg"]] } }
[bodies.plate]
points = { tip = ["0.2 m", "0.1 m", "-0.3 m"] }
[joints.hang]
type = "TYPE"
parent = "ground.bracket"
child = "plate"
AXES
coordinates = ["first", "second"]
[coordinates]
independent = ["first", "second"]
pose = { first = "0", second = "0" }
ranges = { first = ["-1 rad", "1 rad"], second = ["-1 rad", "1 rad"] }
rates = { first = "1 rad/s", second = "1 rad/s" }
[outputs]
tip = "plate.tip"
"""
NAMES = ("x", "y", "z", "-x", "-y", "-z")
PAIRS = [pair for pair in product(NAMES, repeat=2) if pair[0][-1] != pair[1][-1]]
TIP = np.array([0.2, 0.1, -0.3])


def unit(axis: str) -> np.ndarray:
    return np.eye(3)["xyz".index(axis[-1])] * (-1 if axis.startswith("-") else 1)


def turn(axis: str, angle: float) -> np.ndarray:
    n = unit(axis)
    cross = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def tip_of(text: str, first: float, second: float) -> list[float]:
    sequence = functions.position(solved_mechanism(parse_mechanism(text, "plate.toml")), "float64", contract=True)
    result = interpret(sequence, np.array([[first, second]]))
    values = dict(zip((output.signal.name for output in sequence.outputs), result.outputs[0], strict=True))
    return [values[f"tip.{axis}"] for axis in "xyz"]


def test_turns_are_about_the_named_axes_in_order() -> None:
    """On a bracket that is turned itself, the tip is where two turns about the bracket's axes bring it."""
    text = PLATE.replace("TYPE", "universal").replace("AXES", 'axes = ["y", "-x"]')
    expected = turn("z", np.pi / 6) @ turn("y", 0.4) @ turn("-x", -0.7) @ TIP + np.array([0, 0, 1])
    assert tip_of(text, 0.4, -0.7) == pytest.approx(expected, abs=1e-14)


def test_both_frames_have_x_and_y_along_every_pair_of_axes() -> None:
    """All 24 pairs, in the frames that the joint gets on parent and child."""
    for first, second in PAIRS:
        text = PLATE.replace("TYPE", "universal").replace("AXES", f'axes = ["{first}", "{second}"]')
        (joint,) = parse_mechanism(text, "plate.toml").joints
        turns = [(axis, float(evaluate(angle, {}))) for axis, angle in joint.child.rotation.turns]
        assert joint.parent.rotation.turns[1:] == joint.child.rotation.turns
        frame = np.linalg.multi_dot([np.eye(3), np.eye(3), *(turn(*each) for each in turns)])
        expected = np.stack([unit(first), unit(second)], axis=1)
        assert frame[:, :2] == pytest.approx(expected, abs=1e-15)


def test_axes_left_out_are_x_then_y() -> None:
    """What a file without the key has meant all along."""
    text = PLATE.replace("TYPE", "universal")
    assert tip_of(text.replace("AXES", ""), 0.3, 0.2) == tip_of(text.replace("AXES", 'axes = ["x", "y"]'), 0.3, 0.2)


@pytest.mark.parametrize(
    ("kind", "axes", "key", "sentence"),
    [
        ("universal", 'axes = ["y", "-y"]', "joints.hang.axes", '"y" and "-y" are one line'),
        ("universal", 'axes = ["y", "w"]', "joints.hang.axes", '"w" does not fit; write two of'),
        ("universal", 'axes = ["y"]', "joints.hang.axes", "has 1 entries; write 2"),
        ("cylindrical", 'axes = ["y", "x"]', "joints.hang.axes", "a cylindrical joint has no axes to be put in order"),
        ("universal", 'axis = "y"', "joints.hang.axis", 'write axes = ["y", "x"]'),
    ],
)
def test_axes_that_cannot_be_meant_are_refused(kind: str, axes: str, key: str, sentence: str) -> None:
    """The error names the key and what to write."""
    with pytest.raises(ModelError) as error:
        parse_mechanism(PLATE.replace("TYPE", kind).replace("AXES", axes), "plate.toml")
    assert key in str(error.value)
    assert sentence in str(error.value)
