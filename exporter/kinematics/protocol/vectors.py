"""Vectors and matrices whose entries are values of a sequence. Constant zeros and ones cost nothing."""

from collections.abc import Sequence

from exporter.kinematics.protocol.frames import Matrix3, Vector3
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Number, Value


@dataclass(frozen=True, slots=True)
class Vector:
    """Three components."""

    x: Value
    y: Value
    z: Value

    def __add__(self, other: "Vector") -> "Vector":
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: "Vector") -> "Vector":
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> "Vector":
        return Vector(-self.x, -self.y, -self.z)

    def scaled(self, factor: Value | Number) -> "Vector":
        """Times a real."""
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other: "Vector") -> Value:
        """Scalar product."""
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: "Vector") -> "Vector":
        """Vector product."""
        return Vector(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    def squared(self) -> Value:
        """Squared length."""
        return self.dot(self)

    def parts(self) -> tuple[Value, Value, Value]:
        """The components in order."""
        return self.x, self.y, self.z

    @property
    def is_constant(self) -> bool:
        """All three components are constants."""
        return all(part.constant is not None for part in self.parts())


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix by its columns."""

    columns: tuple[Vector, Vector, Vector]

    def times(self, vector: Vector) -> Vector:
        """Matrix times vector."""
        first, second, third = self.columns
        return first.scaled(vector.x) + second.scaled(vector.y) + third.scaled(vector.z)

    def transposed_times(self, vector: Vector) -> Vector:
        """The inverse of a rotation, times vector."""
        first, second, third = self.columns
        return Vector(first.dot(vector), second.dot(vector), third.dot(vector))

    def times_matrix(self, other: "Matrix") -> "Matrix":
        """Matrix product."""
        first, second, third = (self.times(column) for column in other.columns)
        return Matrix((first, second, third))


def constant_vector(builder: Builder, parts: Vector3 | Sequence[Number]) -> Vector:
    """A vector of constants."""
    x, y, z = (builder.real(part) for part in parts)
    return Vector(x, y, z)


def constant_matrix(builder: Builder, rows: Matrix3) -> Matrix:
    """A matrix of constants."""
    first, second, third = (constant_vector(builder, [row[k] for row in rows]) for k in range(3))
    return Matrix((first, second, third))


def identity(builder: Builder) -> Matrix:
    """The unit matrix."""
    first, second, third = (constant_vector(builder, [int(k == j) for j in range(3)]) for k in range(3))
    return Matrix((first, second, third))
