"""Residuals and Jacobians of closures, of every mechanism of the library, against their equations and complex steps."""

import numpy as np
import pytest

from exporter.model.library import model_names, model_path, practice_names
from exporter.model.toml.reader import read_mechanism
from sil.reference.closure_equations import AlignmentEquation, Equation, PointEquation
from sil.reference.closures import Closures, closures_of
from sil.reference.motion import COMPLEX_STEP, Pose, body_poses, configuration
from sil.reference.rotations import Array
from sil.reference.skeleton import skeleton_of

ROWS = 4


def closures_and_poses(name: str) -> tuple[Closures, Array]:
    """The closures of a mechanism, and poses that do not close them: nothing is zero by chance."""
    closures = closures_of(skeleton_of(read_mechanism(model_path(name))))
    pose = closures.skeleton.mechanism.pose
    near = np.array([float(pose.get(each, 0)) for each in closures.skeleton.coordinates])
    return closures, near + 0.2 * np.random.default_rng(7).standard_normal((ROWS, len(near)))


LOOPS = [
    name
    for name in (*model_names(), *practice_names())
    if any(joint.closes for joint in read_mechanism(model_path(name)).joints)
]


def residual_by_definition(equation: Equation, pose: Pose, row: int) -> float:
    """u . (p_child - p_parent), u . w, or 2 tan(angle / 2) times a component of the axis."""

    def turn(body: int) -> Array:
        return np.broadcast_to(pose.turns[body], (ROWS, 3, 3))[row]

    if isinstance(equation, PointEquation):
        gap = np.broadcast_to(pose.point(equation.child) - pose.point(equation.parent), (ROWS, 3))[row]
        return float(turn(equation.parent.body) @ equation.direction @ gap)
    one, other = turn(equation.parent), turn(equation.child)
    if isinstance(equation, AlignmentEquation):
        return float(one @ equation.on_parent @ (other @ equation.on_child))
    relative = (one @ np.stack(equation.on_parent, axis=1)).T @ other @ np.stack(equation.on_child, axis=1)
    angle = np.arccos((np.trace(relative) - 1) / 2)
    i, j = equation.about
    return float((relative[i, j] - relative[j, i]) / (2 * np.sin(angle)) * 2 * np.tan(angle / 2))


@pytest.mark.parametrize("name", LOOPS)
def test_residuals_are_those_of_the_equations(name: str) -> None:
    """Evaluated with all bodies placed one joint after the other."""
    closures, poses = closures_and_poses(name)
    at = configuration(poses)
    pose, found = body_poses(closures.skeleton, at), closures.residual(at) * closures.scales
    for number, equation in enumerate(closures.equations):
        expected = [residual_by_definition(equation, pose, row) for row in range(ROWS)]
        assert found[:, number] == pytest.approx(expected, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("name", LOOPS)
def test_jacobians_are_the_slopes_of_the_residuals(name: str) -> None:
    """Each column is held against a complex step of its coordinate."""
    closures, poses = closures_and_poses(name)
    at = configuration(poses)
    residual, jacobian = closures.residual_and_jacobian(at)
    assert np.array_equal(residual, closures.residual(at))
    for column, unit in enumerate(np.eye(poses.shape[1])):
        stepped = closures.residual(at.stepped(np.broadcast_to(unit, poses.shape)))
        assert jacobian[:, :, column] == pytest.approx(np.imag(stepped) / COMPLEX_STEP, rel=1e-12, abs=1e-13)


def test_bias_is_the_second_derivative_without_accelerations() -> None:
    """A platform shows it by differences of the closures' rates along a straight way."""
    closures, poses = closures_and_poses("gough_stewart")
    rates, step = np.random.default_rng(8).standard_normal(poses.shape), 1e-5

    def speeds(time: float) -> Array:
        jacobian = closures.residual_and_jacobian(configuration(poses + time * rates))[1]
        return np.einsum("nmc,nc->nm", jacobian, rates)

    difference = (speeds(step) - speeds(-step)) / (2 * step)
    assert closures.bias(configuration(poses), rates) == pytest.approx(difference, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("name", LOOPS)
def test_biases_are_the_slopes_of_the_jacobians_along_the_motion(name: str) -> None:
    """Each is held against a complex step of the Jacobian in the direction of the rates, times the rates."""
    closures, poses = closures_and_poses(name)
    rates, at = np.random.default_rng(9).standard_normal(poses.shape), configuration(poses)
    slopes = np.imag(closures.evaluated(at.stepped(rates))[1]) / COMPLEX_STEP
    assert closures.bias(at, rates) == pytest.approx(np.einsum("nmc,nc->nm", slopes, rates), rel=1e-12, abs=1e-12)
