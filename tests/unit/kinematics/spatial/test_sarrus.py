"""A Sarrus linkage: a plate that two pairs of hinged arms, in planes across each other, lift straight up.

Its arms are 200 mm long, so that the plate is at 400 mm times the cosine of an arm's angle.
"""

import numpy as np

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret

SARRUS = """schema = 1
[mechanism]
name = "sarrus"
[parameters]
L = { value = "200 mm", frozen = true }
[ground]
points = { A = ["150 mm", "0", "0"], B = ["0", "150 mm", "0"] }
[bodies.a1]
points = { tip = ["0", "0", "L"] }
[bodies.a2]
points = { tip = ["0", "0", "L"] }
[bodies.b1]
points = { tip = ["0", "0", "L"] }
[bodies.b2]
points = { tip = ["0", "0", "L"] }
[bodies.plate]
points = { B = ["0", "150 mm", "0"], A = ["150 mm", "0", "0"] }
[joints.a]
type = "revolute"
axis = "y"
parent = "ground.A"
child = "a1"
[joints.a_mid]
type = "revolute"
axis = "y"
parent = "a1.tip"
child = "a2"
[joints.a_top]
type = "revolute"
axis = "y"
parent = "a2.tip"
child = "plate.A"
[joints.b]
type = "revolute"
axis = "x"
parent = "ground.B"
child = "b1"
[joints.b_mid]
type = "revolute"
axis = "x"
parent = "b1.tip"
child = "b2"
[joints.b_top]
type = "revolute"
axis = "x"
parent = "b2.tip"
child = "plate.B"
closes = true
[outputs]
height = "plate"
[coordinates]
independent = ["a"]
pose = { a = "40 deg", a_mid = "-80 deg", a_top = "40 deg", b = "-40 deg", b_mid = "80 deg" }
ranges = { a = ["10 deg", "70 deg"] }
rates = { a = "3 rad/s" }
"""


def test_blocks_without_a_value_at_the_design_pose_give_way_to_a_table() -> None:
    """With the loop closed at the plate, blocks that fit by their shape divide by zero in every pose."""
    sequence = functions.position(solved_mechanism(parse_mechanism(SARRUS, "sarrus")), "float64", contract=True)
    arm = np.linspace(np.radians(10), np.radians(70), 61)[:, None]
    found, names = interpret(sequence, arm), [output.signal.name for output in sequence.outputs]
    assert not found.status.any()
    places = found.outputs[:, [names.index(f"height.{axis}") for axis in "xyz"]]
    expected = np.hstack([np.zeros((61, 2)), 0.4 * np.cos(arm)])
    np.testing.assert_allclose(places, expected, atol=1e-12)
