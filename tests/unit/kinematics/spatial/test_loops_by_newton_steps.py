"""Loops that no block takes are closed by a table and two Newton steps: right values, flags and rates.

Oracles: values printed by Newton's method on the closures, made for this project with NumPy alone; the reference's own
Newton over the ranges; the closed form of Hooke's joint.
"""

from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from exporter.errors import RangesRefused
from exporter.kinematics.closures.assemblies import pick_assembly
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.protocol.solution_rows import rate_sequence, solution_rows
from exporter.kinematics.seeded.seed import rounded_up
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.kinematics.spatial.engine import SpatialSolution
from exporter.kinematics.spatial.loops.system import LoopSearch
from exporter.kinematics.spatial.loops.tabulation import loop_table
from exporter.kinematics.spatial.triangular import spatial_form
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.status import BITS
from sil.reference.mechanism import reference_of

Array = NDArray[np.float64]
DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"
PRACTICE = DATA.parent / "practice"
CLOSED = (
    "offset_strut",
    "spherical_wrist",
    "hooke",
    "hinged_cross",
    "folding_brace",
    "lifted_rprz",
    "rccc",
    "rps_legs",
)
STRUT = {  # strut length by the lower arm's angle
    -0.15: 0.368677156239,
    -0.05: 0.398780830134,
    0.1: 0.442760966849,
    0.2: 0.471020432356,
}
BRACE = {-0.3: (-0.15717066, 0.02368238, 0.23885507), 0.1: (0.44708631, 0.04479169, -0.55941432)}
CAMERA = {  # its rotation matrix by the motors
    (0.2, -0.1, 0.15): (
        (0.986542648, -0.14682684, -0.071940826),
        (0.13013718, 0.971493224, -0.198154559),
        (0.098984433, 0.186125747, 0.977527129),
    ),
    (0.4, 0.3, -0.2): (
        (0.951904736, 0.186902681, 0.242785423),
        (-0.084684606, 0.922019874, -0.377766952),
        (-0.294458641, 0.339037963, 0.893502864),
    ),
}
TILT = {(0.1, -0.15): (-0.0998517, -0.01043704), (-0.2, 0.25): (0.17919385, 0.00843821)}


PARALLELOGRAM = """schema = 1
[mechanism]
name = "parallelogram"
[ground]
points = { b = ["0.5 m", "0", "0"] }
[bodies.one]
points = { tip = ["0.2 m", "0", "0"] }
[bodies.coupler]
points = { tip = ["0.5 m", "0", "0"] }
[bodies.other]
points = { tip = ["0.2 m", "0", "0"] }
[joints.p]
type = "revolute"
parent = "ground"
child = "one"
[joints.r]
type = "revolute"
parent = "ground.b"
child = "other"
[joints.k]
type = "revolute"
parent = "one.tip"
child = "coupler"
[joints.c]
type = "revolute"
parent = "coupler.tip"
child = "other.tip"
closes = true
[coordinates]
independent = ["p"]
pose = { p = "90 deg", r = "90 deg", k = "-90 deg" }
ranges = { p = ["0.8724 rad", "2.2692 rad"] }
rates = { p = "10 rad/s" }
"""


def file_of(name: str) -> Path:
    return next(path for folder in (DATA, PRACTICE) if (path := folder / f"{name}.toml").exists())


@cache
def solved(name: str) -> Solution:
    """By loop blocks alone, whatever else the library has for it; those of other tests as they are exported."""
    mechanism = read_mechanism(file_of(name))
    if name not in CLOSED:
        return solved_mechanism(mechanism)
    design = pick_assembly(mechanism)[0].coordinates
    return SpatialSolution(spatial_form(mechanism, loops=LoopSearch(mechanism, design, alone=True)))


def values(name: str, *rows: tuple[float, ...]) -> Array:
    found = solution_rows(solved(name), np.array(rows))
    assert found.good.all()
    return np.asarray(found.coordinates)


def places(name: str, count: int = 60) -> Array:
    """Random places within the ranges, and their corners; a range of many turns cut to one."""
    mechanism = solved(name).mechanism
    ranges = [mechanism.ranges[each] for each in mechanism.independent]
    low, high = (np.clip([float(getattr(r, end)) for r in ranges], -np.pi, np.pi) for end in ("minimum", "maximum"))
    inside = np.random.Generator(np.random.Philox(3)).uniform(low, high, (count, len(ranges)))
    return np.vstack([low, high, inside])


@pytest.mark.parametrize("name", CLOSED)
def test_positions_are_those_of_the_reference(name: str) -> None:
    rows = places(name)
    found, right = values(name, *rows), reference_of(solved(name).mechanism).positions(rows)
    mechanism = solved(name).mechanism
    for column, coordinate in enumerate(mechanism.coordinates()):
        gap = found[:, column] - right[:, column]
        turned = gap if mechanism.is_displacement(coordinate) else np.angle(np.exp(1j * gap))
        np.testing.assert_allclose(turned, 0, atol=1e-9, err_msg=coordinate)


@pytest.mark.parametrize("name", CLOSED)
def test_every_block_closes_loops(name: str) -> None:
    """A test of something else would prove nothing."""
    assert {block.kind for block in solved(name).block_facts()} == {str(SpatialKind.LOOP_NEWTON)}


def test_what_nothing_else_solves_is_exported_so() -> None:
    kinds = [block.kind for block in solved_mechanism(read_mechanism(DATA / "offset_strut.toml")).block_facts()]
    assert kinds == [str(each) for each in (SpatialKind.LOOP_DISTANCE, SpatialKind.LOOP_NEWTON, SpatialKind.TWO_TURNS)]


