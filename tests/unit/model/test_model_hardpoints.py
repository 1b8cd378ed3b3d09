"""[hardpoints] in mechanism files: places in ground axes become frames of bodies. Oracle: subtraction here."""

from fractions import Fraction

import numpy as np
import pytest
from model_texts import FRONT_HARDPOINTS

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.canonical import canonical, from_canonical
from exporter.model.evaluate import evaluate
from exporter.model.library import model_path
from exporter.model.mechanism import Frame, Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret

SHEET = "\n" + FRONT_HARDPOINTS
HEAD = """schema = 1
[mechanism]
name = "front"
"""
BODIES = """
[bodies.rack]
[bodies.lower_arm]
[bodies.upper_arm]
[bodies.tie_rod]
[bodies.carrier]
"""
JOINTS = """
[joints.rack]
type = "prismatic"
axis = "y"
parent = "ground"
child = "rack"
at = "J"
[joints.lower]
type = "revolute"
axis = ["E", "F"]
parent = "ground"
child = "lower_arm"
[joints.upper]
type = "revolute"
axis = ["B", "C"]
parent = "ground"
child = "upper_arm"
[joints.lower_ball]
type = "spherical"
parent = "lower_arm"
child = "carrier"
at = "D"
coordinates = ["yaw", "pitch", "roll"]
[joints.tie_rod]
type = "universal"
axes = ["x", "-z"]
parent = "rack"
child = "tie_rod"
at = "J"
coordinates = ["alpha", "beta"]
[joints.upper_ball]
type = "spherical"
parent = "upper_arm"
child = "carrier"
at = "A"
closes = true
[joints.tie_ball]
type = "spherical"
parent = "tie_rod"
child = "carrier"
at = "I"
closes = true
[coordinates]
independent = ["lower", "rack"]
ranges = { lower = ["-0.4 rad", "0.4 rad"], rack = ["-50 mm", "50 mm"] }
rates = { lower = "20 rad/s", rack = "2 m/s" }
"""
OUTPUTS = """
[outputs]
wheel = "carrier.wheel"
toe = { of = "carrier", axis = "y", from = "y", to = "x" }
camber = { of = "carrier", axis = "y", from = "xy", to = "-z" }
caster = { line = ["carrier.D", "carrier.A"], from = "z", to = "-x" }
"""
FRONT = HEAD + SHEET + BODIES + JOINTS + OUTPUTS


def positions(mechanism: Mechanism, rows: np.ndarray) -> dict[str, np.ndarray]:
    sequence = functions.position(solved_mechanism(mechanism), "float64", contract=True)
    result = interpret(sequence, rows)
    assert not result.status.any()
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


def point_of(mechanism: Mechanism, reference: str) -> Frame:
    frames = (frame for body in mechanism.bodies for frame in body.frames)
    return next(frame for frame in frames if frame.name == reference)


def metres(frame: Frame, **values: Fraction) -> list[float]:
    return [float(evaluate(component, values)) for component in frame.at]


def test_a_sheet_gives_the_positions_of_the_file_that_was_subtracted_by_hand() -> None:
    """All outputs of the library's double wishbone, over its ranges, within 1e-12."""
    rows = np.array([[lower, rack] for lower in (-0.4, -0.1, 0.0, 0.3) for rack in (-0.05, 0.0, 0.03)])
    by_hand = positions(read_mechanism(model_path("double_wishbone_front")), rows)
    from_sheet = positions(parse_mechanism(FRONT, "front.toml"), rows)
    for name in ("wheel.x", "wheel.y", "wheel.z", "toe", "camber", "caster", "upper.sin", "alpha.cos", "beta.sin"):
        assert from_sheet[name] == pytest.approx(by_hand[name], abs=1e-12), name


def test_points_of_bodies_are_differences_from_the_joint_that_carries_them() -> None:
    """The wheel seen from D, the end of the tie rod from J, exactly."""
    mechanism = parse_mechanism(FRONT, "front.toml")
    assert metres(point_of(mechanism, "carrier.wheel")) == [-0.0173, 0.0195, 0.131]
    assert metres(point_of(mechanism, "tie_rod.I")) == [0.1099, 0.2757, -0.0085]
    assert [frame.name for frame in mechanism.bodies[1].frames] == ["lower_arm.D", "lower_arm.E", "lower_arm.F"]


