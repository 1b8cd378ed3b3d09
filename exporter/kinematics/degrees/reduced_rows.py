"""Rows of numbers modulo a prime in reduced echelon form, to which further rows are added.

In: `ReducedRows`, and further rows. Out: the `ReducedRows` of both. What is there already is not reduced again; of the
further rows, those with different leading columns are taken at once, for most of them do not meet each other.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.degrees.linear_elimination import PRIME
from exporter.records import dataclass

Array = NDArray[Any]

PIECE_BITS = 16  # of a number below 2^31
LONGEST_SUM = 64  # products of a piece with a number below 2^31 whose sum has no rounding in float64
ONE_THREAD = 1 << 18  # multiplications in a product of matrices up to which OpenBLAS starts no threads


@dataclass(frozen=True, slots=True)
class ReducedRows:
    """Independent rows; each is 1 in its leading column, where all others are 0, and 0 before it."""

    rows: Array  # (r, width)
    leaders: Array  # (r,) leading columns, ascending

    def with_rows(self, further: Array) -> "ReducedRows":
        """These and further rows (n, width), modulo PRIME; what depends on others is dropped."""
        free = np.setdiff1d(np.arange(self.rows.shape[1]), self.leaders)
        found = _reduced(_without(further, self)[:, free])
        rows = np.zeros((len(found.rows), self.rows.shape[1]), dtype=np.int64)
        rows[:, free] = found.rows
        return _joined(self, ReducedRows(rows, free[found.leaders]))


def no_rows(width: int) -> ReducedRows:
    """None yet."""
    return ReducedRows(np.zeros((0, width), dtype=np.int64), np.zeros(0, dtype=int))


def _without(rows: Array, known: ReducedRows) -> Array:
    """The rows less the multiples of known ones that make them 0 in the leading columns."""
    factors = rows[:, known.leaders]
    used = factors.any(axis=0)
    if not used.any():
        return rows
    columns = np.array(known.rows[used].any(axis=0))
    columns[known.leaders] = False
    left = rows.copy()
    left[:, known.leaders] = 0
    left[:, columns] = (left[:, columns] - product_modulo(factors[:, used], known.rows[used][:, columns])) % PRIME
    return left


def _reduced(rows: Array) -> ReducedRows:
    """Rows (n, width) in reduced echelon form: in rounds from the left, joined from the right."""
    rounds = []
    while len(rows := rows[rows.any(axis=1)]):
        chosen, others = _sparsest_of_each_leader(rows)
        rounds.append(_among_themselves(chosen))
        rows = _without(others, rounds[-1])
    found = no_rows(rows.shape[1])
    for each in reversed(rounds):
        found = _joined(found, ReducedRows(_without(each.rows, found), each.leaders))
    return found


def _sparsest_of_each_leader(rows: Array) -> tuple[ReducedRows, Array]:
    """One row for each leading column, the one with the fewest entries, 1 in that column; and the other rows."""
    filled = rows != 0
    leading = filled.argmax(axis=1)
    order = np.lexsort((filled.sum(axis=1), leading))
    leaders, first = np.unique(leading[order], return_index=True)
    chosen = rows[order[first]]
    heads = chosen[np.arange(len(leaders)), leaders]
    inverses = np.array([pow(head, -1, PRIME) for head in heads.tolist()], dtype=np.int64)
    return ReducedRows(chosen * inverses[:, None] % PRIME, leaders), np.delete(rows, order[first], axis=0)


def _among_themselves(chosen: ReducedRows) -> ReducedRows:
    """Rows that are 0 before their leading columns, made 0 in those of the others, the last one first."""
    rows = chosen.rows.copy()
    met = rows[:, chosen.leaders] != 0
    for k in range(len(rows) - 2, -1, -1):
        others = k + 1 + np.flatnonzero(met[k, k + 1 :])
        if len(others):
            factors = rows[k, chosen.leaders[others]]
            rows[k] = (rows[k] - (factors[:, None] * rows[others] % PRIME).sum(axis=0)) % PRIME
    return ReducedRows(rows, chosen.leaders)


def _joined(known: ReducedRows, fresh: ReducedRows) -> ReducedRows:
    """Both, where the fresh ones are 0 in the leading columns of the known ones."""
    rows = np.vstack([_without(known.rows, fresh), fresh.rows])
    leaders = np.concatenate([known.leaders, fresh.leaders])
    order = np.argsort(leaders)
    return ReducedRows(rows[order], leaders[order])


def product_modulo(left: Array, right: Array) -> Array:
    """The product of two matrices of numbers from 0 to PRIME - 1, modulo PRIME: exact sums of float64."""
    total = np.zeros((left.shape[0], right.shape[1]), dtype=np.int64)
    height = max(1, ONE_THREAD // max(1, LONGEST_SUM * right.shape[1]))
    for start in range(0, left.shape[1], LONGEST_SUM):
        factors, other = left[:, start : start + LONGEST_SUM], right[start : start + LONGEST_SUM].astype(np.float64)
        high, low = (_in_strips(piece, other, height) for piece in _pieces(factors))
        total += ((high % PRIME << PIECE_BITS) + low) % PRIME
    return total % PRIME


def _pieces(numbers: Array) -> tuple[Array, Array]:
    return numbers >> PIECE_BITS, numbers & ((1 << PIECE_BITS) - 1)


def _in_strips(left: Array, right: Array, height: int) -> Array:
    left = left.astype(np.float64)
    strips = [left[start : start + height] @ right for start in range(0, len(left), height)]
    return np.vstack(strips).astype(np.int64)
