"""Loops that no joint type tells of: crosses written as hinges, parallel hinges in space, loops of directions alone.

Right values: closed forms, and Newton's method on the closures by a program of numpy alone (made for this project),
printed to nine digits.
"""

from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.spatial import roots
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.kinematics.spatial.engine import SpatialSolution
from exporter.kinematics.spatial.triangular import spatial_form
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence import limiting
from exporter.sequence.interpreter import interpret
from exporter.sequence.status import BITS
from sil.reference.mechanism import reference_of

Array = np.ndarray
DATA = Path(__file__).resolve().parents[3] / "data"


def file_of(name: str) -> Path:
    folder = next(each for each in ("mechanisms", "practice") if (DATA / each / f"{name}.toml").exists())
    return DATA / folder / f"{name}.toml"


def data(name: str) -> Mechanism:
    return read_mechanism(file_of(name))


def positions(solution: Solution, rows: Array) -> dict[str, Array]:
    """Coordinates by name, angles within half a turn; no row sets a flag."""
    sequence = functions.position(solution, "float64", contract=True)
    result = interpret(sequence, np.array(rows, dtype=float))
    assert not result.status.any()
    found = {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}
    angles = [name.removesuffix(".sin") for name in found if name.endswith(".sin")]
    return found | {name: np.arctan2(found[f"{name}.sin"], found[f"{name}.cos"]) for name in angles}


def is_closed_form(solution: Solution) -> bool:
    """Whether no block of the solve order takes a table or a Newton step."""
    return not any("Newton" in fact.kind or "table" in fact.kind for fact in solution.block_facts())


RIGHT = {
    "folding_brace": (
        ("swing", "lean", "elbow"),
        {(-0.3,): (-0.15717066, 0.02368238, 0.23885507), (0.1,): (0.44708631, 0.04479169, -0.55941432)},
    ),
    "leg_point": (
        ("abd", "hfe", "kfe"),
        {
            (0.0, 0.055, -0.27): (0.0, 0.667146788, -1.26844274),
            (0.05, 0.09, -0.25): (0.13705291, 0.50518675, -1.3208815),
            (-0.06, 0.03, -0.29): (-0.08670409, 0.74115183, -1.01912993),
        },
    ),
    "gimbal_rod": (("servo",), {(0.1, -0.15): (-0.49296612,), (-0.15, 0.2): (0.68683659,)}),
    "hinged_cross": (
        ("s",),
        {
            (0.0,): (-0.1,),
            (np.pi / 4,): (-0.11555411973844398,),
            (np.pi / 2,): (-0.14501655647292488,),
            (np.pi,): (-0.1788897449072021,),
            (-np.pi / 2,): (-0.13188542521313917,),
        },
    ),
}


@pytest.mark.parametrize("name", list(RIGHT))
def test_a_loop_by_hand(name: str) -> None:
    names, rows = RIGHT[name]
    solution = solved_mechanism(data(name))
    found = positions(solution, np.array(list(rows)))
    assert is_closed_form(solution)
    np.testing.assert_allclose(np.stack([found[each] for each in names], axis=-1), list(rows.values()), atol=1e-8)


def test_hookes_joint_by_its_closed_form() -> None:
    """tan(phi) = tan(theta) / cos(18 deg), through full turns."""
    theta = np.linspace(-3.1, 3.1, 63)
    solution = solved_mechanism(data("hooke"))
    found = positions(solution, theta[:, None])
    assert is_closed_form(solution)
    right = np.arctan2(np.sin(theta) / np.cos(np.deg2rad(18)), np.cos(theta))
    np.testing.assert_allclose(found["phi"], right, atol=1e-12)


def test_a_skew_four_bar_beyond_a_quarter_turn() -> None:
    """tan(t1/2) tan(t2/2) = sin(52.5 deg)/sin(12.5 deg), t3 = -t1: also where one equation alone has another root."""
    t1 = np.deg2rad([25.0, 60, 89, 92, 130, 150])
    found = positions(solved_mechanism(data("skew_four_bar_150")), t1[:, None])
    ratio = np.sin(np.deg2rad(52.5)) / np.sin(np.deg2rad(12.5))
    np.testing.assert_allclose(found["t2"], 2 * np.arctan(ratio / np.tan(t1 / 2)), atol=1e-9)
    np.testing.assert_allclose(found["t3"], -t1, atol=1e-9)


