"""Accelerations against MuJoCo's, where it is installed: `pip install kinefix[peers]`. It is optional everywhere.

MuJoCo builds its own mass matrix, Coriolis forces, springs and tendons of the same tree of joints; see
`mujoco_model`. Poses are closed by Newton's method on the original closures.
"""

from random import Random
from types import ModuleType

import numpy as np
import pytest
from continuation import Driven, assembled, corrected, followed
from model_texts import slider_crank_joints
from mujoco_model import accelerations_by
from plain_mechanism import document_of, limits_of, plain
from plain_motion import all_rates

from exporter.functions.program import program_of_mechanism
from exporter.model.complete import with_tunable
from exporter.model.library import model_path
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret

AGREED = 1e-10  # of the largest acceleration of a row, over all rows
ROWS = 64

CHAIN = """
schema = 1
[mechanism]
name = "chain"
gravity = ["1 m/s^2", "-2 m/s^2", "-9.81 m/s^2"]
[ground]
frames = { base = { at = ["0.1 m", "0.2 m", "0"], turns = [["x", "0.4 rad"], ["z", "-0.7 rad"]] } }
points = { hook = ["0.9 m", "-0.3 m", "0.8 m"] }
[bodies.first]
mass = "3 kg"
center_of_mass = ["0.1 m", "0.02 m", "-0.05 m"]
inertia = { xx = "0.03 kg*m^2", yy = "0.05 kg*m^2", zz = "0.04 kg*m^2", xy = "0.004 kg*m^2", yz = "-0.003 kg*m^2" }
frames = { end = { at = ["0.3 m", "0", "0.1 m"], turns = [["y", "0.5 rad"]] } }
[bodies.second]
mass = "2 kg"
center_of_mass = ["0", "0.15 m", "0"]
inertia = { xx = "0.02 kg*m^2", yy = "0.01 kg*m^2", zz = "0.025 kg*m^2", xz = "0.002 kg*m^2" }
frames = { own = { at = ["0.05 m", "-0.1 m", "0"], turns = [["x", "0.3 rad"]] } }
points = { end = ["0", "0.4 m", "0.1 m"] }
[bodies.third]
mass = "1 kg"
center_of_mass = ["0.1 m", "0", "0.1 m"]
inertia = { xx = "0.01 kg*m^2", yy = "0.012 kg*m^2", zz = "0.008 kg*m^2" }
points = { eye = ["0.2 m", "0.1 m", "0"] }
[joints.a]
type = "revolute"
axis = ["1", "2", "3"]
parent = "ground.base"
child = "first"
[joints.b]
type = "cylindrical"
axis = "y"
parent = "first.end"
child = "second.own"
coordinates = ["turn", "slide"]
[joints.c]
type = "universal"
parent = "second.end"
child = "third"
coordinates = ["yaw", "pitch"]
[elements.hinge]
type = "spring"
along = "a"
stiffness = "20 N*m/rad"
free = "0.3 rad"
preload = "1 N*m"
damping = "0.5 N*m*s/rad"
[elements.guide]
type = "spring"
along = "slide"
stiffness = "400 N/m"
damping = "30 N*s/m"
[elements.cross]
type = "damper"
along = "pitch"
damping = "0.2 N*m*s/rad"
[elements.strut]
type = "spring"
between = ["ground.hook", "third.eye"]
stiffness = "150 N/m"
free = "0.5 m"
damping = "8 N*s/m"
[elements.inner]
type = "spring"
between = ["first", "third.eye"]
stiffness = "90 N/m"
free = "0.2 m"
preload = "5 N"
[coordinates]
independent = ["a", "turn", "slide", "yaw", "pitch"]
pose = { a = "0.2 rad", turn = "0.5 rad", slide = "0.1 m", yaw = "0.3 rad", pitch = "-0.2 rad" }
ranges.a = ["-1 rad", "1 rad"]
ranges.turn = ["-1 rad", "1 rad"]
ranges.slide = ["-0.2 m", "0.3 m"]
ranges.yaw = ["-1 rad", "1 rad"]
ranges.pitch = ["-1 rad", "1 rad"]
rates = { a = "5 rad/s", turn = "5 rad/s", slide = "1 m/s", yaw = "5 rad/s", pitch = "5 rad/s" }
"""

