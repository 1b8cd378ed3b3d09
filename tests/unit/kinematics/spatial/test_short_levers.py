"""Loops whose ends are near to the axes that they turn about: told without a root, by directions, not over the lever.

A hinge at rest holds a lever whose point on its axis is the centre of the second universal joint of a telescopic shaft:
that centre rests, however long the lever is. The ball of a strut is a little beside the strut's line. Made for this
project. Right values: the closures themselves, by the reference of `kinefix sil`, which shares no code with the
exporter's mathematics.
"""

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.spatial.block import SpatialKind
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

SHAFT = """schema = 1
[mechanism]
name = "shaft"
[bodies.fork]
[bodies.tube]
[bodies.rod]
[bodies.lever]
[joints.crank]
type = "revolute"
parent = "ground"
child = "fork"
axis = "z"
[joints.near]
type = "universal"
parent = "fork.tip"
child = "tube"
coordinates = ["near_x", "near_y"]
[joints.length]
type = "prismatic"
parent = "tube"
child = "rod"
axis = "z"
[joints.far]
type = "universal"
parent = "rod.tip"
child = "lever"
coordinates = ["far_x", "far_y"]
[joints.hinge]
type = "revolute"
parent = "ground.hinge"
child = "lever.hinge"
axis = "z"
closes = true
[bodies.fork.points]
tip = ["0.1 m", "0", "0.2 m"]
[bodies.rod.points]
tip = ["0", "0", "0.3 m"]
[bodies.lever.points]
hinge = ["0", "0", "LEVER"]
[ground.frames.hinge]
at = ["0.15 m", "0.1 m", "0.7 m"]
turns = [["y", "0.4 rad"], ["x", "0.2 rad"]]
[coordinates]
independent = ["crank"]
pose = { crank = "0.2 rad", near_x = "0", near_y = "0", length = "0.2 m", far_x = "0", far_y = "0.4 rad" }
ranges = { crank = ["-2.5 rad", "2.5 rad"] }
rates = { crank = "10 rad/s" }
"""


def shaft(lever: str) -> Mechanism:
    return parse_mechanism(SHAFT.replace("LEVER", lever), "shaft.toml")


STRUT = """schema = 1
[mechanism]
name = "strut"
[bodies.arm]
[bodies.tube]
[bodies.rod]
[joints.crank]
type = "revolute"
parent = "ground"
child = "arm"
axis = "z"
[joints.cross]
type = "universal"
parent = "ground.foot"
child = "tube"
coordinates = ["cross_x", "cross_y"]
[joints.length]
type = "prismatic"
parent = "tube"
child = "rod"
axis = "z"
[joints.ball]
type = "spherical"
parent = "rod.ball"
child = "arm.ball"
closes = true
[bodies.rod.points]
ball = ["BESIDE", "-40 mm", "0.35 m"]
[bodies.arm.points]
ball = ["0.3 m", "0", "0.1 m"]
[ground.points]
foot = ["0.1 m", "0.2 m", "-0.4 m"]
[coordinates]
independent = ["crank"]
pose = { crank = "0.2 rad", cross_x = "0.3 rad", cross_y = "0.4 rad", length = "0.2 m" }
ranges = { crank = ["-2.5 rad", "2.5 rad"] }
rates = { crank = "10 rad/s" }
"""


def strut(beside: str) -> Mechanism:
    return parse_mechanism(STRUT.replace("BESIDE", beside), "strut.toml")


def open_by(mechanism: Mechanism) -> np.ndarray:
    """How far the closures stay open over the ranges, over the length scale, row by row."""
    rows = np.linspace(-2.5, 2.5, 2001)[:, None]
    sequence = functions.position(solved_mechanism(mechanism), "float64", contract=True)
    result = interpret(sequence, rows)
    assert not result.status.any()
    found = {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}
    turns = [name.removesuffix(".sin") for name in found if name.endswith(".sin")]
    found |= {name: np.arctan2(found[f"{name}.sin"], found[f"{name}.cos"]) for name in turns} | {"crank": rows[:, 0]}
    pose = np.stack([found[name] for name in mechanism.coordinates()], axis=1)
    return np.asarray(reference_of(mechanism).closure_residual(configuration(pose)))


def kinds(mechanism: Mechanism) -> list[str]:
    return [fact.kind for fact in solved_mechanism(mechanism).block_facts()]


@pytest.mark.parametrize("lever", ["0.8 mm", "-0.8 mm", "80 mm"])
def test_a_short_lever_costs_no_digits(lever: str) -> None:
    """By the sphere of the lever about the hinge, and the place that it divides, 0.8 mm left 1.3e-11 open."""
    mechanism = shaft(lever)
    assert SpatialKind.LOOP_SLIDE in kinds(mechanism)
    assert kinds(mechanism)[-2:] == [SpatialKind.LOOP_ANGLE, SpatialKind.LOOP_DIRECTION]
    assert open_by(mechanism).max() < 4e-15


def test_a_long_lever_tells_both_turns_by_its_end() -> None:
    """Places are as exact as directions there; the slide needs no root all the same."""
    mechanism = shaft("1.2 m")
    assert SpatialKind.LOOP_SLIDE in kinds(mechanism)
    assert kinds(mechanism)[-1] == SpatialKind.TWO_TURNS
    assert open_by(mechanism).max() < 4e-15


@pytest.mark.parametrize("beside", ["0.9 mm", "-0.09 mm", "60 mm"])
def test_a_ball_a_little_beside_a_strut_costs_no_digits(beside: str) -> None:
    """Where the equation of a turn was divided by 0.9 mm, it left 9.8e-14 open, and with 0.09 mm ten times as much."""
    assert open_by(strut(beside)).max() < 4e-15