def test_an_axis_runs_from_the_first_hardpoint_to_the_second() -> None:
    """A unit vector to more digits than a float has."""
    (axis,) = (joint.axis for joint in parse_mechanism(FRONT, "front.toml").joints if joint.name == "lower")
    assert abs(sum(part * part for part in axis) - 1) < Fraction(1, 10**55)
    assert [float(part / axis[0]) for part in axis] == pytest.approx([1, 0, -25.7 / 198.3], abs=1e-15)


def test_the_pose_of_a_sheet_is_zero_where_the_file_gives_none() -> None:
    """The sheet shows the design pose; a pose that is written counts."""
    assert set(parse_mechanism(FRONT, "front.toml").pose.values()) == {Fraction(0)}
    text = FRONT.replace("[coordinates]", '[coordinates]\npose = { rack = "10 mm" }')
    assert parse_mechanism(text, "front.toml").pose["rack"] == Fraction(1, 100)


def test_the_canonical_form_needs_no_sheet() -> None:
    """It reads back to the same mechanism: points are numbers in it."""
    mechanism = parse_mechanism(FRONT, "front.toml")
    assert from_canonical(canonical(mechanism)) == mechanism


def test_a_hardpoint_of_a_parameter_moves_parent_and_child() -> None:
    """D raised by a tunable height: on the arm by the height, on the carrier everything else sinks by it."""
    text = FRONT.replace('"159.5 mm"]', '"rise"]').replace(
        "[hardpoints.points]", '[parameters]\nrise = { value = "0.1 m", range = ["0", "0.2 m"] }\n[hardpoints.points]'
    )
    mechanism = parse_mechanism(text.replace('["0", "0.2 m"]', '["0.05 m", "0.2 m"]'), "front.toml")
    assert from_canonical(canonical(mechanism)) == mechanism
    rise = Fraction(12, 100)
    assert metres(point_of(mechanism, "lower_arm.D"), rise=rise)[2] == pytest.approx(0.12 - 0.1916, abs=1e-15)
    assert metres(point_of(mechanism, "carrier.A"), rise=rise)[2] == pytest.approx(0.4285 - 0.12, abs=1e-15)
    assert metres(point_of(mechanism, "carrier.D"), rise=rise) == [0, 0, 0]


def test_masses_and_frames_may_be_at_hardpoints() -> None:
    """A centre of mass, a frame and a listed point of a body, each in its axes."""
    body = '[bodies.carrier]\nmass = "20 kg"\ncenter_of_mass = "wheel"\nhardpoints = ["I"]\n'
    frame = 'frames = { hub = { at = "wheel", turns = [["x", "2 deg"]] } }\n'
    text = FRONT.replace("[bodies.carrier]", body + frame)
    text = text.replace('name = "front"', 'name = "front"\ngravity = ["0", "0", "-9.81 m/s^2"]')
    carrier = parse_mechanism(text, "front.toml").bodies[-1]
    assert [float(evaluate(part, {})) for part in carrier.center_of_mass] == [-0.0173, 0.0195, 0.131]
    assert metres(carrier.frames[0]) == [-0.0173, 0.0195, 0.131]


CHAIN = (
    HEAD
    + """
[hardpoints.points]
hinge = ["1 m", "0", "0.5 m"]
tip = ["1 m", "2 m", "0.75 m"]
[ground]
points = { foot = ["0.25 m", "0", "0"] }
frames = { leaning = { at = ["0", "0", "0"], turns = [["x", "10 deg"]] } }
[bodies.post]
points = { top = ["0", "0", "1 m"], low = ["0", "0", "-1 m"] }
[bodies.arm]
[joints.post]
type = "revolute"
parent = "PARENT"
child = "post.low"
[joints.arm]
type = "revolute"
parent = "post"
child = "arm"
axis = "x"
at = "hinge"
[coordinates]
independent = ["post", "arm"]
ranges = { post = ["-1 rad", "1 rad"], arm = ["-1 rad", "1 rad"] }
rates = { post = "1 rad/s", arm = "1 rad/s" }
[outputs]
tip = "arm.tip"
"""
)


