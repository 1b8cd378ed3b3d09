"""Planar mechanisms of public bug reports: right values by circle intersections or closed forms at 30 digits.

The values stand in tests/data/mechanism_cases.json with their sources; the mechanisms are files in examples and in
tests/data/mechanisms.
"""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.planar.engine import PlanarSolution
from exporter.kinematics.planar.triangular import triangular_form
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.model.complete import with_independent, with_values
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence
from exporter.sequence.status import BITS

ROOT = Path(__file__).resolve().parents[4]
MECHANISMS = ROOT / "tests" / "data" / "mechanisms"
CASES: Any = json.loads((ROOT / "tests" / "data" / "mechanism_cases.json").read_text())
Array = np.ndarray


def flag(name: str) -> int:
    return 1 << BITS[name][0]


def results(sequence: OperationSequence, rows: Any) -> tuple[dict[str, Array], Array]:
    result = interpret(sequence, np.asarray(rows, dtype=float))
    assert np.isfinite(result.outputs).all()
    return {o.signal.name: result.outputs[:, k] for k, o in enumerate(sequence.outputs)}, result.status


def positions(mechanism: Mechanism, rows: Any) -> tuple[dict[str, Array], Array]:
    return results(functions.position(solved_mechanism(mechanism), "float64", contract=True), rows)


def points(values: dict[str, Array], name: str) -> Array:
    return np.stack([values[f"{name}.x"], values[f"{name}.y"]], axis=-1)


def turn(samples: list[Any]) -> Array:
    return np.radians([[sample["theta_deg"]] for sample in samples])


def wanted(samples: list[Any], name: str) -> Array:
    return np.array([sample[name] for sample in samples])


# -- walking legs and six-bars -------------------------------------------------------------------------------------


def test_jansen_leg_over_a_turn() -> None:
    """M03: the toe of eleven bars in three loops, no branch change; x within -71.522 to -3.613, y to -69.377 mm."""
    samples = CASES["M03"]["samples"]
    mechanism = read_mechanism(model_path("jansen_leg"))
    values, status = positions(mechanism, turn(samples))
    assert not status.any()
    np.testing.assert_allclose(1000 * points(values, "toe"), wanted(samples, "S"), atol=1e-9)
    fine, status = positions(mechanism, np.linspace(0, 2 * math.pi, 2000)[:, None])
    assert not status.any()
    x, y = 1000 * points(fine, "toe").T
    assert [x.min(), x.max()] == pytest.approx([-71.522, -3.613], abs=2e-3)
    assert [y.min(), y.max()] == pytest.approx([-91.834, -69.377], abs=2e-3)


def test_klann_leg_over_a_turn() -> None:
    """M14: the toe of a four-bar with a ternary coupler and a ternary leg."""
    samples = CASES["M14"]["samples"]
    values, status = positions(read_mechanism(model_path("klann_leg")), turn(samples))
    assert not status.any()
    np.testing.assert_allclose(1000 * points(values, "toe"), wanted(samples, "G"), atol=1e-9)


def test_watt_six_bar_solves_both_loops() -> None:
    """M10: every pin over the turn, the joint E of the second loop and its velocity included."""
    samples = CASES["M10"]["samples"]
    mechanism = read_mechanism(MECHANISMS / "watt_coupler_point.toml")
    values, status = positions(mechanism, turn(samples))
    assert not status.any()
    for name in "BCEF":
        np.testing.assert_allclose(points(values, name), wanted(samples, name), atol=1e-11)
    rows = turn(samples)
    moving, _ = results(
        functions.velocity(solved_mechanism(mechanism), "float64", contract=True), np.hstack([rows, np.ones_like(rows)])
    )
    ahead, behind = (points(positions(mechanism, rows + step)[0], "E") for step in (1e-5, -1e-5))
    velocity = np.stack([moving["E.x.rate"], moving["E.y.rate"]], axis=-1)
    np.testing.assert_allclose(velocity, (ahead - behind) / 2e-5, atol=1e-7)


# -- five-bar SCARA ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("branch", "sign"), [("plus", 1), ("minus", -1)])
def test_scara_tip_from_its_motors(branch: str, sign: int) -> None:
    """M09: both assembly modes."""
    form = triangular_form(read_mechanism(MECHANISMS / "scara_forward.toml"))
    own = form.blocks[0].sign
    entries = CASES["M09"]["fk"]
    rows = np.radians([entry["deg"] for entry in entries])
    values, status = results(
        functions.position(PlanarSolution(form.with_signs((sign * own,))), "float64", contract=True), rows
    )
    assert not status.any()
    np.testing.assert_allclose(points(values, "P"), wanted(entries, branch), atol=1e-12)


