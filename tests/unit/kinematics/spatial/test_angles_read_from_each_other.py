"""An angle whose sine is written by means of its cosine: both are components of bodies that stand already.

Right values: a slide that closes the loop keeps two arms at a constant angle on hinges that are parallel.
"""

from collections.abc import Callable

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence

SLIDER = """schema = 1
[mechanism]
name = "slider"
[bodies.base]
points = { p = ["0", "0.998 m", "-0.1547 m"], q = ["0", "0.974851 m", "1.1337 m"] }
[bodies.arm]
frames = { p = { at = ["0", "0.497 m", "0.43 m"], turns = [["x", "-2.6289 rad"]] } }
[bodies.sleeve]
points = { p = ["0", "1.184 m", "-0.459 m"] }
[bodies.other]
frames = { p = { at = ["0", "-0.0657 m", "1.574 m"], turns = [["x", "1.2895 rad"]] } }
points = { q = ["0", "1.0886 m", "-0.571 m"] }
[bodies.last]
[joints.tilt]
type = "revolute"
parent = "ground"
child = "base"
axis = "y"
[joints.one]
type = "revolute"
parent = "base.p"
child = "arm"
axis = "x"
[joints.out]
type = "prismatic"
parent = "arm.p"
child = "sleeve"
axis = "y"
[joints.two]
type = "revolute"
parent = "base.q"
child = "other"
axis = "x"
[joints.guide]
type = "prismatic"
parent = "other.p"
child = "sleeve.p"
axis = ["0", "-0.352", "0.834"]
closes = true
[joints.end]
type = "revolute"
parent = "other.q"
child = "last"
axis = "x"
[outputs]
attitude = "arm.p.quaternion"
last = "last"
[coordinates]
independent = ["end", "one", "tilt"]
pose = { tilt = "-3 deg", one = "-1 deg", out = "0.34 m", two = "134 deg", end = "-1.4 rad" }
ranges = { end = ["-2.5 rad", "-0.5 rad"], one = ["-1.2 rad", "1.1 rad"], tilt = ["-0.8 rad", "1 rad"] }
rates = { end = "1 rad/s", one = "5 rad/s", tilt = "20 rad/s" }
"""


@pytest.mark.parametrize(("write", "order"), [(functions.velocity, "rate"), (functions.acceleration, "acceleration")])
def test_the_rate_of_an_angle_does_not_ask_for_itself(write: Callable[..., OperationSequence], order: str) -> None:
    sequence = write(solved_mechanism(parse_mechanism(SLIDER, "slider")), "float64", contract=True)
    given = [signal.name for signal in sequence.inputs]
    rows = np.random.default_rng(7).uniform(-0.5, 0.5, (50, len(given)))
    rows[:, given.index("end")] -= 1.2
    result = interpret(sequence, rows)
    (two,) = (k for k, output in enumerate(sequence.outputs) if output.signal.name == f"two.{order}")
    good = result.status == 0
    assert good.sum() > 20
    np.testing.assert_allclose(result.outputs[good, two], rows[good, given.index(f"one.{order}")], atol=1e-12)
