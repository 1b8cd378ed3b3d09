"""Tables over the part of their ranges that is reached: right or flagged everywhere, silent where they say so.

Oracles: the reference's own Newton, continued from the design pose; the wrist's second assembly, in which its elbows
are square and its camera follows no motor, whatever these do; a disc and a square whose borders are known.
"""

import re
from functools import cache
from math import tau
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from exporter.errors import RangesRefused
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.kinematics.seeded.seed import Box
from exporter.kinematics.seeded.wholly_reached import widest_box
from exporter.kinematics.spatial.loops.border import Border, Depths, border_of
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.status import BITS
from sil.reference.mechanism import reference_of

Array = NDArray[np.float64]
DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"
TURN = np.radians(60)
WIDE = '"-60 deg", "60 deg"'
SQUARE_BOX = Box((0, 0), (1, 1))  # type: ignore[arg-type]


def wrist(limits: str = WIDE) -> Mechanism:
    text = (DATA / "spherical_wrist.toml").read_text().replace('"-0.6 rad", "0.6 rad"', limits)
    return parse_mechanism(text, "wrist.toml")


@cache
def solved() -> Solution:
    """The spherical wrist whose motors turn by 60 degrees each way: its corners are beyond singular poses."""
    return solved_mechanism(wrist())


@cache
def places() -> Array:
    return np.random.Generator(np.random.Philox(8)).uniform(-TURN, TURN, (3000, 3))


def told_ranges(notes: tuple[str, ...]) -> Array:
    """What a note says is reached wholly, (f, 2)."""
    note = next(each for each in notes if "Wholly reached" in each)
    return np.array(re.findall(r'\["([-\d.]+) rad", "([-\d.]+) rad"\]', note), dtype=float)


def test_what_is_not_flagged_is_the_assembly_that_the_reference_follows_to() -> None:
    found, right = solution_rows(solved(), places()), reference_of(solved().mechanism).positions(places())
    reached = np.isfinite(right).all(axis=1)
    gaps = np.angle(np.exp(1j * (found.coordinates - right)))[found.good & reached]
    assert np.abs(gaps).max() < 1e-9
    assert not (found.good & ~reached).any()
    assert (found.good & reached).sum() > 0.9 * reached.sum()


def test_what_is_flagged_is_finite() -> None:
    flagged = ~solution_rows(solved(), places()).good
    assert flagged.any()
    assert np.isfinite(solution_rows(solved(), places()).coordinates).all()


def test_another_assembly_that_closes_is_flagged() -> None:
    """Beyond the singular poses Newton's steps end on elbows that are square: closed, and of a determinant as large."""
    found = solution_rows(solved(), places())
    first = [solved().mechanism.coordinates().index(name) for name in ("k1", "k2", "k3")]
    square = (np.abs(np.cos(found.coordinates[:, first])) < 1e-6).all(axis=1)
    assert square.any()
    assert not found.good[square].any()
    assert (found.status & (1 << BITS["OUT_OF_WORKSPACE"][0])).any()


def test_ranges_that_are_told_are_reached_wholly() -> None:
    low, high = told_ranges(solved().notes).T
    assert (low < -0.5).all()
    assert (high > 0.5).all()
    inside = np.random.Generator(np.random.Philox(9)).uniform(low, high, (2000, 3))
    assert solution_rows(solved(), inside).good.all()


def test_the_share_that_is_told_is_that_without_flags() -> None:
    told = float(re.search(r"(\d+)% of the ranges of m1, m2, m3", " ".join(solved().notes))[1])  # type: ignore[index]
    assert abs(told - 100 * solution_rows(solved(), places()).good.mean()) < 3


def disc(*, astray: bool) -> tuple[Border | None, Array]:
    """A border about the places of a square that are within 0.8 of its middle, and these places."""
    points = np.random.Generator(np.random.Philox(2)).uniform(-1, 1, (800, 2))
    depth = 0.8 - np.hypot(*points.T)
    outside = depth < 0
    values = {"x": points[:, 0], "y": points[:, 1]}
    return border_of(Depths(values, depth, outside & astray), (), ("x", "y"), SQUARE_BOX), points[outside]


def test_no_place_that_goes_astray_is_inside_the_border() -> None:
    border, outside = disc(astray=True)
    assert border is not None
    values = {"x": outside[:, 0], "y": outside[:, 1]}
    assert (border.at(values) < float(border.least)).all()
    assert border.at({"x": np.zeros(1), "y": np.zeros(1)})[0] > float(border.least)


def test_a_border_is_drawn_tighter_than_a_place() -> None:
    border, _ = disc(astray=False)
    assert border is not None
    place = {"x": np.array([0.4]), "y": np.array([0.0])}
    assert border.at(place)[0] > float(border.least)
    assert border.at(place)[0] < float(border.excluding(place).least)