def test_scara_rates_and_its_singular_pose() -> None:
    """M09: dP/dq at (120, 60) degrees; distal links in line at (180, 0) degrees are flagged."""
    solved = solved_mechanism(read_mechanism(MECHANISMS / "scara_forward.toml"))
    velocity = functions.velocity(solved, "float64", contract=True)
    values, _ = results(velocity, [[math.radians(120), math.radians(60), *each] for each in ((1, 0), (0, 1))])
    found = np.stack([values["P.x.rate"], values["P.y.rate"]])
    expected = [[-0.111789390272, -0.111789390272], [-0.0895031433961, 0.0895031433961]]
    np.testing.assert_allclose(found, expected, atol=1e-11)
    assert np.linalg.det(found) == pytest.approx(-0.0200110036553, abs=1e-11)
    _, status = results(velocity, [[math.pi, 0, 1, 1]])
    assert status[0] & (flag("NEAR_SINGULAR") | flag("OUT_OF_WORKSPACE"))


def test_scara_motors_from_its_tip() -> None:
    """M09: all four working modes, each motor angle from the list; a tip out of reach is told."""
    form = triangular_form(read_mechanism(MECHANISMS / "scara_inverse.toml"))
    for entry in CASES["M09"]["ik"]:
        seen: set[tuple[float, float]] = set()
        for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
            sequence = functions.position(PlanarSolution(form.with_signs(signs)), "float64", contract=True)
            values, status = results(sequence, [entry["P"]])
            if entry["q1"] is None:
                assert status[0] & flag("OUT_OF_WORKSPACE")
                continue
            assert status[0] == 0
            seen.add(
                tuple(
                    round(math.atan2(*(float(values[f"{q}.{f}"][0]) for f in ("sin", "cos"))), 9) for q in ("q1", "q2")
                )
            )
        if entry["q1"] is not None:
            pairs = {(q1, q2) for q1 in entry["q1"] for q2 in entry["q2"]}
            wrapped = {tuple(round(math.remainder(q, math.tau), 9) for q in pair) for pair in pairs}
            assert seen == wrapped


# -- scissor lift --------------------------------------------------------------------------------------------------


def test_scissor_lift_height_and_its_rate() -> None:
    """M05: arms of 0.8 m with the foot at 0.5 m: 1.24899959968 m, dH/dx = -1.60128153805; both pins level."""
    mechanism = read_mechanism(model_path("scissor_lift"))
    values, status = positions(mechanism, [[0.5]])
    assert not status.any()
    assert points(values, "platform_pin")[0] == pytest.approx([0, 1.24899959968], abs=1e-11)
    rates, _ = results(functions.velocity(solved_mechanism(mechanism), "float64", contract=True), [[0.5, 0.1]])
    assert rates["platform_pin.y.rate"][0] == pytest.approx(-0.160128153805, abs=1e-11)
    assert rates["platform_pin.x.rate"][0] == pytest.approx(0, abs=1e-12)


def test_scissor_lift_flags_its_flat_position() -> None:
    """M05: all arms in line, x = 0.8 m: singular, told, and finite."""
    mechanism = read_mechanism(model_path("scissor_lift"))
    wider = replace(mechanism, ranges={"x": replace(mechanism.ranges["x"], maximum=Fraction(9, 10))})
    sequence = functions.velocity(solved_mechanism(wider), "float64", contract=True)
    _, status = results(sequence, [[0.8, 0.1], [0.85, 0.1]])
    assert status[0] & flag("NEAR_SINGULAR")
    assert status[1] & flag("OUT_OF_WORKSPACE")


# -- planar loops in space -----------------------------------------------------------------------------------------


def test_four_bar_in_a_tilted_plane_equals_the_flat_one() -> None:
    """M04: in the plane with normal (1, 2, 2)/3 the angles are those of M01; three equations are dropped and told."""
    tilted = solved_mechanism(read_mechanism(MECHANISMS / "tilted_crank_rocker.toml"))
    flat = solved_mechanism(read_mechanism(ROOT / "tests" / "data" / "crank_rocker.toml"))
    rows = np.radians(np.arange(0, 360, 15.0))[:, None]
    found, status = results(functions.position(tilted, "float64", contract=True), rows)
    expected, _ = results(functions.position(flat, "float64", contract=True), rows)
    assert not status.any()
    for name in ("theta4.sin", "theta4.cos", "gamma.sin", "gamma.cos"):
        np.testing.assert_allclose(found[name], expected[name], atol=1e-13)
    assert any("3 of its spatial closure equations are redundant" in note for note in tilted.notes)


