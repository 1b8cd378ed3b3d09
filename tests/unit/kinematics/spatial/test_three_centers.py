"""A body by three of its points, and by its hinge where these lie nearly on a line.

The lower stage of a scissor lift by the cylinder between its arms: the lug of one arm is 20 mm off the line of its
hinges, 0.85 m out. Right values: the two loops of the drawing, in forty digits, at the export's own outputs.
"""

from math import radians, sin

import mpmath as mp
import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.spatial.three_centers import three_centers
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret

SCISSOR = """schema = 1
[mechanism]
name = "scissor"
[bodies.a]
points = { mid = ["0.6 m", "0", "0"], lug = ["0.25 m", "-0.06 m", "0"] }
[bodies.b]
points = { mid = ["0.6 m", "0", "0"], end = ["1.2 m", "0.4 m", "0"], lug = ["0.85 m", "0.02 m", "0"] }
[bodies.shoe]
[bodies.barrel]
[bodies.ram]
[joints.a]
type = "revolute"
parent = "ground"
child = "a"
[joints.shoe]
type = "prismatic"
parent = "ground"
child = "shoe"
[joints.b]
type = "revolute"
parent = "shoe"
child = "b"
[joints.ab]
type = "revolute"
parent = "a.mid"
child = "b.mid"
closes = true
[joints.cyl]
type = "revolute"
parent = "a.lug"
child = "barrel"
[joints.stroke]
type = "prismatic"
parent = "barrel"
child = "ram"
[joints.rod]
type = "revolute"
parent = "ram"
child = "b.lug"
closes = true
[coordinates]
independent = ["stroke"]
pose = { stroke = "450 mm", a = "0.85 rad", b = "2.29 rad", shoe = "0.79 m", cyl = "0.78 rad" }
ranges = { stroke = ["300 mm", "800 mm"] }
rates = { stroke = "0.2 m/s" }
[outputs]
end = "b.end"
"""
POINTS = {"one": (0, 0, 0), "two": (0.6, 0, 0), "near": (0.85, 0.02, 0), "off": (0.3, 0.4, 0), "far": (2, 0, 0)}


def test_a_body_that_narrow_points_would_span_keeps_its_digits() -> None:
    sequence = functions.position(solved_mechanism(parse_mechanism(SCISSOR, "scissor")), "float64", contract=True)
    rows = np.linspace(0.3, 0.55, 101)  # all of it is reached; the file asks for more, so that tables are taken
    found = interpret(sequence, rows[:, None])
    assert not found.status.any()
    names = [output.signal.name for output in sequence.outputs]
    worst = max(_open_by(dict(zip(names, row, strict=True)), at) for row, at in zip(found.outputs, rows, strict=True))
    assert worst < 6e-15


def _open_by(at: dict[str, float], stroke: float) -> float:
    """How far pairs are off the circle, and loops and the end of the arm from closing, m."""
    with mp.workdps(40):
        a, b, cylinder = (mp.mpc(float(at[f"{name}.cos"]), float(at[f"{name}.sin"])) for name in ("a", "b", "cyl"))
        shoe, end = mp.mpf(float(at["shoe"])), mp.mpc(float(at["end.x"]), float(at["end.y"]))
        six, lug = mp.mpf("0.6"), shoe + b * mp.mpc("0.85", "0.02")
        ram = a * mp.mpc("0.25", "-0.06") + a * cylinder * mp.mpf(float(stroke))
        gaps = [abs(each) ** 2 - 1 for each in (a, b, cylinder)]
        gaps += [a * six - shoe - b * six, ram - lug, end - shoe - b * mp.mpc("1.2", "0.4")]
        return float(max(abs(gap) for gap in gaps))


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("one", "two", "far"), ()),
        (("one", "two", "near"), ("one", "two", "near")),
        (("one", "two", "near", "off"), ("one", "two", "off")),
        (("one", "two", "far", "near"), ("two", "far", "near")),
        (("one", "one"), ()),
    ],
)
def test_the_three_that_are_farthest_off_a_line_are_taken(names: tuple[str, ...], found: tuple[str, ...]) -> None:
    """Points on a line give none; else the first three that are well off one, or the widest."""
    assert three_centers(names, POINTS) == found


def test_what_is_well_off_a_line_is_taken_as_it_comes() -> None:
    """Six degrees will do, though a right angle follows."""
    wide = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, sin(radians(7)), 0), "d": (0, 1, 0)}
    assert three_centers(("a", "b", "c", "d"), wide) == ("a", "b", "c")
