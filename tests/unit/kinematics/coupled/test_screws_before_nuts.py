"""A motor turns a screw whose nut carries a rod of 450 mm to a point that is given: the pose tells the motor's turns.

Right values: the nut is at x +- sqrt(450^2 - (y + 300)^2 - z^2) mm on its rail at y = -300, and the lead is 20 mm.
"""

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.model.toml.reader import parse_mechanism

SLIDE = """schema = 1
[mechanism]
name = "slide"
[parameters]
lead = { value = "20 mm/rev", frozen = true }
[ground]
points = { rail = ["0", "-300 mm", "0"] }
[bodies.motor]
[bodies.nut]
[bodies.rod]
points = { ball = ["0", "0", "450 mm"] }
[bodies.fx]
[bodies.fy]
[bodies.fz]
[joints.m]
type = "revolute"
axis = "x"
parent = "ground.rail"
child = "motor"
[joints.q]
type = "prismatic"
parent = "ground.rail"
child = "nut"
[joints.u]
type = "universal"
parent = "nut"
child = "rod"
coordinates = ["a", "b"]
[joints.x]
type = "prismatic"
parent = "ground"
child = "fx"
[joints.y]
type = "prismatic"
axis = "y"
parent = "fx"
child = "fy"
[joints.z]
type = "prismatic"
axis = "z"
parent = "fy"
child = "fz"
[joints.end]
type = "spherical"
parent = "rod.ball"
child = "fz"
closes = true
[couplings]
q = "lead*m"
[coordinates]
independent = ["x", "y", "z"]
pose = { m = "TURNS rev", x = "80 mm", y = "-60 mm", z = "355 mm" }
ranges = { x = ["30 mm", "130 mm"], y = ["-90 mm", "-30 mm"], z = ["330 mm", "360 mm"] }
rates = { x = "1 m/s", y = "1 m/s", z = "1 m/s" }
"""


@pytest.mark.parametrize(("turns", "side"), [(11, 1), (-3, -1)])
def test_the_turns_of_the_motor_tell_on_which_side_the_nut_is(turns: int, side: int) -> None:
    """With the rod's angles left out it is drawn straight up, where the closures are singular."""
    mechanism = parse_mechanism(SLIDE.replace("TURNS", str(turns)), "slide")
    places = np.random.Generator(np.random.Philox(3)).uniform([0.03, -0.09, 0.33], [0.13, -0.03, 0.36], (40, 3))
    x, y, z = places.T
    nut = x + side * np.sqrt(0.45**2 - (y + 0.3) ** 2 - z**2)
    found, names = solution_rows(solved_mechanism(mechanism), places), mechanism.coordinates()
    assert found.good.all()
    np.testing.assert_allclose(found.coordinates[:, names.index("q")], nut, rtol=1e-12)
    np.testing.assert_allclose(found.coordinates[:, names.index("m")], nut * 2 * np.pi / 0.02, rtol=1e-12)


def test_a_wrong_number_of_coordinates_is_told_for_loops_and_couplings_together() -> None:
    """The motor follows its nut, and counts neither as chosen nor as free."""
    text = SLIDE.replace("TURNS", "11").replace('["x", "y", "z"]', '["x", "y"]')
    with pytest.raises(ModelError, match=r"2 independent .* the loops and couplings leave 3 degrees of freedom"):
        solved_mechanism(parse_mechanism(text, "slide"))
