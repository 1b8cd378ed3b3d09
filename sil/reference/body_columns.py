"""How bodies move per unit rate of each coordinate on the way to them, by the axes that `placing` gives.

A turn about the axis a through o moves a point p by a x (p - o) and turns its body by a; a slide moves it by a. Other
coordinates do nothing to the body. Rows stand last.
"""

from dataclasses import dataclass

import numpy as np

from sil.reference.placing import Parts, Placed, motions_to
from sil.reference.rotations import Array, cross_rows
from sil.reference.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class BodyColumns:
    """Velocity of a point and spin of its body per unit rate, (numbers, 3, rows), ground axes."""

    numbers: list[int]  # coordinates on the way to the body
    linear: Array
    angular: Array

    def moved(self, rates: Array) -> tuple[Array, Array]:
        """Velocity of the point and spin, (3, rows), at rates (c, rows) of all coordinates."""
        own = rates[self.numbers][:, None]
        return (self.linear * own).sum(axis=0), (self.angular * own).sum(axis=0)


def body_columns(skeleton: Skeleton, placed: Placed, body: int, at: Parts) -> BodyColumns:
    """The columns of a body and a point of it in body axes."""
    motions = list(motions_to(skeleton, body))
    point, rows = placed.point(body, at), placed.origins[0].shape[-1]
    kind = np.result_type(point, *placed.turns)  # a point may stay where coordinates take a complex step
    linear = np.zeros((len(motions), 3, rows), kind)
    angular = np.zeros_like(linear)
    for k, motion in enumerate(motions):
        axis = placed.axes[motion.coordinate]
        if motion.kind == "slide":
            linear[k] = axis
            continue
        angular[k] = axis
        linear[k] = cross_rows(axis, point - placed.centres[motion.coordinate])
    return BodyColumns([motion.coordinate for motion in motions], linear, angular)


def out_of_body(turn: Array, vector: Array) -> Array:
    """A vector (3, rows) of the axes of a body that is turned so, (3, 3, rows), in ground axes."""
    return np.asarray(turn[:, 0] * vector[0] + turn[:, 1] * vector[1] + turn[:, 2] * vector[2])


def into_body(turn: Array, vectors: Array) -> Array:
    """Vectors (..., 3, rows) of ground axes in the axes of a body that is turned so, (3, 3, rows)."""
    x, y, z = (vectors[..., k, :] for k in range(3))
    return np.stack([turn[0, k] * x + turn[1, k] * y + turn[2, k] * z for k in range(3)], axis=-2)
