"""A platform that turns freely: solved for its angular acceleration, told by the accelerations of its angles.

Accelerations are held against Lagrange multipliers in tree coordinates (`sil.reference`), which know Euler angles only.
"""

import numpy as np
import pytest

from exporter.dynamics.equations import equations_of_motion
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.scope import Scope
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Signal
from sil.reference.mechanism import reference_of

NAMES = ("x", "y", "z", "phi", "theta", "psi")
POSE = [-1.45, 0.12, 1.55, 0.3, -0.2, 0.25]
RATES = [0.4, -0.7, 0.9, 1.5, -2.0, 2.5]
FORCES = [3.0, -5.0, 7.0, 11.0, -13.0, 17.0]


def platform(theta: str = '["-0.5 rad", "0.5 rad"]') -> Mechanism:
    """The library's, its second angle within other limits."""
    text = model_path("gough_stewart").read_text(encoding="utf-8")
    old = 'theta = ["-0.5 rad", "0.5 rad"]'
    assert old in text
    return parse_mechanism(text.replace(old, f"theta = {theta}"), "gough_stewart")


def accelerations(mechanism: Mechanism, theta: float) -> tuple[np.ndarray, int]:
    """The six accelerations with the second angle there, and the status word."""
    sequence = functions.dynamics(solved_mechanism(mechanism), "float64", contract=True)
    pose = [*POSE[:4], theta, POSE[5]]
    result = interpret(sequence, np.array([[*pose, *RATES, *FORCES]]))
    names = [output.signal.name for output in sequence.outputs]
    return result.outputs[0, [names.index(f"{name}.acceleration") for name in NAMES]], int(result.status[0])


@pytest.mark.parametrize("theta", [0.0, 1.5, -1.56])
def test_accelerations_equal_the_augmented_equations_far_from_the_design_pose(theta: float) -> None:
    """The first axis and the third one are parallel at a quarter turn: at 1.56 rad their sine is 0.011."""
    mechanism = platform('["-1.6 rad", "1.6 rad"]')
    found, status = accelerations(mechanism, theta)
    inputs = {f"F{leg}": np.array([force]) for leg, force in enumerate(FORCES, 1)}
    pose = np.array([[*POSE[:4], theta, POSE[5]]])
    (right,) = reference_of(mechanism).state_derivative(pose, np.array([RATES]), inputs)
    assert status == 0
    assert found == pytest.approx(right, rel=1e-9)


@pytest.mark.parametrize(("theta", "flagged"), [(np.pi / 2 - 1e-5, True), (np.pi / 2 - 1e-4, False)])
def test_parallel_axes_are_flagged(theta: float, *, flagged: bool) -> None:
    """The volume of the three axes is cos(theta); below 2^-15 the pose is singular for angles, and finite."""
    found, status = accelerations(platform('["-1.6 rad", "1.6 rad"]'), theta)
    assert np.isfinite(found).all()
    assert (status != 0) is flagged


def test_equations_by_angles_give_the_same_accelerations() -> None:
    """M q'' = r with a symmetric M, as steps and stability read it."""
    mechanism = platform()
    builder = Builder("equations", "float64", contract=False)
    scope = Scope(builder, mechanism)
    for given in mechanism.inputs:
        scope.define(given.name, builder.input(Signal(given.name, "N")))
    coordinates = {name: builder.input(Signal(name, "1")) for name in NAMES}
    rates = {name: builder.input(Signal(f"{name}.rate", "1")) for name in NAMES}
    now = equations_of_motion(solved_mechanism(mechanism), builder, scope, coordinates, rates)
    assert now.equations is not None
    rows = [*now.equations.matrix, now.equations.right, list(now.accelerations.values())]
    for number, value in enumerate(value for row in rows for value in row):
        builder.output(Signal(f"v{number}", "1", group=Group.OUTPUT), value)
    found = interpret(builder.finish(), np.array([[*FORCES, *POSE, *RATES]])).outputs[0].reshape(8, 6)
    matrix, right, made = found[:6], found[6], found[7]
    assert matrix == pytest.approx(matrix.T, rel=1e-12, abs=1e-12)
    assert np.linalg.eigvalsh(matrix).min() > 0
    assert matrix @ made == pytest.approx(right, rel=1e-10)
