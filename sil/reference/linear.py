"""Small dense systems over many rows. A row whose matrix is exactly singular yields NaN, never an exception."""

from collections.abc import Sequence

import numpy as np

from sil.reference.rotations import Array, cross_rows


def solve_rows(matrices: Array, sides: Array) -> Array:
    """X of A x = b from (rows, n, n) and (rows, n), or (rows, n, sides) of several sides."""
    if sides.ndim == 2:
        return solve_rows(matrices, sides[..., None])[..., 0]
    try:
        return np.asarray(np.linalg.solve(matrices, sides))
    except np.linalg.LinAlgError:
        singular = np.asarray(np.linalg.det(matrices) == 0.0)
        regular = np.where(singular[:, None, None], np.eye(matrices.shape[-1]), matrices)
        return np.where(singular[:, None, None], np.nan, np.linalg.solve(regular, sides))


def independent_systems(read: Sequence[set[int]]) -> tuple[tuple[list[int], list[int]], ...]:
    """Equations that share unknowns, and these unknowns, as places; `read` has the unknowns of each equation."""
    systems: list[tuple[list[int], set[int]]] = []
    for row, unknowns in enumerate(read):
        joined = [each for each in systems if each[1] & unknowns]
        systems = [each for each in systems if not each[1] & unknowns]
        rows = [number for each in joined for number in each[0]]
        systems.append((sorted([*rows, row]), unknowns.union(*(each[1] for each in joined))))
    return tuple((rows, sorted(unknowns)) for rows, unknowns in systems)


def solve_systems(matrices: Array, sides: Array, systems: Sequence[tuple[list[int], list[int]]]) -> Array:
    """X of A x = b, (rows, n), where A falls apart into these square systems of equations and unknowns.

    A system that is not square has no solution: its unknowns are NaN.
    """
    if len(systems) == 1:
        return solve_rows(matrices, sides)
    found = np.full_like(sides, np.nan)
    for rows, unknowns in systems:
        if len(rows) == len(unknowns):
            found[:, unknowns] = solve_rows(matrices[:, rows][:, :, unknowns], sides[:, rows])
    return found


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # of singular rows, which are not finite then
def solve_columns(matrix: Array, side: Array) -> tuple[Array, Array]:
    """X of A x = b, (k, rows), and det A, (rows,), from (k, k, rows) and (k, rows).

    Up to three unknowns are solved for by Cramer's rule. A row whose matrix is exactly singular is not finite.
    """
    if len(side) == 1:
        return side / matrix[0], matrix[0, 0]
    if len(side) == 2:
        (a, b), (c, d) = matrix
        determinant = a * d - b * c
        return np.stack([d * side[0] - b * side[1], a * side[1] - c * side[0]]) / determinant, determinant
    if len(side) == 3:
        one, two, three = matrix
        minors = np.stack([cross_rows(two, three), cross_rows(three, one), cross_rows(one, two)])
        determinant = (one * minors[0]).sum(axis=0)
        return (minors * side[:, None]).sum(axis=0) / determinant, determinant
    matrices = np.ascontiguousarray(np.moveaxis(matrix, -1, 0))
    return solve_rows(matrices, np.ascontiguousarray(side.T)).T, np.linalg.det(matrices)


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