def test_a_lifted_loop_moves_as_it_does_on_the_ground() -> None:
    """Parallel hinges on a base that slides along them."""
    lift, slide = np.meshgrid([-0.3, 0.1, 0.3], [-0.1, 0.0, 0.1])
    found = positions(solved_mechanism(data("lifted_rprz")), np.stack([lift.ravel(), slide.ravel()], axis=-1))
    for name in ("a", "b", "c", "p"):
        values = found[name].reshape(3, 3)
        np.testing.assert_allclose(values, values[:, :1] * np.ones(3), atol=1e-12)
        assert np.ptp(values[:, 0]) > 1e-3


CROSS = """[joints.cross]
type = "universal"
axes = ["z", "x"]
parent = "block.top"
child = "rod"
coordinates = ["tilt", "swing"]
"""


def test_two_hinges_and_a_massless_yoke_are_a_universal_joint() -> None:
    """All coordinates of both writings."""
    text = (DATA / "mechanisms" / "hinged_cross.toml").read_text()
    start, end = text.index("[joints.tilt]"), text.index("[joints.ball]")
    joined = (text[:start] + CROSS + text[end:]).replace("[bodies.yoke]\n", "")
    turn = np.linspace(-3, 3, 25)[:, None]
    written = positions(solved_mechanism(data("hinged_cross")), turn)
    universal = positions(solved_mechanism(parse_mechanism(joined, "joined")), turn)
    for name in ("s", "tilt", "swing"):
        np.testing.assert_allclose(written[name], universal[name], atol=1e-12)


@pytest.mark.parametrize(
    "name", ["rccc", "double_cardan", "nao_leg", "puma_tool", "irb360", "main_gear", "swashplate", "exechon"]
)
def test_a_machine_of_practice_against_the_reference(name: str) -> None:
    """Newton's method on the original closures, at random places of the ranges within half a turn of the pose."""
    mechanism = data(name)
    solution = solved_mechanism(mechanism)
    assert is_closed_form(solution)
    generator = np.random.default_rng(7)
    design = np.array([float(mechanism.pose[each]) for each in mechanism.independent])
    bounds = [mechanism.ranges[each] for each in mechanism.independent]
    low, high = (np.array([float(getattr(each, end)) for each in bounds]) for end in ("minimum", "maximum"))
    rows = generator.uniform(np.maximum(low, design - 3), np.minimum(high, design + 3), (12, len(design)))
    right = reference_of(mechanism).positions(rows)
    assert np.isfinite(right).all()
    found = positions(solution, rows)
    for column, each in enumerate(mechanism.coordinates()):
        if f"{each}.sin" in found:
            np.testing.assert_allclose(found[f"{each}.sin"], np.sin(right[:, column]), atol=1e-9)
            np.testing.assert_allclose(found[f"{each}.cos"], np.cos(right[:, column]), atol=1e-9)
        elif each in found:
            np.testing.assert_allclose(found[each], right[:, column], atol=1e-9)


def test_what_takes_a_table_is_no_closed_form() -> None:
    """The word that the tests above ask for is there where a table is."""
    assert not is_closed_form(solved_mechanism(data("offset_strut")))


WEDGES = """schema = 1
[mechanism]
name = "wedges"
[bodies.first]
[bodies.second]
[bodies.third]
[joints.drive]
type = "prismatic"
axis = "x"
parent = "ground"
child = "first"
[joints.one]
type = "prismatic"
axis = ["1", "2", "0.5"]
parent = "first"
child = "second"
[joints.two]
type = "prismatic"
axis = ["-0.3", "1", "2"]
parent = "second"
child = "third"
[joints.three]
type = "prismatic"
axis = ["0.2", "-1", "1"]
parent = "ground"
child = "third"
closes = true
[coordinates]
independent = ["drive"]
pose = { drive = "0 m", one = "0 m", two = "0 m" }
ranges = { drive = ["-0.2 m", "0.3 m"] }
rates = { drive = "1 m/s" }
"""


