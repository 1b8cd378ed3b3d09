"""Spatial equations of motion against Lagrange multipliers in tree coordinates (sil.reference), and closed forms."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.model.complete import completed
from exporter.model.expression import Number
from exporter.model.library import model_path
from exporter.model.mechanism import Body, Frame, Load, Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import reference_of

DATA = Path(__file__).resolve().parents[2] / "data" / "mechanisms"
ROWS = 12
INERTIA = {
    "general": ("0.5", "0.4", "0.3", "0.02", "-0.01", "0.03"),
    "about one axis": ("0.2", "0.2", "0.05", "0", "0", "0"),
    "the same about all": ("0.3", "0.3", "0.3", "0", "0", "0"),
    "a point": ("0", "0", "0", "0", "0", "0"),
}
MODELS = {
    "gough_stewart": "legs by universal joints, a platform by its rotation matrix",
    "double_wishbone_front": "a carrier that three balls hold",
    "five_link": "a seeded Newton block",
    "arm_6r": "an open chain",
    "spatial_four_bar": "a lexicographic basis",
}


def numbers(*texts: str) -> tuple[Number, ...]:
    return tuple(Number(Fraction(text)) for text in texts)


def heavy(body: Body, place: int, inertia: tuple[str, ...]) -> Body:
    """The body with mass, its centre off every axis."""
    centre = numbers("0.05", f"-0.0{place % 9 + 1}", "0.1")
    return replace(
        body,
        mass=Number(Fraction(3 + place % 3, 2)),
        center_of_mass=(centre[0], centre[1], centre[2]),
        inertia=numbers(*inertia),  # type: ignore[arg-type]
    )


def model(name: str, inertia: tuple[str, ...]) -> Mechanism:
    mechanism = read_mechanism(model_path(name))
    bodies = tuple(heavy(body, place, inertia) for place, body in enumerate(mechanism.bodies))
    x, y, z = numbers("0.5", "1", "-9.81")
    applied = [pushed(body.name, kind) for body in bodies[:2] for kind in ("force", "torque")]
    return completed(
        replace(mechanism, bodies=bodies, gravity=(x, y, z), loads=(*mechanism.loads, *applied))  # type: ignore[arg-type]
    )


def pushed(body: str, kind: Literal["force", "torque"]) -> Load:
    """A constant load of a body, in ground axes, a force off every axis of the body."""
    place = Frame(body, numbers("0.1", "-0.2", "0.3"))  # type: ignore[arg-type]
    return Load(f"{kind}_{body}", kind, on=place, value=numbers("7", "-5", "11"))


def states(mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Poses over nine tenths of the ranges, and rates up to the bounds."""
    generator = np.random.Generator(np.random.Philox(5))
    ranges = [mechanism.ranges[name] for name in mechanism.independent]
    low, high = (np.array([float(getattr(each, end)) for each in ranges]) for end in ("minimum", "maximum"))
    poses = (low + high) / 2 + generator.uniform(-0.45, 0.45, (ROWS, len(ranges))) * (high - low)
    bounds = np.array([float(each.rate or 1) for each in ranges])
    return poses, generator.uniform(-1, 1, poses.shape) * bounds


def loads(mechanism: Mechanism) -> np.ndarray:
    """Values of the inputs that loads name, over their ranges."""
    low, high = ([float(getattr(each, end)) for each in mechanism.inputs] for end in ("minimum", "maximum"))
    return np.random.Generator(np.random.Philox(6)).uniform(low, high, (ROWS, len(mechanism.inputs)))


