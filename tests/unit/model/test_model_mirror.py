"""Mirrored instances of [each]. Oracle: equal coordinates give points, angles and accelerations that are mirrored."""

import numpy as np
import pytest
from model_texts import FRONT_HARDPOINTS

from exporter.errors import ModelError
from exporter.functions.program import program_of_mechanism
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret

CHAIN = """schema = 1
[mechanism]
name = "limbs"
gravity = ["0", "0", "-9.81 m/s^2"]
[each]
side = ["left", "right"]
[parameters]
out = { value = "0.7 m", frozen = true }
[hardpoints]
mirror = { right = "AXES" }
points = { a = ["0.3 m", "0.2 m", "0.5 m"], b = ["0.5 m", "0.4 m", "0.6 m"], c = ["0.4 m", "out", "0.3 m"], d = ["0.7 m", "out + out/2", "0.2 m"], tip = ["0.9 m", "1.3 m", "0.1 m"] }
[ground]
frames = { "seat_{side}" = { at = ["0.1 m", "0.2 m", "0.3 m"], turns = [["x", "20 deg"], ["y", "10 deg"], ["z", "-15 deg"]] } }
[bodies.base]
[bodies."upper_{side}"]
[bodies."lower_{side}"]
mass = "2 kg"
center_of_mass = "d"
inertia = { xx = "0.02 kg*m^2", yy = "0.03 kg*m^2", zz = "0.04 kg*m^2", xy = "0.001 kg*m^2", xz = "0.002 kg*m^2", yz = "-0.003 kg*m^2" }
points = { own = ["0.1 m", "out/3", "-0.2 m"] }
frames = { foot = { at = "tip", turns = [["x", "0.2 rad"], ["z", "0.3 rad"]] } }
[bodies."toe_{side}"]
mass = "0.5 kg"
inertia = { xx = "0.002 kg*m^2", yy = "0.003 kg*m^2", zz = "0.004 kg*m^2" }
points = { end = ["0.1 m", "0.02 m", "0.03 m"] }
[joints.base]
type = "fixed"
parent = "ground"
child = "base"
[joints."hip_{side}"]
type = "revolute"
axis = ["a", "b"]
parent = "base"
child = "upper_{side}"
[joints."knee_{side}"]
KNEE
parent = "upper_{side}"
child = "lower_{side}"
at = "c"
[joints."ankle_{side}"]
type = "revolute"
axis = ["0.6", "0", "-0.8"]
parent = "lower_{side}.foot"
child = "toe_{side}"
[coordinates]
independent = ["hip_{side}", KNEES, "ankle_{side}"]
pose = { "ankle_{side}" = "0" }
ranges = { "hip_{side}" = ["-1 rad", "1 rad"], RANGES, "ankle_{side}" = ["-1 rad", "1 rad"] }
rates = { "hip_{side}" = "5 rad/s", RATES, "ankle_{side}" = "5 rad/s" }
[loads."push_{side}"]
type = "force"
on = "lower_{side}.tip"
value = ["3 N", "5 N", "7 N"]
[loads."twist_{side}"]
type = "torque"
on = "toe_{side}"
value = ["0.3 N*m", "-0.2 N*m", "0.1 N*m"]
axes = "lower_{side}.foot"
[elements."spring_{side}"]
type = "spring"
between = ["base.b", "lower_{side}.d"]
stiffness = "100 N/m"
free = "0.1 m"
[outputs]
"d_{side}" = "lower_{side}.d"
"own_{side}" = "lower_{side}.own"
"end_{side}" = "toe_{side}.end"
"lean_{side}" = { of = "lower_{side}", axis = "x", from = "xy", to = "z" }
"yaw_{side}" = { line = ["base.b", "lower_{side}.tip"], from = "x", to = "y" }
"length_{side}" = "spring_{side}"
"""  # noqa: E501 - a table of points stands in one line
KNEES = {
    "revolute": ('type = "revolute"\naxis = "-y"', {"q": "rad"}),
    "prismatic": ('type = "prismatic"\naxis = ["a", "b"]', {"q": "m"}),
    "universal": ('type = "universal"\naxes = ["y", "-x"]\ncoordinates = ["q", "r"]', {"q": "rad", "r": "rad"}),
    "spherical": (
        'type = "spherical"\ncoordinates = ["q", "r", "s"]',
        {"q": "rad", "r": "rad", "s": "rad"},
    ),
    "planar": ('type = "planar"\ncoordinates = ["q", "r", "s"]', {"q": "m", "r": "m", "s": "rad"}),
}


