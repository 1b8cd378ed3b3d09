"""How bodies stand and move at tree coordinates: poses, Jacobians and what is left of accelerations without q''.

In: a `Plain` mechanism, coordinates and rates (rows, n). Out: a `Moving` frame per body, all in ground axes.
Each elementary motion of a joint is one step of the recursion, with the classical rules of moving frames:
a turn about e adds e q' to the spin and (spin x e) q' to its bias; a slide along e adds e q' to the velocity and
2 (spin x e) q' to its bias; an arm r carries v + w x r and a + alpha x r + w x (w x r).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from plain_mechanism import GROUND, TURN, Joint, Place, Plain
from plain_rotations import Array, about, crossing


def cross(left: Array, right: Array) -> Array:
    """Vector products along the last axis; several times faster than numpy's."""
    result = np.empty(np.broadcast_shapes(left.shape, right.shape))
    a, b, c = left[..., 0], left[..., 1], left[..., 2]
    x, y, z = right[..., 0], right[..., 1], right[..., 2]
    result[..., 0] = b * z - c * y
    result[..., 1] = c * x - a * z
    result[..., 2] = a * y - b * x
    return result


@dataclass(frozen=True)
class Moving:
    """A frame in motion; Jacobians have the coordinates in the middle: (rows, n, 3)."""

    turn: Array  # (rows, 3, 3)
    place: Array  # (rows, 3)
    spins: Array  # d spin / d q'
    speeds: Array  # d velocity / d q'
    spin: Array
    velocity: Array
    spin_bias: Array  # angular acceleration at q'' = 0
    bias: Array  # acceleration at q'' = 0

    def direction(self, own: Array) -> Array:
        """A constant vector of the frame in ground axes."""
        return self.turn @ own

    def carried(self, own: Array) -> "Moving":
        """The frame moved by a constant arm of its own."""
        return self.shifted(self.direction(own))

    def shifted(self, arm: Array) -> "Moving":
        """The frame moved by an arm (rows, 3) that turns with it."""
        crossed = crossing(arm)
        swept = (self.spin[:, None] @ crossed)[:, 0]
        return replace(
            self,
            place=self.place + arm,
            speeds=self.speeds + self.spins @ crossed,
            velocity=self.velocity + swept,
            bias=self.bias + (self.spin_bias[:, None] @ crossed)[:, 0] + cross(self.spin, swept),
        )

    def at(self, place: Place) -> "Moving":
        """A place on this body."""
        carried = self.carried(place.at)
        return replace(carried, turn=self.turn @ place.turn)

    def turned_about(self, axis: Array, column: int, angle: Array, rate: Array) -> "Moving":
        """After a turn about an own axis by a coordinate."""
        unit = self.direction(axis)
        return replace(
            self,
            turn=self.turn @ about(axis, angle),
            spins=_added(self.spins, column, unit),
            spin=self.spin + unit * rate[:, None],
            spin_bias=self.spin_bias + cross(self.spin, unit) * rate[:, None],
        )

    def slid_along(self, axis: Array, column: int, distance: Array, rate: Array) -> "Moving":
        """After a slide along an own axis by a coordinate."""
        unit = self.direction(axis)
        moved = self.shifted(unit * distance[:, None])
        return replace(
            moved,
            speeds=_added(moved.speeds, column, unit),
            velocity=moved.velocity + unit * rate[:, None],
            bias=moved.bias + 2 * cross(self.spin, unit) * rate[:, None],
        )


def _added(jacobian: Array, column: int, unit: Array) -> Array:
    result = jacobian.copy()
    result[:, column] += unit
    return result


def resting(rows: int, coordinates: int) -> Moving:
    """The ground."""
    zero, none = np.zeros((rows, 3)), np.zeros((rows, coordinates, 3))
    return Moving(np.broadcast_to(np.eye(3), (rows, 3, 3)), zero, none, none, zero, zero, zero, zero)


def moving_bodies(plain: Plain, at: Array, rates: Array | None = None) -> dict[str, Moving]:
    """Every body at coordinates (rows, n), moving with rates (rows, n) or resting."""
    rates = np.zeros_like(at) if rates is None else rates
    bodies = {GROUND: resting(*at.shape)}
    waiting = [joint for joint in plain.joints if not joint.closes]
    while waiting:
        ready = [joint for joint in waiting if joint.parent.body in bodies]
        if not ready:
            raise ValueError("the joints are no tree")
        for joint in ready:
            bodies[joint.child.body] = _child(plain, joint, bodies, at, rates)
        waiting = [joint for joint in waiting if joint.child.body not in bodies]
    return bodies


def _child(plain: Plain, joint: Joint, bodies: Mapping[str, Moving], at: Array, rates: Array) -> Moving:
    frame = bodies[joint.parent.body].at(joint.parent)
    for name, (kind, axis) in zip(joint.coordinates, joint.motions(), strict=True):
        column = plain.coordinates.index(name)
        move = frame.turned_about if kind == TURN else frame.slid_along
        frame = move(axis, column, at[:, column], rates[:, column])
    turn = joint.child.turn.T
    return replace(frame, turn=frame.turn @ turn).carried(-joint.child.at)