# -- slider-crank at its dead centres ------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "offset"), [("e0", "0"), ("e003", "0.03")])
def test_slider_crank_over_a_turn(key: str, offset: str) -> None:
    """M13: position, first and second derivative with respect to the crank angle."""
    mechanism = with_values(read_mechanism(MECHANISMS / "offset_slider_crank.toml"), {"offset": Fraction(offset)})
    samples = CASES["M13"]["samples"]
    rows = turn(samples)
    one, zero = np.ones_like(rows), np.zeros_like(rows)
    solved = solved_mechanism(mechanism)
    second, status = results(functions.acceleration(solved, "float64", contract=True), np.hstack([rows, one, zero]))
    first, _ = results(functions.velocity(solved, "float64", contract=True), np.hstack([rows, one]))
    place, _ = positions(mechanism, rows)
    assert not status.any()
    found = np.stack([place["x"], first["x.rate"], second["x.acceleration"]], axis=-1)
    np.testing.assert_allclose(found, wanted(samples, key), atol=1e-12)


def slider_driven() -> Mechanism:
    """From the slider, on the branch with the crank upwards."""
    mechanism = read_mechanism(MECHANISMS / "offset_slider_crank.toml")
    pose = {"x": Fraction("0.2845"), "theta": Fraction("1.047"), "phi": Fraction("-1.4")}
    limits = CoordinateRange(Fraction("0.14"), Fraction("0.36"), Fraction(10), Fraction(1000))
    return with_independent(mechanism, ["x"], pose, {"x": limits})


def test_slider_driven_near_and_beyond_its_dead_centre() -> None:
    """M13: x = 0.349999 m is theta = 0.00377964859974 rad, flagged like 0.35 m; beyond nothing can be reached."""
    values, status = positions(slider_driven(), [[0.349999], [0.350001]])
    assert status[0] == flag("BRANCH_NEAR_SWAP")
    assert math.atan2(values["theta.sin"][0], values["theta.cos"][0]) == pytest.approx(0.00377964859974, abs=1e-11)
    assert status[1] & flag("OUT_OF_WORKSPACE")
    velocity = functions.velocity(solved_mechanism(slider_driven()), "float64", contract=True)
    _, status = results(velocity, [[0.35, 1.0]])
    assert status[0] & flag("NEAR_SINGULAR")


# -- change points and pendulums -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theta2", "sign", "theta4"),
    [
        (0.001, 1, 0.001),
        (-0.001, 1, 0.002999998),
        (1.2, 1, 1.2),
        (3.1425926, 1, 3.1412593381),
        (1.2, -1, -2.23483041223),
    ],
)
def test_parallelogram_by_a_constant_root_sign(theta2: float, sign: int, theta4: float) -> None:
    """M16: what a constant sign gives on both sides of the change points, which the margin and the flags must tell."""
    form = triangular_form(read_mechanism(MECHANISMS / "change_point_parallelogram.toml"))
    own = form.blocks[0].sign
    values, _ = results(
        functions.position(PlanarSolution(form.with_signs((sign * own,))), "float64", contract=True), [[theta2]]
    )
    found = math.atan2(values["theta4.sin"][0], values["theta4.cos"][0])
    assert math.remainder(found - theta4, math.tau) == pytest.approx(0, abs=2e-9)


def test_parallelogram_never_swaps_silently() -> None:
    """M16: a sweep through the change point either keeps theta4 = theta2 or is flagged at the point itself."""
    solved = solved_mechanism(read_mechanism(MECHANISMS / "change_point_parallelogram.toml"))
    velocity = functions.velocity(solved, "float64", contract=True)
    _, status = results(velocity, [[0.0, 1.0]])
    assert status[0] & (flag("NEAR_SINGULAR") | flag("BRANCH_NEAR_SWAP"))


@pytest.mark.parametrize("driven", ["theta", "psi"])
def test_parallelogram_pendulum_swings_like_its_reduced_equation(driven: str) -> None:
    """M19: reduced inertia (2/3 + 2) l^2, angular acceleration -22.0725 sin(theta), by either angle."""
    mechanism = read_mechanism(MECHANISMS / "parallelogram_pendulum.toml")
    mechanism = with_independent(mechanism, [driven])
    angles = np.array([0.3, 1e-3, -0.7])
    dynamics = functions.dynamics(solved_mechanism(mechanism), "float64", contract=True)
    values, status = results(dynamics, np.stack([angles, np.zeros(3)], axis=-1))
    assert not status.any()
    np.testing.assert_allclose(values[f"{driven}.acceleration"], -22.0725 * np.sin(angles), atol=1e-11)
    assert values[f"{driven}.acceleration"][0] == pytest.approx(-6.52286976153, abs=1e-10)


