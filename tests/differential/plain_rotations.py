"""Rotations as matrices and quaternions, in batches, for the reference of the differential test.

In: axes, angles, matrices (rows, 3, 3). Out: matrices, quaternions (rows, 4) as (w, x, y, z).
"""

import numpy as np

Array = np.ndarray
LETTERS = "xyz"


def named_axis(text: str) -> Array:
    """The unit vector of "y" or "-z"."""
    unit = np.zeros(3)
    unit[LETTERS.index(text[-1])] = -1.0 if text.startswith("-") else 1.0
    return unit


def crossing(vectors: Array) -> Array:
    """Matrices C with C w = v x w and u C = u x v, (..., 3, 3)."""
    matrix = np.zeros((*vectors.shape, 3), dtype=vectors.dtype)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        matrix[..., k, j], matrix[..., j, k] = vectors[..., i], -vectors[..., i]
    return matrix


def about(axis: Array, angles: Array) -> Array:
    """Rotations about a fixed unit vector by angles (rows,), by Rodrigues' formula."""
    cross = crossing(axis)
    sine, cosine = np.sin(angles)[..., None, None], np.cos(angles)[..., None, None]
    return np.eye(3) + sine * cross + (1 - cosine) * (cross @ cross)


def after_turns(turns: list[tuple[str, float]]) -> Array:
    """The attitude after turns about moving axes, in order."""
    matrix = np.eye(3)
    for letter, angle in turns:
        matrix = matrix @ about(named_axis(letter), np.array(angle))
    return matrix


def normals_of(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors normal to an axis and to each other."""
    other = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(axis, other)
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def quaternions(matrices: Array) -> Array:
    """Unit quaternions of matrices (rows, 3, 3), from the largest of their four parts; either sign."""
    m = matrices
    trace = m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2]
    outer = np.empty((len(m), 4, 4))  # 4 q q'
    outer[:, 0, 0] = 1 + trace
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        outer[:, 0, k + 1] = outer[:, k + 1, 0] = m[:, j, i] - m[:, i, j]
        outer[:, k + 1, k + 1] = 1 + 2 * m[:, k, k] - trace
        outer[:, i + 1, j + 1] = outer[:, j + 1, i + 1] = m[:, i, j] + m[:, j, i]
    best = np.argmax(np.einsum("nii->ni", outer), axis=1)
    column = outer[np.arange(len(m)), best]
    return column / np.linalg.norm(column, axis=1, keepdims=True)


def product(vectors: Array, right: Array) -> Array:
    """The quaternion product (0, v) q."""
    scalar = -np.einsum("ni,ni->n", vectors, right[:, 1:])
    vector = vectors * right[:, :1] + np.cross(vectors, right[:, 1:])
    return np.concatenate([scalar[:, None], vector], axis=1)
