"""Where a body is, once it is known: carried by a joint with known motions, or spanned by three known points.

A placement answers for any body-fixed point or direction. Carried bodies are evaluated from the point inwards, turn by
turn, or by the columns of the rotation matrix, whichever the body's number of points makes cheaper; nothing is
expanded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from exporter.kinematics.frames import rotation_matrix
from exporter.kinematics.scope import Scope
from exporter.kinematics.spatial.derivatives import Derivatives
from exporter.kinematics.spatial.vectors import Matrix, Vector, constant_matrix, constant_vector, identity
from exporter.model.evaluate import names
from exporter.model.mechanism import Axis, Frame, Rotation
from exporter.sequence.builder import Builder, Value


@dataclass(frozen=True, slots=True)
class Turned:
    """A known turn: cosine and sine of the angle, and its rate where it is asked for."""

    axis: Axis
    cosine: Value
    sine: Value
    rate: Callable[[], Value]


@dataclass(frozen=True, slots=True)
class Shifted:
    """A known slide."""

    axis: Axis
    displacement: Value


Step = Turned | Shifted


class Placement(Protocol):
    """A body whose pose is known. All vectors of three values; ground axes outside, body axes inside."""

    def point(self, local: Vector) -> Vector:
        """Where a body-fixed point is."""

    def direction(self, local: Vector) -> Vector:
        """A body-fixed vector in ground axes."""

    def inside(self, ground: Vector) -> Vector:
        """A vector of ground axes in body axes."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The ground."""

    def point(self, local: Vector) -> Vector:
        """The same point."""
        return local

    def direction(self, local: Vector) -> Vector:
        """The same vector."""
        return local

    def inside(self, ground: Vector) -> Vector:
        """The same vector."""
        return ground


def turn_vector(axis: Axis, cosine: Value, sine: Value, vector: Vector) -> Vector:
    """The vector turned about a constant unit axis."""
    builder = cosine.builder
    if sum(part != 0 for part in axis) == 1:
        return _about_main_axis(axis, cosine, sine, vector)
    n = constant_vector(builder, axis)
    along = n.scaled(n.dot(vector))
    across = vector - along
    return along + across.scaled(cosine) + n.cross(vector).scaled(sine)


def _about_main_axis(axis: Axis, cosine: Value, sine: Value, vector: Vector) -> Vector:
    k = next(i for i, part in enumerate(axis) if part != 0)
    signed = sine if axis[k] > 0 else -sine
    parts = list(vector.parts())
    i, j = (k + 1) % 3, (k + 2) % 3
    parts[i], parts[j] = cosine * parts[i] - signed * parts[j], signed * parts[i] + cosine * parts[j]
    return Vector(*parts)


def through(steps: Sequence[Step], vector: Vector, derivatives: Derivatives, *, point: bool) -> Vector:
    """From the axes after the steps to the axes before them; slides count for points only."""
    builder = vector.x.builder
    for step in reversed(steps):
        if isinstance(step, Turned):
            before = vector
            vector = turn_vector(step.axis, step.cosine, step.sine, before)
            if not before.is_constant:
                _register_turn(derivatives, step, before, vector)
        elif point:
            vector = vector + constant_vector(builder, step.axis).scaled(step.displacement)
    return vector


def _register_turn(derivatives: Derivatives, step: Turned, before: Vector, after: Vector) -> None:
    """d(T v) = rate * (axis x T v) + T dv."""

    def derivative(k: int) -> Value:
        n = constant_vector(after.x.builder, step.axis)
        moved = turn_vector(step.axis, step.cosine, step.sine, derivatives.of_vector(before))
        return n.cross(after).parts()[k] * step.rate() + moved.parts()[k]

    for k, (old, new) in enumerate(zip(before.parts(), after.parts(), strict=True)):
        if old != new:
            derivatives.register(new, lambda k=k: derivative(k))  # type: ignore[misc]  # k is bound now


def back_through(steps: Sequence[Step], vector: Vector) -> Vector:
    """A vector from the axes before the steps to the axes after them."""
    for step in steps:
        if isinstance(step, Turned):
            vector = turn_vector(step.axis, step.cosine, -step.sine, vector)
    return vector


