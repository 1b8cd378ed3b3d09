"""Vectors and rotations over many rows. A vector has shape (..., 3), a rotation matrix (..., 3, 3); real or complex."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
AXES = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}


def turned(matrix: Array, vector: Array) -> Array:
    """Matrix times vector."""
    return np.asarray(np.matmul(matrix, vector[..., None])[..., 0])


def dot(left: Array, right: Array) -> Array:
    """The bilinear product, without conjugation: complex steps pass through."""
    return np.asarray((left * right).sum(axis=-1))


def cross(left: Array, right: Array) -> Array:
    """The vector product."""
    a, b = np.broadcast_arrays(left, right)
    product = (
        a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
        a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
        a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
    )
    return np.stack(product, axis=-1)


def skew(axis: Array) -> Array:
    """The matrix K with K v = axis x v, of one constant axis."""
    x, y, z = axis
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rotation(axis: Array, sine: Array, cosine: Array) -> Array:
    """Rodrigues' formula, R = I + s K + (1 - c) K^2, from the sine and cosine of the angle."""
    matrix = skew(axis)
    return np.asarray(np.eye(3) + sine[..., None, None] * matrix + (1.0 - cosine)[..., None, None] * (matrix @ matrix))


def perpendicular(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors that make a right-handed triad (first, second, axis)."""
    coldest = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(coldest, axis)
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)
