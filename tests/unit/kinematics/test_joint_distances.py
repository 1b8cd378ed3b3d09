"""Distances across one joint: the formula of the coordinate alone, against the points of the reference's own tree."""

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.outputs.joint_distances import joint_distance
from exporter.kinematics.protocol.scope import Scope
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration
from sil.reference.points import point_motion

TEXT = """schema = 1
[mechanism]
name = "joint"
[parameters]
reach = {{ value = "0.3 m", range = ["0.2 m", "0.4 m"] }}
[ground]
frames = {{ bearing = {{ at = ["0.2 m", "-0.1 m", "0.4 m"], turns = [["x", "0.4 rad"], ["z", "0.7 rad"]] }} }}
points = {{ foot = ["-0.5 m", "0.3 m", "0.1 m"] }}
[bodies.arm]
frames = {{ seat = {{ at = ["0.05 m", "reach", "0"], turns = [["y", "-0.3 rad"]] }} }}
points = {{ eye = ["0.6 m", "0.25 m", "-0.15 m"] }}
[joints.q]
type = "{kind}"
axis = ["0.3", "-0.5", "1"]
parent = "ground.bearing"
child = "arm.seat"
[distances]
strut = ["{ends}"]
[coordinates]
independent = ["q"]
pose = {{ q = "0.1 {unit}" }}
ranges = {{ q = ["-{span} {unit}", "{span} {unit}"] }}
rates = {{ q = "9 {unit}/s" }}
accelerations = {{ q = "99 {unit}/s^2" }}
[outputs]
length = "strut"
"""


def mechanism(kind: str, ends: str) -> Mechanism:
    unit, span = ("rad", "3") if kind == "revolute" else ("m", "0.6")
    return parse_mechanism(TEXT.format(kind=kind, ends=ends, unit=unit, span=span), "joint")


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize("ends", ['ground.foot", "arm.eye', 'arm.eye", "ground.foot'])
def test_distance_rate_and_acceleration_are_those_of_the_points(kind: str, ends: str) -> None:
    """Over the range, turned frames and an axis of its own included."""
    made = mechanism(kind, ends)
    rows = np.random.default_rng(5).uniform([-0.6, -9, -99, 0.3], [0.6, 9, 99, 0.3], (32, 4))
    result = interpret(functions.acceleration(solved_mechanism(made), "float64", contract=True), rows)
    lengths = interpret(functions.position(solved_mechanism(made), "float64", contract=True), rows[:, [0, 3]])
    speeds = interpret(functions.velocity(solved_mechanism(made), "float64", contract=True), rows[:, [0, 1, 3]])
    reference = reference_of(made)
    at = configuration(rows[:, :1])
    foot, eye = (
        point_motion(reference.skeleton, frame, at, rows[:, 1:2], rows[:, 2:3])
        for frame in (made.distances["strut"].start, made.distances["strut"].end)
    )
    way, moving = eye.place - foot.place, eye.velocity - foot.velocity
    length = np.linalg.norm(way, axis=1)
    rate = (way * moving).sum(axis=1) / length
    bent = ((moving**2).sum(axis=1) + (way * (eye.acceleration - foot.acceleration)).sum(axis=1) - rate**2) / length
    np.testing.assert_allclose(lengths.outputs[:, 0], length, rtol=1e-14)
    np.testing.assert_allclose(speeds.outputs[:, 0], rate, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(result.outputs[:, 0], bent, rtol=1e-12, atol=1e-11)


PENDULUM = """schema = 1
[mechanism]
name = "pendulum"
[ground]
points = {{ foot = ["{foot} m", "0", "0"] }}
[bodies.arm]
points = {{ tip = ["1 m", "0", "0"] }}
[joints.q]
type = "revolute"
parent = "ground"
child = "arm"
[distances]
strut = ["ground.foot", "arm.tip"]
[coordinates]
independent = ["q"]
pose = {{ q = "0" }}
ranges = {{ q = ["-1 rad", "1 rad"] }}
rates = {{ q = "9 rad/s" }}
"""


@pytest.mark.parametrize(("foot", "short"), [("0.3", True), ("1.05", False)])
def test_a_distance_that_nearly_vanishes_comes_from_its_points(foot: str, short: bool) -> None:
    """Where the tip passes the foot at 5 cm, the formula would be a small difference of its constants."""
    made = parse_mechanism(PENDULUM.format(foot=foot), "pendulum")
    found = joint_distance(made, made.distances["strut"], Scope(Builder("test", "float64"), made))
    assert (found is not None) is short