def test_hardpoints_stand_behind_joints_of_points_too() -> None:
    """The post's origin is 1 m above the foot: what it carries is seen from there."""
    mechanism = parse_mechanism(CHAIN.replace("PARENT", "ground.foot"), "chain.toml")
    assert metres(point_of(mechanism, "post.hinge")) == [0.75, 0, -0.5]
    assert metres(point_of(mechanism, "arm.tip")) == [0, 2, 0.25]
    start = positions(mechanism, np.zeros((1, 2)))
    assert [start[f"tip.{axis}"][0] for axis in "xyz"] == pytest.approx([1, 2, 0.75], abs=1e-15)


FAULTS = [
    ('at = "D"', 'at = "DD"', 'joints.lower_ball.at: "DD" is no hardpoint (did you mean "D"?)'),
    ('axis = ["E", "F"]', 'axis = ["E", "E"]', "joints.lower.axis: E and E are one place; an axis runs through two"),
    ('axis = ["E", "F"]', 'axis = ["E", "G"]', 'joints.lower.axis[1]: "G" is no hardpoint'),
    (
        'at = "A"',
        "",
        "joints.upper_ball: the origins of upper_arm and carrier are at two places of the sheet; say where",
    ),
    ('parent = "lower_arm"', 'parent = "lower_arm.D"', '"lower_arm.D" is a place of its own, and the hardpoint D'),
    ("[bodies.carrier]", '[bodies.carrier]\npoints = { A = ["0", "0", "0"] }', '"A" is a point or frame of carrier'),
    ("[bodies.carrier]", '[bodies.carrier]\nhardpoints = ["hub"]', '"hub" is no hardpoint'),
    ("[hardpoints.points]", '[hardpoints]\nunits = "mm"\n[hardpoints.points]', "hardpoints.units: is of a sheet"),
    ("[hardpoints.points]", "[hardpoints]\nnmaes = {}\n[hardpoints.points]", 'key "nmaes" is not known'),
    ('"635 mm"', '"635 kg"', 'hardpoints.points.wheel[1]: "635 kg" is a mass (kg), but a length (m) is needed here'),
]


@pytest.mark.parametrize(("old", "new", "sentence"), FAULTS)
def test_a_hardpoint_that_cannot_be_meant_is_refused(old: str, new: str, sentence: str) -> None:
    """One sentence with the key, the value and what to write."""
    with pytest.raises(ModelError) as error:
        parse_mechanism(FRONT.replace(old, new, 1), "front.toml")
    assert sentence in str(error.value)


def test_an_axis_through_a_formula_is_refused() -> None:
    """A direction that followed a parameter would be none of the file."""
    parameter = '[parameters]\nlow = { value = "165.9 mm", frozen = true }\n[hardpoints.points]'
    with pytest.raises(ModelError, match="E or F is given by a formula, and an axis is a fixed direction"):
        parse_mechanism(FRONT.replace('"165.9 mm"', '"low"').replace("[hardpoints.points]", parameter), "front.toml")


def test_an_axis_may_move_along_with_a_parameter() -> None:
    """Where both ends have one formula for a component, the direction is fixed, and the hinge follows."""
    parameter = '[parameters]\nbase = { value = "350 mm", frozen = true }\n[hardpoints.points]'
    text = FRONT.replace('"352 mm"', '"base"').replace("[hardpoints.points]", parameter)
    joint = next(joint for joint in parse_mechanism(text, "front.toml").joints if joint.name == "lower")
    assert joint.axis[1] == 0
    assert metres(joint.parent, base=Fraction(1, 4))[1] == 0.25


def test_a_hardpoint_on_a_body_with_turned_axes_is_refused() -> None:
    """How it stands against the ground is not in the sheet."""
    with pytest.raises(ModelError, match="the axes of post are turned against those of the ground by the frames of"):
        parse_mechanism(CHAIN.replace("PARENT", "ground.leaning"), "chain.toml")
