"""Constant rotations and vectors with exact rational entries (irrational numbers to 60 digits).

In: joint axes and the turns of frames. Used by: `orientation` and the spatial engine, to which turns by tunable
parameters are left.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from exporter.model.evaluate import evaluate
from exporter.model.mechanism import Rotation

Vector3 = tuple[Fraction, Fraction, Fraction]
Matrix3 = tuple[Vector3, Vector3, Vector3]  # rows

IDENTITY: Matrix3 = (
    (Fraction(1), Fraction(0), Fraction(0)),
    (Fraction(0), Fraction(1), Fraction(0)),
    (Fraction(0), Fraction(0), Fraction(1)),
)
if TYPE_CHECKING:
    import mpmath

RATIONAL_DECIMALS = 60
FULL_TURN = Fraction("6.283185307179586476925286766559005768394338798750211641949889")
"""2 pi to RATIONAL_DECIMALS decimals."""


def rational(number: "mpmath.mpf") -> Fraction:
    """The number rounded to RATIONAL_DECIMALS decimals: exact zeros and halves come out exact."""
    import mpmath  # noqa: PLC0415 - it is slow to import

    with mpmath.workdps(RATIONAL_DECIMALS + 20):
        return Fraction(int(mpmath.nint(number * mpmath.mpf(10) ** RATIONAL_DECIMALS)), 10**RATIONAL_DECIMALS)


def square_root(value: Fraction) -> Fraction:
    """The square root rounded to RATIONAL_DECIMALS decimals: exact where the root itself is a decimal of that size."""
    twice = math.isqrt(4 * value.numerator * 10 ** (2 * RATIONAL_DECIMALS) // value.denominator)
    return Fraction((twice + 1) // 2, 10**RATIONAL_DECIMALS)


def dot(left: Vector3, right: Vector3) -> Fraction:
    """Scalar product."""
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def cross(left: Vector3, right: Vector3) -> Vector3:
    """Vector product."""
    (a, b, c), (d, e, f) = left, right
    return (b * f - c * e, c * d - a * f, a * e - b * d)


def difference(left: Vector3, right: Vector3) -> Vector3:
    """The first vector less the second one."""
    (a, b, c), (d, e, f) = left, right
    return (a - d, b - e, c - f)


def triad(axis: Vector3) -> tuple[Vector3, Vector3]:
    """Two unit vectors with first x second = axis; unit vectors where the axis is one."""
    if sum(part != 0 for part in axis) == 1:
        k = next(i for i, part in enumerate(axis) if part != 0)
        first = IDENTITY[(k + 1) % 3]
    else:
        start = next(row for row in IDENTITY if abs(dot(row, axis)) < dot(axis, axis) * 9 / 10)
        along = dot(start, axis)
        raw = (start[0] - along * axis[0], start[1] - along * axis[1], start[2] - along * axis[2])
        length = square_root(dot(raw, raw))
        first = (raw[0] / length, raw[1] / length, raw[2] / length)
    return first, cross(axis, first)


def apply(matrix: Matrix3, vector: Vector3) -> Vector3:
    """Matrix times vector."""
    return (dot(matrix[0], vector), dot(matrix[1], vector), dot(matrix[2], vector))


def transpose(matrix: Matrix3) -> Matrix3:
    """The inverse of a rotation."""
    (a, b, c), (d, e, f), (g, h, i) = matrix
    return ((a, d, g), (b, e, h), (c, f, i))


def product(left: Matrix3, right: Matrix3) -> Matrix3:
    """Matrix times matrix."""
    columns = transpose(right)
    first, second, third = ((dot(row, columns[0]), dot(row, columns[1]), dot(row, columns[2])) for row in left)
    return (first, second, third)


def elementary(axis: str, angle_rad: Fraction) -> Matrix3:
    """A turn about one axis."""
    import mpmath  # noqa: PLC0415 - it is slow to import

    with mpmath.workdps(RATIONAL_DECIMALS + 20):
        angle = mpmath.mpf(angle_rad.numerator) / angle_rad.denominator
        cosine, sine = rational(mpmath.cos(angle)), rational(mpmath.sin(angle))
    one, two = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    rows = [list(row) for row in IDENTITY]
    rows[one][one] = rows[two][two] = cosine
    rows[one][two], rows[two][one] = -sine, sine
    first, second, third = ((row[0], row[1], row[2]) for row in rows)
    return (first, second, third)


def rotation_matrix(rotation: Rotation, values: Mapping[str, Fraction]) -> Matrix3:
    """The matrix that takes frame components to body components: turns about the moving axes, in order."""
    matrix = IDENTITY
    for axis, angle in rotation.turns:
        matrix = product(matrix, elementary(axis, evaluate(angle, values)))
    return matrix
