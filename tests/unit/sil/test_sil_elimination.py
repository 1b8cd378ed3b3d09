"""Householder's elimination of structures whose equations read some of the unknowns, against LAPACK."""

import numpy as np
import pytest

from sil.reference.elimination import elimination_of

LEGS = [[2 * leg, 2 * leg + 1, *range(6, 9)] for leg in range(3) for _ in range(3)]
"""Three legs with three equations each of two unknowns of their own and three that all share."""
STRUCTURES = {
    "dense": [list(range(5))] * 5,
    "legs": LEGS,
    "legs, mixed": [LEGS[k] for k in (7, 2, 5, 0, 8, 3, 1, 6, 4)],
    "triangle": [list(range(k + 1)) for k in range(6)],
    "cycle": [[k, (k + 1) % 5] for k in range(5)],
    "permutation": [[2], [0], [3], [1]],
    "one": [[0]],
}


def matrices_of(structure: list[list[int]], rows: int) -> np.ndarray:
    """Random matrices, (k, k, rows), of one structure."""
    random, found = np.random.default_rng(3), np.zeros((len(structure), len(structure), rows))
    for row, reads in zip(found, structure, strict=True):
        row[reads] = random.standard_normal((len(reads), rows))
    return found


@pytest.mark.parametrize("name", STRUCTURES)
def test_solutions_and_determinants_are_those_of_each_matrix(name: str) -> None:
    """Two right sides; determinants have the sign of the permutation too."""
    structure, rows = STRUCTURES[name], 20
    matrices, sides = matrices_of(structure, rows), np.random.default_rng(4).standard_normal((len(structure), 2, rows))
    given = matrices.copy(), sides.copy()
    found, _, determinants = elimination_of(tuple(map(tuple, structure)), 2).solve(matrices, sides)
    each, right = np.moveaxis(matrices, -1, 0), np.moveaxis(sides, -1, 0)
    expected, conditions = np.linalg.solve(each, right), np.linalg.cond(each)
    errors = np.abs(np.moveaxis(found, -1, 0) - expected).max(axis=(1, 2)) / np.abs(expected).max(axis=(1, 2))
    assert (errors < 1e-14 * conditions).all()
    assert determinants == pytest.approx(np.linalg.det(each), rel=1e-10)
    assert np.array_equal(given[0], matrices)
    assert np.array_equal(given[1], sides)


@pytest.mark.parametrize("name", STRUCTURES)
def test_inverses_are_those_of_each_matrix(name: str) -> None:
    """A side for every equation, which it has alone."""
    structure, rows = STRUCTURES[name], 20
    matrices = matrices_of(structure, rows)
    units = np.repeat(np.eye(len(structure))[..., None], rows, axis=-1)
    found = np.moveaxis(elimination_of(tuple(map(tuple, structure))).solve(matrices, units)[0], -1, 0)
    each = np.moveaxis(matrices, -1, 0)
    left = np.abs(each @ found - np.eye(len(structure))).max(axis=(1, 2))
    assert (left < 1e-14 * np.linalg.cond(each)).all()


def test_unknowns_of_legs_go_before_those_that_all_share() -> None:
    """A leg is eliminated among its own three equations; the shared unknowns are left to three equations."""
    steps = elimination_of(tuple(map(tuple, LEGS)), 1).steps
    assert [len(step.equations) for step in steps] == [3, 2, 3, 2, 3, 2, 3, 2, 1]
    assert sorted(step.unknown for step in steps[:6]) == list(range(6))


def test_two_equations_of_one_unknown_have_no_solution() -> None:
    """The second unknown is read by none."""
    found, _, determinants = elimination_of(((0,), (0,)), 1).solve(np.ones((2, 2, 3)), np.ones((2, 1, 3)))
    assert np.isnan(found).all()
    assert (determinants == 0.0).all()
