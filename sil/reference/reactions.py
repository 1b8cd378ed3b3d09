"""What joints transmit: the wrenches of all joints at once, by least squares on Newton's and Euler's equations.

In: a `Skeleton`, a pose and accelerations of all coordinates. Out: force and torque of the parent on the child of a
joint, in ground axes, the torque about the origin of the joint's frame on the child; what they are sums of; and where
they are determined. A joint transmits whatever does no work in its own motions, and along these what loads on its
coordinates say. Where all axes of a mechanism are parallel, only what lies in its plane is asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from exporter.model.mechanism import Joint, Mechanism, ReactionOutput
from sil.reference.body_forces import BodyForces, on_body
from sil.reference.closure_equations import AlignmentEquation
from sil.reference.motion import Configuration, Twist, move_bodies, unit_rates
from sil.reference.rotations import AXES, Array, cross, rotate
from sil.reference.skeleton import GROUND, Place, Skeleton, frame_place

RANK = 1e-9  # singular values below this, over the largest, are zero
PARALLEL = 1e-9  # sine of the angle up to which axes are parallel


@dataclass(frozen=True, slots=True)
class Reaction:
    """A force (N) or torque (N*m), (rows, 3), in the axes that are asked for.

    `size` (rows,) is what it is a sum of, where the terms of every body's equations are `sizes`; `loose` (rows,) how
    much of it forces that balance among themselves may change: of no account below rounding.
    """

    value: Array
    size: Array
    loose: Array


@dataclass(frozen=True, slots=True)
class _Transmitted:
    """What a joint may transmit, per unknown (rows, 6, k), and what loads on its coordinates make it (rows, 6)."""

    parent: Place
    child: Place
    point: Array  # the child's origin in ground axes, (rows, 3)
    unknown: Array
    by_loads: Array
    load_sizes: Array


def reactions(
    skeleton: Skeleton,
    at: Configuration,
    forces: BodyForces,
    spins: Sequence[AlignmentEquation],
) -> dict[str, Reaction]:
    """All reactions that the outputs of the mechanism ask for, by name.

    `spins` are those of links between two balls, which the ground holds by a torque across both directions.
    """
    now = move_bodies(skeleton, at, np.zeros_like(at.values))
    joints = {joint.name: _transmitted(skeleton, joint, at, forces) for joint in skeleton.mechanism.joints}
    columns: list[Array] = []
    start = {}
    side, terms = forces.needed.copy(), forces.sizes.copy()
    for name, each in joints.items():
        start[name] = sum(part.shape[-1] for part in columns)
        columns.append(np.swapaxes(_on_both(skeleton, now, each, np.swapaxes(each.unknown, 1, 2)), 1, 2))
        side -= _on_both(skeleton, now, each, each.by_loads[:, None, :])[:, 0]
        terms += _sizes_on_both(skeleton, now, each)
    for spin in spins:
        held = np.broadcast_to(spin.on_parent, (len(side), 3))
        torque = cross(now.pose.direction(spin.child, spin.on_child), held)
        wrench = np.concatenate([np.zeros_like(torque), torque], axis=-1)
        columns.append(on_body(skeleton, wrench, (spin.child, np.zeros((len(side), 3))))[:, :, None])
    matrix, scale = np.concatenate(columns, axis=-1), _scales(skeleton)
    left, values, right = np.linalg.svd(matrix * scale[:, None], full_matrices=True)
    rank = int((values > RANK * values[:, :1]).sum(axis=1).max(initial=0))
    inverse = np.swapaxes(right[:, :rank], 1, 2) / values[:, None, :rank] @ np.swapaxes(left[:, :, :rank], 1, 2) * scale
    stress = np.swapaxes(right[:, rank:], 1, 2)
    found = {}
    for name, wanted in skeleton.mechanism.reactions.items():
        each = joints[wanted.joint]
        where = slice(start[wanted.joint], start[wanted.joint] + each.unknown.shape[-1])
        rows = slice(0, 3) if wanted.part == "force" else slice(3, 6)
        axes = _axes(skeleton, wanted, now, len(side))
        part = axes @ each.unknown[:, rows]
        value = np.einsum("nij,nj->ni", part @ inverse[:, where], side)
        value = value + np.einsum("nij,nj->ni", axes, each.by_loads[:, rows])
        size = _sizes(each, inverse[:, where], terms, skeleton.length)[wanted.part]
        found[name] = Reaction(value, size, np.abs(part @ stress[:, where]).max(axis=(1, 2), initial=0.0))
    return found


def _sizes(joint: _Transmitted, inverse: Array, sizes: Array, length: float) -> dict[str, Array]:
    """Magnitudes that force and torque of a joint are sums of, (rows,); a torque's holds its force times a length."""
    parts = [
        np.linalg.norm(np.einsum("nij,nj->ni", np.abs(joint.unknown[:, rows] @ inverse), sizes), axis=1)
        + np.linalg.norm(joint.load_sizes[:, rows], axis=1)
        for rows in (slice(0, 3), slice(3, 6))
    ]
    return {"force": parts[0], "torque": parts[1] + length * parts[0]}


