"""Small dense systems over many rows. A row whose matrix is exactly singular yields NaN, never an exception."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sil.reference.rotations import Array, cross_rows

LARGEST_REFINED = 0.1  # largest sum of a row of I - A Y from which a step of Newton's on the inverse Y is taken

Systems = Sequence[tuple[list[int], list[int]]]
"""Places of the equations of systems that share no unknown, and of their unknowns."""


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


@dataclass(frozen=True, slots=True)
class Inverse:
    """A^-1 of many rows, where A falls apart into systems; NaN in a system that is exactly singular."""

    systems: Systems
    parts: tuple[Array | None, ...]  # (rows, k, k) of each system; None where it is not square

    def solve(self, sides: Array) -> Array:
        """X of A x = b, (rows, n) or (rows, n, sides); NaN where a system has no solution."""
        found = np.full_like(sides, np.nan)
        for (rows, unknowns), part in zip(self.systems, self.parts, strict=True):
            if part is not None:
                found[:, unknowns] = np.einsum("nij,nj...->ni...", part, sides[:, rows])
        return found

    def rounding_sizes(self, terms: Array) -> Array:
        """|A^-1| b, (rows, n): what errors of the size b in A x = b make of x; infinite where A is singular."""
        found, singular = np.empty_like(terms), np.zeros(len(terms), dtype=np.bool_)
        for (rows, unknowns), part in zip(self.systems, self.parts, strict=True):
            if part is None:
                return np.full_like(terms, np.inf)
            found[:, unknowns] = np.einsum("nij,nj->ni", np.abs(part), terms[:, rows])
            singular |= np.isnan(part[:, 0, 0])
        return np.where(singular[:, None], np.inf, found)


def inverse_of(matrices: Array, systems: Systems | None = None) -> Inverse:
    """The inverses of (rows, n, n), which may fall apart into systems."""
    whole = list(range(matrices.shape[-1]))
    systems = ((whole, whole),) if systems is None else systems
    parts = (
        _refined_inverse(_system(matrices, rows, unknowns)) if len(rows) == len(unknowns) else None
        for rows, unknowns in systems
    )
    return Inverse(systems, tuple(parts))


def _system(matrices: Array, rows: list[int], unknowns: list[int]) -> Array:
    """One system of (rows, n, n); all of it without a copy."""
    whole = list(range(matrices.shape[-1]))
    return matrices if rows == unknowns == whole else matrices[:, rows][:, :, unknowns]


def _refined_inverse(matrices: Array) -> Array:
    """Y + Y (I - A Y): what an unknown does not depend on leaves nothing in it but rounding of rounding.

    An elimination mixes all equations of a system, and leaves rounding of its largest unknowns in every one. Where all
    equations read all unknowns there is nothing to gain; matrices that are near a singular one keep their inverse.
    """
    found = _inverted(matrices)
    if matrices.any(axis=0).all():
        return found
    with np.errstate(invalid="ignore", over="ignore"):
        left = np.eye(matrices.shape[-1]) - matrices @ found
        near = np.abs(left).sum(axis=-1).max(axis=-1, initial=0.0) < LARGEST_REFINED
        return np.asarray(np.where(near[:, None, None], found + found @ left, found))


def _inverted(matrices: Array) -> Array:
    try:
        return np.asarray(np.linalg.inv(matrices))
    except np.linalg.LinAlgError:
        singular = np.asarray(np.linalg.det(matrices) == 0.0)[:, None, None]
        return np.where(singular, np.nan, np.linalg.inv(np.where(singular, np.eye(matrices.shape[-1]), matrices)))


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # of singular rows, which are not finite then
def solve_columns(matrix: Array, side: Array) -> Array:
    """X of A x = b, (k, rows), from (k, k, rows) and (k, rows).

    Up to three unknowns are solved for by Cramer's rule. A row whose matrix is exactly singular is not finite.
    """
    if len(side) == 1:
        return np.asarray(side / matrix[0])
    if len(side) == 2:
        (a, b), (c, d) = matrix
        return np.asarray(np.stack([d * side[0] - b * side[1], a * side[1] - c * side[0]]) / (a * d - b * c))
    if len(side) == 3:
        one, two, three = matrix
        minors = np.stack([cross_rows(two, three), cross_rows(three, one), cross_rows(one, two)])
        return np.asarray((minors * side[:, None]).sum(axis=0) / (one * minors[0]).sum(axis=0))
    return solve_rows(np.ascontiguousarray(np.moveaxis(matrix, -1, 0)), np.ascontiguousarray(side.T)).T


def determinants(matrix: Array) -> Array:
    """The determinants (rows,) of square matrices (k, k, rows); NaN where they are not square."""
    if len(matrix) != matrix.shape[1]:
        return np.full(matrix.shape[-1], np.nan)
    if len(matrix) == 3:
        return np.asarray((matrix[0] * cross_rows(matrix[1], matrix[2])).sum(axis=0))
    return np.asarray(np.linalg.det(np.moveaxis(matrix, -1, 0)))


def condition_numbers(matrices: Array, systems: Systems | None = None) -> Array:
    """Two-norm condition numbers, (rows,), of matrices that may fall apart into systems.

    Infinite where a matrix is singular or not finite.
    """
    finite = np.asarray(np.isfinite(matrices).all(axis=(-2, -1)))
    values = []
    for rows, unknowns in _square(systems, matrices.shape[-1]):
        block = np.where(finite[:, None, None], _system(matrices, rows, unknowns), np.eye(len(rows)))
        values.append(np.linalg.svd(block, compute_uv=False))
    with np.errstate(divide="ignore", over="ignore"):
        conditions = np.max([each[:, 0] for each in values], axis=0) / np.min([each[:, -1] for each in values], axis=0)
        return np.where(finite, conditions, np.inf)


def _square(systems: Systems | None, size: int) -> Systems:
    """The systems, or all as one where none are told or one is not square."""
    if systems is None or any(len(rows) != len(unknowns) for rows, unknowns in systems):
        return ((list(range(size)), list(range(size))),)
    return systems