def test_three_skew_slides_are_a_linear_system() -> None:
    """drive x + one a + two b = three c, by numpy's solve."""
    solution = solved_mechanism(parse_mechanism(WEDGES, "wedges"))
    assert is_closed_form(solution)
    drive = np.array([-0.2, 0.07, 0.3])
    a, b, c = (np.array(axis) / np.linalg.norm(axis) for axis in ([1, 2, 0.5], [-0.3, 1, 2], [0.2, -1, 1]))
    right = np.linalg.solve(np.stack([a, b, -c], axis=-1), np.outer([-1.0, 0, 0], drive))
    found = positions(solution, drive[:, None])
    np.testing.assert_allclose([found["one"], found["two"]], right[:2], atol=1e-14)


@pytest.mark.parametrize(
    ("name", "old", "wide", "within", "beyond"),
    [
        ("leg_point", 'z = ["-310 mm"', 'z = ["-400 mm"', (0.0, 0.055, -0.27), (0.0, 0.055, -0.395)),
        ("leg_point", '"-220 mm"]', '"-10 mm"]', (0.0, 0.055, -0.27), (0.0, 0.03, -0.02)),
        ("folding_brace", '["-0.5 rad", "0.2 rad"]', '["-0.5 rad", "1.5 rad"]', (-0.3,), (1.4,)),
    ],
)
def test_out_of_reach_is_told(name: str, old: str, wide: str, within: tuple[float], beyond: tuple[float]) -> None:
    """A leg too long, a foot nearer to the hip's axis than the thigh is, a brace that does not reach."""
    source = file_of(name).read_text()
    assert old in source
    form = spatial_form(parse_mechanism(source.replace(old, wide), name))
    sequence = functions.position(SpatialSolution(form), "float64", contract=True)
    status = interpret(sequence, np.array([within, beyond])).status
    assert status[0] == 0
    assert status[1] & 1 << BITS["OUT_OF_WORKSPACE"][0]


@pytest.mark.parametrize("offered", [True, False])
def test_bounds_of_angles_make_a_long_chain_finite(offered: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two parallelograms on each other in float32, over one box: refused where no bound of a cosine is offered."""
    monkeypatch.setattr(limiting, "analysis_in_pieces", lambda _: None)
    if not offered:
        monkeypatch.setattr(roots, "LARGEST_PART", Fraction(10**38))
    with nullcontext() if offered else pytest.raises(ModelError, match="may overflow float32"):
        program_of_mechanism(data("davinci_rcm"), "float32", only=("position",))


def test_the_last_turn_of_a_leg_with_a_low_foot_is_told_by_directions() -> None:
    """In float32 an ankle 45 mm above a foot that is 0.2 m away keeps its pair near the unit circle.

    By the place of the foot, which the lever divides, it was off by up to 112 rounding units.
    """
    mechanism = data("nao_leg")
    solution = solved_mechanism(mechanism)
    assert solution.block_facts()[-1].kind == SpatialKind.LOOP_AXES
    bounds = [mechanism.ranges[each] for each in mechanism.independent]
    low, high = (np.array([float(getattr(r, end)) for r in bounds]) for end in ("minimum", "maximum"))
    rows = np.random.default_rng(3).uniform(low, high, (500, len(bounds))).astype(np.float32)
    sequence = functions.position(solution, "float32", contract=True)
    outputs = interpret(sequence, rows).outputs.astype(float)
    names = [output.signal.name for output in sequence.outputs]
    sine, cosine = (outputs[:, names.index(f"ankle_pitch.{part}")] for part in ("sin", "cos"))
    assert np.abs(sine**2 + cosine**2 - 1).max() < 60 * 2.0**-24


def test_a_long_lever_tells_the_last_turn_by_its_end() -> None:
    """Places are as exact as directions there."""
    text = file_of("nao_leg").read_text()
    longer = text.replace('"-45.19 mm"', '"-90 mm"').replace('"-220.9 mm"', '"-265.7 mm"')
    longer = longer.replace('["-235 mm", "-205 mm"]', '["-280 mm", "-250 mm"]')
    assert solved_mechanism(parse_mechanism(longer, "leg")).block_facts()[-1].kind == SpatialKind.ONE_TURN
