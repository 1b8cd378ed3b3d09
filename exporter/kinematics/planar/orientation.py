"""Orientations of bodies where every joint angle is 0: a constant rotation, then a turn about the plane's normal.

In: the frames of a planar mechanism. Used by: `planar` and whatever asks for a body-fixed vector in the plane.
A frame that a tunable parameter turns about the normal is a value of the sequence: the vectors of its bodies are turned
by the sine and cosine of that angle. A turn by a tunable parameter about any other axis moves the plane itself.
"""

from collections.abc import Mapping
from fractions import Fraction

from exporter.errors import ModelError
from exporter.kinematics.planar.plane import Plane
from exporter.kinematics.protocol.frames import (
    IDENTITY,
    Matrix3,
    Vector3,
    apply,
    cross,
    dot,
    elementary,
    product,
    transpose,
)
from exporter.kinematics.protocol.linear_sums import FACTOR_ROUNDING, LinearSum, PlaneVector, linear_sum, opposite
from exporter.model.evaluate import evaluate, names
from exporter.model.expression import ONE, Binary, Call, Expression, Number, Vector
from exporter.model.joints import GROUND
from exporter.model.mechanism import Axis, Frame, Joint, Mechanism
from exporter.records import dataclass

PARALLEL_SINE = Fraction(1, 10**9)  # sine of the angle up to which two axes count as parallel


@dataclass(frozen=True, slots=True)
class Orientation:
    """Body axes to ground axes where every joint angle is 0."""

    constant: Matrix3 = IDENTITY
    turned: LinearSum = ()  # rad about the plane's normal, after the constant rotation; of tunable parameters

    def then(self, other: "Orientation") -> "Orientation":
        """The rotation, then another one that leaves the normal where it is."""
        if other == GROUND_ORIENTATION:
            return self
        return Orientation(
            _snap_matrix(product(other.constant, self.constant)), linear_sum((*self.turned, *other.turned))
        )

    def since(self, other: "Orientation") -> "Orientation":
        """What turns the other one into this one: a rotation about the normal, where both leave it where it is."""
        return Orientation(
            _snap_matrix(product(self.constant, transpose(other.constant))),
            linear_sum((*self.turned, *opposite(other.turned))),
        )

    def inverse(self) -> "Orientation":
        """The way back of a rotation about the normal."""
        return GROUND_ORIENTATION.since(self)


GROUND_ORIENTATION = Orientation()  # body axes are ground axes


def _snap_matrix(matrix: Matrix3) -> Matrix3:
    """The matrix with whole numbers where constant rotations to 60 digits leave nearly that."""
    first, second, third = ((_whole(row[0]), _whole(row[1]), _whole(row[2])) for row in matrix)
    return first, second, third


def _whole(entry: Fraction) -> Fraction:
    return Fraction(round(entry)) if abs(entry - round(entry)) < FACTOR_ROUNDING else entry


class Orientations:
    """The orientations of all bodies; `normal` None: at nominal parameters, tunable ones too."""

    def __init__(self, mechanism: Mechanism, normal: Vector3 | None = None) -> None:
        self._values = mechanism.nominal_values()
        self._tunable = frozenset(mechanism.tunable_names() if normal is not None else ())
        self._normal = normal
        self.of = {GROUND: GROUND_ORIENTATION}
        for joint in mechanism.spanning_tree().outwards():
            parent = self.frame(joint.parent)
            self.of[joint.child.body] = self._after(parent, joint.child, forward=False)

    def frame(self, frame: Frame) -> Orientation:
        """Frame axes to ground axes.

        Raises:
            ModelError: a tunable parameter turns the frame about another axis than the normal.
        """
        return self._after(self.of[frame.body], frame, forward=True)

    def axis(self, joint: Joint, frame: Frame) -> Vector3:
        """A joint's axis in ground axes, tunable turns about the normal left out."""
        return apply(self.frame(frame).constant, joint.axis)

    def _after(self, start: Orientation, frame: Frame, *, forward: bool) -> Orientation:
        """The turns of a frame after an orientation, or their inverse."""
        turns, sign = (frame.rotation.turns, 1) if forward else (frame.rotation.turns[::-1], -1)
        constant, turned = start.constant, start.turned
        for letter, angle in turns:
            if names(angle) & self._tunable:
                side = self._side(apply(constant, IDENTITY["xyz".index(letter)]), angle, frame)
                turned = linear_sum((*turned, (Fraction(sign * side), angle)))
            else:
                constant = product(constant, elementary(letter, sign * evaluate(angle, self._values)))
        return Orientation(constant, turned)

    def _side(self, axis: Vector3, angle: Expression, frame: Frame) -> int:
        """1 where a turn about an axis is one about the normal, -1 where it is one about its opposite."""
        normal = self._normal or axis
        if any(abs(part) > PARALLEL_SINE for part in cross(normal, axis)):
            tunable = ", ".join(sorted(names(angle) & self._tunable))
            raise ModelError(f"the tunable {tunable} turns {frame.name or frame.body} out of the plane of motion")
        return 1 if dot(normal, axis) > 0 else -1


def in_plane(plane: Plane, orientation: Orientation, vector: Vector) -> PlaneVector:
    """The part in the plane of a body-fixed vector (expressions, body axes), at phi = 0."""
    columns = transpose(orientation.constant)
    re, im = (linear_sum(tuple(zip(apply(columns, unit), vector, strict=True))) for unit in (plane.e1, plane.e2))
    return _turn_vector(PlaneVector(re, im), orientation.turned)


def axis_in_plane(plane: Plane, orientation: Orientation, axis: Axis) -> PlaneVector:
    """The part in the plane of a constant direction (body axes), at phi = 0."""
    along = apply(orientation.constant, axis)
    vector = PlaneVector(linear_sum([(dot(along, plane.e1), ONE)]), linear_sum([(dot(along, plane.e2), ONE)]))
    return _turn_vector(vector, orientation.turned)


def along_normal(plane: Plane, orientation: Orientation, vector: Vector) -> LinearSum:
    """The part of a body-fixed vector along the normal."""
    return linear_sum(zip(apply(transpose(orientation.constant), plane.normal), vector, strict=True))


def unit_in_plane(plane: Plane, turn: Orientation) -> PlaneVector:
    """exp(i angle) of a rotation about the normal."""
    return axis_in_plane(plane, turn, plane.e1)


def _turn_vector(vector: PlaneVector, angle: LinearSum) -> PlaneVector:
    """exp(i angle) vector."""
    if not angle:
        return vector
    whole = _expression(angle)
    cosine, sine = Call("cos", (whole,)), Call("sin", (whole,))
    re, im = vector.re, vector.im
    return PlaneVector(
        linear_sum((*_times(cosine, re), *_times(sine, opposite(im)))),
        linear_sum((*_times(cosine, im), *_times(sine, re))),
    )


def _times(factor: Expression, parts: LinearSum) -> LinearSum:
    return tuple(
        (number, factor if expression == ONE else Binary("*", factor, expression)) for number, expression in parts
    )


def _expression(parts: LinearSum) -> Expression:
    """A sum of factor * expression as one expression."""
    terms = [part if factor == 1 else Binary("*", Number(factor), part) for factor, part in parts]
    total = terms[0]
    for term in terms[1:]:
        total = Binary("+", total, term)
    return total


def sum_at(parts: LinearSum, values: Mapping[str, Fraction]) -> Fraction:
    """A sum of factor * expression at values of the parameters."""
    return sum((factor * evaluate(part, values) for factor, part in parts), Fraction(0))
