"""Small dense systems over many rows. A row whose matrix is exactly singular yields NaN, never an exception."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sil.reference.elimination import Reads, elimination_of, places_of
from sil.reference.rotations import Array, cross_rows

LARGEST_CORRECTION = 0.1  # longest correction of a solution, over its own length, that is taken
NUMBERS_AT_ONCE = 1 << 17
"""Numbers of one temporary array while inverses are made: so many stay in a processor's cache."""


@dataclass(frozen=True, slots=True)
class System:
    """Equations that share no unknown with others."""

    equations: list[int]
    unknowns: list[int]
    reads: Reads  # by equation, as places among `unknowns`

    def among(self, equations: Sequence[int], unknowns: Sequence[int]) -> "System":
        """This system where its equations and unknowns have the numbers that stand in their places here."""
        return System([equations[k] for k in self.equations], [unknowns[k] for k in self.unknowns], self.reads)

    @property
    def square(self) -> bool:
        """Whether there are as many equations as unknowns."""
        return len(self.equations) == len(self.unknowns)


def whole_system(size: int) -> System:
    """All equations read all unknowns."""
    everything = list(range(size))
    return System(everything, everything, (tuple(everything),) * size)


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


def independent_systems(read: Sequence[set[int]]) -> tuple[System, ...]:
    """Equations that share unknowns, and these unknowns; `read` has the unknowns of each equation."""
    systems: list[tuple[list[int], set[int]]] = []
    for row, unknowns in enumerate(read):
        joined = [each for each in systems if each[1] & unknowns]
        systems = [each for each in systems if not each[1] & unknowns]
        rows = [number for each in joined for number in each[0]]
        systems.append((sorted([*rows, row]), unknowns.union(*(each[1] for each in joined))))
    return tuple(_system_of(rows, sorted(unknowns), read) for rows, unknowns in systems)


def _system_of(rows: list[int], unknowns: list[int], read: Sequence[set[int]]) -> System:
    places = {unknown: place for place, unknown in enumerate(unknowns)}
    return System(rows, unknowns, tuple(tuple(sorted(places[k] for k in read[row])) for row in rows))


@dataclass(frozen=True, slots=True)
class Inverse:
    """A^-1 of many rows, where A falls apart into systems; NaN in a system that is singular to rounding."""

    matrices: Array  # (equations, unknowns, rows)
    systems: tuple[System, ...]
    parts: tuple[Array | None, ...]  # (k, k, rows) of each system; None where it is not square

    def solve(self, sides: Array) -> Array:
        """X of A X = B, (unknowns, sides, rows); NaN where a system has no solution, 0 of unknowns of no system."""
        found = np.zeros((self.matrices.shape[1], *sides.shape[1:]))
        for system, part in zip(self.systems, self.parts, strict=True):
            if part is None:
                found[system.unknowns] = np.nan
            else:
                found[system.unknowns] = self._corrected(system, part, sides[system.equations])
        return found

    @np.errstate(invalid="ignore", over="ignore")  # of singular rows, which are not finite
    def _corrected(self, system: System, inverses: Array, sides: Array) -> Array:
        """Y B + Y (B - A Y B): what an unknown does not depend on leaves nothing in it but rounding of rounding.

        An elimination mixes all equations of a system, and leaves rounding of its largest unknowns in every one.
        Solutions next to a singular matrix, whose corrections are long, stay as they are.
        """
        found, left = np.einsum("ijr,jsr->isr", inverses, sides), sides.copy()
        for equation, reads, row in zip(system.equations, system.reads, left, strict=True):
            unknowns = places_of([system.unknowns[k] for k in reads])
            read = np.einsum("kr,ksr->sr", self.matrices[equation, unknowns], found[places_of(list(reads))])
            np.subtract(row, read, out=row)
        corrections = np.einsum("ijr,jsr->isr", inverses, left)
        small = np.abs(corrections).max(axis=0) <= LARGEST_CORRECTION * np.abs(found).max(axis=0)
        return np.asarray(found + np.where(small, corrections, 0.0))

    def rounding_sizes(self, terms: Array) -> Array:
        """|A^-1| b, (unknowns, rows), from b (equations, rows): what errors of the size b in A x = b make of x.

        Infinite where a system is singular.
        """
        found, singular = np.zeros((self.matrices.shape[1], terms.shape[-1])), np.zeros(terms.shape[-1], dtype=np.bool_)
        for system, part in zip(self.systems, self.parts, strict=True):
            if part is None:
                return np.full_like(found, np.inf)
            found[system.unknowns] = np.einsum("ijr,jr->ir", np.abs(part), terms[system.equations])
            singular |= np.isnan(part[0, 0])
        return np.where(singular, np.inf, found)