def test_the_widest_box_grows_past_the_first_side_that_is_met() -> None:
    """Reached is x < 0.5 of the square, the start is the middle: the box ends there alone."""
    low, high = widest_box(np.zeros(2), lambda points: points[:, 0] < 0.5, np.array([[0.9, 0.9]]))
    np.testing.assert_allclose(low, [-1, -1])
    assert 0.4 < high[0] < 0.5
    assert high[1] == 1


def test_the_widest_box_is_everything_where_nothing_fails() -> None:
    low, high = widest_box(np.array([0.2, -1.0]), lambda points: np.ones(len(points), dtype=bool), np.zeros((0, 2)))
    np.testing.assert_allclose([low, high], [[-1, -1], [1, 1]])


SKEW_CRANK = """schema = 1
[mechanism]
name = "skew_crank"
[ground]
frames = { o = { at = ["10 mm", "20 mm", "30 mm"], turns = [["z", "33 deg"], ["x", "-58 deg"], ["y", "17 deg"]] }, s = { at = ["300 mm", "40 mm", "-25 mm"], turns = [["z", "33 deg"], ["x", "-38 deg"], ["y", "47 deg"]] } }
[bodies.crank]
frames = { pin = { at = ["70 mm", "0", "15 mm"], turns = [["x", "25 deg"]] } }
[bodies.rod]
points = { end = ["260 mm", "15 mm", "-10 mm"] }
[bodies.slider]
[joints.a]
type = "revolute"
axis = ["0.1", "0.2", "1"]
parent = "ground.o"
child = "crank"
[joints.u]
type = "universal"
axes = ["-z", "y"]
parent = "crank.pin"
child = "rod"
coordinates = ["u1", "u2"]
[joints.c]
type = "cylindrical"
axis = ["1", "0.3", "-0.2"]
parent = "ground.s"
child = "slider"
coordinates = ["spin", "x"]
[joints.k]
type = "universal"
axes = ["y", "-z"]
parent = "rod.end"
child = "slider"
closes = true
[coordinates]
independent = ["a"]
pose = { a = "20 deg", u1 = "0", u2 = "0", spin = "0", x = "0" }
ranges = { a = ["-TURNS rev", "TURNS rev"] }
rates = { a = "30 rad/s" }
"""  # noqa: E501 - a frame is one line of TOML
"""Two universal joints between a crank and a cylindrical joint, both askew: no closed form, and no whole turn."""


def test_the_part_is_told_of_the_declared_range_where_that_is_wider_than_a_turn() -> None:
    """A table covers one turn of a driver; what lies beyond is flagged."""
    wide = solved_mechanism(parse_mechanism(SKEW_CRANK.replace("TURNS", "1"), "skew_crank"))
    (note,) = [each for each in wide.notes if "of the ranges" in each]
    found = solution_rows(wide, np.linspace(-tau, tau, 4001)[:, None])
    assert abs(float(note.partition("%")[0]) / 100 - found.good.mean()) < 0.03
    with pytest.raises(RangesRefused, match=r"2% of the ranges of a .* too little"):
        solved_mechanism(parse_mechanism(SKEW_CRANK.replace("TURNS", "20"), "skew_crank"))


def test_motors_before_gears_reach_what_their_arms_reach() -> None:
    """The wrist's arms by motors that turn ten times as fast, over one turn and two thirds each way."""
    text, motors = (DATA / "spherical_wrist.toml").read_text(), ("e1", "e2", "e3")
    rotors = "".join(
        f'[bodies.r{name}]\n[joints.{name}]\ntype = "revolute"\nparent = "ground"\nchild = "r{name}"\n'
        for name in motors
    )
    gears = "".join(f'm{name[1:]} = "{name}/10"\n' for name in motors)
    text = text.replace("[coordinates]", f"{rotors}[couplings]\n{gears}[coordinates]")
    text = text.replace('independent = ["m1", "m2", "m3"]', 'independent = ["e1", "e2", "e3"]')
    text = text.replace('c1 = "0" }', 'c1 = "0", e1 = "0", e2 = "0", e3 = "0" }')
    text = re.sub(r'm(\d) = \["-0.6 rad", "0.6 rad"\]', r'e\1 = ["-600 deg", "600 deg"]', text)
    text = re.sub(r'm(\d) = "5 rad/s"', r'e\1 = "50 rad/s"', text)
    geared, plain = solved_mechanism(parse_mechanism(text, "geared")), solved()
    own, arms = solution_rows(geared, 10 * places()), solution_rows(plain, places())
    assert (own.good == arms.good).mean() > 0.97
    both, names = own.good & arms.good, plain.mechanism.coordinates()
    columns = [geared.mechanism.coordinates().index(name) for name in names]
    gaps = np.angle(np.exp(1j * (own.coordinates[:, columns] - arms.coordinates)))[both]
    assert np.abs(gaps).max() < 1e-9