@dataclass(frozen=True, slots=True)
class FrameValues:
    """A frame of a body: its place and its turn, in body axes."""

    at: Vector
    turn: Matrix


def frame_values(scope: Scope, frame: Frame) -> FrameValues:
    """A frame's constants as values; a turn by a tunable angle costs a sine and cosine of the parameter."""
    x, y, z = (scope.value(part) for part in frame.at)
    return FrameValues(Vector(x, y, z), rotation_values(scope, frame.rotation))


def rotation_values(scope: Scope, rotation: Rotation) -> Matrix:
    """The matrix that takes frame components to body components."""
    frozen = scope.frozen
    matrix = identity(scope.builder)
    for axis, angle in rotation.turns:
        if names(angle) <= frozen.keys():
            turn = constant_matrix(scope.builder, rotation_matrix(Rotation(((axis, angle),)), frozen))
        else:
            sine, cosine = scope.builder.sincos(scope.value(angle))
            unit: Axis = tuple(Fraction(int(letter == axis)) for letter in "xyz")  # type: ignore[assignment]
            columns = [turn_vector(unit, cosine, sine, column) for column in identity(scope.builder).columns]
            turn = Matrix((columns[0], columns[1], columns[2]))
        matrix = matrix.times_matrix(turn)
    return matrix


@dataclass
class Carried:
    """A body on a joint whose motions are known."""

    parent: Placement
    at: FrameValues  # on the parent
    steps: tuple[Step, ...]
    child: FrameValues
    derivatives: Derivatives
    axes: tuple[int, int, int] | None = None  # by the rotation matrix, its columns summed in this order
    _columns: tuple[Vector, Vector, Vector] | None = None
    _origin: Vector | None = None

    def point(self, local: Vector) -> Vector:
        """Where a body-fixed point is."""
        if self.axes is None or not local.is_constant:
            return self._carried_point(local)
        if self._origin is None:
            self._origin = self._carried_point(constant_vector(self._builder, (0, 0, 0)))
        total = self._origin
        for k in self.axes:
            total = total + self._column(k).scaled(local.parts()[k])
        return total

    def direction(self, local: Vector) -> Vector:
        """A body-fixed vector in ground axes."""
        if self.axes is None:
            return self._carried_direction(local)
        total = constant_vector(self._builder, (0, 0, 0))
        for k in self.axes:
            total = total + self._column(k).scaled(local.parts()[k])
        return total

    def inside(self, ground: Vector) -> Vector:
        """A vector of ground axes in body axes."""
        if self.axes is not None:
            return Vector(*(self._column(k).dot(ground) for k in range(3)))
        vector = self.at.turn.transposed_times(self.parent.inside(ground))
        return self.child.turn.times(back_through(self.steps, vector))

    def _carried_point(self, local: Vector) -> Vector:
        vector = self.child.turn.transposed_times(local - self.child.at)
        vector = through(self.steps, vector, self.derivatives, point=True)
        return self.parent.point(self.at.at + self.at.turn.times(vector))

    def _carried_direction(self, local: Vector) -> Vector:
        vector = through(self.steps, self.child.turn.transposed_times(local), self.derivatives, point=False)
        return self.parent.direction(self.at.turn.times(vector))

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
class Spanned:
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

    def inside(self, ground: Vector) -> Vector:
        """A vector of ground axes in body axes."""
        unit = identity(ground.x.builder).columns
        return Vector(*(self.direction(column).dot(ground) for column in unit))

    def _across(self) -> Vector:
        if self._normal is None:
            self._normal = self.edges[0].cross(self.edges[1])
        return self._normal


def spanned(points: Sequence[Vector], local: Sequence[Vector]) -> Spanned:
    """A body by where three of its points are. The local points may be tunable; they must not lie on a line."""
    one, two = local[1] - local[0], local[2] - local[0]
    three = one.cross(two)
    determinant = three.squared()
    first = two.cross(three)
    second = three.cross(one)
    rows = [Vector(*(part / determinant for part in row.parts())) for row in (first, second, three)]
    columns = [Vector(*(row.parts()[k] for row in rows)) for k in range(3)]
    inverse = Matrix((columns[0], columns[1], columns[2]))
    return Spanned(points[0], (points[1] - points[0], points[2] - points[0]), local[0], inverse)