def held_against_the_reference(mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Differences of the exported accelerations over the largest of a row, and where no flag is set."""
    poses, rates = states(mechanism)
    applied = loads(mechanism)
    made, accepted = accelerations(mechanism, np.hstack([poses, rates, applied]))
    inputs = {given.name: applied[:, k] for k, given in enumerate(mechanism.inputs)}
    right = reference_of(mechanism).state_derivative(poses, rates, inputs)
    return np.abs(made - right).max(axis=1) / np.abs(right).max(axis=1), accepted


def accelerations(mechanism: Mechanism, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The independent accelerations of the exported function, and where it sets no flag."""
    sequence = functions.dynamics(solved_mechanism(mechanism), "float64", contract=True)
    result = interpret(sequence, rows)
    names = [output.signal.name for output in sequence.outputs]
    columns = [names.index(f"{name}.acceleration") for name in mechanism.independent]
    return result.outputs[:, columns], result.status == 0


@pytest.mark.parametrize("name", MODELS)
def test_accelerations_equal_the_augmented_equations(name: str) -> None:
    """Projected accelerations equal those with Lagrange multipliers, for bodies of general inertia under loads."""
    difference, accepted = held_against_the_reference(model(name, INERTIA["general"]))
    assert accepted.sum() > ROWS / 2
    assert difference[accepted].max() < 1e-11


@pytest.mark.parametrize("shape", INERTIA)
def test_every_shape_of_inertia_is_projected(shape: str) -> None:
    """A platform and its legs, with inertia that each form of the equations is for."""
    difference, accepted = held_against_the_reference(model("gough_stewart", INERTIA[shape]))
    assert accepted.all()
    assert difference.max() < 1e-11


@pytest.mark.parametrize("outputs", [True, False])
def test_joint_frames_may_be_turned_on_bodies_by_points_and_by_columns(outputs: bool) -> None:
    """A body whose points are asked for has its twist in ground axes, its neighbours on the arm in their own."""
    mechanism = read_mechanism(DATA / "turned_arm.toml")
    difference, accepted = held_against_the_reference(mechanism if outputs else replace(mechanism, outputs={}))
    assert accepted.all()
    assert difference.max() < 1e-11


TILTED_SLIDE = """
schema = 1

[mechanism]
name = "tilted"
title = "Slide on a body that turns about a tilted axis"
source = "test"
gravity = ["0", "0", "-9.81 m/s^2"]

[bodies.turned]
mass = "2 kg"
center_of_mass = CENTRE
inertia = { xx = "0.2 kg*m^2", yy = "0.2 kg*m^2", zz = "0.1 kg*m^2", xy = "0.01 kg*m^2" }

[bodies.slid]
mass = "1 kg"
center_of_mass = ["0.1 m", "0", "0"]

[joints.turn]
type = "revolute"
axis = AXIS
parent = "ground"
child = "turned"

[joints.slide]
type = "prismatic"
axis = "z"
parent = "turned"
child = "slid"

[coordinates]
independent = ["turn", "slide"]
pose = { turn = "0.3 rad", slide = "0.1 m" }
ranges = { turn = ["-1 rad", "1 rad"], slide = ["-0.3 m", "0.3 m"] }
rates = { turn = "4 rad/s", slide = "1 m/s" }
"""


@pytest.mark.parametrize("centre", ['["0.3 m", "0.2 m", "0"]', '["0", "0", "0.4 m"]'])
@pytest.mark.parametrize("axis", ['["1", "1", "1"]', '["1", "2", "2"]', '["-1", "1", "1"]', '"z"'])
def test_components_of_a_spin_may_be_one_value(axis: str, centre: str) -> None:
    """Products of inertia count for both orders, whether or not two components of the spin are the same value."""
    text = TILTED_SLIDE.replace("AXIS", axis).replace("CENTRE", centre)
    difference, accepted = held_against_the_reference(parse_mechanism(text, "tilted.toml"))
    assert accepted.all()
    assert difference.max() < 1e-13


SPINNING_TOP = """
schema = 1

[mechanism]
name = "top"
title = "Heavy symmetric top on a fixed point"
source = "test"
gravity = ["0", "0", "-10 m/s^2"]

[inputs]
lift = { range = ["-100 N", "100 N"], about = "upward force at the tip" }

[bodies.top]
mass = "2 kg"
center_of_mass = ["0", "0", "0.3 m"]
inertia = { xx = "0.05 kg*m^2", yy = "0.05 kg*m^2", zz = "0.02 kg*m^2" }
points = { tip = ["0", "0", "0.5 m"] }

[joints.point]
type = "spherical"
parent = "ground"
child = "top"
coordinates = ["precession", "tilt", "spin"]

[loads.lift]
type = "force"
on = "top.tip"
value = ["0", "0", "lift"]

[coordinates]
independent = ["precession", "tilt", "spin"]
pose = { precession = "0", tilt = "0.4 rad", spin = "0" }
ranges = { precession = ["-3 rad", "3 rad"], tilt = ["0.1 rad", "1.4 rad"], spin = ["-3 rad", "3 rad"] }
rates = { precession = "10 rad/s", tilt = "10 rad/s", spin = "100 rad/s" }
"""


def test_an_upright_pendulum_falls_as_its_closed_form_says() -> None:
    """At rest a body on a ball tilts with (m g c - F b) sin(tilt) / (I + m c^2)."""
    mechanism = parse_mechanism(SPINNING_TOP, "top.toml")
    tilt, lift = 0.7, 5.0
    made, accepted = accelerations(mechanism, np.array([[0.3, tilt, 0.0, 0.0, 0.0, 0.0, lift]]))
    assert accepted.all()
    expected = (2 * 10 * 0.3 - lift * 0.5) * np.sin(tilt) / (0.05 + 2 * 0.3**2)
    np.testing.assert_allclose(made, [[0.0, expected, 0.0]], atol=1e-13)


def test_a_step_of_a_spatial_mechanism_equals_the_reference() -> None:
    """One exported step of semi-implicit Euler from the reference's accelerations."""
    mechanism = model("spatial_four_bar", INERTIA["general"])
    poses, rates = states(mechanism)
    sequence = next(f for f in program_of_mechanism(mechanism, "float64").functions if f.name == "dostep")
    applied = loads(mechanism)
    result = interpret(sequence, np.hstack([poses, rates, applied]))
    names = [output.signal.name for output in sequence.outputs]
    period = float(mechanism.step.period)
    inputs = {given.name: applied[:, k] for k, given in enumerate(mechanism.inputs)}
    right = rates + period * reference_of(mechanism).state_derivative(poses, rates, inputs)
    accepted = result.status == 0
    (name,) = mechanism.independent
    np.testing.assert_allclose(result.outputs[accepted, names.index(f"{name}.rate")], right[accepted, 0], rtol=1e-12)
