"""Vectors, rotations and linear systems on whatever numbers an algebra system has: lists of its scalars."""

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

Scalar = Any
Vector = Sequence[Scalar]


def total(values: Sequence[Scalar]) -> Scalar:
    """A sum without the numbers that are zero, which some generators would write out."""
    terms = [each for each in values if not (isinstance(each, float | int) and each == 0)]
    return reduce(add, terms) if terms else 0


def dot(one: Vector, other: Vector) -> Scalar:
    """A product of two vectors that are equally long."""
    return total([a * b for a, b in zip(one, other, strict=True)])


def cross(a: Vector, b: Vector) -> Vector:
    """The vector product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plus(*vectors: Vector) -> Vector:
    """A sum of vectors."""
    return [total(parts) for parts in zip(*vectors, strict=True)]


def times(factor: Scalar, vector: Vector) -> Vector:
    """Every part of it."""
    return [factor * part for part in vector]


def applied(matrix: Sequence[Vector], vector: Vector) -> Vector:
    """A matrix times a vector."""
    return [dot(row, vector) for row in matrix]


def transposed(matrix: Sequence[Vector]) -> list[Vector]:
    """Columns as rows."""
    return [list(column) for column in zip(*matrix, strict=True)]


def rotation(angles: Vector, algebra: Any) -> list[Vector]:
    """Rz(phi) Ry(theta) Rx(psi), row by row."""
    (cf, ct, cp), (sf, st, sp) = ([function(each) for each in angles] for function in (algebra.cos, algebra.sin))
    return [
        [cf * ct, cf * st * sp - sf * cp, cf * st * cp + sf * sp],
        [sf * ct, sf * st * sp + cf * cp, sf * st * cp - cf * sp],
        [-st, ct * sp, ct * cp],
    ]


def solved(matrix: Sequence[Vector], right: Vector, algebra: Any) -> Vector:
    """Solution by elimination without pivots; `algebra.named` keeps what each step finds from growing."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k, pivot in enumerate(rows):
        inverse = algebra.named(1 / pivot[k])
        rows[k] = [algebra.named(value * inverse) for value in pivot]
        for row in rows[k + 1 :]:
            row[k + 1 :] = [algebra.named(a - row[k] * b) for a, b in zip(row[k + 1 :], rows[k][k + 1 :], strict=True)]
    found: list[Scalar] = []
    for k in reversed(range(len(rows))):
        known = zip(rows[k][k + 1 : -1], found, strict=True)
        found.insert(0, algebra.named(rows[k][-1] - total([a * x for a, x in known])) if found else rows[k][-1])
    return found


def solved_symmetric(matrix: Sequence[Vector], right: Vector, algebra: Any) -> Vector:
    """Solution of a symmetric system by L D L'; the upper triangle is not read."""
    size = len(right)
    lower, scaled = [[0] * size for _ in range(size)], [[0] * size for _ in range(size)]
    inverses = []
    for k in range(size):
        for i in range(k, size):
            known = [lower[k][j] * scaled[i][j] for j in range(k)]
            scaled[i][k] = algebra.named(matrix[i][k] - total(known) if known else matrix[i][k])
        inverses.append(algebra.named(1 / scaled[k][k]))
        for i in range(k + 1, size):
            lower[i][k] = algebra.named(scaled[i][k] * inverses[k])
    values = list(right)
    for i in range(1, size):
        values[i] = algebra.named(values[i] - dot(lower[i][:i], values[:i]))
    values = [value * inverse for value, inverse in zip(values, inverses, strict=True)]
    for i in reversed(range(size - 1)):
        below = [lower[k][i] for k in range(i + 1, size)]
        values[i] = algebra.named(values[i] - dot(below, values[i + 1 :]))
    return values
