"""Distances of points, with their derivatives: d = |r|, d' = r.r' / d, d'' = (r'.r' + r.r'' - d'^2) / d.

In: a `Distance` and a solved pose or motion; r is the way from its start to its end. Out: the distance (m), its rate
and acceleration. Where the points meet, d has no derivative: it is kept above a small part of the mechanism's size,
with NEAR_SINGULAR.
"""

from dataclasses import dataclass
from functools import cached_property

from exporter.kinematics.protocol.limits import PIVOT_THRESHOLD
from exporter.kinematics.protocol.solution import Accelerations, Positions, Velocities
from exporter.kinematics.protocol.vectors import Vector
from exporter.model.mechanism import Distance, Mechanism
from exporter.model.size import length_of
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import positive_pivot


@dataclass
class DistanceValues:
    """One distance at one pose, in one motion and at one acceleration where there are such."""

    mechanism: Mechanism
    wanted: Distance
    builder: Builder
    pose: Positions
    motion: Velocities | None = None
    second: Accelerations | None = None

    @cached_property
    def line(self) -> Vector:
        """From start to end, ground axes, m."""
        return Vector(*self.pose.point(self.wanted.end)) - Vector(*self.pose.point(self.wanted.start))

    def value(self) -> Value:
        """The distance, m: never below a small part of the mechanism's size."""
        limit = PIVOT_THRESHOLD[self.builder.precision] * length_of(self.mechanism)
        about = f"{self.wanted.start.name} and {self.wanted.end.name} meet: their distance has no direction"
        return self.builder.sqrt(positive_pivot(self.builder, self.line.squared(), limit * limit, about))

    def rate(self, motion: Velocities | None = None) -> Value:
        """Rate of the distance in the motion, or in another motion of the pose, m/s."""
        return self.line.dot(self._velocity(motion or self.motion)) / self.value()

    def acceleration(self) -> Value:
        """Second derivative of the distance at the acceleration, m/s^2."""
        assert self.second is not None
        start, end = (Vector(*self.second.point_acceleration(p)) for p in (self.wanted.start, self.wanted.end))
        velocity, rate = self._velocity(self.motion), self.rate()
        return (velocity.squared() + self.line.dot(end - start) - rate * rate) / self.value()

    def _velocity(self, motion: Velocities | None) -> Vector:
        assert motion is not None
        return Vector(*motion.point_velocity(self.wanted.end)) - Vector(*motion.point_velocity(self.wanted.start))


def distances_of_interest(mechanism: Mechanism) -> tuple[tuple[str, Distance], ...]:
    """The distances that [outputs] asks for, by the names of the outputs, in the order of the file."""
    asked = mechanism.outputs.items()
    return tuple((name, mechanism.distances[signal]) for name, signal in asked if signal in mechanism.distances)