def limbs(kind: str, axes: str = "y") -> Mechanism:
    joint, units = KNEES[kind]
    for name in units:
        joint = joint.replace(f'"{name}"', f'"{name}_{{side}}"')
    if len(units) == 1:
        units = dict.fromkeys(["knee"], *units.values())
    text = CHAIN.replace("KNEES", ", ".join(f'"{name}_{{side}}"' for name in units)).replace("KNEE", joint)
    text = text.replace(
        "RANGES", ", ".join(f'"{name}_{{side}}" = ["-1 {unit}", "1 {unit}"]' for name, unit in units.items())
    )
    text = text.replace("RATES", ", ".join(f'"{name}_{{side}}" = "5 {unit}/s"' for name, unit in units.items()))
    return parse_mechanism(text.replace("AXES", axes), "limbs.toml")


def outputs_at_equal_coordinates(mechanism: Mechanism, function: str) -> dict[str, float]:
    """What both limbs do where each coordinate of the right one, and its rate, is that of the left one."""
    (sequence,) = program_of_mechanism(mechanism, "float64", only=[function]).functions
    values = {name: 0.3 * np.sin(k + 1.0) for k, name in enumerate(_without_side(sequence.inputs))}
    row = [values[each.name.replace("_right", "_left")] for each in sequence.inputs]
    result = interpret(sequence, np.array([row]))
    assert not result.status.any()
    return {each.signal.name: result.outputs[0, k] for k, each in enumerate(sequence.outputs)}


def _without_side(inputs: tuple) -> list[str]:
    return sorted({each.name.replace("_right", "_left") for each in inputs})


@pytest.mark.parametrize(("kind", "axes"), [*((kind, "y") for kind in KNEES), ("universal", "x"), ("spherical", "xy")])
def test_points_of_the_right_mirror_those_of_the_left(kind: str, axes: str) -> None:
    """A hardpoint, a point of the body's own, and one behind a turned frame; the elevation of an axis, and a length."""
    found = outputs_at_equal_coordinates(limbs(kind, axes), "position")
    for point in ("d", "own", "end"):
        for axis in "xyz":
            sign = -1 if axis in axes else 1
            left, right = found[f"{point}_left.{axis}"], found[f"{point}_right.{axis}"]
            assert right == pytest.approx(sign * left, abs=1e-14), (point, axis)
    for angle in ("lean", "yaw", "length"):
        assert found[f"{angle}_right"] == pytest.approx(found[f"{angle}_left"], abs=1e-14)


def test_masses_and_loads_of_the_right_mirror_those_of_the_left() -> None:
    """The accelerations of both limbs are equal: centres of mass, products of inertia, forces, torques, springs."""
    found = outputs_at_equal_coordinates(limbs("universal"), "dynamics")
    names = [name for name in found if name.endswith("_left.acceleration")]
    assert len(names) >= 4
    for name in names:
        assert found[name.replace("_left", "_right")] == pytest.approx(found[name], rel=1e-10), name


def test_mirrored_hardpoints_have_names_of_their_own() -> None:
    """On the right, `lower_right.d` and `lower_right.d_right` are both what mirrors d; the base has both sides."""
    mechanism = limbs("revolute")
    frames = {frame.name for body in mechanism.bodies for frame in body.frames}
    assert {"base.b", "base.b_right", "lower_left.d", "lower_right.d_right"} <= frames
    assert "lower_right.d" not in frames


