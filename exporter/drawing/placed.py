"""Where frames, axes and joints of a mechanism are at one pose, in ground axes.

In: a Mechanism and all coordinates of one assembly, rad and m. Used by: scenes, and `kinefix show` for distances.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property

import numpy as np

from exporter.kinematics.closures.numeric import Array, numbers_of, poses_of
from exporter.kinematics.protocol.frames import rotation_matrix
from exporter.model.evaluate import evaluate
from exporter.model.joints import CENTERED_JOINT_TYPES
from exporter.model.mechanism import Frame, Joint, Mechanism

SLIDING_JOINT_TYPES = ("prismatic", "cylindrical")
SPHERE, ONE_PLACE = 0.5, 1e-9  # m: radius of the sphere of a spherical linkage, which has no size; rounding
TURNING_JOINT_TYPES = ("revolute", "cylindrical")


class Placed:
    """A mechanism at nominal parameters, its bodies in place."""

    def __init__(self, mechanism: Mechanism, coordinates: Mapping[str, float]) -> None:
        self.mechanism = mechanism
        self.coordinates = coordinates
        self.values = mechanism.nominal_values()
        row = np.array([[coordinates[name] for name in mechanism.coordinates()]])
        self.numbers = numbers_of(mechanism)
        poses = poses_of(self.numbers, row)
        self.origin = {body: np.reshape(origin, 3) for body, origin in poses.origin.items()}
        self.turn = {body: np.reshape(turn, (3, 3)) for body, turn in poses.turn.items()}

    def frame(self, frame: Frame) -> Array:
        """A frame's origin, (3,)."""
        local = np.array([float(evaluate(part, self.values)) for part in frame.at])
        return np.asarray(self.origin[frame.body] + self.turn[frame.body] @ local)

    def turned(self, frame: Frame, local: Array) -> Array:
        """A direction (3,) in the axes of a frame, as ground has it."""
        turn = np.array(rotation_matrix(frame.rotation, self.values), dtype=float)
        return np.asarray(self.turn[frame.body] @ turn @ local)

    def axis(self, joint: Joint) -> Array:
        """A joint's axis, (3,)."""
        axis = np.array([float(part) for part in joint.axis])
        return np.asarray(self.turn[joint.parent.body] @ self.numbers.turn[joint.parent] @ axis)

    def joint(self, joint: Joint) -> Array:
        """Where a joint is drawn, (3,); hinges that all meet in one point stand on a sphere about it."""
        if self.meets_in_a_point and joint.type == "revolute":
            return np.asarray(self.frame(joint.child) + SPHERE * self.axis(joint))
        if joint.type in SLIDING_JOINT_TYPES:
            return np.asarray((self.frame(joint.parent) + self.frame(joint.child)) / 2)
        return self.frame(joint.parent if joint.type in CENTERED_JOINT_TYPES else joint.child)

    @cached_property
    def meets_in_a_point(self) -> bool:
        """Whether all joints are at one place, as those of spherical linkages."""
        frames = [frame for joint in self.mechanism.joints for frame in (joint.parent, joint.child)]
        points = np.array([self.frame(frame) for frame in frames])
        return len(self.mechanism.joints) > 2 and float(np.ptp(points, axis=0).max()) < ONE_PLACE

    def distance(self, name: str) -> float:
        """How far the two points of a distance are apart, m."""
        ends = self.mechanism.distances[name]
        return float(np.linalg.norm(self.frame(ends.end) - self.frame(ends.start)))

    def joint_of(self, coordinate: str) -> Joint:
        """The joint that a coordinate belongs to."""
        return next(joint for joint in self.mechanism.joints if coordinate in joint.coordinates)

    def slide(self, coordinate: str) -> Array:
        """The direction (3,) along which a displacement moves a joint's child."""
        joint = self.joint_of(coordinate)
        if joint.type in SLIDING_JOINT_TYPES:
            return self.axis(joint)
        unit = np.eye(3)[joint.coordinates.index(coordinate)]
        return np.asarray(self.turn[joint.parent.body] @ self.numbers.turn[joint.parent] @ unit)

    def at_rest(self) -> dict[str, Fraction]:
        """What formulas of loads may read, SI units: parameters, nominal inputs, coordinates, distances, rates of 0."""
        mechanism = self.mechanism
        inputs = {given.name: given.nominal for given in mechanism.inputs}
        state = {name: self._state(name) for name in (*mechanism.coordinates(), *mechanism.distances)}
        return {**self.values, **inputs, **state, **{f"{name}.rate": Fraction(0) for name in state}}

    def _state(self, name: str) -> Fraction:
        """A coordinate or distance; an angle that follows from others is within half a turn, as dynamics has it."""
        if name in self.mechanism.distances:
            return Fraction(self.distance(name))
        value = self.coordinates[name]
        wraps = self.mechanism.is_angle(name) and name not in self.mechanism.independent
        return Fraction(math.remainder(value, math.tau) if wraps else value)

    def size(self) -> float:
        """The longest edge of the box around all joints, m."""
        frames = [frame for joint in self.mechanism.joints for frame in (joint.parent, joint.child)]
        points = np.array([self.frame(frame) for frame in frames])
        return float((points.max(axis=0) - points.min(axis=0)).max()) or 1.0
