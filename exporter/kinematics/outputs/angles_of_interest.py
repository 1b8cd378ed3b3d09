"""Angles of interest: entries of [outputs] that ask for the angle of a direction, such as toe, camber and caster.

In: an `AngleOutput` and a solved pose or motion. Out: the angle (rad), its rate and acceleration.

With n the part of the direction d along the axis that the angle turns towards:
from an axis, m being the part of d along that axis and r^2 = m^2 + n^2 > 0,
    angle = atan2(n, m),  rate = (m n' - n m') / r^2,  acceleration = (m n'' - n m'' - 2 rate (m m' + n n')) / r^2;
from a plane, m > 0 being the length of the part of d in that plane and k = d.d' / d.d, which is 0 for a fixed length,
    angle = atan2(n, m),  rate = (n' - k n) / m,  acceleration = (n'' - k (n' + rate m) - k' n + rate^2 n) / m.
Along an axis u of a body that moves, n = u.d, n' = u'.d + u.d' and n'' = u''.d + 2 u'.d' + u.d''; and d.d' is that of
the direction as the ground sees it, since its length is the same for all.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from math import comb

from exporter.errors import ModelError
from exporter.kinematics.protocol.frames import square_root
from exporter.kinematics.protocol.limits import PIVOT_THRESHOLD
from exporter.kinematics.protocol.solution import Accelerations, Positions, Triple, Velocities
from exporter.kinematics.protocol.vectors import Vector
from exporter.model import expression as model
from exporter.model.directions import axis_named, turn_vector
from exporter.model.evaluate import evaluate
from exporter.model.joints import GROUND
from exporter.model.mechanism import AngleOutput, Frame, Mechanism, Rotation
from exporter.model.size import length_of
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import positive_pivot

DIRECTION_ACROSS = "a direction whose angle is asked for is across what the angle is measured from"
LETTERS = "xyz"

OfDirection = Callable[[str, model.Vector], Triple]
OfPoint = Callable[[Frame], Triple]


@dataclass
class AngleValues:
    """One angle at one pose, in one motion and at one acceleration where there are such."""

    mechanism: Mechanism
    wanted: AngleOutput
    builder: Builder
    pose: Positions
    motion: Velocities | None = None
    second: Accelerations | None = None

    def value(self) -> Value:
        """The angle: within a half turn from an axis, within a quarter turn from a plane.

        Raises:
            ModelError: the direction has no part along what the angle is measured from, in any pose; `rate` too.
        """
        if not self._elevates:
            _ = self._square  # tells where the angle has no meaning
        elif not self._is_fixed:
            _ = self._length_squared  # a line between two bodies may have no length
        return self.builder.atan2(self._towards(0), self._adjacent)

    def rate(self) -> Value:
        """Rate of the angle in the motion, rad/s."""
        n, n1 = self._towards(0), self._towards(1)
        if self._elevates:
            return (n1 - self._growth * n) / self._pivot
        return (self._adjacent * n1 - n * self._from(1)) / self._square

    def acceleration(self) -> Value:
        """Second derivative of the angle at the acceleration, rad/s^2."""
        rate, m = self.rate(), self._adjacent
        n, n1, n2 = (self._towards(order) for order in range(3))
        if self._elevates:
            growing = self._growth * (n1 + rate * m) + self._growth_rate * n
            return (n2 - growing + rate * rate * n) / self._pivot
        m1, m2 = self._from(1), self._from(2)
        return (m * n2 - n * m2 - 2 * (rate * (m * m1 + n * n1))) / self._square

    # -- the direction, by the order of its derivative -----------------------------------------------------------------

    def _line(self, order: int) -> Vector:
        start, end = self.wanted.start, self.wanted.end
        of_direction, of_point = self._sources(order)
        if self._is_fixed:
            return Vector(*of_direction(start.body, _between(start, end)))
        return Vector(*of_point(end)) - Vector(*of_point(start))

    def _sources(self, order: int) -> tuple[OfDirection, OfPoint]:
        if order == 0:
            return self.pose.direction, self.pose.point
        if order == 1:
            assert self.motion is not None
            return self.motion.direction_rate, self.motion.point_velocity
        assert self.second is not None
        return self.second.direction_acceleration, self.second.point_acceleration

    @property
    def _is_fixed(self) -> bool:
        """Whether the direction is fixed in one body, so that its length is constant."""
        return self.wanted.start.body == self.wanted.end.body

    @property
    def _length(self) -> Fraction:
        """The direction's length at the nominal parameters, or the size of the mechanism that it spans, m."""
        if not self._is_fixed:
            return length_of(self.mechanism)
        values = self.mechanism.nominal_values()
        parts = [evaluate(part, values) for part in _between(self.wanted.start, self.wanted.end)]
        return square_root(sum((part * part for part in parts), Fraction(0)))

    @cached_property
    def _growth(self) -> Value:
        """k = d.d' / d.d."""
        if self._is_fixed:
            return self.builder.real(0)
        return self._line(0).dot(self._line(1)) / self._length_squared

    @property
    def _growth_rate(self) -> Value:
        """k' = (d'.d' + d.d'') / d.d - 2 k^2."""
        if self._is_fixed:
            return self.builder.real(0)
        total = self._line(1).squared() + self._line(0).dot(self._line(2))
        return total / self._length_squared - 2 * (self._growth * self._growth)

    # -- what sees it ------------------------------------------------------------------------------------------------

    @property
    def _elevates(self) -> bool:
        """Whether the angle is measured from a plane."""
        return self.wanted.base in ("xy", "yz", "xz")

    def _towards(self, order: int) -> Value:
        return self._part(self.wanted.towards, order)

    def _from(self, order: int) -> Value:
        return self._part(self.wanted.base, order)

    def _part(self, axis: str, order: int) -> Value:
        """A derivative of the component along an axis of what sees, "y" or "-y"."""
        sight = self.wanted.seen_from
        if sight.body == GROUND and sight.rotation == Rotation():
            part = self._line(order).parts()[LETTERS.index(axis[-1])]
            return -part if axis.startswith("-") else part
        unit = turn_vector(axis_named(axis), sight.rotation)
        total = self.builder.real(0)
        for k in range(order + 1):
            of_direction, _ = self._sources(k)
            total = total + comb(order, k) * Vector(*of_direction(sight.body, unit)).dot(self._line(order - k))
        return total

    @cached_property
    def _adjacent(self) -> Value:
        """m."""
        if not self._elevates:
            return self._from(0)
        first, second = (self._part(letter, 0) for letter in self.wanted.base)
        return self.builder.sqrt(first * first + second * second)

    @cached_property
    def _pivot(self) -> Value:
        """m for dividing by."""
        return self._guarded(self._adjacent, self._length * self._threshold)

    @cached_property
    def _square(self) -> Value:
        """r^2 for dividing by."""
        n, m = self._towards(0), self._adjacent
        return self._guarded(m * m + n * n, (self._length * self._threshold) ** 2)

    @cached_property
    def _length_squared(self) -> Value:
        """d.d for dividing by."""
        return self._guarded(self._line(0).squared(), (self._length * self._threshold) ** 2)

    def _guarded(self, pivot: Value, limit: Fraction) -> Value:
        if pivot.constant is not None and pivot.constant < limit:
            wanted = self.wanted
            raise ModelError(
                f"{self.mechanism.name}: the direction from {wanted.start.name} to {wanted.end.name} stays across "
                f'from = "{wanted.base}" in every pose; measure its angle in [outputs] from another axis or plane'
            )
        return positive_pivot(self.builder, pivot, limit, DIRECTION_ACROSS)

    @property
    def _threshold(self) -> Fraction:
        return PIVOT_THRESHOLD[self.builder.precision]


def _between(start: Frame, end: Frame) -> model.Vector:
    """From one frame of a body to another, body axes; zeros are left out."""
    parts = [
        after if before == model.ZERO else model.Binary("-", after, before)
        for before, after in zip(start.at, end.at, strict=True)
    ]
    return parts[0], parts[1], parts[2]
