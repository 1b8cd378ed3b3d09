"""Bodies whose unknown coordinates are told together by several loops, each by a distance or a plane.

Right values: distances and planes of the given pose, by numpy alone from the numbers of the files.
"""

from pathlib import Path

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.spatial.loops.near_misses import near_miss_notes
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret

Array = np.ndarray
PRACTICE = Path(__file__).resolve().parents[3] / "data" / "practice"

WINCHES = np.array([[12, 1, 9], [-7, 10, 9.5], [-6.5, -10.5, 8.8]])
PLACES = np.array(
    [
        [[0.3, 0, 0], [0.18, 0, 0]],
        [[-0.15, 0.259808, 0], [-0.09, 0.155885, 0]],
        [[-0.15, -0.259808, 0], [-0.09, -0.155885, 0]],
    ]
)
"""Of the legs, on the ground and on the plate."""
SLIDES = np.array([[1, 0, 0], [0.6, 0.8, 0], [0, 0.6, 0.8]]).T
NORMALS = np.array([[1, 0, 0], [0, 1, 0], [0, 0.6, 0.8]])
"""What the carriages slide along: the hinges lie along them, so that the planes are across."""


def leg(number: int, axis: str, across: str) -> str:
    """A carriage on the ground, a hinge along its slide, a slide across the hinge, a ball on the table."""
    return f"""
[bodies.carriage{number}]
[bodies.arm{number}]
[bodies.foot{number}]
[joints.c{number}]
type = "prismatic"
axis = {axis}
parent = "ground"
child = "carriage{number}"
[joints.h{number}]
type = "revolute"
axis = {axis}
parent = "carriage{number}"
child = "arm{number}"
[joints.r{number}]
type = "prismatic"
axis = {across}
parent = "arm{number}"
child = "foot{number}"
[joints.b{number}]
type = "spherical"
parent = "foot{number}"
child = "table.b{number}"
closes = true
"""


TABLE = (
    """schema = 1
[mechanism]
name = "table"
[ground]
[bodies.first]
[bodies.second]
[bodies.table]
points = { b1 = ["0", "0.3 m", "0.1 m"], b2 = ["0.3 m", "0", "0.1 m"], b3 = ["0.3 m", "0.08 m", "-0.06 m"] }
[joints.u]
type = "prismatic"
axis = "x"
parent = "ground"
child = "first"
[joints.v]
type = "prismatic"
axis = ["0.6", "0.8", "0"]
parent = "first"
child = "second"
[joints.w]
type = "prismatic"
axis = ["0", "0.6", "0.8"]
parent = "second"
child = "table"
"""
    + leg(1, '"x"', '"y"')
    + leg(2, '"y"', '"x"')
    + leg(3, '["0", "0.6", "0.8"]', '"x"')
    + """
[coordinates]
independent = ["c1", "c2", "c3"]
ranges = { c1 = ["-40 mm", "40 mm"], c2 = ["-40 mm", "40 mm"], c3 = ["-40 mm", "40 mm"] }
rates = { c1 = "1 m/s", c2 = "1 m/s", c3 = "1 m/s" }
[coordinates.pose]
u = "0"
v = "0"
w = "0"
c1 = "0"
h1 = "0.3217505544 rad"
r1 = "0.316 m"
c2 = "0"
h2 = "-0.3217505544 rad"
r2 = "0.316 m"
c3 = "0"
h3 = "-0.32 rad"
r3 = "0.316 m"
"""
)


def solved(mechanism: Mechanism, rows: Array) -> tuple[dict[str, Array], Array]:
    """Coordinates by name, and the status; nothing of it by a table."""
    solution = solved_mechanism(mechanism)
    assert not any("table" in fact.kind for fact in solution.block_facts())
    sequence = functions.position(solution, "float64", contract=True)
    result = interpret(sequence, rows)
    found = {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}
    angles = [name.removesuffix(".sin") for name in found if name.endswith(".sin")]
    return found | {name: np.arctan2(found[f"{name}.sin"], found[f"{name}.cos"]) for name in angles}, result.status


def within(mechanism: Mechanism, count: int = 300) -> Array:
    """Random values of the independent coordinates."""
    ranges = [mechanism.ranges[name] for name in mechanism.independent]
    low = np.array([float(each.minimum) for each in ranges])
    high = np.array([float(each.maximum) for each in ranges])
    return np.random.default_rng(3).uniform(low, high, (count, len(ranges)))