def _scales(skeleton: Skeleton) -> Array:
    """Equations of torques over the length scale, (6 bodies,)."""
    return np.tile(np.repeat([1.0, 1.0 / skeleton.length], 3), len(skeleton.masses))


def _on_both(skeleton: Skeleton, now: Twist, joint: _Transmitted, wrenches: Array) -> Array:
    """Wrenches (rows, k, 6) on the child, and against the parent, in all bodies' equations, (rows, k, 6 bodies)."""
    total = np.zeros((*wrenches.shape[:-1], 6 * len(skeleton.masses)))
    for body, sign in ((joint.child.body, 1.0), (joint.parent.body, -1.0)):
        total += sign * on_body(skeleton, wrenches, (body, _arm(skeleton, now, joint, body)[:, None, :]))
    return total


def _sizes_on_both(skeleton: Skeleton, now: Twist, joint: _Transmitted) -> Array:
    """Sizes of what loads make a joint transmit, in all bodies' equations, (rows, 6 bodies)."""
    total = np.zeros((len(joint.point), 6 * len(skeleton.masses)))
    for body in (joint.child.body, joint.parent.body):
        arm = np.linalg.norm(_arm(skeleton, now, joint, body), axis=-1, keepdims=True)
        total += on_body(skeleton, joint.load_sizes, (body, arm))
    return total


def _arm(skeleton: Skeleton, now: Twist, joint: _Transmitted, body: int) -> Array:
    """From a body's centre of mass to the child's origin, ground axes, (rows, 3)."""
    if body == GROUND:
        return joint.point
    center = skeleton.masses[body - 1].center
    return np.asarray(joint.point - now.pose.origins[body] - now.pose.direction(body, center))


def _transmitted(skeleton: Skeleton, joint: Joint, at: Configuration, forces: BodyForces) -> _Transmitted:
    pose = move_bodies(skeleton, at, np.zeros_like(at.values)).pose
    parent, child = frame_place(skeleton, joint.parent), frame_place(skeleton, joint.child)
    rows = len(at.values)
    free = _freedom(
        joint, _turned(pose.turns[parent.body] @ parent.turn, rows), _turned(pose.turns[child.body] @ child.turn, rows)
    )
    # orthonormal rows of (force, torque) that do no work in the freedoms (velocity, spin)
    _, values, right = np.linalg.svd(free, full_matrices=True)
    unknown = np.swapaxes(right[:, len(values[0]) :], 1, 2)
    unknown[:, 3:] *= skeleton.length  # the freedoms' velocities were over it
    point = np.broadcast_to(pose.point(child), (rows, 3))
    return _Transmitted(parent, child, point, unknown, *_by_loads(skeleton, joint, at, forces))


def _turned(turn: Array, rows: int) -> Array:
    return np.broadcast_to(turn, (rows, 3, 3))


