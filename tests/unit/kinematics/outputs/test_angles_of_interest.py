"""Angles of directions among the outputs, by every engine, against the reference's bodies in space and closed forms."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.model.canonical import canonical, from_canonical
from exporter.model.complete import completed, with_tunable, with_values
from exporter.model.directions import turn_vector
from exporter.model.evaluate import evaluate
from exporter.model.expression import Number
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism, Rotation, SolverOptions
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence, Precision
from exporter.sequence.status import BITS
from sil.reference.angles import angle_motion
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

Array = np.ndarray

LINES = {
    # an axis of a body, of a turned frame, of three numbers
    "toe": '{ of = "carrier", axis = "y", from = "y", to = "x" }',
    "camber": '{ of = "carrier", axis = "y", from = "xy", to = "-z" }',
    "frame": '{ of = "rack.J", axis = ["1", "2", "-2"], from = "-x", to = "z" }',
    # an axis as another body sees it, or a frame on it
    "steer": '{ of = "carrier", axis = "y", from = "y", to = "x", seen_from = "upper_arm" }',
    "tilt": '{ of = "upper_arm", axis = "z", from = "xz", to = "-y", seen_from = "rack.J" }',
    "fixed": '{ of = "ground", axis = "z", from = "z", to = "y", seen_from = "carrier" }',
    # a line of one body, of two, of a body and the ground
    "caster": '{ line = ["carrier", "carrier.A"], from = "z", to = "-x" }',
    "rod": '{ line = ["rack", "carrier.I"], from = "xz", to = "y" }',
    "strut": '{ line = ["lower_arm.D", "ground.B"], from = "yz", to = "-x" }',
    "turning": '{ line = ["ground.E", "carrier.wheel"], from = "y", to = "z" }',
}


def asking(name: str, **angles: str) -> Mechanism:
    text = model_path(name).read_text(encoding="utf-8").split("[outputs]")[0]
    lines = "".join(f"{alias} = {entry}\n" for alias, entry in angles.items())
    return parse_mechanism(f"{text}\n[outputs]\n{lines}", f"{name}.toml")


def four_bar() -> Mechanism:
    mechanism = asking(
        "spatial_four_bar",
        twist='{ of = "follower.tip", axis = "x", from = "z", to = "y" }',
        follower='{ line = ["follower", "follower.tip"], from = "xz", to = "y" }',
        between='{ line = ["crank.tip", "rod"], from = "xy", to = "z" }',
    )
    return with_values(mechanism, {"beta0": Fraction("0.2")})


def wishbone(**angles: str) -> Mechanism:
    return asking("double_wishbone_front", **angles)


def named(sequence: OperationSequence, rows: Array) -> dict[str, Array]:
    result = interpret(sequence, rows)
    assert not result.status.any()
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


def written(mechanism: Mechanism, precision: Precision = "float64") -> dict[str, OperationSequence]:
    form = solved_mechanism(mechanism)
    return {
        function.__name__: function(form, precision, contract=True)
        for function in (functions.position, functions.velocity, functions.acceleration)
    }


def check(mechanism: Mechanism, width: float, tolerance: float = 1e-10) -> None:
    """Angles, rates and accelerations over random poses; a baseline starts at its nominal values."""
    generator = np.random.Generator(np.random.Philox(8))
    design = np.array([float(mechanism.pose[name]) for name in mechanism.independent])
    q, u, w = (generator.uniform(-size, size, (30, len(design))) for size in (width, 1.0, 3.0))
    q = q + design
    reference = reference_of(mechanism)
    at = configuration(reference.positions(q))
    rates = reference.velocities(at, u)
    second = reference.accelerations(at, rates, w)
    made = {
        name: named(sequence, _rows(sequence, np.hstack([q, u, w]))) for name, sequence in written(mechanism).items()
    }
    for name, wanted in mechanism.angles.items():
        right = angle_motion(reference.skeleton, wanted, at, rates, second)
        np.testing.assert_allclose(made["position"][name], right.angle, atol=1e-12)
        np.testing.assert_allclose(made["velocity"][f"{name}.rate"], right.rate, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(
            made["acceleration"][f"{name}.acceleration"], right.acceleration, rtol=10 * tolerance, atol=10 * tolerance
        )


def _rows(sequence: OperationSequence, given: Array) -> Array:
    """Independent coordinates, rates and accelerations as given; everything else at its nominal value."""
    columns, used = [], 0
    for signal in sequence.inputs:
        if ".previous" in signal.name or signal.group.name == "PARAMETER":
            columns.append(np.full(len(given), float(signal.nominal or 0)))
        else:
            columns.append(given[:, used])
            used += 1
    return np.stack(columns, axis=1)


def test_angles_of_a_spatial_mechanism() -> None:
    """Axes and lines, from an axis and from a plane, on one body, between two, and to the ground."""
    check(wishbone(**LINES), 0.03)


def test_angles_of_a_mechanism_with_tunable_parameters() -> None:
    """A turned frame whose angle is tunable, and a line of tunable length."""
    check(with_tunable(four_bar(), ["beta0", "Lf"]), 0.4)


def test_angles_of_a_planar_mechanism() -> None:
    """An angle of a coupler in its plane, one of a direction out of it, and one between two bodies."""
    mechanism = asking(
        "stephenson_iii",
        coupler='{ line = ["coupler", "coupler.apex"], from = "x", to = "y" }',
        normal='{ of = "coupler", axis = ["0", "3", "4"], from = "z", to = "y" }',
        between='{ line = ["crank.tip", "ground.C"], from = "-y", to = "x" }',
    )
    check(mechanism, 0.3)


def test_angles_by_newtons_method() -> None:
    """Five steps from the design pose to poses near it."""
    check(replace(four_bar(), solver=SolverOptions("newton-per-loop", 5)), 0.01)


def test_angles_by_a_raw_basis() -> None:
    """The slider-crank's rod."""
    mechanism = asking("slider_crank", rod='{ of = "rod", axis = "y", from = "y", to = "-x" }')
    check(replace(mechanism, solver=SolverOptions("lexicographic")), 0.1)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_both_precisions_are_proven_total(precision: Precision) -> None:
    """No overflow over the ranges, also where an angle loses its meaning."""
    program_of_mechanism(wishbone(**LINES), precision)


