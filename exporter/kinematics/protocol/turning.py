"""Vectors through known turns and slides, constant parts kept apart from moving ones.

In: a vector in the axes behind some motions. Out: the same vector in the axes before them, with the rate of
every turn registered, so that derivatives follow the motions and not their components.
"""

from collections.abc import Sequence

from exporter.kinematics.protocol.derivatives import Derivatives, Rule, Rules
from exporter.kinematics.protocol.frames import triad
from exporter.kinematics.protocol.vectors import Matrix, Vector, constant_vector
from exporter.model.mechanism import Axis
from exporter.records import dataclass
from exporter.sequence.builder import Value


@dataclass(frozen=True, slots=True)
class KnownTurn:
    """A known turn: cosine and sine of the angle, and its rate where it is asked for."""

    axis: Axis
    cosine: Value
    sine: Value
    rate: Rule


@dataclass(frozen=True, slots=True)
class KnownSlide:
    """A known slide."""

    axis: Axis
    displacement: Value


Step = KnownTurn | KnownSlide
MAIN_AXIS = 2  # zero components of an axis along x, y or z


@dataclass(frozen=True, slots=True)
class SplitVector:
    """A vector as a constant part and a moving part, so that constants are added up before the sequence sees them."""

    fixed: Vector
    moving: Vector

    def plus(self, constant: Vector) -> "SplitVector":
        """Shifted by something that does not move."""
        return SplitVector(self.fixed + constant, self.moving)

    def turned(self, matrix: Matrix) -> "SplitVector":
        """By a constant matrix."""
        return SplitVector(matrix.times(self.fixed), matrix.times(self.moving))

    def turned_back(self, matrix: Matrix) -> "SplitVector":
        """By the inverse of a constant rotation."""
        return SplitVector(matrix.transposed_times(self.fixed), matrix.transposed_times(self.moving))

    def total(self) -> Vector:
        """The vector itself."""
        return self.fixed + self.moving

    @property
    def rests(self) -> bool:
        """Nothing moves in it."""
        return all(part.constant == 0 for part in self.moving.parts())


def resting(vector: Vector) -> SplitVector:
    """A vector as it is seen by what moves it: constant parts apart from the others."""
    zero = vector.x.builder.real(0)
    fixed = Vector(*(part if part.constant is not None else zero for part in vector.parts()))
    moving = Vector(*(zero if part.constant is not None else part for part in vector.parts()))
    return SplitVector(fixed, moving)


def turn_vector(axis: Axis, cosine: Value, sine: Value, vector: Vector) -> Vector:
    """The vector turned about a constant unit axis."""
    return turn_offset(axis, cosine, sine, resting(vector)).total()


def turn_offset(axis: Axis, cosine: Value, sine: Value, offset: SplitVector) -> SplitVector:
    """An offset turned about an axis, with what lies along the axis kept apart."""
    builder = cosine.builder
    zeros = sum(part == 0 for part in axis)
    if zeros == MAIN_AXIS:
        return _about_main_axis(axis, cosine, sine, offset)
    n = constant_vector(builder, axis)
    vector = offset.total()
    along = n.scaled(n.dot(vector))
    if zeros and vector.is_constant:
        first, second = (constant_vector(builder, each) for each in triad(axis))
        x, y = vector.dot(first), vector.dot(second)
        moving = first.scaled(x * cosine - y * sine) + second.scaled(y * cosine + x * sine)
        return SplitVector(along, moving)
    across = vector - along
    moving = across.scaled(cosine) + n.cross(vector).scaled(sine)
    return (
        SplitVector(along, moving)
        if along.is_constant
        else SplitVector(constant_vector(builder, (0, 0, 0)), along + moving)
    )


def _about_main_axis(axis: Axis, cosine: Value, sine: Value, offset: SplitVector) -> SplitVector:
    zero = cosine.builder.real(0)
    k = next(i for i, part in enumerate(axis) if part != 0)
    i, j = (k + 1) % 3, (k + 2) % 3
    signed = sine if axis[k] > 0 else -sine
    vector = offset.total().parts()
    fixed, moving = [zero] * 3, [zero] * 3
    fixed[k], moving[k] = offset.fixed.parts()[k], offset.moving.parts()[k]
    moving[i], moving[j] = cosine * vector[i] - signed * vector[j], signed * vector[i] + cosine * vector[j]
    return SplitVector(Vector(*fixed), Vector(*moving))


def through(steps: Sequence[Step], offset: SplitVector, rules: Rules, *, point: bool) -> SplitVector:
    """From the axes after the steps to the axes before them; slides count for points only."""
    builder = offset.fixed.x.builder
    for step in reversed(steps):
        if isinstance(step, KnownTurn):
            before, written = offset, builder.written
            offset = turn_offset(step.axis, step.cosine, step.sine, before)
            if not before.rests:
                _register_turn(rules, step, before, offset, written)
        elif point:
            shift = constant_vector(builder, step.axis).scaled(step.displacement)
            offset = SplitVector(offset.fixed, offset.moving + shift)
    return offset


def _register_turn(rules: Rules, step: KnownTurn, before: SplitVector, after: SplitVector, since: int) -> None:
    """d(T v) = rate * (axis x T v) + T dv.

    What was written before the operation `since` keeps its own rule: the angle may be solved from that very value.
    """

    def derivative(d: Derivatives, k: int) -> Value:
        n = constant_vector(after.fixed.x.builder, step.axis)
        moved = turn_vector(step.axis, step.cosine, step.sine, d.of_vector(before.total()))
        return n.cross(after.total()).parts()[k] * step.rate(d) + moved.parts()[k]

    for k, (old, new) in enumerate(zip(before.moving.parts(), after.moving.parts(), strict=True)):
        if old != new:
            rules.register(new, lambda d, k=k: derivative(d, k), since)  # type: ignore[misc]  # k is bound now


def back_through(steps: Sequence[Step], vector: Vector) -> Vector:
    """A vector from the axes before the steps to the axes after them."""
    for step in steps:
        if isinstance(step, KnownTurn):
            vector = turn_vector(step.axis, step.cosine, -step.sine, vector)
    return vector
