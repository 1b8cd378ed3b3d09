"""A link between two balls that has mass: its held spin moves mass, at any value of the tunable parameters.

The oracle is written here in numpy: tree coordinates of an RSSR loop, Jacobians by complex steps, the closure and the
convention of docs/model-file.md as constraints, Lagrange multipliers. It shares no code with the exporter or `sil`.
"""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from plain_rotations import about

from exporter.functions import mechanism as functions
from exporter.kinematics.spatial.engine import SpatialSolution
from exporter.kinematics.spatial.triangular import spatial_form
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

Array = NDArray[np.float64]
X, Y, Z = np.eye(3)
DATA = Path(__file__).resolve().parents[2] / "data" / "mechanisms"
FILE = {"yaw": 0.8, "pitch": -1.1, "roll": 0.2}  # the rod's angles in the file, where r is taken into the rod
NOMINAL = {"length": 0.4, "aside": 0.05, "tilt": 0.3, "mass": 2.0}
OTHERS = [NOMINAL, {"length": 0.46, "aside": -0.1, "tilt": 0.9, "mass": 5.0}, {**NOMINAL, "tilt": -0.4, "aside": 0.12}]
CENTRE, INERTIA = np.array([0.2, 0.05, -0.03]), np.diag([0.02, 0.05, 0.04])
GRAVITY = np.array([0.0, 0.0, -9.81])


def mechanism() -> Mechanism:
    """The RSSR loop with a heavy rod that is bent aside and hangs in a tilted ball; the rocker is without mass."""
    text = (DATA / "rssr.toml").read_text()
    for old, new in {
        'source = "own example"': 'source = "own example"\ngravity = ["0", "0", "-9.81 m/s^2"]\n\n[parameters]\n'
        'length = { value = "0.4 m", range = ["0.38 m", "0.5 m"] }\n'
        'aside = { value = "0.05 m", range = ["-0.12 m", "0.12 m"], signed = true }\n'
        'tilt = { value = "0.3 rad", range = ["-1 rad", "1 rad"] }\n'
        'mass = { value = "2 kg", range = ["0.1 kg", "10 kg"] }',
        '[bodies.crank]\npoints = { tip = ["0.1 m", "0", "0"] }': "[bodies.crank]\n"
        'mass = "1 kg"\ninertia = { zz = "0.01 kg*m^2" }\n'
        'frames = { tip = { at = ["0.1 m", "0", "0"], turns = [["x", "tilt"]] } }',
        'points = { end = ["0.4 m", "0", "0"], sensor = ["0.2 m", "0.02 m", "0"] }': 'mass = "mass"\n'
        'center_of_mass = ["0.2 m", "0.05 m", "-0.03 m"]\n'
        'inertia = { xx = "0.02 kg*m^2", yy = "0.05 kg*m^2", zz = "0.04 kg*m^2" }\n'
        'points = { end = ["length", "aside", "0"] }',
    }.items():
        assert old in text
        text = text.replace(old, new)
    read = parse_mechanism(text, "rssr")
    read.outputs.update({"heading": "yaw", "nod": "pitch", "bank": "roll"})
    return read


def rod(q: NDArray, values: dict[str, float]) -> tuple[NDArray, NDArray]:
    """Origin and orientation by crank, yaw, pitch, roll."""
    crank = about(Z, q[0])
    attitude = crank @ about(X, values["tilt"]) @ about(Z, q[1]) @ about(Y, q[2]) @ about(X, q[3])
    return crank @ np.array([0.1, 0, 0]), attitude


def direction_in_rod() -> Array:
    """r, the axis of ground most across the rod, in the rod as the file draws it at the nominal parameters."""
    q = np.array([0.0, *FILE.values()], dtype=complex)
    start, _ = rod(q, NOMINAL)
    assembled = close(np.array([0.0, 0.8, -1.1, 0.2, 1.5]), NOMINAL, np.zeros(3), 0)
    line = tip_of_rocker(assembled[4]).real - start.real
    axis = int(np.argmin(np.abs(line)))
    return np.array([axis, *np.real(rod(q, NOMINAL)[1].T[:, axis])])


def tip_of_rocker(angle: complex) -> NDArray:
    """The hinge at (0.3, 0.2, 0.1) turns about x by a quarter, then the rocker about its z."""
    return np.array([0.3, 0.2, 0.1]) + about(X, np.pi / 2) @ about(Z, angle) @ np.array([0.3, 0, 0])


def constraints(q: NDArray, values: dict[str, float], inside: Array, axis: int) -> NDArray:
    """Three of the closure, and t.r = 0 with t = inside x (line in the rod); no spin is held where inside is zero."""
    origin, attitude = rod(q, values)
    line = np.array([values["length"], values["aside"], 0.0])
    closure = origin + attitude @ line - tip_of_rocker(q[4])
    held = (attitude @ np.cross(inside, line))[axis]
    return np.array([*closure, held]) if inside.any() else closure


def jacobian(function, q: NDArray) -> Array:
    return np.stack([np.imag(function(q + 1j * 1e-30 * unit)) / 1e-30 for unit in np.eye(len(q))], axis=-1)


