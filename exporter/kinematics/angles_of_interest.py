"""Angles of interest: entries of [outputs] that ask for the angle of a direction, such as toe, camber and caster.

Comes in: an `AngleOutput` and a solved pose or motion. Goes out: the angle (rad), its rate and acceleration.

With n the part of the direction d along the axis that the angle turns towards:
from an axis, m being the part of d along that axis and r^2 = m^2 + n^2 > 0,
    angle = atan2(n, m),  rate = (m n' - n m') / r^2,  acceleration = (m n'' - n m'' - 2 rate (m m' + n n')) / r^2;
from a plane, m > 0 being the length of the part of d in that plane and k = d.d' / d.d, which is 0 for a fixed length,
    angle = atan2(n, m),  rate = (n' - k n) / m,  acceleration = (n'' - k (n' + rate m) - k' n + rate^2 n) / m.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from exporter.errors import ModelError
from exporter.kinematics.blocks.arms import PIVOT_THRESHOLD
from exporter.kinematics.frames import square_root
from exporter.kinematics.planar import parameter_values
from exporter.kinematics.solved import SolvedMotion, SolvedPose, Triple
from exporter.kinematics.spatial.form import length_of
from exporter.kinematics.spatial.vectors import Vector
from exporter.model import expression as model
from exporter.model.evaluate import evaluate
from exporter.model.mechanism import AngleOutput, Frame, Mechanism
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import positive_pivot

ACROSS = "a direction whose angle is asked for is across what the angle is measured from"
LETTERS = "xyz"


@dataclass
class SeenAngle:
    """One angle at one pose, written into one sequence."""

    mechanism: Mechanism
    wanted: AngleOutput
    builder: Builder
    pose: SolvedPose

    def value(self) -> Value:
        """The angle: within a half turn from an axis, within a quarter turn from a plane.

        Raises:
            ModelError: the direction has no part along what the angle is measured from, in any pose; `rate` too.
        """
        if not self._elevates:
            _ = self._square  # tells where the angle has no meaning
        return self.builder.atan2(self._opposite, self._adjacent)

    def rate(self, motion: SolvedMotion) -> Value:
        """Its rate, rad/s."""
        first = self._velocity(motion)
        n, n1 = self._opposite, self._towards(first)
        if self._elevates:
            return (n1 - self._growth(first) * n) / self._pivot
        return (self._adjacent * n1 - n * self._from(first)) / self._square

    def acceleration(self, motion: SolvedMotion) -> Value:
        """Its acceleration, rad/s^2; the motion must know its accelerations."""
        rate, first, second = self.rate(motion), self._velocity(motion), self._acceleration(motion)
        m, n, n1, n2 = self._adjacent, self._opposite, self._towards(first), self._towards(second)
        if self._elevates:
            growing = self._growth(first) * (n1 + rate * m) + self._growth_rate(first, second) * n
            return (n2 - growing + rate * rate * n) / self._pivot
        m1, m2 = self._from(first), self._from(second)
        return (m * n2 - n * m2 - 2 * (rate * (m * m1 + n * n1))) / self._square

    # -- the direction -----------------------------------------------------------------------------------------------

    @cached_property
    def _direction(self) -> Vector:
        return self._of(self.pose.direction, self.pose.point)

    def _velocity(self, motion: SolvedMotion) -> Vector:
        return self._of(motion.direction_rate, motion.point_velocity)

    def _acceleration(self, motion: SolvedMotion) -> Vector:
        return self._of(motion.direction_acceleration, motion.point_acceleration)

    def _of(self, direction: Callable[[str, model.Vector], Triple], point: Callable[[Frame], Triple]) -> Vector:
        start, end = self.wanted.start, self.wanted.end
        if self._is_fixed:
            return Vector(*direction(start.body, _between(start, end)))
        return Vector(*point(end)) - Vector(*point(start))

    @property
    def _is_fixed(self) -> bool:
        """Whether the direction is fixed in one body, so that its length is constant."""
        return self.wanted.start.body == self.wanted.end.body

    @property
    def _length(self) -> Fraction:
        """The direction's length at the nominal parameters, or the size of the mechanism that it spans, m."""
        if not self._is_fixed:
            return length_of(self.mechanism)
        values = parameter_values(self.mechanism)
        parts = [evaluate(part, values) for part in _between(self.wanted.start, self.wanted.end)]
        return square_root(sum((part * part for part in parts), Fraction(0)))

    def _growth(self, first: Vector) -> Value:
        """k = d.d' / d.d."""
        return self.builder.real(0) if self._is_fixed else self._direction.dot(first) / self._length_squared

    def _growth_rate(self, first: Vector, second: Vector) -> Value:
        """k' = (d'.d' + d.d'') / d.d - 2 k^2."""
        if self._is_fixed:
            return self.builder.real(0)
        growth = self._growth(first)
        return (first.squared() + self._direction.dot(second)) / self._length_squared - 2 * (growth * growth)

    # -- what it is seen against -------------------------------------------------------------------------------------

    @property
    def _elevates(self) -> bool:
        """Whether the angle is measured from a plane."""
        return self.wanted.base in ("xy", "yz", "xz")

    def _towards(self, vector: Vector) -> Value:
        return _part(vector, self.wanted.towards)

    def _from(self, vector: Vector) -> Value:
        return _part(vector, self.wanted.base)

    @cached_property
    def _opposite(self) -> Value:
        return self._towards(self._direction)

    @cached_property
    def _adjacent(self) -> Value:
        if not self._elevates:
            return self._from(self._direction)
        first, second = (_part(self._direction, letter) for letter in self.wanted.base)
        return self.builder.sqrt(first * first + second * second)

    @cached_property
    def _pivot(self) -> Value:
        """m for dividing by."""
        return self._guarded(self._adjacent, self._length * self._threshold)

    @cached_property
    def _square(self) -> Value:
        """r^2 for dividing by."""
        square = self._adjacent * self._adjacent + self._opposite * self._opposite
        return self._guarded(square, (self._length * self._threshold) ** 2)

    @cached_property
    def _length_squared(self) -> Value:
        """d.d for dividing by."""
        return self._guarded(self._direction.squared(), (self._length * self._threshold) ** 2)

    def _guarded(self, pivot: Value, limit: Fraction) -> Value:
        if pivot.constant is not None and pivot.constant < limit:
            wanted = self.wanted
            raise ModelError(
                f"{self.mechanism.name}: the direction from {wanted.start.name} to {wanted.end.name} stays across "
                f'from = "{wanted.base}" in every pose; measure its angle in [outputs] from another axis or plane'
            )
        return positive_pivot(self.builder, pivot, limit, ACROSS)

    @property
    def _threshold(self) -> Fraction:
        return PIVOT_THRESHOLD[self.builder.precision]


def _part(vector: Vector, axis: str) -> Value:
    """The component along an axis of the ground, "y" or "-y"."""
    part = vector.parts()[LETTERS.index(axis[-1])]
    return -part if axis.startswith("-") else part


def _between(start: Frame, end: Frame) -> model.Vector:
    """From one frame of a body to another, body axes; zeros are left out."""
    parts = [
        after if before == model.ZERO else model.Binary("-", after, before)
        for before, after in zip(start.at, end.at, strict=True)
    ]
    return parts[0], parts[1], parts[2]
