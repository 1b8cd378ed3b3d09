"""The constants of a frame as values of a sequence: a frozen angle is part of them, a tunable one a sine and a cosine.

In: a frame of the model. Out: its place and its turn. Used by: chains, placements, loops that are closed.
"""

from fractions import Fraction

from exporter.kinematics.protocol.frames import rotation_matrix
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.turning import turn_vector
from exporter.kinematics.protocol.vectors import Matrix, Vector, constant_matrix, identity
from exporter.model.evaluate import names
from exporter.model.mechanism import Axis, Frame, Rotation
from exporter.records import dataclass


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