def test_direction_that_stays_across_is_refused() -> None:
    """The normal of a planar motion has no angle in the plane."""
    mechanism = asking("slider_crank", across='{ of = "crank", axis = "z", from = "x", to = "y" }')
    with pytest.raises(ModelError, match='from crank to crank axis z stays across from = "x" in every pose; measure'):
        written(mechanism)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_direction_that_comes_across_is_flagged(precision: Precision) -> None:
    """A crank in the plane x, y seen against z and y: at theta = 0 it points at the viewer."""
    mechanism = asking("slider_crank", across='{ of = "crank", axis = "x", from = "z", to = "y" }')
    for name, sequence in written(mechanism, precision).items():
        rows = np.array([[0.0], [0.7]])
        result = interpret(sequence, np.hstack([rows, np.ones((2, len(sequence.inputs) - 1))]))
        assert result.status[0] == 1 << BITS["NEAR_SINGULAR"][0], name
        assert result.status[1] == 0, name
        assert np.isfinite(result.outputs).all(), name


def test_signs_of_toe_camber_and_caster_on_the_left() -> None:
    """A wheel on the left turned by hand: front inwards, top outwards, kingpin's top rearwards are positive."""
    mechanism = parse_mechanism(
        """
schema = 1
[mechanism]
name = "hub"
[bodies.hub]
points = { top = ["0", "0", "0.1 m"] }
[joints.ball]
type = "spherical"
parent = "ground"
child = "hub"
coordinates = ["yaw", "pitch", "roll"]
[coordinates]
independent = ["yaw", "pitch", "roll"]
pose = { yaw = "0", pitch = "0", roll = "0" }
ranges = { yaw = ["-1 rad", "1 rad"], pitch = ["-1 rad", "1 rad"], roll = ["-1 rad", "1 rad"] }
rates = { yaw = "1 rad/s", pitch = "1 rad/s", roll = "1 rad/s" }
[outputs]
toe = { of = "hub", axis = "y", from = "y", to = "x" }
camber = { of = "hub", axis = "y", from = "xy", to = "-z" }
caster = { line = ["hub", "hub.top"], from = "z", to = "-x" }
inclination = { line = ["hub", "hub.top"], from = "z", to = "-y" }
""",
        "hub.toml",
    )
    rows = np.array([[-0.1, 0, 0], [0, 0, -0.1], [0, -0.1, 0], [0, 0, 0.1]])  # yaw in, roll out, pitch back, roll in
    values = named(written(mechanism)["position"], rows)
    np.testing.assert_allclose(values["toe"], [0.1, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(values["camber"], [0, 0.1, 0, -0.1], atol=1e-15)
    np.testing.assert_allclose(values["caster"], [0, 0, 0.1, 0], atol=1e-15)
    np.testing.assert_allclose(values["inclination"], [0, -0.1, 0, 0.1], atol=1e-15)


def test_axis_of_a_turned_frame_in_body_axes() -> None:
    """Against numpy's product of elementary matrices."""
    turns = (("z", 0.3), ("x", -1.1), ("y", 0.4))
    rotation = Rotation(tuple((axis, Number(Fraction(str(angle)))) for axis, angle in turns))  # type: ignore[misc]
    vector = (Number(Fraction(1)), Number(Fraction(-2)), Number(Fraction(3)))
    matrix = np.eye(3)
    for axis, angle in turns:
        i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
        turn = np.eye(3)
        turn[i, i] = turn[j, j] = math.cos(angle)
        turn[j, i], turn[i, j] = math.sin(angle), -math.sin(angle)
        matrix = matrix @ turn
    found = [float(evaluate(part, {})) for part in turn_vector(vector, rotation)]
    np.testing.assert_allclose(found, matrix @ [1, -2, 3], atol=1e-15)


def test_canonical_form_holds_the_angles_and_only_where_there_are_any() -> None:
    """There and back; a model without angles keeps the hash that it had before there were any."""
    mechanism = wishbone(**LINES)
    assert from_canonical(canonical(mechanism)) == mechanism
    assert "angles" not in canonical(completed(replace(mechanism, angles={})))


FAULTS = {
    "no direction": ('{ from = "x", to = "y" }', "an angle is that of one direction"),
    "two directions": (
        '{ of = "carrier", axis = "y", line = ["carrier", "carrier.A"], from = "x", to = "y" }',
        "an angle is that of one direction",
    ),
    "no axis": ('{ of = "carrier", from = "x", to = "y" }', 'add axis = "x", "y", "z"'),
    "axis of a line": ('{ line = ["carrier", "carrier.A"], axis = "y", from = "x", to = "y" }', "leave `axis` out"),
    "one point": ('{ line = ["carrier.A", "carrier.A"], from = "x", to = "y" }', "are one point"),
    "one end": ('{ line = ["carrier.A"], from = "x", to = "y" }', "has 1 entries; write 2"),
    "no body": ('{ of = "carier", axis = "y", from = "x", to = "y" }', 'did you mean "carrier"?'),
    "no point": ('{ line = ["carrier.A", "carrier.B"], from = "x", to = "y" }', '"carrier.B" is no point'),
    "axis of the ground": (
        '{ of = "ground", axis = "y", from = "x", to = "y" }',
        "never moves as ground sees it; name two bodies",
    ),
    "along itself": ('{ of = "carrier", axis = "y", from = "x", to = "-x" }', 'is along "x"; name an axis across it'),
    "in the plane": ('{ of = "carrier", axis = "y", from = "xy", to = "x" }', 'write to = "z" or to = "-z"'),
    "no axis of the ground": ('{ of = "carrier", axis = "y", from = "w", to = "x" }', 'from "w" is not known'),
    "unknown key": ('{ of = "carrier", axis = "y", from = "x", too = "y" }', 'did you mean "to"?'),
    "missing key": ('{ of = "carrier", axis = "y", from = "x" }', "the key `to` is missing"),
    "zero axis": ('{ of = "carrier", axis = ["0", "0", "0"], from = "x", to = "y" }', "the axis is zero"),
    "number": ("3", "is not a text in quotes or a table"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_told(fault: str) -> None:
    """One sentence at outputs.toe."""
    entry, said = FAULTS[fault]
    with pytest.raises(ModelError) as caught:
        wishbone(toe=entry)
    assert str(caught.value).startswith("double_wishbone_front.toml: outputs.toe")
    assert said in str(caught.value)


def test_name_that_is_taken_is_refused() -> None:
    """By a coordinate."""
    with pytest.raises(ModelError, match='the name "yaw" is taken'):
        wishbone(yaw=LINES["toe"])


MEETING_TIPS = """
schema = 1
[mechanism]
name = "tips"
[ground]
points = { there = ["0.5 m", "0", "0"] }
[bodies.one]
points = { tip = ["0.3 m", "0", "0"] }
[bodies.other]
points = { tip = ["0.3 m", "0", "0"] }
[bodies.slider]
[joints.a]
type = "revolute"
parent = "ground"
child = "one"
[joints.s]
type = "prismatic"
parent = "ground"
child = "slider"
[joints.b]
type = "revolute"
parent = "slider"
child = "other"
[coordinates]
independent = ["a", "s", "b"]
pose = { a = "0.4 rad", s = "0.2 m", b = "0.3 rad" }
ranges = { a = ["-1 rad", "1 rad"], s = ["-0.3 m", "0.3 m"], b = ["-1 rad", "1 rad"] }
rates = { a = "1 rad/s", s = "1 m/s", b = "1 rad/s" }
[outputs]
rise = { line = ["one.tip", "other.tip"], from = "BASE", to = "TO" }
"""


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize(("base", "to"), [("xz", "y"), ("x", "y")])
def test_a_line_whose_ends_meet_is_flagged_there(precision: Precision, base: str, to: str) -> None:
    """The tips lie in one point at s = 0 and like angles; apart the elevation is that of their difference."""
    text = MEETING_TIPS.replace("BASE", base).replace("TO", to)
    solved = solved_mechanism(parse_mechanism(text, "tips"))
    sequence = functions.position(solved, precision, contract=True)
    rows = np.array([[0.4, 0.0, 0.4], [-0.7, 0.0, -0.7], [0.4, 0.2, 0.3]])
    result = interpret(sequence, rows.astype(sequence.precision))
    assert (result.status & (1 << BITS["NEAR_SINGULAR"][0]) != 0).tolist() == [True, True, False]
    rise = next(k for k, output in enumerate(sequence.outputs) if output.signal.name == "rise")
    across = 0.2 + 0.3 * (math.cos(0.3) - math.cos(0.4))
    right = math.atan2(0.3 * (math.sin(0.3) - math.sin(0.4)), across)
    assert result.outputs[2, rise] == pytest.approx(right, abs=1e-6)


@pytest.mark.parametrize("ends", [("rod.tip", "crank.tip"), ("crank.tip", "rod.tip")])
def test_a_line_that_joints_hold_to_nothing_is_refused(ends: tuple[str, str]) -> None:
    """The ball of the spatial four-bar holds the rod's tip at the crank's, whatever moves."""
    mechanism = asking("spatial_four_bar", line='{{ line = ["{}", "{}"], from = "xz", to = "y" }}'.format(*ends))
    sentence = f"the line of 'line' has no length: joints hold {ends[0]} and {ends[1]} together in every pose"
    with pytest.raises(ModelError, match=sentence):
        program_of_mechanism(mechanism, "float64", only=["position"])


WELDED = """schema = 1
[mechanism]
name = "welded"
[bodies.arm]
[bodies.post]
[joints.q]
type = "revolute"
parent = "ground"
child = "arm"
[joints.weld]
type = "fixed"
parent = "ground"
child = "post"
[coordinates]
independent = ["q"]
pose = { q = "0.1 rad" }
ranges = { q = ["-1 rad", "1 rad"] }
rates = { q = "1 rad/s" }
[outputs]
lean = { of = "post", axis = "y", from = "x", to = "y" }
"""


def test_an_angle_that_no_coordinate_moves_is_judged_too() -> None:
    """A body that is welded to the ground, beside one that turns; the reference's answer has one row a pose."""
    mechanism = parse_mechanism(WELDED, "welded")
    skeleton, poses = reference_of(mechanism).skeleton, configuration(np.array([[0.1], [0.2]]))
    still = np.zeros_like(poses.values)
    motion = angle_motion(skeleton, mechanism.angles["lean"], poses, still + 1, still)
    assert motion.angle == pytest.approx([math.pi / 2, math.pi / 2])
    assert motion.rate.tolist() == motion.acceleration.tolist() == [0, 0]
    assert motion.share.tolist() == [1, 1]
