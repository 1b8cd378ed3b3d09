"""Loops of horn, rod and plate: solved by the block library at once, whatever lexicographic bases they have.

Right values: Newton on the distance of the rod's ends. How long a search goes on is told by what it reports: each rung
of its limits but the first is one line.
"""

from pathlib import Path

import numpy as np
import pytest
from plain_rotations import about

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.spatial.engine import SpatialSolution
from exporter.kinematics.spatial.form import unsigned_spatial_form
from exporter.kinematics.spatial.groebner.bases import SEARCH_LIMITS
from exporter.kinematics.spatial.search import with_cheapest_blocks
from exporter.kinematics.spatial.triangular import spatial_form
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret

Array = np.ndarray
X, Y, _ = np.eye(3)
DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"
GIMBAL = (DATA / "gimbal_rod.toml").read_text()
CROSS = 'type = "universal"\nparent = "ground"\nchild = "plate"\ncoordinates = ["lean", "tilt"]\n'
RUDDER = 'type = "revolute"\naxis = "x"\nparent = "ground"\nchild = "plate"\ncoordinates = ["lean"]\n'
STACKED = (
    'type = "revolute"\naxis = "x"\nparent = "ground"\nchild = "ring"\ncoordinates = ["lean"]\n'
    '[joints.inner]\ntype = "revolute"\naxis = "y"\nparent = "ring"\nchild = "plate"\ncoordinates = ["tilt"]\n'
)
TABLE = (
    'type = "revolute"\naxis = "x"\nparent = "ground"\nchild = "ring"\ncoordinates = ["lean"]\n'
    '[joints.inner]\ntype = "prismatic"\naxis = "y"\nparent = "ring"\nchild = "plate"\ncoordinates = ["tilt"]\n'
)


def variant(kind: str) -> Mechanism:
    """A plate on a cross, on one hinge (a rudder), on two bodies, or on a hinge and a slide."""
    assert CROSS in GIMBAL
    joint = {"cross": CROSS, "rudder": RUDDER, "stacked": STACKED, "table": TABLE}[kind]
    text = GIMBAL.replace(CROSS, joint)
    if kind in ("stacked", "table"):
        text = text.replace("[bodies.horn]", "[bodies.ring]\n[bodies.horn]")
    if kind == "table":
        text = text.replace('tilt = "0"', 'tilt = "0 m"').replace('["-0.2 rad", "0.2 rad"] }', '["-10 mm", "10 mm"] }')
        text = text.replace('tilt = "10 rad/s"', 'tilt = "1 m/s"')
    if kind == "rudder":
        text = text.replace('["lean", "tilt"]', '["lean"]').replace(', tilt = "0"', "")
        text = text.replace(', tilt = ["-0.2 rad", "0.2 rad"]', "").replace(', tilt = "10 rad/s"', "")
    return parse_mechanism(text, kind)


def ear(kind: str, lean: float, tilt: float) -> Array:
    local = np.array([0.05, 0.02, 0.0])
    if kind == "table":
        return about(X, lean) @ (local + np.array([0, tilt, 0]))
    return about(X, lean) @ about(Y, tilt) @ local


def horn(kind: str, lean: float, tilt: float) -> float:
    """The servo's angle, by Newton from 0 with the attitude in small steps."""

    def gap(angle: float, part: float) -> float:
        pin = np.array([0.03, 0.02, -0.06]) + about(Y, angle) @ [0.02, 0, 0]
        return float(np.linalg.norm(pin - ear(kind, part * lean, part * tilt))) - 0.06

    angle = 0.0
    for part in np.linspace(0, 1, 11):
        for _ in range(8):
            angle -= gap(angle, part) * 2e-6 / (gap(angle + 1e-6, part) - gap(angle - 1e-6, part))
    assert abs(gap(angle, 1.0)) < 1e-15
    return angle


@pytest.mark.parametrize("kind", ["cross", "rudder", "stacked", "table"])
def test_the_horn_that_holds_a_plate(kind: str) -> None:
    """The angle is right, and no rung of the search but the first is climbed for it."""
    mechanism, told = variant(kind), list[str]()
    solution = SpatialSolution(spatial_form(mechanism, told.append))
    assert told == []
    sequence = functions.position(solution, "float64", contract=True)
    span = 0.01 if kind == "table" else 0.2
    states = [(0.1, -0.75 * span), (-0.15, span), (0.2, 0.2 * span)]
    rows = np.array([state[: len(sequence.inputs)] for state in states])
    result = interpret(sequence, rows)
    assert not result.status.any()
    names = [output.signal.name for output in sequence.outputs]
    sine, cosine = (result.outputs[:, names.index(f"servo.{part}")] for part in ("sin", "cos"))
    expected = [horn(kind, lean, 0.0 if kind == "rudder" else tilt) for lean, tilt in states]
    np.testing.assert_allclose(np.arctan2(sine, cosine), expected, rtol=0, atol=1e-12)


