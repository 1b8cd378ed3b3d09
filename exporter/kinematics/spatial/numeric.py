"""The original mechanism in float64: poses of the tree and residuals of the closing joints, vectorised over rows.

Comes in: a Mechanism and values of all coordinates. Goes out: closure residuals and their Jacobian by complex steps,
at nominal parameters. It knows nothing of blocks: it judges what they give.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.frames import rotation_matrix, triad
from exporter.kinematics.spatial.motions import GROUND, motions_of
from exporter.model.evaluate import evaluate
from exporter.model.mechanism import Axis, Frame, Joint, Mechanism

Array = NDArray[Any]
STEP = 1e-40  # of a complex step


@dataclass(frozen=True, slots=True)
class Poses:
    """Origins (rows, 3) and orientations (rows, 3, 3) by body."""

    origin: dict[str, Array]
    turn: dict[str, Array]


def poses_of(mechanism: Mechanism, coordinates: Array) -> Poses:
    """Poses of all bodies along the tree; coordinates (rows, c) in the mechanism's order."""
    values = {parameter.name: parameter.value for parameter in mechanism.parameters}
    column = {name: k for k, name in enumerate(mechanism.coordinates())}
    poses = Poses({GROUND: np.zeros(3)}, {GROUND: np.eye(3)})
    waiting = [joint for joint in mechanism.joints if not joint.closes]
    while waiting:
        ready = [joint for joint in waiting if joint.parent.body in poses.turn]
        for joint in ready:
            _carry(joint, poses, coordinates, column, values)
        waiting = [joint for joint in waiting if joint not in ready]
    return poses


def _carry(
    joint: Joint, poses: Poses, coordinates: Array, column: Mapping[str, int], values: Mapping[str, Fraction]
) -> None:
    at, to = joint.parent, joint.child
    turn = poses.turn[at.body] @ matrix_of(at, values)
    origin = poses.origin[at.body] + _times(poses.turn[at.body], place_of(at, values))
    for motion in motions_of(joint):
        value = coordinates[:, column[motion.coordinate]]
        axis = np.array([float(part) for part in motion.axis])
        if motion.kind == "slide":
            origin = origin + _times(turn, axis) * value[:, None]
        else:
            turn = turn @ _rotation(axis, value)
    turn = turn @ matrix_of(to, values).T
    poses.turn[to.body] = turn
    poses.origin[to.body] = origin - _times(turn, place_of(to, values))


def _times(matrix: Array, vector: Array) -> Array:
    return np.asarray(np.einsum("...ij,...j->...i", matrix, vector))


def _rotation(axis: Array, angle: Array) -> Array:
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    sine, cosine = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.asarray(np.eye(3) + sine * skew + (1 - cosine) * (skew @ skew))


def matrix_of(frame: Frame, values: Mapping[str, Fraction]) -> Array:
    """A frame's turn in body axes."""
    return np.array([[float(part) for part in row] for row in rotation_matrix(frame.rotation, values)])


def place_of(frame: Frame, values: Mapping[str, Fraction]) -> Array:
    """A frame's origin in body axes."""
    return np.array([float(evaluate(part, values)) for part in frame.at])


def closing_residuals(mechanism: Mechanism, coordinates: Array, length: float) -> dict[str, Array]:
    """Residuals (rows, equations) of every closing joint; lengths over the length scale."""
    values = {parameter.name: parameter.value for parameter in mechanism.parameters}
    poses = poses_of(mechanism, coordinates)
    return {joint.name: _residual(joint, poses, values, length) for joint in mechanism.joints if joint.closes}


def _residual(joint: Joint, poses: Poses, values: Mapping[str, Fraction], length: float) -> Array:
    at, to = joint.parent, joint.child
    parent, child = poses.turn[at.body] @ matrix_of(at, values), poses.turn[to.body] @ matrix_of(to, values)
    start = poses.origin[at.body] + _times(poses.turn[at.body], place_of(at, values))
    gap = poses.origin[to.body] + _times(poses.turn[to.body], place_of(to, values)) - start
    points, pairs = _equations(joint.type, joint.axis)
    rows = [np.einsum("...i,...i->...", _times(parent, u), gap) / length for u in points]
    rows += [np.einsum("...i,...i->...", _times(parent, u), _times(child, w)) for u, w in pairs]
    count = np.broadcast_shapes(*(np.shape(row) for row in rows))
    return np.stack([np.broadcast_to(row, count) for row in rows], axis=-1)


def _equations(kind: str, axis: Axis) -> tuple[list[Array], list[tuple[Array, Array]]]:
    n = np.array([float(part) for part in axis])
    first, second = (np.array([float(part) for part in vector]) for vector in triad(axis))
    x, y, _ = np.eye(3)
    along, upright = [(first, n), (second, n)], [(first, second), (second, n), (n, first)]
    everywhere = [first, second, n]
    table: dict[str, tuple[list[Array], list[tuple[Array, Array]]]] = {
        "revolute": (everywhere, along),
        "prismatic": ([first, second], upright),
        "cylindrical": ([first, second], along),
        "universal": (everywhere, [(x, y)]),
        "spherical": (everywhere, []),
        "planar": ([n], along),
        "fixed": (everywhere, upright),
        "free": ([], []),
    }
    return table[kind]


def closing_jacobians(mechanism: Mechanism, coordinates: Array, length: float) -> dict[str, Array]:
    """Jacobians (equations, c) of every closing joint at one row, displacements over the length scale."""
    columns: dict[str, list[Array]] = {joint.name: [] for joint in mechanism.joints if joint.closes}
    slides = {m.coordinate for joint in mechanism.joints for m in motions_of(joint) if m.kind == "slide"}
    for k, name in enumerate(mechanism.coordinates()):
        stepped = coordinates.astype(complex)
        stepped[k] += 1j * STEP
        unit = length if name in slides else 1.0
        for joint, residual in closing_residuals(mechanism, stepped[None], length).items():
            columns[joint].append(np.imag(residual[0]) / STEP * unit)
    return {joint: np.stack(each, axis=-1) for joint, each in columns.items()}
