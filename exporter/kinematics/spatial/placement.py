"""Where a body is, once it is known: carried by a joint with known motions, or spanned by three known points.

A placement answers for any body-fixed point or direction. Carried bodies are evaluated from the point inwards, turn by
turn, or by the columns of the rotation matrix, whichever the body's number of points makes cheaper; nothing is
expanded.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

from exporter.kinematics.protocol.derivatives import Derivatives, Rules
from exporter.kinematics.protocol.frame_values import FrameValues
from exporter.kinematics.protocol.frames import Vector3
from exporter.kinematics.protocol.turning import (
    KnownTurn,
    SplitVector,
    Step,
    back_through,
    resting,
    through,
    turn_vector,
)
from exporter.kinematics.protocol.twists import Twist
from exporter.kinematics.protocol.vectors import Matrix, Vector, constant_vector, identity
from exporter.records import dataclass
from exporter.sequence.builder import Builder


class Placement(Protocol):
    """A body whose pose is known. All vectors of three values; ground axes outside, body axes inside."""

    def point(self, local: Vector) -> Vector:
        """Where a body-fixed point is."""

    def offset(self, local: SplitVector) -> SplitVector:
        """Where a point is that moves in the body, constant parts apart."""

    def direction(self, local: Vector) -> Vector:
        """A body-fixed vector in ground axes."""

    def in_body_axes(self, ground: Vector) -> Vector:
        """A vector of ground axes in body axes."""

    def twist(self, local: Vector, derivatives: Derivatives) -> Twist:
        """How a body-fixed point and the body move."""


@dataclass(frozen=True, slots=True)
class GroundPlacement:
    """The ground."""

    def point(self, local: Vector) -> Vector:
        """A point of the ground, as it is."""
        return local

    def offset(self, local: SplitVector) -> SplitVector:
        """A point of the ground, as it is."""
        return local

    def direction(self, local: Vector) -> Vector:
        """A vector of the ground, as it is."""
        return local

    def in_body_axes(self, ground: Vector) -> Vector:
        """A vector of the ground, as it is."""
        return ground

    def twist(self, local: Vector, derivatives: Derivatives) -> Twist:  # noqa: ARG002 - any point rests
        """The ground rests."""
        zero = constant_vector(derivatives.builder, (0, 0, 0))
        return Twist(zero, zero, in_body_axes=True)


@dataclass(frozen=True, slots=True)
class Columns:
    """Points of a body as start + sum of column times coordinate, the most shared coordinate first."""

    order: tuple[int, int, int]
    start: Vector3  # a coordinate that all points share, 0 where they do not


@dataclass
class CarriedPlacement:
    """A body on a joint whose motions are known."""

    parent: Placement
    at: FrameValues  # on the parent
    steps: tuple[Step, ...]
    child: FrameValues
    rules: Rules
    columns: "Columns | None" = None  # how points are summed from the rotation matrix; None: from the point inwards
    _columns: tuple[Vector, Vector, Vector] | None = None
    _origin: Vector | None = None
    _before: int = 0  # operations that were written before it: none of them depends on how it turns

    def __post_init__(self) -> None:
        self._before = self._builder.written

    def point(self, local: Vector) -> Vector:
        """Where a body-fixed point is."""
        if self.columns is None or not local.is_constant or local == self.child.at:
            return self._carried_point(local)
        start = constant_vector(self._builder, self.columns.start)
        if self._origin is None:
            self._origin = self._carried_point(start)
            self._register_rigid(self._origin)
        point = self._summed(self._origin, local - start, self.columns.order)
        self._register_rigid(point)
        return point

    def direction(self, local: Vector) -> Vector:
        """A body-fixed vector in ground axes."""
        if self.columns is None:
            return self._carried_direction(local)
        return self._summed(constant_vector(self._builder, (0, 0, 0)), local, self.columns.order)

    def in_body_axes(self, ground: Vector) -> Vector:
        """A vector of ground axes in body axes."""
        if self.columns is not None:
            return Vector(*(self._column(k).dot(ground) for k in range(3)))
        vector = self.at.turn.transposed_times(self.parent.in_body_axes(ground))
        return self.child.turn.times(back_through(self.steps, vector))

    def offset(self, local: SplitVector) -> SplitVector:
        """A point that moves in the body."""
        if local.rests and self.columns is not None and local.fixed.is_constant:
            return resting(self.point(local.fixed))
        return self._carried_offset(local)

    def _carried_point(self, local: Vector) -> Vector:
        return self._carried_offset(resting(local)).total()

    def _carried_offset(self, local: SplitVector) -> SplitVector:
        offset = local.plus(-self.child.at).turned_back(self.child.turn)
        offset = through(self.steps, offset, self.rules, point=True)
        return self.parent.offset(offset.turned(self.at.turn).plus(self.at.at))

    def _carried_direction(self, local: Vector) -> Vector:
        offset = resting(self.child.turn.transposed_times(local))
        vector = through(self.steps, offset, self.rules, point=False).total()
        return self.parent.direction(self.at.turn.times(vector))

    def twist(self, local: Vector, derivatives: Derivatives) -> Twist:
        """Through the joint's motions in body axes; in ground axes where the rotation matrix pays."""
        if self.columns is not None:
            return Twist(derivatives.once(self._spin), derivatives.of_vector(self.point(local)), in_body_axes=False)
        angular_velocity, velocity, slide = derivatives.once(self._twist_at_joint)
        turn, arm = self.child.turn, local - self.child.at
        inner = turn.transposed_times(arm)
        if all(part.constant == 0 for part in slide.cross(inner).parts()):  # on one line they are one arm
            return Twist(
                turn.times(angular_velocity),
                turn.times(velocity + angular_velocity.cross(slide + inner)),
                in_body_axes=True,
            )
        angular_velocity, velocity = turn.times(angular_velocity), turn.times(velocity + angular_velocity.cross(slide))
        return Twist(angular_velocity, velocity + angular_velocity.cross(arm), in_body_axes=True)

    def twist_inside(self, local: Vector, derivatives: Derivatives) -> tuple[Vector, Vector]:
        """Angular velocity, and velocity of a body-fixed point, body axes, where the twist is given in ground axes.

        By that of the joint's point, which all bodies that stand on this one share.
        """
        twist = self.twist(self.child.at, derivatives)
        angular_velocity, velocity = (self.in_body_axes(each) for each in (twist.angular_velocity, twist.velocity))
        return angular_velocity, velocity + angular_velocity.cross(local - self.child.at)

    def _twist_at_joint(self, derivatives: Derivatives) -> tuple[Vector, Vector, Vector]:
        """Angular velocity, velocity without what the spin adds to the last slides, and these slides, joint axes."""
        parent = self.parent.twist(self.at.at, derivatives)
        vectors = (parent.angular_velocity, parent.velocity)
        if isinstance(self.parent, CarriedPlacement) and self.parent.columns is not None:
            vectors = self.parent.twist_inside(self.at.at, derivatives)
        elif not parent.in_body_axes:
            vectors = (self.parent.in_body_axes(parent.angular_velocity), self.parent.in_body_axes(parent.velocity))
        angular_velocity, velocity = (self.at.turn.transposed_times(vector) for vector in vectors)
        slide = none = constant_vector(derivatives.builder, (0, 0, 0))
        for step in self.steps:
            axis = constant_vector(derivatives.builder, step.axis)
            if isinstance(step, KnownTurn):
                velocity, slide = velocity + angular_velocity.cross(slide), none
                angular_velocity = turn_vector(step.axis, step.cosine, -step.sine, angular_velocity) + axis.scaled(
                    step.rate(derivatives)
                )
                velocity = turn_vector(step.axis, step.cosine, -step.sine, velocity)
            else:
                velocity = velocity + axis.scaled(derivatives.of(step.displacement))
                slide = slide + axis.scaled(step.displacement)
        return angular_velocity, velocity, slide

    def _spin(self, derivatives: Derivatives) -> Vector:
        """Angular velocity in ground axes: the parent's, and axis times rate of every turn of the joint."""
        parent = self.parent.twist(self.at.at, derivatives)
        total = self.parent.direction(parent.angular_velocity) if parent.in_body_axes else parent.angular_velocity
        for number, step in enumerate(self.steps):
            if isinstance(step, KnownTurn):
                axis = resting(constant_vector(self._builder, step.axis))
                axis = through(self.steps[:number], axis, self.rules, point=False)
                total = total + self.parent.direction(self.at.turn.times(axis.total())).scaled(step.rate(derivatives))
        return total

    def _register_rigid(self, point: Vector) -> None:
        """d(o + r) = do + w x r with the joint's point o, and dr = w x r.

        A part that was written before the body was placed is left to its own operation: its angles may be solved from
        that very value, and their rates would then follow from themselves.
        """
        origin = self._carried_point(self.child.at)
        arm = point - origin
        for k, (old, reach, new) in enumerate(zip(origin.parts(), arm.parts(), point.parts(), strict=True)):
            if new != old:
                turned = lambda d, k=k: d.once(self._spin).cross(arm).parts()[k]  # noqa: E731 - of two values
                self.rules.register(reach, turned, self._before)
                moved = lambda d, old=old, turned=turned: d.of(old) + turned(d)  # noqa: E731
                self.rules.register(new, moved, self._before)

    def _summed(self, total: Vector, weights: Vector, order: tuple[int, int, int]) -> Vector:
        for k in order:
            if weights.parts()[k].constant != 0:
                total = total + self._column(k).scaled(weights.parts()[k])
        return total

    def _column(self, k: int) -> Vector:
        if self._columns is None:
            unit = identity(self._builder).columns
            self._columns = (
                self._carried_direction(unit[0]),
                self._carried_direction(unit[1]),
                self._carried_direction(unit[2]),
            )
        return self._columns[k]

    @property
    def _builder(self) -> Builder:
        return self.at.at.x.builder


