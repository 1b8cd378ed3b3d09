"""Vectors and rotations over many rows. A vector has shape (..., 3), a rotation matrix (..., 3, 3); real or complex."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
MANY_ROWS = 64
_IDENTITY = np.eye(3)
AXES = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}


def rotate(matrix: Array, vector: Array) -> Array:
    """Matrix times vector. Of a constant vector, shape (3,), the parts that are zero take no time."""
    if vector.ndim > 1:
        return np.asarray(np.einsum("...ij,...j->...i", matrix, vector))
    parts = [matrix[..., k] * vector[k] for k in np.flatnonzero(vector)]
    return sum(parts[1:], parts[0]) if parts else np.zeros(matrix.shape[:-1], np.result_type(matrix, vector))


def dot(left: Array, right: Array) -> Array:
    """The bilinear product, without conjugation: complex steps pass through."""
    return np.asarray(np.einsum("...i,...i->...", left, right))


def cross(left: Array, right: Array) -> Array:
    """The vector product."""
    a, b, c = left[..., 0], left[..., 1], left[..., 2]
    x, y, z = right[..., 0], right[..., 1], right[..., 2]
    return np.moveaxis(np.stack([b * z - c * y, c * x - a * z, a * y - b * x]), 0, -1)  # rows stay together


def cross_rows(left: Array, right: Array) -> Array:
    """The vector product where rows stand last, (..., 3, rows)."""
    a, b, c = left[..., 0, :], left[..., 1, :], left[..., 2, :]
    x, y, z = right[..., 0, :], right[..., 1, :], right[..., 2, :]
    found = np.empty(np.broadcast(left, right).shape, np.result_type(left, right))
    for k, (one, other, third, fourth) in enumerate(((b, z, c, y), (c, x, a, z), (a, y, b, x))):
        part = np.multiply(one, other, out=found[..., k, :])
        part -= third * fourth
    return found


def products(left: Array, right: Array) -> Array:
    """The scalar product of each with each, (a, b, rows) from (a, 3, rows) and (b, 3, rows)."""
    one, other = left[:, None], right[None]
    found = np.asarray(one[:, :, 0] * other[:, :, 0])
    for k in (1, 2):
        found += one[:, :, k] * other[:, :, k]
    return found


def skew(axis: Array) -> Array:
    """The matrix K with K v = axis x v, of one constant axis."""
    x, y, z = axis
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotation(axis: Array, sine: Array, cosine: Array) -> Array:
    """Rodrigues' formula, R = I + s K + (1 - c) K^2, from the sine and cosine of the angle.

    Many rows are computed entry by entry: numpy is slow over axes of three. Finite numbers have the same bits.
    """
    first = skew(axis)
    second = first @ first
    if sine.size < MANY_ROWS:
        turn = sine[..., None, None] * first
        turn += _IDENTITY
        turn += (1.0 - cosine)[..., None, None] * second
        return turn
    versine, turn = 1.0 - cosine, np.empty((*sine.shape, 3, 3), np.result_type(sine, cosine))
    for entry, unit in np.ndenumerate(_IDENTITY):
        constant = first[entry] == second[entry] == 0.0
        turn[(..., *entry)] = unit if constant else (sine * first[entry] + unit) + versine * second[entry]
    return turn


def perpendicular(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors that make a right-handed triad (first, second, axis)."""
    coldest = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(coldest, axis)
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)