@pytest.mark.parametrize("name", ["offset_strut", "offset_strut_rack"])
def test_strut_length(name: str) -> None:
    """The rack at 0 changes nothing."""
    column = solved(name).mechanism.coordinates().index("length")
    by = solved(name).mechanism.independent
    rows = [tuple(angle if each == "lower" else 0.0 for each in by) for angle in STRUT]
    np.testing.assert_allclose(values(name, *rows)[:, column], list(STRUT.values()), rtol=0, atol=1e-9)


def test_angles_of_the_brace() -> None:
    names = solved("folding_brace").mechanism.coordinates()
    columns = [names.index(each) for each in ("swing", "lean", "elbow")]
    found = values("folding_brace", *((each,) for each in BRACE))[:, columns]
    np.testing.assert_allclose(found, list(BRACE.values()), rtol=0, atol=1e-8)


def test_plate_on_a_cross_by_two_servos() -> None:
    names = solved("tilt_stage").mechanism.coordinates()
    columns = [names.index(each) for each in ("lean", "tilt")]
    np.testing.assert_allclose(values("tilt_stage", *TILT)[:, columns], list(TILT.values()), rtol=0, atol=1e-8)


def test_attitude_of_the_camera() -> None:
    """m1 about x, k1 about y, c1 about z one after the other are its rotation."""
    names = solved("spherical_wrist").mechanism.coordinates()
    a, b, c = values("spherical_wrist", *CAMERA)[:, [names.index(each) for each in ("m1", "k1", "c1")]].T
    row = np.stack([np.cos(b) * np.cos(c), -np.cos(b) * np.sin(c), np.sin(b)], axis=-1)
    np.testing.assert_allclose(row, [matrix[0] for matrix in CAMERA.values()], rtol=0, atol=1e-8)
    right = [matrix[1][2] for matrix in CAMERA.values()]
    np.testing.assert_allclose(-np.sin(a) * np.cos(b), right, rtol=0, atol=1e-8)


def test_shaft_behind_a_cross_turns_with_it_for_ever() -> None:
    """tan(phi) = tan(theta) / cos(18 deg), over the turns of the file's range."""
    names = solved("hooke").mechanism.coordinates()
    theta = np.array([0.3, 1.2, 2.9, -2.0, 6.9])
    phi = values("hooke", *theta[:, None])[:, names.index("phi")]
    right = np.arctan2(np.sin(theta), np.cos(theta) * np.cos(np.radians(18)))
    np.testing.assert_allclose(np.angle(np.exp(1j * (phi - right))), 0, atol=1e-9)


def test_rates_are_differences_of_positions() -> None:
    sequence, step = rate_sequence(solved("spherical_wrist")), 1e-5
    place, rate = np.array([0.2, -0.1, 0.15]), np.array([1.0, -2.0, 0.5])
    result = interpret(sequence, np.concatenate([place, rate])[None])
    names = solved("spherical_wrist").mechanism.coordinates()
    before, after = values("spherical_wrist", *(tuple(place + sign * step * rate) for sign in (-1, 1)))
    for position, output in enumerate(sequence.outputs):
        column = names.index(output.signal.name.removesuffix(".rate"))
        found = result.outputs[0, position]
        np.testing.assert_allclose(found, (after - before)[column] / (2 * step), rtol=0, atol=1e-8)


def test_residual_is_high_outside() -> None:
    """Far outside of the table's ranges two steps end anywhere, and that is told; inside it is silent."""
    inside, outside = (solution_rows(solved("spherical_wrist"), part * np.ones((1, 3))) for part in (0.5, 2.5))
    assert inside.status[0] == 0
    assert int(outside.status[0]) & 1 << BITS["RESIDUAL_HIGH"][0]


def test_the_same_table_at_every_call() -> None:
    first = solved("offset_strut")
    assert isinstance(first, SpatialSolution)
    mechanism, (system, table) = first.mechanism, first.form.loop_tables[0]
    assert loop_table(mechanism, pick_assembly(mechanism)[0].coordinates, system) == table


def test_a_parallelogram_is_right_up_to_the_ends_of_its_range() -> None:
    """Crank and rocker turn alike, so that the series is exact and steps are short: no seed may be cut."""
    mechanism = parse_mechanism(PARALLELOGRAM, "parallelogram.toml")
    search = LoopSearch(mechanism, pick_assembly(mechanism)[0].coordinates, alone=True)
    ends = np.array([[0.8724], [1.6], [2.269], [2.2692]])
    found = solution_rows(SpatialSolution(spatial_form(mechanism, loops=search)), ends)
    assert found.good.all()
    np.testing.assert_allclose(found.coordinates[:, mechanism.coordinates().index("r")], ends[:, 0], atol=1e-12)


def test_limits_are_rounded_up() -> None:
    """To the nearest, 40 degrees had become a limit of 0.698 rad, and angles next to the end of a range were wrong."""
    angle = 0.6981317
    assert rounded_up(angle, 3) == Fraction("0.699")
    assert rounded_up(0.5, 3) == Fraction("0.5")
    assert [rounded_up(angle * 10.0**k, 2) >= Fraction(angle * 10.0**k) for k in (-9, -1, 0, 4)] == [True] * 4


def test_ranges_that_pass_a_singular_pose_are_refused() -> None:
    """A quarter turn of all motors of the wrist is beyond its workspace."""
    text = (DATA / "spherical_wrist.toml").read_text().replace('"-0.6 rad", "0.6 rad"', '"-2 rad", "2 rad"')
    mechanism = parse_mechanism(text, "wrist.toml")
    search = LoopSearch(mechanism, dict.fromkeys(mechanism.coordinates(), 0.0), alone=True)
    with pytest.raises(RangesRefused, match="do not follow from the design pose"):
        spatial_form(mechanism, loops=search)
