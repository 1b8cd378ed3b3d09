"""Couplings of mechanisms whose loops are closed by tables, and couplings that only loops tell.

Right values: a closed form from the symmetry of a jack, and the mechanism without its gears.
"""

from pathlib import Path

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret

Array = np.ndarray
DATA = Path(__file__).resolve().parents[3] / "data"
STRUT = (DATA / "mechanisms" / "offset_strut.toml").read_text()
GEAR = """[bodies.motor]
[joints.motor]
type = "revolute"
axis = "x"
parent = "ground"
child = "motor"
[couplings]
lower = "motor/50"
[coordinates]
independent = ["motor"]
pose = { motor = "0", """
CHAIN = """schema = 1
[mechanism]
name = "chain"
[ground]
points = { wheel = ["1 m", "0", "0"], cage = ["2 m", "0", "0"] }
[bodies.crank]
points = { pin = ["50 mm", "0", "0"] }
[bodies.rod]
points = { pin = ["150 mm", "0", "0"] }
[bodies.piston]
[bodies.wheel]
[bodies.cage]
[joints.theta]
type = "revolute"
parent = "ground"
child = "crank"
[joints.beta]
type = "revolute"
parent = "crank.pin"
child = "rod"
[joints.s]
type = "prismatic"
parent = "ground"
child = "piston"
[joints.pin]
type = "revolute"
parent = "rod.pin"
child = "piston"
closes = true
[joints.wheel]
type = "revolute"
parent = "ground.wheel"
child = "wheel"
[joints.cage]
type = "revolute"
parent = "ground.cage"
child = "cage"
[couplings]
wheel = "2*beta"
cage = "RATIO*wheel"
[coordinates]
independent = ["theta"]
pose = { theta = "1 rad", s = "175 mm" }
ranges = { theta = ["-1.5 rad", "1.5 rad"] }
rates = { theta = "10 rad/s" }
[outputs]
wheel = "wheel"
cage = "cage"
"""


def solved(mechanism: Mechanism, rows: Array) -> dict[str, Array]:
    """Coordinates by name, angles within half a turn; no row sets a flag."""
    solution = solved_mechanism(mechanism)
    assert any("table" in fact.kind for fact in solution.block_facts())
    sequence = functions.position(solution, "float64", contract=True)
    result = interpret(sequence, rows)
    assert not result.status.any()
    found = {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}
    angles = [name.removesuffix(".sin") for name in found if name.endswith(".sin")]
    return found | {name: np.arctan2(found[f"{name}.sin"], found[f"{name}.cos"]) for name in angles}


def test_geared_arms_of_a_jack_by_their_symmetry() -> None:
    """cos(low) = (40 - span) / 2l from the distance of the nuts, and the upper arms mirror the lower ones."""
    screw = np.linspace(-87, 87, 41)
    found = solved(read_mechanism(DATA / "practice" / "car_jack.toml"), screw[:, None])
    span = 300 - 3 * screw / (2 * np.pi)
    low = np.arccos((40 - span) / (2 * 164.012))
    np.testing.assert_allclose(found["low_left_angle"], low, atol=1e-13)
    np.testing.assert_allclose(found["low_right_angle"], np.pi - low, atol=1e-13)
    np.testing.assert_allclose(found["left_knee"], np.pi - 2 * low, atol=1e-13)
    np.testing.assert_allclose(found["head_angle"], low - np.pi, atol=1e-13)


def test_a_motor_behind_a_gear_turns_many_times() -> None:
    """Two turns to each side: what the arm itself gives, though an angle of more than a turn is no crank here."""
    plain = parse_mechanism(STRUT, "plain")
    geared = STRUT.replace('[coordinates]\nindependent = ["lower"]\npose = { ', GEAR)
    geared = geared.replace('lower = ["-0.25 rad", "0.25 rad"], ', 'motor = ["-2 rev", "2 rev"], ')
    geared = geared.replace('lower = "20 rad/s"', 'motor = "1000 rad/s"')
    motor = np.linspace(-12.5, 12.5, 31)[:, None]
    found, right = solved(parse_mechanism(geared, "geared"), motor), solved(plain, motor / 50)
    for name in ("roll", "pitch", "steer", "strut_length"):
        np.testing.assert_allclose(found[name], right[name], atol=1e-13)


@pytest.mark.parametrize("ratio", [0.5, 0.25])
def test_a_chain_of_couplings_behind_a_loop(ratio: float) -> None:
    """What follows an angle of a loop, and what follows that, where the pose says nothing of them."""
    mechanism = parse_mechanism(CHAIN.replace("RATIO", str(ratio)), "chain")
    theta = np.linspace(-1.4, 1.4, 9)
    sequence = functions.position(solved_mechanism(mechanism), "float64", contract=True)
    result = interpret(sequence, theta[:, None])
    found = {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}
    beta = -np.arcsin(0.05 * np.sin(theta) / 0.15) - theta
    np.testing.assert_allclose(found["wheel"], 2 * beta, atol=1e-13)
    np.testing.assert_allclose(found["cage"], ratio * 2 * beta, atol=1e-13)
