"""Distances of points, with their derivatives: d = |r|, d' = r.r' / d, d'' = (r'.r' + r.r'' - d'^2) / d.

In: a `Distance` and a solved pose or motion; r is the way from its start to its end. Out: the distance (m), its rate
and acceleration. Where the points meet, d has no derivative: it is kept above a small part of the mechanism's size,
with NEAR_SINGULAR. Where one independent coordinate moves the two bodies against each other, d^2 is a formula of it
alone (`exporter.kinematics.outputs.joint_distances`).
"""

from functools import cached_property

from exporter.kinematics.outputs.joint_distances import JointDistance, joint_distance
from exporter.kinematics.protocol.limits import PIVOT_THRESHOLD
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Accelerations, Positions, Velocities
from exporter.kinematics.protocol.vectors import Vector
from exporter.model.mechanism import Distance, Mechanism
from exporter.model.size import length_of
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.guards import positive_pivot


@dataclass
class DistanceValues:
    """One distance at one pose, in one motion and at one acceleration where there are such."""

    mechanism: Mechanism
    wanted: Distance
    scope: Scope
    pose: Positions
    motion: Velocities | None = None
    second: Accelerations | None = None

    def value(self) -> Value:
        """The distance, m: never below a small part of the mechanism's size."""
        builder, short = self.scope.builder, self._short
        limit = PIVOT_THRESHOLD[builder.precision] * length_of(self.mechanism)
        about = f"{self.wanted.start.name} and {self.wanted.end.name} meet: their distance has no direction"
        square = self.line.squared() if short is None else short.square(self.pose)
        return builder.sqrt(positive_pivot(builder, square, limit * limit, about))

    def rate(self) -> Value:
        """Rate of the distance in the motion, m/s."""
        assert self.motion is not None
        if self._short is not None:
            return self._short.half_rate(self.motion) / self.value()
        return self.line.dot(self._velocity) / self.value()

    def acceleration(self) -> Value:
        """Second derivative of the distance at the acceleration, m/s^2."""
        assert self.second is not None
        rate = self.rate()
        if self._short is not None:
            return (self._short.half_acceleration(self.second) - rate * rate) / self.value()
        start, end = (Vector(*self.second.point_acceleration(p)) for p in (self.wanted.start, self.wanted.end))
        return (self._velocity.squared() + self.line.dot(end - start) - rate * rate) / self.value()

    @cached_property
    def _short(self) -> JointDistance | None:
        return joint_distance(self.mechanism, self.wanted, self.scope)

    @cached_property
    def line(self) -> Vector:
        """From start to end, ground axes, m."""
        return Vector(*self.pose.point(self.wanted.end)) - Vector(*self.pose.point(self.wanted.start))

    @property
    def _velocity(self) -> Vector:
        assert self.motion is not None
        start, end = (Vector(*self.motion.point_velocity(p)) for p in (self.wanted.start, self.wanted.end))
        return end - start


def distances_of_interest(mechanism: Mechanism) -> tuple[tuple[str, Distance], ...]:
    """The distances that [outputs] asks for, by the names of the outputs, in the order of the file."""
    asked = mechanism.outputs.items()
    return tuple((name, mechanism.distances[signal]) for name, signal in asked if signal in mechanism.distances)
