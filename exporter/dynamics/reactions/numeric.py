"""The geometry of equilibrium as numbers, at the design pose and random ones.

In: a mechanism and the axes that forces are summed in. Out: vectors whose components are arrays with a row per pose.
"""

from typing import Any, cast

import numpy as np

from exporter.dynamics.reactions.components import Across, AlongLink, Direction, FixedAxis, FrameAxis
from exporter.dynamics.sampled_motions import sampled_rows
from exporter.kinematics.closures.numeric import Array, Poses, poses_of
from exporter.kinematics.protocol.frames import Matrix3, rotation_matrix
from exporter.kinematics.protocol.vectors import Vector
from exporter.model.evaluate import evaluate
from exporter.model.joints import Frame, Joint
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class NumericGeometry:
    """Poses in numbers; `axes` (3, 3) has the axes that forces are summed in as its rows, in ground axes."""

    mechanism: Mechanism
    poses: Poses
    count: int
    axes: Array

    def arm(self, start: Joint, end: Joint | Frame) -> Vector:
        """From a joint's origin to another's, or to a frame's."""
        return self._vector(self._point(end.child if isinstance(end, Joint) else end) - self._point(start.child))

    def direction(self, direction: Direction) -> Vector:
        """A direction."""
        match direction:
            case FixedAxis(number):
                return self._vector(self.axes[number])
            case FrameAxis(frame, axis):
                values = self.mechanism.nominal_values()
                turn = np.array(rotation_matrix(frame.rotation, values), dtype=float)
                return self._vector(self.poses.turn[frame.body] @ (turn @ np.array(axis, dtype=float)))
            case Across(one, other):
                return self.direction(one).cross(self.direction(other))
            case AlongLink(start, end):
                return self._vector(self._point(end) - self._point(start))

    def zero(self) -> Vector:
        """Rows of 0."""
        return self._vector(np.zeros(3))

    def _point(self, frame: Frame) -> Array:
        values = self.mechanism.nominal_values()
        place = np.array([float(evaluate(part, values)) for part in frame.at])
        return np.asarray(self.poses.origin[frame.body] + self.poses.turn[frame.body] @ place)

    def _vector(self, ground: Array) -> Vector:
        parts = np.broadcast_to(ground @ self.axes.T, (self.count, 3))
        return Vector(*cast("Any", (parts[:, 0], parts[:, 1], parts[:, 2])))


def array_of(vector: Vector) -> Array:
    """The components of a vector of arrays, (rows, 3)."""
    return np.stack([np.asarray(part) for part in cast("Any", vector.parts())], axis=-1)


def numeric_geometry(mechanism: Mechanism, axes: Matrix3) -> NumericGeometry:
    """The geometry at the sampled poses, nominal parameters."""
    closures, rows = sampled_rows(mechanism)
    return NumericGeometry(mechanism, poses_of(closures.numbers, rows), len(rows), np.array(axes, dtype=float))