def test_the_printed_values_of_the_gimbal() -> None:
    """Newton by another program: -0.49296612 at (0.1, -0.15), 0.68683659 at (-0.15, 0.2)."""
    assert horn("cross", 0.1, -0.15) == pytest.approx(-0.49296612, abs=1e-8)
    assert horn("cross", -0.15, 0.2) == pytest.approx(0.68683659, abs=1e-8)


# -- loops that no block of the library solves -----------------------------------------------------------------------

BRACE = """schema = 1
[mechanism]
name = "brace"
title = "Flap with a folding brace"
[parameters]
upper = { value = "310 mm", range = ["300 mm", "320 mm"], frozen = true, about = "of the upper link" }
[ground]
points = { stay = ["30 mm", "-400 mm", "-20 mm"] }
[bodies.leg]
points = { lug = ["10 mm", "-30 mm", "-420 mm"] }
[bodies.upper]
points = { elbow = ["0", "0", "-upper"] }
[bodies.lower]
points = { ball = ["0", "290 mm", "-90 mm"] }
[joints.leg]
type = "revolute"
axis = ["1", "0", "0"]
parent = "ground"
child = "leg"
[joints.cross]
type = "universal"
parent = "ground.stay"
child = "upper"
coordinates = ["swing", "lean"]
[joints.elbow]
type = "revolute"
axis = ["1", "0", "0"]
parent = "upper.elbow"
child = "lower"
[joints.lug]
type = "spherical"
parent = "lower.ball"
child = "leg.lug"
closes = true
[coordinates]
independent = ["leg"]
pose = { leg = "0", swing = "0.2 rad", lean = "0", elbow = "0" }
ranges = { leg = ["-0.5 rad", "0.2 rad"] }
rates = { leg = "2 rad/s" }
"""


ALONG_X = '["1", "0", "0"]'


def brace(leg: str = ALONG_X, elbow: str = ALONG_X) -> str:
    first, second = BRACE.split("[joints.elbow]")
    return first.replace(ALONG_X, leg) + "[joints.elbow]" + second.replace(ALONG_X, elbow)


def refused(text: str, told: list[str]) -> str:
    with pytest.raises(ModelError) as refusal:
        with_cheapest_blocks(unsigned_spatial_form(parse_mechanism(text, "brace")), told.append)
    return str(refusal.value)


def staggered(leg: str, elbow: str = ALONG_X) -> str:
    """The cross drawn apart: two hinges whose axes do not meet, so that nothing but a basis is left to try."""
    text = brace(leg, elbow)
    start, end = text.index("[joints.cross]"), text.index("[joints.elbow]")
    return text[:start] + APART + text[end:]


APART = """[bodies.mid]
points = { knuckle = ["40 mm", "0", "30 mm"] }
[joints.swing]
type = "revolute"
axis = "x"
parent = "ground.stay"
child = "mid"
[joints.lean]
type = "revolute"
axis = "y"
parent = "mid.knuckle"
child = "upper"
"""


@pytest.mark.parametrize("leg", ['["0.6", "0.8", "0"]', '["1", "0.1", "0"]'])
def test_a_skew_axis_needs_no_basis(leg: str) -> None:
    """The axes of the cross meet: the elbow follows from a distance, be the unit vector of the axis rational or not."""
    told: list[str] = []
    form = with_cheapest_blocks(unsigned_spatial_form(parse_mechanism(brace(leg), "brace")), told.append)
    assert [block.coordinates for block in form.blocks] == [("elbow",), ("swing", "lean")]
    assert told == []


def test_an_axis_that_is_no_fraction_is_named() -> None:
    sentence = refused(staggered('["1", "0.1", "0"]'), told := [])
    assert "'leg' is none" in sentence
    assert told == []


def test_tunable_lengths_are_named() -> None:
    assert "freeze upper" in refused(staggered('["0.6", "0.8", "0"]').replace("frozen = true", "frozen = false"), [])


@pytest.mark.slow
def test_a_search_without_a_result_ends_on_its_last_rung() -> None:
    """Two skew axes: no order has a basis of low degree. All rungs are reported, and the limit is in the sentence."""
    sentence = refused(staggered('["0.6", "0.8", "0"]', '["0.6", "0", "0.8"]'), told := [])
    assert len(told) == len(SEARCH_LIMITS) - 1
    assert str(SEARCH_LIMITS[-1][1]) in sentence
    assert "degree 2 at most" in sentence
