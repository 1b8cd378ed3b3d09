"""In space a heavy link that hardly turns is no sign of a singular pose, however much the angles at its balls turn.

The oracle is written here in numpy: a slender rod by the velocities of its two ends, the rod's length as a constraint,
a Lagrange multiplier, Jacobians by complex steps. It shares no code with the exporter or `sil`.
"""

import numpy as np
import pytest
from numpy.typing import NDArray

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Precision

Array = NDArray[np.float64]
HEAVY_ROD = """
schema = 1
[mechanism]
name = "heavy_rod"
gravity = ["0", "0", "-9.81 m/s^2"]
[ground]
frames = { hinge = { at = ["0.5 m", "0.2 m", "0.1 m"], turns = [["x", "90 deg"]] } }
[bodies.crank]
mass = "0.2 kg"
inertia = { zz = "1e-4 kg*m^2" }
points = { tip = ["CRANK m", "0", "0"] }
[bodies.rod]
mass = "200 kg"
center_of_mass = ["0.3 m", "0", "0"]
inertia = { yy = "6 kg*m^2", zz = "6 kg*m^2" }
points = { end = ["0.6 m", "0", "0"] }
[bodies.rocker]
mass = "1 kg"
center_of_mass = ["0.15 m", "0", "0"]
inertia = { zz = "0.0075 kg*m^2" }
points = { tip = ["0.3 m", "0", "0"] }
[bodies.bob]
mass = "0.5 kg"
center_of_mass = ["0", "-0.2 m", "0"]
inertia = { zz = "0.002 kg*m^2" }
[joints.crank]
type = "revolute"
parent = "ground"
child = "crank"
[joints.inner]
type = "spherical"
parent = "crank.tip"
child = "rod"
coordinates = ["yaw", "pitch", "roll"]
[joints.rocker]
type = "revolute"
parent = "ground.hinge"
child = "rocker"
[joints.outer]
type = "spherical"
parent = "rod.end"
child = "rocker.tip"
closes = true
[joints.hang]
type = "revolute"
parent = "rocker.tip"
child = "bob"
[coordinates]
independent = ["crank", "hang"]
pose = { crank = "0", rocker = "1.5 rad", yaw = "0.3 rad", pitch = "-0.7 rad", roll = "0.2 rad", hang = "0.1 rad" }
ranges = { crank = ["-3 rad", "3 rad"], hang = ["-1 rad", "1 rad"] }
rates = { crank = "100 rad/s", hang = "10 rad/s" }
"""
ROD, HINGE = 0.6, np.array([0.5, 0.2, 0.1])
END = 200 / 6 * np.array([[2, 1], [1, 2]])  # masses of a slender rod by its ends
WEIGHTS = np.zeros((15, 15))
WEIGHTS[:6, :6] = np.kron(END, np.eye(3))
WEIGHTS[6:, 6:] = np.diag([1, 1, 1, 0.5, 0.5, 0.5, 1e-4, 0.0075, 0.002])
STENCIL = ((1, 45), (2, -9), (3, 1))  # of a first derivative, sixth order, over 60 steps
PULL = -9.81 * np.array([0, 0, 100, 0, 0, 100, 0, 0, 1, 0, 0, 0.5, 0, 0, 0])


def places(q: NDArray, crank: float) -> NDArray:
    """Ends of the rod, centres of rocker and bob (x, y, z each), angles of crank, rocker, bob; by their angles q."""
    along, hung = (np.array([np.cos(angle), 0, np.sin(angle)]) for angle in (q[1], q[1] + q[2] - np.pi / 2))
    tip = HINGE + 0.3 * along
    pin = crank * np.array([np.cos(q[0]), np.sin(q[0]), 0])
    return np.concatenate([pin, tip, HINGE + 0.15 * along, tip + 0.2 * hung, [q[0], q[1], q[1] + q[2]]])


def gap(q: NDArray, crank: float) -> NDArray:
    """Squared distance of the rod's ends less its squared length, (1,)."""
    at = places(q, crank)
    return np.array([np.sum((at[:3] - at[3:6]) ** 2) - ROD**2])


def jacobian(function, q: Array, crank: float) -> Array:
    return np.stack([np.imag(function(q + 1e-30j * unit, crank)) / 1e-30 for unit in np.eye(3)], axis=-1)


def drift(function, q: Array, rates: Array, crank: float) -> Array:
    """J' q' by central differences of sixth order."""
    h = 5e-3 / np.abs(rates).max()
    parts = [(c, jacobian(function, q + k * h * rates, crank)) for k, c in STENCIL]
    parts += [(-c, jacobian(function, q - k * h * rates, crank)) for k, c in STENCIL]
    return np.asarray(sum(c * part for c, part in parts) @ rates / (60 * h))


def right_accelerations(row: Array, crank: float) -> Array:
    """Accelerations of crank and bob: M q'' = J^T (F - W J' q') + G^T lambda, G q'' = -G' q'."""
    q = np.array([row[0], 1.5, row[1]])
    for _ in range(30):
        q[1] -= gap(q, crank)[0] / jacobian(gap, q, crank)[0, 1]
    held = jacobian(gap, q, crank)
    rates = np.array([row[2], -held[0, 0] / held[0, 1] * row[2], row[3]])
    moved = jacobian(places, q, crank)
    force = moved.T @ (PULL - WEIGHTS @ drift(places, q, rates, crank))
    system = np.block([[moved.T @ WEIGHTS @ moved, held.T], [held, np.zeros((1, 1))]])
    return np.linalg.solve(system, [*force, *-drift(gap, q, rates, crank)])[[0, 2]]


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("crank", [0.005, 0.001])
def test_no_flag_where_a_heavy_rod_hardly_turns(crank: float, precision: Precision) -> None:
    """200 kg, 0.6 m long between two balls, on cranks of 5 mm and 1 mm, with a pendulum on the rocker."""
    solved = solved_mechanism(parse_mechanism(HEAVY_ROD.replace("CRANK", str(crank)), "heavy_rod"))
    sequence = functions.dynamics(solved, precision, contract=True)
    rows = np.random.default_rng(3).uniform([-3, -1, -20, -2], [3, 1, 20, 2], (25, 4)).astype(precision)
    result = interpret(sequence, rows)
    assert not result.status.any()
    for row, got in zip(rows.astype(float), result.outputs, strict=True):
        right = right_accelerations(row, crank)
        tolerance = (1e-5 if precision == "float32" else 1e-9) * np.abs(right).max()
        np.testing.assert_allclose(got[-2:], right, rtol=0, atol=tolerance)
