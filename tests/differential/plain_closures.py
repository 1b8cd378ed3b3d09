"""What closing joints ask for: residuals, their Jacobian and what is left of their second derivative at q'' = 0.

In: a `Plain` mechanism and its moving bodies. Out: a `Closures`, every equation over the mechanism's size
where it is a length. Three kinds of equations are enough for every joint: a direction of the one frame stays across
one of the other, the vector between the origins stays across a direction, the origins meet.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from plain_mechanism import Joint, Plain, X, Y, Z
from plain_rotations import Array, normals_of
from tree_motion import Moving, cross

Row = tuple[Array, Array, Array]  # residual (rows,), Jacobian (rows, n), bias (rows,)
Ends = tuple[Moving, Moving]


@dataclass(frozen=True)
class Closures:
    """All equations: (rows, m), (rows, m, n), (rows, m)."""

    residual: Array
    jacobian: Array
    bias: Array


def dot(left: Array, right: Array) -> Array:
    """Scalar products along the last axis."""
    return np.einsum("...i,...i->...", left, right)


def direction_rates(frame: Moving, own: Array) -> tuple[Array, Array, Array]:
    """A direction, its rate, and its second derivative at q'' = 0."""
    unit = frame.direction(own)
    rate = cross(frame.spin, unit)
    return unit, rate, cross(frame.spin_bias, unit) + cross(frame.spin, rate)


def across(ends: Ends, own: Array, other: Array) -> Row:
    """A direction of the parent's frame stays across one of the child's."""
    parent, child = ends
    n, n1, n2 = direction_rates(parent, own)
    m, m1, m2 = direction_rates(child, other)
    jacobian = dot(parent.spins - child.spins, cross(n, m)[:, None, :])
    return dot(n, m), jacobian, dot(n2, m) + 2 * dot(n1, m1) + dot(n, m2)


def along(ends: Ends, own: Array, size: float) -> Row:
    """The vector from the parent's origin to the child's stays across a direction of the parent's frame."""
    parent, child = ends
    n, n1, n2 = direction_rates(parent, own)
    d, d1, d2 = child.place - parent.place, child.velocity - parent.velocity, child.bias - parent.bias
    jacobian = dot(child.speeds - parent.speeds, n[:, None, :]) + dot(parent.spins, cross(n, d)[:, None, :])
    return dot(d, n) / size, jacobian / size, (dot(d2, n) + 2 * dot(d1, n1) + dot(d, n2)) / size


def meeting(ends: Ends, size: float) -> list[Row]:
    """The origins coincide."""
    parent, child = ends
    d, jacobian, bias = child.place - parent.place, child.speeds - parent.speeds, child.bias - parent.bias
    return [(d[:, k] / size, jacobian[:, :, k] / size, bias[:, k] / size) for k in range(3)]


def _parallel_axes(ends: Ends, joint: Joint) -> list[Row]:
    return [across(ends, normal, joint.axis) for normal in normals_of(joint.axis)]


def _on_axis(ends: Ends, joint: Joint, size: float) -> list[Row]:
    return [along(ends, normal, size) for normal in normals_of(joint.axis)]


def _parallel_frames(ends: Ends) -> list[Row]:
    return [across(ends, Z, Y), across(ends, X, Z), across(ends, Y, X)]


RULES: dict[str, Callable[[Ends, Joint, float], list[Row]]] = {
    "revolute": lambda ends, joint, size: [*meeting(ends, size), *_parallel_axes(ends, joint)],
    "prismatic": lambda ends, joint, size: [*_parallel_frames(ends), *_on_axis(ends, joint, size)],
    "cylindrical": lambda ends, joint, size: [*_parallel_axes(ends, joint), *_on_axis(ends, joint, size)],
    "universal": lambda ends, _, size: [*meeting(ends, size), across(ends, X, Y)],
    "spherical": lambda ends, _, size: meeting(ends, size),
    "planar": lambda ends, _, size: [across(ends, Z, X), across(ends, Z, Y), along(ends, Z, size)],
    "fixed": lambda ends, _, size: [*meeting(ends, size), *_parallel_frames(ends)],
    "free": lambda *_: [],
}


def closures(
    plain: Plain,
    bodies: Mapping[str, Moving],
    extra: Callable[..., list[Row]] | None = None,
    further: Sequence[Row] = (),
) -> Closures:
    """Equations of all closing joints; `extra` adds equations of bodies, `further` others."""
    rows = list(further)
    for joint in plain.joints:
        if joint.closes:
            ends = bodies[joint.parent.body].at(joint.parent), bodies[joint.child.body].at(joint.child)
            rows += RULES[joint.type](ends, joint, plain.size)
    rows += extra(bodies) if extra else []
    if not rows:
        first = next(iter(bodies.values()))
        count = first.spins.shape[:2]
        return Closures(np.zeros((count[0], 0)), np.zeros((count[0], 0, count[1])), np.zeros((count[0], 0)))
    return Closures(*(np.stack(part, axis=1) for part in zip(*rows, strict=True)))


def antiparallel(plain: Plain, bodies: Mapping[str, Moving]) -> Array:
    """Whether a closing joint holds its frames the wrong way round, which its equations cannot tell: (rows,)."""
    wrong = np.zeros(len(next(iter(bodies.values())).place), dtype=bool)
    for joint in plain.joints:
        if joint.closes and joint.type not in ("spherical", "universal", "free"):
            ends = bodies[joint.parent.body].at(joint.parent), bodies[joint.child.body].at(joint.child)
            turns = [end.turn @ joint.axis for end in ends]
            wrong |= dot(*turns) < 0
            if joint.type in ("prismatic", "fixed"):
                wrong |= np.einsum("nij,nij->n", ends[0].turn, ends[1].turn) < 2
    return wrong
