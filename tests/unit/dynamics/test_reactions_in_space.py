"""Forces and torques of joints in space, with springs, and of links between balls.

Oracles: closed forms that are derived here, and the reference of `sil`, which balances all bodies at once by least
squares and shares no code with the exporter.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from dynamics_values import dynamics_values, vector

from exporter.errors import ModelError
from exporter.functions.program import program_of_mechanism
from exporter.model.mechanism import Mechanism, ReactionOutput
from exporter.model.toml.reader import parse_mechanism
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

DATA = Path(__file__).resolve().parents[2] / "data" / "mechanisms"
SHAFT = """schema = 1
[mechanism]
name = "shaft"
gravity = ["0", "0", "-9.81 m/s^2"]
[bodies.rotor]
mass = "3 kg"
center_of_mass = ["0.02 m", "0", "0.3 m"]
inertia = { xx = "0.04 kg*m^2", yy = "0.04 kg*m^2", zz = "0.01 kg*m^2", xz = "0.003 kg*m^2" }
[joints.axle]
type = "cylindrical"
parent = "ground"
child = "rotor"
coordinates = ["turn", "slide"]
[coordinates]
independent = ["turn", "slide"]
pose = { turn = "0.3 rad", slide = "0" }
ranges = { turn = ["-4 rad", "4 rad"], slide = ["-1 m", "1 m"] }
rates = { turn = "100 rad/s", slide = "1 m/s" }
[outputs]
force = { reaction = "axle", part = "force", axes = "child" }
torque = { reaction = "axle", part = "torque", axes = "child" }
fixed = { reaction = "axle", part = "torque" }
"""


def test_a_bearing_holds_an_unbalanced_shaft_by_its_products_of_inertia() -> None:
    """Static unbalance m e w^2, dynamic unbalance (Ixz - m e h) w^2 about the bearing; both turn with the shaft."""
    turn, rate = np.array([0.0, 1.2, -2.5]), np.array([50.0, -80.0, 10.0])
    given = {"turn": turn, "turn.rate": rate, "slide": 0.1, "slide.rate": 0.0}
    values = dynamics_values(parse_mechanism(SHAFT, "shaft"), given)
    zero, scale = np.zeros(3), (3 * 0.3 * rate**2).max()
    right = np.stack([-3 * 0.02 * rate**2, zero, zero], axis=1)
    assert np.abs(vector(values, "force") - right).max() < 1e-13 * scale
    right = np.stack([zero, (0.003 - 3 * 0.02 * 0.3) * rate**2, zero], axis=1)
    assert np.abs(vector(values, "torque") - right).max() < 1e-13 * scale
    turned = np.stack([-np.sin(turn) * right[:, 1], np.cos(turn) * right[:, 1], zero], axis=1)
    assert np.abs(vector(values, "fixed") - turned).max() < 1e-13 * scale


SPRUNG = """schema = 1
[mechanism]
name = "sprung"
gravity = ["0", "-10 m/s^2", "0"]
[ground]
points = { hook = ["0", "2 m", "0"] }
[bodies.rod]
mass = "2 kg"
center_of_mass = ["0.5 m", "0", "0"]
points = { tip = ["1 m", "0", "0"] }
[joints.q]
type = "revolute"
parent = "ground"
child = "rod"
[elements.coil]
type = "spring"
between = ["rod.tip", "ground.hook"]
stiffness = "30 N/m"
free = "0.5 m"
[elements.hinge]
type = "spring"
along = "q"
stiffness = "4 N*m/rad"
damping = "0.3 N*m*s/rad"
[coordinates]
independent = ["q"]
pose = { q = "0.3 rad" }
ranges = { q = ["-1 rad", "1 rad"] }
rates = { q = "10 rad/s" }
[outputs]
pin = { reaction = "q", part = "force" }
bush = { reaction = "q", part = "torque" }
"""


def test_a_pin_holds_what_springs_and_weight_do_not() -> None:
    """m a = pin + weight + spring; the bush that turns the joint is part of what the joint transmits."""
    q, rate = np.array([0.2, -0.7, 0.9]), np.array([1.0, -4.0, 0.0])
    values = dynamics_values(parse_mechanism(SPRUNG, "sprung"), {"q": q, "q.rate": rate})
    line = np.stack([-np.cos(q), 2 - np.sin(q)], axis=1)
    length = np.linalg.norm(line, axis=1)
    pull = 30 * (length - 0.5)[:, None] * line / length[:, None]
    second = values["q.acceleration"]
    acceleration = 0.5 * np.stack(
        [-np.sin(q) * second - np.cos(q) * rate**2, np.cos(q) * second - np.sin(q) * rate**2], axis=1
    )
    right = 2 * acceleration - pull + np.array([0, 20.0])
    assert np.abs(vector(values, "pin")[:, :2] - right).max() < 1e-13 * np.abs(pull).max()
    assert np.abs(values["bush.z"] - (-4 * q - 0.3 * rate)).max() < 1e-14


def heavy_rssr() -> Mechanism:
    """The RSSR loop with a bent, heavy rod between its balls and a heavy crank."""
    text = (DATA / "rssr.toml").read_text()
    for old, new in {
        'source = "own example"': 'source = "own example"\ngravity = ["0", "0", "-9.81 m/s^2"]',
        "[bodies.crank]\npoints": '[bodies.crank]\nmass = "1 kg"\ninertia = { zz = "0.01 kg*m^2" }\npoints',
        'points = { end = ["0.4 m", "0", "0"], sensor = ["0.2 m", "0.02 m", "0"] }': 'mass = "2 kg"\n'
        'center_of_mass = ["0.2 m", "0.05 m", "-0.03 m"]\n'
        'inertia = { xx = "0.02 kg*m^2", yy = "0.05 kg*m^2", zz = "0.04 kg*m^2" }\n'
        'points = { end = ["0.4 m", "0", "0"] }',
    }.items():
        assert old in text
        text = text.replace(old, new)
    mechanism = parse_mechanism(text, "rssr")
    wanted = {
        f"{part}_{j.name}": ReactionOutput(j.name, part) for j in mechanism.joints for part in ("force", "torque")
    }
    return replace(mechanism, reactions=wanted, model_hash="")


def test_balls_of_a_heavy_link_are_balanced_with_the_torque_that_holds_its_spin() -> None:
    mechanism = heavy_rssr()
    (name,) = mechanism.independent
    angle, rate = np.linspace(-2.5, 2.5, 12), np.linspace(-3, 3, 12)
    values = dynamics_values(mechanism, {name: angle, f"{name}.rate": rate})
    reference = reference_of(mechanism)
    at = configuration(reference.positions(angle[:, None]))
    rates = reference.velocities(at, rate[:, None])
    right = reference.reactions(at, rates, reference.forward_dynamics(at, rates, {}), {})
    assert len(right) == 8
    for output, reaction in right.items():
        assert np.abs(vector(values, output) - reaction.value).max() < 1e-13 * reaction.size.max(), output


BENNETT = (DATA / "bennett.toml").read_text()


def test_joints_of_a_loop_that_moves_by_its_dimensions_alone_are_refused_by_name() -> None:
    text = BENNETT.replace("[bodies.link1]\n", '[bodies.link1]\nmass = "1 kg"\n').replace(
        'name = "bennett"\n', 'name = "bennett"\ngravity = ["0", "0", "0"]\n'
    )
    mechanism = parse_mechanism(text + '\n[outputs]\npin = { reaction = "theta2", part = "force" }\n', "bennett")
    with pytest.raises(
        ModelError, match=r"'theta1', 'theta2', 'theta4', 'theta3' hold more than .* ask for another joint"
    ):
        program_of_mechanism(mechanism, "float64", only=("dynamics",))


TOP = """schema = 1
[mechanism]
name = "top"
gravity = ["0", "0", "-9.81 m/s^2"]
[bodies.top]
mass = "1 kg"
center_of_mass = ["0", "0", "0.2 m"]
inertia = { xx = "0.01 kg*m^2", yy = "0.01 kg*m^2", zz = "0.01 kg*m^2" }
[bodies.arm]
mass = "1 kg"
inertia = { zz = "0.1 kg*m^2" }
[joints.base]
type = "revolute"
parent = "ground"
child = "arm"
[joints.ball]
type = "spherical"
parent = "arm"
child = "top"
coordinates = ["yaw", "pitch", "roll"]
[loads.twist]
type = "coordinate"
on = "pitch"
value = "1 N*m"
[coordinates]
independent = ["base", "yaw", "pitch", "roll"]
pose = { base = "0", yaw = "0.1 rad", pitch = "0", roll = "0" }
[coordinates.ranges]
base = ["-1 rad", "1 rad"]
yaw = ["-1 rad", "1 rad"]
pitch = ["-1 rad", "1 rad"]
roll = ["-1 rad", "1 rad"]
[coordinates.rates]
base = "9 rad/s"
yaw = "9 rad/s"
pitch = "9 rad/s"
roll = "9 rad/s"
[outputs]
tip = { reaction = "ball", part = "force" }
motor = { reaction = "ball", part = "torque" }
"""


def test_a_ball_that_is_driven_along_its_angles_gives_its_force_and_their_torque() -> None:
    """1 N*m about y turns 0.05 kg m^2 about the ball: the centre, 0.2 m above, goes along x by 4 m/s^2."""
    given = {"base": 0.0, "yaw": 0.0, "pitch": 0.0, "roll": 0.0}
    values = dynamics_values(parse_mechanism(TOP, "top"), given)
    assert vector(values, "tip")[0] == pytest.approx([4, 0, 9.81], abs=1e-13)
    assert vector(values, "motor")[0] == pytest.approx([0, 1, 0], abs=1e-13)


def test_the_torque_of_a_driven_ball_has_the_power_of_the_load_at_any_angles() -> None:
    """About the axes of yaw and roll there is none; about that of pitch, normal to both, 1 N*m."""
    values = dynamics_values(parse_mechanism(TOP, "top"), {"base": 0.0, "yaw": 0.3, "pitch": 0.8, "roll": -0.5})
    assert vector(values, "motor")[0] == pytest.approx([-np.sin(0.3), np.cos(0.3), 0], abs=1e-13)


def test_a_load_along_one_angle_of_a_ball_that_others_move_is_refused() -> None:
    text = (
        (DATA / "rssr.toml")
        .read_text()
        .replace('source = "own example"', 'source = "own example"\ngravity = ["0", "0", "-9.81 m/s^2"]')
    )
    text = text.replace("[bodies.crank]\n", '[bodies.crank]\nmass = "1 kg"\n')
    text += '\n[loads.twist]\ntype = "coordinate"\non = "pitch"\nvalue = "1 N*m"\n'
    text += '\n[outputs]\npin = { reaction = "crank", part = "force" }\n'
    with pytest.raises(ModelError, match=r"load 'twist' acts along pitch, an angle of the spherical joint 'inner'"):
        program_of_mechanism(parse_mechanism(text, "rssr"), "float64", only=("dynamics",))