PUMP = """
schema = 1
[mechanism]
name = "pump"
gravity = ["0", "-9.81 m/s^2", "0"]
[ground]
points = { post = ["0.05 m", "0.3 m", "0"] }
[bodies.crank]
mass = "1.2 kg"
inertia = { xx = "1e-3 kg*m^2", yy = "1e-3 kg*m^2", zz = "1.5e-3 kg*m^2" }
points = { pin = ["50 mm", "0", "0"] }
[bodies.rod]
mass = "0.4 kg"
center_of_mass = ["50 mm", "5 mm", "0"]
inertia = { xx = "1e-4 kg*m^2", yy = "1e-3 kg*m^2", zz = "1e-3 kg*m^2" }
points = { wrist = ["150 mm", "0", "0"], eye = ["80 mm", "20 mm", "0"] }
[bodies.piston]
mass = "0.5 kg"
[elements.back]
type = "spring"
along = "x"
stiffness = "3 kN/m"
free = "0.14 m"
damping = "40 N*s/m"
[elements.knee]
type = "spring"
along = "phi"
stiffness = "4 N*m/rad"
damping = "0.05 N*m*s/rad"
[elements.strut]
type = "spring"
between = ["ground.post", "rod.eye"]
stiffness = "800 N/m"
free = "0.2 m"
damping = "15 N*s/m"
[coordinates]
independent = ["theta"]
pose = { theta = "60 deg", phi = "-77 deg", x = "0.17 m" }
ranges = { theta = ["-3 rad", "3 rad"] }
rates = { theta = "40 rad/s" }
""" + slider_crank_joints("theta", "phi", "x", "wrist", "wrist")


@pytest.fixture(scope="module")
def mujoco() -> ModuleType:
    """MuJoCo, or skip: it is optional everywhere, in CI too."""
    return pytest.importorskip("mujoco", reason="MuJoCo is missing: pip install kinefix[peers]")


def test_a_spatial_chain_with_springs_between_its_bodies(mujoco: ModuleType) -> None:
    """Hinge, cylinder and universal joint; springs and dampers along coordinates and between points."""
    assert difference(mujoco, CHAIN, {}) < AGREED


def test_a_slider_crank_on_springs(mujoco: ModuleType) -> None:
    """A closed loop with springs along dependent coordinates and between points."""
    assert difference(mujoco, PUMP, {}) < AGREED


def test_the_corner_of_a_car(mujoco: ModuleType) -> None:
    """Two loops in space, a preloaded spring with a damper, a force on the wheel."""
    text = model_path("corner_front").read_text(encoding="utf-8")
    assert difference(mujoco, text, {"F_z": 3000.0, "rack_target": 0.01}) < AGREED


def test_a_spring_that_is_off_by_a_thousandth_is_told(mujoco: ModuleType) -> None:
    """The comparison sees what it compares."""
    stiffer = PUMP.replace('"800 N/m"', '"800.8 N/m"')
    assert difference(mujoco, PUMP, {}, exported=stiffer) > 1e3 * AGREED


def difference(mujoco: ModuleType, text: str, inputs: dict[str, float], exported: str = "") -> float:
    """The largest difference of accelerations over the largest acceleration of the same kind in the row."""
    driven, at, rates = states(text)
    names, given = driven.plain.independent, driven.given
    asked = {name: at[:, column] for name, column in zip(names, given, strict=True)}
    asked |= {f"{name}.rate": rates[:, column] for name, column in zip(names, given, strict=True)}
    values = dynamics_values(exported or text, asked | inputs)
    got = np.stack([values[f"{name}.acceleration"] for name in names], axis=1)
    right = accelerations_by(mujoco, driven, at, rates, inputs)
    units = driven.plain.units()[given]
    return float((np.abs(got - right) / units / np.abs(right / units).max(axis=1, keepdims=True)).max())


def dynamics_values(text: str, given: dict[str, np.ndarray | float]) -> dict[str, np.ndarray]:
    """Every output of the exported `dynamics`, parameters frozen; rows that are flagged fail."""
    mechanism = with_tunable(parse_mechanism(text, "peer"), [])
    (function,) = program_of_mechanism(mechanism, "float64", only=["dynamics"]).functions
    columns = np.broadcast_arrays(*(np.atleast_1d(given[signal.name]) for signal in function.inputs))
    result = interpret(function, np.stack(columns, axis=1))
    assert not result.status.any()
    return {output.signal.name: result.outputs[:, k] for k, output in enumerate(function.outputs)}


def states(text: str) -> tuple[Driven, np.ndarray, np.ndarray]:
    """Closed poses within the ranges and their rates, of all coordinates."""
    document, random = document_of(text), Random(3)
    driven = assembled(plain(document))
    assert driven is not None
    limits = list(limits_of(document, driven.plain.independent).values())
    goals = np.array([[random.uniform(low, high) for low, high, _ in limits] for _ in range(ROWS)])
    given = np.array([[random.uniform(-rate, rate) for _, _, rate in limits] for _ in range(ROWS)])
    start, _, _ = corrected(driven, driven.plain.design(), 12)
    reached = followed(lambda _: driven, start, goals)
    assert reached.on_branch.all()
    return driven, reached.at, all_rates(driven, reached.at, given)