def test_a_point_that_the_sheet_has_on_both_sides_is_its_own() -> None:
    """Where the file has d_right, that one counts, and not the mirror image of d."""
    text = CHAIN.replace("KNEES", '"knee_{side}"').replace("KNEE", KNEES["revolute"][0]).replace("AXES", "y")
    text = text.replace("RANGES", '"knee_{side}" = ["-1 rad", "1 rad"]').replace("RATES", '"knee_{side}" = "5 rad/s"')
    text = text.replace("points = { a =", 'points = { d_right = ["1 m", "-2 m", "3 m"], a =')
    frames = [frame for body in parse_mechanism(text, "limbs.toml").bodies for frame in body.frames]
    (right,) = (frame for frame in frames if frame.name in {"base.d_right", "lower_right.d_right"})
    assert float(right.at[0].value) == pytest.approx(1 - 0.4)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("right =", "rigth =", 'no entry is written for an instance "rigth" of [each] (did you mean "right"?)'),
        ('"AXES"', '"q"', 'hardpoints.mirror.right: "q" does not fit; write the axes that change their sign'),
    ],
)
def test_a_mirror_that_cannot_be_meant_is_refused(old: str, new: str, sentence: str) -> None:
    """One sentence with what to write."""
    text = CHAIN.replace(old, new, 1).replace("KNEES", '"knee_{side}"').replace("KNEE", KNEES["revolute"][0])
    text = text.replace("RANGES", '"knee_{side}" = ["-1 rad", "1 rad"]').replace("RATES", '"knee_{side}" = "5 rad/s"')
    with pytest.raises(ModelError) as error:
        parse_mechanism(text.replace("AXES", "y"), "limbs.toml")
    assert sentence in str(error.value)


AXLE = (
    """schema = 1
[mechanism]
name = "axle"
[each]
side = ["left", "right"]
[hardpoints]
mirror = { right = "y" }
"""
    + FRONT_HARDPOINTS
    + """[bodies.rack]
[bodies."lower_arm_{side}"]
[bodies."upper_arm_{side}"]
[bodies."tie_rod_{side}"]
[bodies."carrier_{side}"]
[joints.rack]
type = "prismatic"
axis = "y"
parent = "ground"
child = "rack"
[joints."lower_{side}"]
type = "revolute"
axis = ["E", "F"]
parent = "ground"
child = "lower_arm_{side}"
[joints."upper_{side}"]
type = "revolute"
axis = ["B", "C"]
parent = "ground"
child = "upper_arm_{side}"
[joints."lower_ball_{side}"]
type = "spherical"
parent = "lower_arm_{side}"
child = "carrier_{side}"
at = "D"
coordinates = ["yaw_{side}", "pitch_{side}", "roll_{side}"]
[joints."tie_rod_{side}"]
type = "universal"
axes = ["x", "-z"]
parent = "rack"
child = "tie_rod_{side}"
at = "J"
coordinates = ["alpha_{side}", "beta_{side}"]
[joints."upper_ball_{side}"]
type = "spherical"
parent = "upper_arm_{side}"
child = "carrier_{side}"
at = "A"
closes = true
[joints."tie_ball_{side}"]
type = "spherical"
parent = "tie_rod_{side}"
child = "carrier_{side}"
at = "I"
closes = true
[coordinates]
independent = ["lower_{side}", "rack"]
ranges = { "lower_{side}" = ["-0.4 rad", "0.4 rad"], rack = ["-50 mm", "50 mm"] }
rates = { "lower_{side}" = "20 rad/s", rack = "2 m/s" }
[outputs]
"wheel_{side}" = "carrier_{side}.wheel"
"toe_{side}" = { of = "carrier_{side}", axis = "y", from = "y", to = "x" }
"camber_{side}" = { of = "carrier_{side}", axis = "y", from = "xy", to = "-z" }
"caster_{side}" = { line = ["carrier_{side}.D", "carrier_{side}.A"], from = "z", to = "-x" }
"inclination_{side}" = { line = ["carrier_{side}.D", "carrier_{side}.A"], from = "z", to = "-y" }
"""
)


def test_an_axle_of_one_sheet_is_the_one_that_was_mirrored_by_hand() -> None:
    """Wheels and angles of the library's front axle, whose right side was written with its own signs."""
    rows = np.array([[0.3, -0.2, 0.03], [-0.35, 0.1, 0.0], [0.0, 0.25, -0.04]])
    found = []
    for mechanism in (parse_mechanism(AXLE, "axle.toml"), read_mechanism(model_path("front_axle"))):
        (sequence,) = program_of_mechanism(mechanism, "float64", only=["position"]).functions
        result = interpret(sequence, rows)
        found.append({each.signal.name: result.outputs[:, k] for k, each in enumerate(sequence.outputs)})
    from_sheet, by_hand = found
    names = [name for name in from_sheet if name.startswith(("wheel", "toe", "camber", "caster", "inclination"))]
    assert len(names) == 14
    for name in names:
        assert from_sheet[name] == pytest.approx(by_hand[name], abs=1e-12), name