def _freedom(joint: Joint, on_parent: Array, on_child: Array) -> Array:
    """Velocity of the child's origin, and spin, of every motion that a joint leaves free, (rows, k, 6)."""
    axis = np.array([float(part) for part in joint.axis])
    axis = axis / np.linalg.norm(axis)
    x, y, z = AXES["x"], AXES["y"], AXES["z"]
    turns: dict[str, list[tuple[Array, Array]]] = {
        "revolute": [(on_parent, axis)],
        "cylindrical": [(on_parent, axis)],
        "universal": [(on_parent, x), (on_child, y)],
        "planar": [(on_parent, z)],
    }
    slides = {"prismatic": [axis], "cylindrical": [axis], "planar": [x, y], "free": [x, y, z]}
    if joint.type in ("spherical", "free"):
        turns[joint.type] = [(on_parent, x), (on_parent, y), (on_parent, z)]
    found = [
        np.concatenate([rotate(on_parent, each), np.zeros((len(on_parent), 3))], -1)
        for each in slides.get(joint.type, [])
    ]
    found += [
        np.concatenate([np.zeros((len(on_parent), 3)), rotate(frame, each)], -1)
        for frame, each in turns.get(joint.type, [])
    ]
    return np.stack(found, axis=1) if found else np.zeros((len(on_parent), 0, 6))


def _by_loads(skeleton: Skeleton, joint: Joint, at: Configuration, forces: BodyForces) -> tuple[Array, Array]:
    """The wrench within a joint's motions that has the power of the forces along its coordinates, and its size."""
    rows, columns = len(at.values), [skeleton.coordinates.index(name) for name in joint.coordinates]
    if not forces.along[:, columns].any():
        return np.zeros((rows, 6)), np.zeros((rows, 6))
    twist = move_bodies(skeleton, at, unit_rates(len(skeleton.coordinates))[columns])
    child, parent = frame_place(skeleton, joint.child), frame_place(skeleton, joint.parent)
    shape = (len(columns), rows, 3)
    spin = np.broadcast_to(twist.spins[child.body] - twist.spins[parent.body], shape)
    carried = twist.velocities[parent.body] + cross(
        twist.spins[parent.body], twist.pose.point(child) - twist.pose.origins[parent.body]
    )
    velocity = np.broadcast_to(twist.of_point(child.body, child.at) - carried, shape)
    inverse = np.linalg.pinv(np.moveaxis(np.concatenate([velocity, spin], axis=-1), 0, 1))  # (rows, 6, k)
    wrench = np.einsum("nij,nj->ni", inverse, forces.along[:, columns])
    return wrench, np.einsum("nij,nj->ni", np.abs(inverse), forces.along_sizes[:, columns])


def _axes(skeleton: Skeleton, wanted: ReactionOutput, now: Twist, rows: int) -> Array:
    """The axes that are asked for as rows, (rows, 3, 3), and of a planar mechanism nothing out of its plane."""
    joint = next(each for each in skeleton.mechanism.joints if each.name == wanted.joint)
    turn = np.eye(3)
    if wanted.axes != "ground":
        place = frame_place(skeleton, joint.parent if wanted.axes == "parent" else joint.child)
        turn = now.pose.turns[place.body] @ place.turn
    axes = np.swapaxes(_turned(turn, rows), -1, -2)
    normal = plane_normal(skeleton.mechanism, skeleton, now)
    if normal is None:
        return axes
    along = np.outer(normal, normal)
    return np.asarray(axes @ (np.eye(3) - along if wanted.part == "force" else along))


def plane_normal(mechanism: Mechanism, skeleton: Skeleton, now: Twist) -> Array | None:
    """The normal of the plane that a mechanism moves in, ground axes; None where it moves in space."""
    normal, slides = None, []
    for joint in mechanism.joints:
        if joint.type not in ("revolute", "prismatic", "planar", "fixed"):
            return None
        place = frame_place(skeleton, joint.parent)
        axis = rotate(now.pose.turns[place.body] @ place.turn, np.array([float(part) for part in joint.axis]))
        axis = np.asarray(axis.reshape(-1, 3)[0] / np.linalg.norm(axis.reshape(-1, 3)[0]))
        if joint.type == "prismatic":
            slides.append(axis)
        elif joint.type != "fixed" and normal is None:
            normal = axis
        elif joint.type != "fixed" and np.linalg.norm(np.cross(normal, axis)) > PARALLEL:  # type: ignore[arg-type]
            return None
    if normal is None or any(abs(float(normal @ slide)) > PARALLEL for slide in slides):
        return None
    return normal
