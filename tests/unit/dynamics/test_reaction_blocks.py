"""Which equations of an equilibrium determine which unknowns: blocks, pivots and what is left out."""

import numpy as np
import pytest

from exporter.dynamics.reactions.selection import blocks_of, independent_columns

GENERATOR = np.random.default_rng(12)


def test_blocks_need_unknowns_of_earlier_blocks_only() -> None:
    """An arrow: two equations of one unknown each, then one of both and a third unknown."""
    matrices = np.array([[[2.0, 0, 0], [1.0, 3.0, 5.0], [0, 4.0, 0]]])
    blocks = blocks_of(matrices)
    assert [(block.equations, block.unknowns) for block in blocks] == [((0,), (0,)), ((2,), (1,)), ((1,), (2,))]


def test_pivots_that_vanish_nowhere_are_taken_in_a_fixed_order() -> None:
    matrices = GENERATOR.uniform(-1, 1, (6, 4, 4)) + 4 * np.eye(4)
    (block,) = blocks_of(matrices)
    assert not block.exchanges
    assert sorted(block.equations) == sorted(block.unknowns) == [0, 1, 2, 3]
    assert min(block.pivots) > 1


def test_rows_are_exchanged_where_every_order_meets_a_small_pivot() -> None:
    """Rotations by all angles about three axes: each entry vanishes somewhere."""
    angles = np.linspace(0, 2 * np.pi, 17)
    zero, one = np.zeros_like(angles), np.ones_like(angles)
    cosine, sine = np.cos(angles), np.sin(angles)
    turns = [
        np.stack([np.stack(row, -1) for row in rows], 1)
        for rows in (
            ([cosine, -sine, zero], [sine, cosine, zero], [zero, zero, one]),
            ([one, zero, zero], [zero, cosine, -sine], [zero, sine, cosine]),
            ([cosine, zero, sine], [zero, one, zero], [-sine, zero, cosine]),
        )
    ]
    (block,) = blocks_of(turns[0] @ turns[1] @ turns[2])
    assert block.exchanges


def test_a_pair_is_measured_by_its_determinant() -> None:
    (block,) = blocks_of(np.array([[[1.0, 2.0], [3.0, 4.0]]]))
    assert block.pivots == (1.0, pytest.approx(2.0))


def test_columns_that_are_sums_of_others_at_every_pose_are_left_out() -> None:
    matrices = GENERATOR.uniform(-1, 1, (5, 4, 3))
    doubled = np.concatenate([matrices, matrices[:, :, :1] + matrices[:, :, 1:2]], axis=2)
    assert len(independent_columns(doubled)) == 3
    assert independent_columns(matrices) == [0, 1, 2]
    assert independent_columns(matrices[:, :, :0]) == []


def test_equations_that_leave_an_unknown_free_are_refused() -> None:
    with pytest.raises(ValueError, match="do not determine"):
        blocks_of(np.array([[[1.0, 0.0], [2.0, 0.0]]]))
