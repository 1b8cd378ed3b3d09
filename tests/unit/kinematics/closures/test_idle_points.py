"""A refusal names points that were written and that no joint is at: the joint was put to the body's origin instead.

A four-bar of 0.1, 0.35, 0.25 m over 0.4 m; without its length the rod is a point, and nothing reaches.
"""

import pytest

from exporter.errors import ModelError
from exporter.kinematics.closures.idle_points import idle_points
from exporter.kinematics.engine import solved_mechanism
from exporter.model.toml.reader import parse_mechanism

FOUR_BAR = """schema = 1
[mechanism]
name = "bars"
[ground]
points = { c = ["0.4 m", "0", "0"] }
[bodies.crank]
points = { a = ["0.1 m", "0", "0"] }
[bodies.rod]
points = { b = ["0.35 m", "0", "0"] }
[bodies.rocker]
points = { b = ["0.25 m", "0", "0"] }
[joints.q]
type = "revolute"
parent = "ground"
child = "crank"
[joints.r]
type = "revolute"
parent = "crank.a"
child = "rod"
[joints.s]
type = "revolute"
parent = "ground.c"
child = "rocker"
[joints.close]
type = "revolute"
parent = "rod.b"
child = "rocker.b"
closes = true
[coordinates]
independent = ["q"]
pose = { q = "1 rad", r = "-0.6 rad", s = "1.8 rad" }
ranges = { q = ["0.5 rad", "1.5 rad"] }
rates = { q = "1 rad/s" }
"""


def test_a_joint_at_the_origin_of_a_body_with_a_point_is_told() -> None:
    """The rod's end is left to no joint; its pin sits where the crank's is, 0.3 m and more from the rocker's."""
    wrong = FOUR_BAR.replace('parent = "rod.b"', 'parent = "rod"')
    with pytest.raises(ModelError, match=r"\(no joint is at rod\.b: one may be meant to be\)"):
        solved_mechanism(parse_mechanism(wrong, "bars"))


def test_nothing_is_told_of_points_that_joints_are_at() -> None:
    mechanism = parse_mechanism(FOUR_BAR, "bars")
    assert idle_points(mechanism) == ""
    assert solved_mechanism(mechanism).mechanism == mechanism


def test_an_outline_is_no_hint() -> None:
    """Three points that no joint is at, on a rod that both its joints hold at its origin."""
    outline = 'points = { b = ["0.35 m", "0", "0"], c = ["0.1 m", "0.1 m", "0"], d = ["0.2 m", "0.1 m", "0"] }'
    wrong = FOUR_BAR.replace('parent = "rod.b"', 'parent = "rod"')
    wrong = wrong.replace('[bodies.rod]\npoints = { b = ["0.35 m", "0", "0"] }', f"[bodies.rod]\n{outline}")
    assert idle_points(parse_mechanism(wrong, "bars")) == ""