GUIDE = '[joints.guide]\ntype = "prismatic"\naxis = "y"\nparent = "ground"\nchild = "platform"\ncloses = true\n\n'


def test_redundant_guide_in_the_plane_is_dropped_and_told() -> None:
    """M05, variant B: the vertical guide that the lift does not need; 1.24899959968 m high as without it."""
    text = model_path("scissor_lift").read_text()
    mechanism = parse_mechanism(text.replace("[coordinates]", f"{GUIDE}[coordinates]"), "guided lift")
    solved = solved_mechanism(mechanism)
    values, _ = results(functions.position(solved, "float64", contract=True), [[0.5]])
    assert values["platform_pin.y"][0] == pytest.approx(1.24899959968, abs=1e-11)
    (note,) = (note for note in solved.notes if "guide" in note)
    assert note == "loop 'guide': the other loops imply all of its closure equations; it is redundant and was dropped"


TIED = """
schema = 1
mechanism = { name = "tied" }
bodies = { one = {}, two = {}, arm = {} }

[joints]
x1 = { type = "prismatic", axis = "x", parent = "ground", child = "one" }
x2 = { type = "prismatic", axis = "x", parent = "ground", child = "two" }
turn = { type = "revolute", parent = "two", child = "arm" }
tie = { type = "prismatic", axis = "y", parent = "one", child = "two", closes = true }

[coordinates]
independent = ["x1", "x2", "turn"]
pose = { x1 = "0", x2 = "0", turn = "0" }
ranges = { x1 = ["-0.1 m", "0.1 m"], x2 = ["-0.1 m", "0.1 m"], turn = ["-1 rad", "1 rad"] }
rates = { x1 = "1 m/s", x2 = "1 m/s", turn = "1 rad/s" }
"""


def test_joint_that_ties_two_independent_slides_is_not_redundant() -> None:
    """The joint stays closed where both slides move alike, and nowhere else."""
    with pytest.raises(ModelError, match="leave 2 degrees of freedom"):
        solved_mechanism(parse_mechanism(TIED, "tied slides"))


def test_guide_that_the_lift_cannot_follow_is_refused() -> None:
    """A guide along the slope is no redundant one: nothing moves any more, and the refusal says so."""
    text = (
        model_path("scissor_lift")
        .read_text()
        .replace("[coordinates]", GUIDE.replace('"y"', '["1", "3", "0"]') + "[coordinates]")
    )
    with pytest.raises(ModelError, match="does not close the loops from the pose at x ="):
        solved_mechanism(parse_mechanism(text, "guided lift"))


THIRD_CRANK = """
schema = 1
[mechanism]
name = "three_cranks"
[ground]
points = { one = ["0.5 m", "0.2 m", "0"], two = ["-0.3 m", "0.6 m", "0"] }
[bodies.crank]
points = { pin = ["0.4 m", "0", "0"] }
[bodies.coupler]
points = { one = ["0.5 m", "0.2 m", "0"], two = ["-0.3 m", "0.6 m", "0"] }
[bodies.first]
points = { pin = ["0.4 m", "0", "0"] }
[bodies.second]
points = { pin = ["0.4 m", "0", "0"] }
[joints.a]
type = "revolute"
parent = "ground"
child = "crank"
[joints.b]
type = "revolute"
parent = "crank.pin"
child = "coupler"
[joints.c]
type = "revolute"
parent = "ground.one"
child = "first"
[joints.d]
type = "revolute"
parent = "ground.two"
child = "second"
[joints.k]
type = "revolute"
parent = "coupler.one"
child = "first.pin"
closes = true
[joints.l]
type = "revolute"
parent = "coupler.two"
child = "second.pin"
closes = true
[coordinates]
independent = ["a"]
pose = { a = "0.7 rad", b = "-0.7 rad", c = "0.7 rad", d = "0.7 rad" }
ranges = { a = ["0.5 rad", "0.9 rad"] }
rates = { a = "5 rad/s" }
"""


def test_third_crank_of_a_parallelogram_turns_as_the_others() -> None:
    """One of two equations is implied: there is no form in the plane, and one in space. The coupler does not turn."""
    solved = solved_mechanism(parse_mechanism(THIRD_CRANK, "three cranks"))
    a = np.linspace(0.5, 0.9, 7)
    rows = solution_rows(solved, a[:, None])
    assert rows.good.all()
    np.testing.assert_allclose(rows.coordinates, np.stack([a, -a, a, a], axis=-1), atol=1e-12)