@dataclass
class SpannedPlacement:
    """A body by three of its points: any point is first + a E1 + b E2 + c E1 x E2 with constant a, b, c."""

    first: Vector
    edges: tuple[Vector, Vector]  # to the second and the third point, ground axes
    local_first: Vector
    inverse: Matrix  # of the three local edges: body components -> a, b, c
    _normal: Vector | None = None

    def direction(self, local: Vector) -> Vector:
        """A body-fixed vector in ground axes."""
        weights = self.inverse.times(local)
        total = self.edges[0].scaled(weights.x) + self.edges[1].scaled(weights.y)
        if weights.z.constant != 0:
            total = total + self._across().scaled(weights.z)
        return total

    def point(self, local: Vector) -> Vector:
        """Where a body-fixed point is."""
        return self.first + self.direction(local - self.local_first)

    def offset(self, local: SplitVector) -> SplitVector:
        """A point that moves in the body."""
        return resting(self.point(local.total()))

    def in_body_axes(self, ground: Vector) -> Vector:
        """A vector of ground axes in body axes."""
        unit = identity(ground.x.builder).columns
        return Vector(*(self.direction(column).dot(ground) for column in unit))

    def twist(self, local: Vector, derivatives: Derivatives) -> Twist:
        """In ground axes; the spin as the half sum of e^i x e_i' over the edges and their reciprocal basis."""
        edges = (*self.edges, self._across())
        total = constant_vector(derivatives.builder, (0, 0, 0))
        for number, edge in enumerate(edges):
            dual = Vector(*(column.parts()[number] for column in self.inverse.columns))  # e^i in body axes
            total = total + self.direction(dual).cross(derivatives.of_vector(edge))
        half = derivatives.builder.real(Fraction(1, 2))
        return Twist(total.scaled(half), derivatives.of_vector(self.point(local)), in_body_axes=False)

    def _across(self) -> Vector:
        if self._normal is None:
            self._normal = self.edges[0].cross(self.edges[1])
        return self._normal


def span_placement(points: Sequence[Vector], local: Sequence[Vector]) -> SpannedPlacement:
    """A body by where three of its points are. The local points may be tunable; they must not lie on a line."""
    one, two = local[1] - local[0], local[2] - local[0]
    three = one.cross(two)
    determinant = three.squared()
    first = two.cross(three)
    second = three.cross(one)
    rows = [Vector(*(part / determinant for part in row.parts())) for row in (first, second, three)]
    columns = [Vector(*(row.parts()[k] for row in rows)) for k in range(3)]
    inverse = Matrix((columns[0], columns[1], columns[2]))
    return SpannedPlacement(points[0], (points[1] - points[0], points[2] - points[0]), local[0], inverse)
