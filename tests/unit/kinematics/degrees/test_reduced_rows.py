"""Rows modulo a prime in reduced echelon form. Oracle: the same matrix as a whole by FLINT; Python's own integers."""

import numpy as np
import pytest
from flint import nmod_mat

from exporter.kinematics.degrees.linear_elimination import PRIME
from exporter.kinematics.degrees.reduced_rows import Array, no_rows, product_modulo


def dependent_rows(seed: int, count: int, rank: int, width: int, filled: float) -> Array:
    """Rows (count, width), some of them sums of others, with a share of their entries filled."""
    random = np.random.default_rng(seed)
    base = random.integers(1, PRIME, (rank, width)) * (random.random((rank, width)) < filled)
    pairs = random.integers(0, rank, (count - rank, 2))
    return np.vstack([base, base[pairs].sum(axis=1) % PRIME])[random.permutation(count)]


def rows_of_flint(rows: Array) -> list[list[int]]:
    """The reduced echelon form without its zero rows."""
    count, width = rows.shape
    reduced, rank = nmod_mat(count, width, rows.ravel().tolist(), PRIME).rref()
    return [[int(reduced[line, column]) for column in range(width)] for line in range(rank)]


@pytest.mark.parametrize("filled", [0.05, 0.3, 1.0])
def test_further_rows_give_the_form_of_the_whole_matrix(filled: float) -> None:
    """Sparse and dense rows in three portions: the reduced echelon form is unique."""
    rows = dependent_rows(7, count=60, rank=33, width=40, filled=filled)
    known = no_rows(40)
    for portion in np.array_split(rows, 3):
        known = known.with_rows(portion)
    assert known.rows.tolist() == rows_of_flint(rows)


def test_leading_columns_are_those_of_the_first_entries() -> None:
    """Each row is 1 there, and no other row has an entry in that column."""
    known = no_rows(30).with_rows(dependent_rows(8, count=40, rank=20, width=30, filled=0.2))
    assert known.leaders.tolist() == (known.rows != 0).argmax(axis=1).tolist()
    assert (known.rows[:, known.leaders] == np.eye(len(known.leaders), dtype=int)).all()


def test_products_of_the_largest_numbers_are_exact() -> None:
    """Five hundred products of PRIME - 1 in one sum, which no float64 holds."""
    left, right = np.full((3, 500), PRIME - 1), np.full((500, 2), PRIME - 1)
    right[0, 0] = 12345
    assert product_modulo(left, right).tolist() == [[((PRIME - 1) * 12345 + 499) % PRIME, 500]] * 3