def inverse_of(matrices: Array, systems: tuple[System, ...] | None = None) -> Inverse:
    """The inverses of (equations, unknowns, rows), of which some may make up systems; they are not to be written to."""
    systems = (whole_system(len(matrices)),) if systems is None else systems
    return Inverse(matrices, systems, tuple(_part(matrices, system) if system.square else None for system in systems))


def _part(matrices: Array, system: System) -> Array:
    """A^-1 of one system, (k, k, rows)."""
    size, rows = len(system.unknowns), matrices.shape[-1]
    places, found = np.ix_(system.equations, system.unknowns), np.empty((size, size, rows))
    for some in _slices(rows, max(NUMBERS_AT_ONCE // size**2, 1)):
        found[..., some] = _inverted(matrices[..., some][places], system.reads)
    return found


def _slices(rows: int, most: int) -> list[slice]:
    return [slice(first, first + most) for first in range(0, rows, most)]


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # of singular rows
def _inverted(matrices: Array, reads: Reads) -> Array:
    """A^-1, (k, k, rows); NaN where a pivot is nothing but rounding of its column."""
    size = len(matrices)
    units = np.broadcast_to(np.eye(size)[..., None], matrices.shape)
    found, pivots, _ = elimination_of(reads).solve(matrices, units)
    least = size * np.finfo(np.float64).eps * np.abs(matrices).max(axis=0)
    found[..., ~(np.abs(pivots) > least).all(axis=0)] = np.nan
    return found


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # of singular rows, which are not finite then
def solve_columns(matrix: Array, side: Array, reads: Reads) -> tuple[Array, Array]:
    """X of A x = b, (k, rows), from (k, k, rows) and (k, rows), and det(A), (rows,).

    Up to three unknowns are solved for by Cramer's rule, which is not finite where a matrix is exactly singular; of
    more unknowns see `Elimination.solve`.
    """
    if len(side) == 1:
        return np.asarray(side / matrix[0]), matrix[0, 0]
    if len(side) == 2:
        (a, b), (c, d) = matrix
        determinant = a * d - b * c
        return np.stack([d * side[0] - b * side[1], a * side[1] - c * side[0]]) / determinant, determinant
    if len(side) == 3:
        one, two, three = matrix
        minors = np.stack([cross_rows(two, three), cross_rows(three, one), cross_rows(one, two)])
        determinant = (one * minors[0]).sum(axis=0)
        return np.asarray((minors * side[:, None]).sum(axis=0) / determinant), determinant
    found, _, determinant = elimination_of(reads, 1).solve(matrix, side[:, None])
    return found[:, 0], determinant


def condition_numbers(matrices: Array, systems: tuple[System, ...] | None = None) -> Array:
    """Two-norm condition numbers, (rows,), of (rows, n, n), which may fall apart into systems.

    Infinite where a matrix is singular or not finite.
    """
    finite = np.asarray(np.isfinite(matrices).all(axis=(-2, -1)))
    values = []
    for system in _square(systems, matrices.shape[-1]):
        block = matrices[:, system.equations][:, :, system.unknowns]
        values.append(np.linalg.svd(np.where(finite[:, None, None], block, np.eye(block.shape[-1])), compute_uv=False))
    with np.errstate(divide="ignore", over="ignore"):
        conditions = np.max([each[:, 0] for each in values], axis=0) / np.min([each[:, -1] for each in values], axis=0)
        return np.where(finite, conditions, np.inf)


def _square(systems: tuple[System, ...] | None, size: int) -> tuple[System, ...]:
    """The systems, or all as one where none are told or one is not square."""
    return (whole_system(size),) if systems is None or not all(each.square for each in systems) else systems