def close(q: Array, values: dict[str, float], inside: Array, axis: int) -> Array:
    """Gauss and Newton with the crank held."""
    for _ in range(60):
        gap = np.real(constraints(q.astype(complex), values, inside, axis))
        slope = jacobian(lambda x: constraints(x, values, inside, axis), q)[:, 1:]
        q = q - np.concatenate([[0.0], np.clip(np.linalg.pinv(slope) @ gap, -0.2, 0.2)])
    assert np.abs(np.real(constraints(q.astype(complex), values, inside, axis))).max() < 1e-13
    return q


def mass_matrix(q: Array, values: dict[str, float]) -> tuple[Array, Array]:
    """In tree coordinates, and the Jacobian of the rod's centre."""
    place = jacobian(lambda x: rod(x, values)[0] + rod(x, values)[1] @ CENTRE, q)
    attitude = np.real(rod(q.astype(complex), values)[1])
    turning = jacobian(lambda x: rod(x, values)[1].ravel(), q)
    spins = attitude.T @ turning.reshape(3, 3, 5).swapaxes(0, 2).swapaxes(1, 2)
    spin = np.stack([spins[:, 2, 1], spins[:, 0, 2], spins[:, 1, 0]])
    matrix = values["mass"] * place.T @ place + spin.T @ INERTIA @ spin
    matrix[0, 0] += 0.01
    return matrix, place


def along(function, q: Array, way: Array) -> Array:
    """Derivative by central differences of sixth order."""
    h = 2e-3
    parts = [(c, function(q + k * h * way) - function(q - k * h * way)) for k, c in ((1, 45), (2, -9), (3, 1))]
    return np.asarray(sum(c * part for c, part in parts) / (60 * h))


def right_acceleration(q: Array, crank_rate: float, values: dict[str, float], inside: Array, axis: int) -> float:
    """Acceleration of the crank: M q'' + M' q' - 1/2 d(q' M q')/dq = Q + J^T lambda, J q'' = -J' q'."""

    def slope(x: Array) -> Array:
        return jacobian(lambda y: constraints(y, values, inside, axis), x)

    j = slope(q)
    rates = np.concatenate([[crank_rate], -np.linalg.solve(j[:, 1:], j[:, 0]) * crank_rate])
    matrix, place = mass_matrix(q, values)
    energy = [along(lambda x: rates @ mass_matrix(x, values)[0] @ rates, q, unit) for unit in np.eye(5)]
    force = values["mass"] * GRAVITY @ place - along(lambda x: mass_matrix(x, values)[0], q, rates) @ rates
    side = np.concatenate([force + np.array(energy) / 2, -along(slope, q, rates) @ rates])
    system = np.block([[matrix, j.T], [j, np.zeros((4, 4))]])
    return float(np.linalg.solve(system, side)[0])


@pytest.mark.parametrize("values", OTHERS)
def test_heavy_link_moves_as_the_convention_says(values: dict[str, float]) -> None:
    """Accelerations of the crank, at nominal values and others; r and its place in the rod stay the nominal ones."""
    form = SpatialSolution(spatial_form(mechanism()))
    sequence = functions.dynamics(form, "float64", contract=True)
    axis, *inside = direction_in_rod()
    crank, rate = np.linspace(-1.2, 1.2, 5), np.array([3.0, -2.0, 5.0, 1.0, -4.0])
    named = {"crank": crank, "crank.rate": rate, **{name: np.full(5, value) for name, value in values.items()}}
    result = interpret(sequence, np.column_stack([named[signal.name] for signal in sequence.inputs]))
    assert not result.status.any()
    found = {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}
    for k in range(5):
        start = np.array([crank[k], 0, 0, 0, 0])
        for number, name in enumerate(("yaw", "pitch", "roll", "rocker"), start=1):
            start[number] = np.arctan2(found[f"{name}.sin"][k], found[f"{name}.cos"][k])
        q = close(start, values, np.array(inside), int(axis))
        np.testing.assert_allclose(q, start, atol=1e-11)
        right = right_acceleration(q, rate[k], values, np.array(inside), int(axis))
        assert found["crank.acceleration"][k] == pytest.approx(right, rel=1e-8, abs=1e-7)


def test_the_reference_of_sil_holds_the_same_spin() -> None:
    """Rebuilt at other values, it takes r and its place in the link, to 12 decimals, from the nominal ones as well."""
    model, values = mechanism(), {"length": 0.42, "aside": 0.02, "tilt": 0.45, "mass": 3.0}
    sequence = functions.position(SpatialSolution(spatial_form(model)), "float64", contract=True)
    rows = np.array([[{"crank": 0.4, **values}[signal.name] for signal in sequence.inputs]])
    outputs = interpret(sequence, rows).outputs[0]
    reference = reference_of(model, values)
    at = configuration(reference.positions(np.array([[0.4]])))
    for name in ("yaw", "pitch", "roll", "rocker"):
        k = [output.signal.name for output in sequence.outputs].index(f"{name}.sin")
        assert outputs[k] == pytest.approx(at.sines[0, reference.coordinates.index(name)], abs=1e-14)