def attitude(yaw: Array, pitch: Array, roll: Array) -> Array:
    """Turns about z, y, x of the moving axes, (rows, 3, 3)."""
    (cz, sz), (cy, sy), (cx, sx) = ((np.cos(each), np.sin(each)) for each in (yaw, pitch, roll))
    rows = [
        [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
        [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
        [-sy, cy * sx, cy * cx],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def test_a_point_on_three_lengths() -> None:
    """The camera hangs at the given distances from the three winches, and on the side of its design pose."""
    mechanism = read_mechanism(PRACTICE / "cable_camera.toml")
    rows = within(mechanism)
    found, status = solved(mechanism, rows)
    good = status == 0
    assert good.sum() > 200
    place = np.stack([found[name] for name in "xyz"], axis=-1)
    distances = np.linalg.norm(place[:, None] - WINCHES, axis=-1)
    np.testing.assert_allclose(distances[good], rows[good], rtol=1e-12)
    assert len(np.unique(np.sign(np.linalg.det(place[good, None] - WINCHES)))) == 1


def test_a_point_on_a_length_and_two_links() -> None:
    """Two links of one length hang from carriages, and a leg of a given length stands on the ground."""
    mechanism = read_mechanism(PRACTICE / "tripod_probe.toml")
    rows = within(mechanism)
    found, status = solved(mechanism, rows)
    good = status == 0
    assert good.sum() > 200
    place = np.stack([found["x"], found["y"], found["z"] - 0.4], axis=-1)
    zero = np.zeros(len(rows))
    carriages = [np.stack([zero - 0.125, zero + side * 0.216, rows[:, k]], axis=-1) for k, side in enumerate((1, -1))]
    for carriage, side in zip(carriages, (1, -1), strict=True):
        link = np.linalg.norm(place + np.array([-0.01, side * 0.01, 0]) - carriage, axis=-1)
        np.testing.assert_allclose(link[good], 0.464393, rtol=1e-12)
    leg = np.linalg.norm(place - np.array([0.248, 0, 0.02]), axis=-1)
    np.testing.assert_allclose(leg[good], rows[good, 2], rtol=1e-12)


@pytest.mark.parametrize("name", ["rps_plate", "spr_plate"])
def test_a_plate_on_three_legs_that_keep_to_planes(name: str) -> None:
    """Balls of the plate keep to planes of the ground across the hinges, or the other way round; no other root."""
    mechanism = read_mechanism(PRACTICE / f"{name}.toml")
    rows = within(mechanism)
    found, status = solved(mechanism, rows)
    assert not status.any()
    place = np.stack([found["x"], found["y"], rows[:, 0]], axis=-1)
    turn = attitude(found["yaw"], rows[:, 1], rows[:, 2])
    assert np.abs(found["yaw"]).max() < 0.1
    ring = np.array([[1, 0, 0], [-0.5, 0.75**0.5, 0], [-0.5, -(0.75**0.5), 0]])
    normals = np.cross([0, 0, 1], ring)
    base, plate = PLACES[:, 0], PLACES[:, 1]
    if name == "rps_plate":
        gaps = place[:, None] + np.einsum("rij,kj->rki", turn, plate) - base
    else:
        gaps = np.einsum("rji,rkj->rki", turn, base - place[:, None]) - plate
    assert np.abs(np.einsum("rki,ki->rk", gaps, normals)).max() < 1e-15


def test_three_slides_by_three_moving_planes() -> None:
    """Legs of a slide, a hinge and a slide keep the points of a table in planes that carriages move."""
    mechanism = parse_mechanism(TABLE, "table")
    rows = within(mechanism)
    found, status = solved(mechanism, rows)
    assert not status.any()
    place = np.einsum("ij,jr->ri", SLIDES, np.array([found[name] for name in "uvw"]))
    np.testing.assert_allclose(np.einsum("ki,ri->rk", NORMALS, place), rows, atol=1e-15)


def test_two_slides_and_planes_that_do_not_tell_them_are_refused() -> None:
    """Where two of the planes are parallel the third slide is not told: no block takes it for solved."""
    with pytest.raises(ModelError):
        solved_mechanism(parse_mechanism(TABLE.replace('["0", "0.6", "0.8"]', '["0", "1", "0"]'), "loose"))


@pytest.mark.parametrize("name", ["cable_camera", "rps_plate", "spr_plate"])
def test_rates_are_those_of_differences(name: str) -> None:
    """Central differences of the positions, at random places and rates."""
    mechanism = read_mechanism(PRACTICE / f"{name}.toml")
    rows = within(mechanism, 20) * 0.5 + np.array([float(mechanism.pose[n]) for n in mechanism.independent]) * 0.5
    rates = np.random.default_rng(5).uniform(-0.4, 0.4, rows.shape)
    solution, step = solved_mechanism(mechanism), 1e-5
    sequence = functions.velocity(solution, "float64", contract=True)
    moving = interpret(sequence, np.hstack([rows, rates])).outputs
    named = {output.signal.name: moving[:, k] for k, output in enumerate(sequence.outputs)}
    before, after = (solved(mechanism, rows + sign * step * rates)[0] for sign in (-1, 1))
    unknown = [name for name in ("x", "y", "z", "yaw") if name not in mechanism.independent and name in after]
    assert len(unknown) == 3
    for each in unknown:
        np.testing.assert_allclose(named[f"{each}.rate"], (after[each] - before[each]) / (2 * step), atol=1e-7)


def test_rounded_axes_are_told_where_a_table_was_needed() -> None:
    """A hinge along ["-0.866025", "-0.5", "0"] is not square to a slide at 120 degrees: 5e-8 are told, twice."""
    text = (PRACTICE / "rps_legs.toml").read_text()
    notes = near_miss_notes(parse_mechanism(text, "rounded"))
    assert len(notes) == 1
    assert "hinge2 and leg2 square by 5e-08 rad, hinge3 and leg3 square by 5e-08 rad:" in notes[0]


def test_exact_axes_and_clear_angles_are_no_near_misses() -> None:
    """Legs in turned frames, and rods that lean by a tenth of a degree."""
    assert not near_miss_notes(read_mechanism(PRACTICE / "rps_plate.toml"))
    assert not near_miss_notes(parse_mechanism(TABLE.replace('["0.6", "0.8", "0"]', '["1", "0.001", "0"]'), "leaning"))
