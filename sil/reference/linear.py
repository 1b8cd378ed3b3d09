"""Small dense systems over many rows. A row whose matrix is exactly singular yields NaN, never an exception."""

import numpy as np

from sil.reference.rotations import Array


def solve_rows(matrices: Array, sides: Array) -> Array:
    """X of A x = b, (rows, n) from (rows, n, n) and (rows, n)."""
    try:
        return np.asarray(np.linalg.solve(matrices, sides[..., None])[..., 0])
    except np.linalg.LinAlgError:
        singular = np.asarray(np.linalg.det(matrices) == 0.0)
        regular = np.where(singular[:, None, None], np.eye(matrices.shape[-1]), matrices)
        solution = np.linalg.solve(regular, sides[..., None])[..., 0]
        return np.where(singular[:, None], np.nan, solution)


def condition_numbers(matrices: Array) -> Array:
    """Two-norm condition numbers, (rows,); infinite where a matrix is singular or not finite."""
    finite = np.asarray(np.isfinite(matrices).all(axis=(-2, -1)))
    known = np.where(finite[:, None, None], matrices, np.eye(matrices.shape[-1]))
    values = np.linalg.svd(known, compute_uv=False)
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(finite, values[:, 0] / values[:, -1], np.inf)


def rounding_sizes(matrices: Array, terms: Array) -> Array:
    """|A^-1| b, (rows, n) from (rows, n, n) and (rows, n): what errors of the size b in A x = b make of x.

    Infinite where a matrix is exactly singular.
    """
    singular = np.asarray(np.linalg.det(matrices) == 0.0)
    inverses = np.linalg.inv(np.where(singular[:, None, None], np.eye(matrices.shape[-1]), matrices))
    return np.where(singular[:, None], np.inf, np.einsum("nij,nj->ni", np.abs(inverses), terms))
