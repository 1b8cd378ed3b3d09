"""Small linear systems over many rows, and those that fall apart into smaller ones."""

import numpy as np
import pytest

from sil.reference.linear import (
    condition_numbers,
    determinants,
    independent_systems,
    inverse_of,
    solve_columns,
)


def apart(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Matrices of six equations that fall apart into three, two and one after a change of order, and sides."""
    random = np.random.default_rng(5)
    matrices = np.zeros((rows, 6, 6))
    for start, end in ((0, 3), (3, 5), (5, 6)):
        matrices[:, start:end, start:end] = random.standard_normal((rows, end - start, end - start))
    equations, unknowns = random.permutation(6), random.permutation(6)
    return matrices[:, equations][:, :, unknowns], random.standard_normal((rows, 6))


def systems_of(matrices: np.ndarray) -> tuple[tuple[list[int], list[int]], ...]:
    return independent_systems([set(np.flatnonzero(row).tolist()) for row in matrices[0]])


def test_systems_that_fall_apart_are_solved_apart() -> None:
    """Each of three systems by itself gives what the whole gives."""
    matrices, sides = apart(4)
    systems = systems_of(matrices)
    assert sorted(len(rows) for rows, _ in systems) == [1, 2, 3]
    assert sorted(row for rows, _ in systems for row in rows) == list(range(6))
    expected = np.linalg.solve(matrices, sides[..., None])[..., 0]
    assert inverse_of(matrices, systems).solve(sides) == pytest.approx(expected, rel=1e-10)


def test_equations_that_share_an_unknown_late_are_one_system() -> None:
    """The last equation joins what the first two kept apart."""
    assert independent_systems([{0}, {1}, {0, 1, 2}]) == (([0, 1, 2], [0, 1, 2]),)


def test_a_singular_row_costs_its_own_system_alone() -> None:
    """Not a number where the system has no solution, and the solution elsewhere."""
    matrices, sides = apart(2)
    systems = systems_of(matrices)
    (rows, unknowns) = next(each for each in systems if len(each[0]) == 2)
    matrices[1, rows] = 0.0
    found = inverse_of(matrices, systems).solve(sides)
    assert np.isnan(found[1, unknowns]).all()
    assert np.isfinite(np.delete(found[1], unknowns)).all()
    assert np.isfinite(found[0]).all()


def test_a_system_that_is_not_square_has_no_solution() -> None:
    """Two equations of one unknown beside one equation of two."""
    matrices = np.array([[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 1.0]]])
    assert np.isnan(inverse_of(matrices, systems_of(matrices)).solve(np.ones((1, 3)))).all()


@pytest.mark.parametrize("size", range(1, 7))
def test_systems_whose_rows_stand_last(size: int) -> None:
    """By Cramer's rule or by LAPACK: solution and determinant are those of each matrix by itself."""
    random = np.random.default_rng(6)
    matrices, sides = random.standard_normal((5, size, size)), random.standard_normal((5, size))
    stacked = np.moveaxis(matrices, 0, -1)
    found = solve_columns(stacked, sides.T)
    expected = np.linalg.solve(matrices, sides[..., None])[..., 0]
    assert np.ascontiguousarray(found.T) == pytest.approx(expected, rel=1e-9)
    assert determinants(stacked) == pytest.approx(np.linalg.det(matrices), rel=1e-9)


@pytest.mark.parametrize("size", range(1, 5))
def test_a_singular_row_that_stands_last_is_not_finite(size: int) -> None:
    """Rows beside it are solved."""
    matrix, side = np.repeat(np.eye(size)[:, :, None], 2, axis=2), np.ones((size, 2))
    matrix[0, :, 1] = 0.0
    found = solve_columns(matrix, side)
    assert not np.isfinite(found[0, 1])
    assert (found[:, 0] == 1.0).all()
    assert determinants(matrix).tolist() == [1.0, 0.0]


def test_what_falls_apart_is_judged_by_its_parts() -> None:
    """Condition numbers and sizes of rounding are those of the whole, a row without a solution included."""
    matrices, sides = apart(4)
    systems = systems_of(matrices)
    matrices[1, systems[0][0]] = 0.0
    assert condition_numbers(matrices, systems) == pytest.approx(condition_numbers(matrices), rel=1e-9)
    terms = np.abs(sides)
    assert inverse_of(matrices, systems).rounding_sizes(terms) == pytest.approx(
        inverse_of(matrices).rounding_sizes(terms), rel=1e-9
    )
    assert np.isinf(inverse_of(matrices).rounding_sizes(terms)[1]).all()
    matrices[1, 0, 0] = np.nan
    assert np.isinf(condition_numbers(matrices, systems)[1])


def test_what_an_unknown_does_not_depend_on_leaves_nothing_in_it() -> None:
    """A second loop reads the first: its side moves it alone. LAPACK's inverse leaves 1e-16 in the first loop."""
    random = np.random.default_rng(8)
    matrices = random.standard_normal((50, 6, 6))
    matrices[:, :3, 3:] = 0.0
    shuffled = matrices[:, random.permutation(6)]
    sides = np.einsum("nij,nj->ni", shuffled, np.broadcast_to([0, 0, 0, 1.0, -2.0, 0.5], (50, 6)))
    assert np.abs(np.einsum("nij,nj->ni", np.linalg.inv(shuffled), sides)[:, :3]).max() > 1e-17
    found = inverse_of(shuffled).solve(sides)
    assert np.abs(found[:, :3]).max() < 1e-25
    np.testing.assert_allclose(found[:, 3:], np.broadcast_to([1.0, -2.0, 0.5], (50, 3)), rtol=1e-9)


def test_an_inverse_that_means_nothing_is_not_refined() -> None:
    """A step leads away from the inverse of a matrix that is singular but for rounding."""
    row = np.array([0.1, 0.2, 0.3])
    matrices = np.array([[row, 3 * row, [1.0, 0.0, 0.0]]])
    assert np.abs(np.eye(3) - matrices @ np.linalg.inv(matrices)).max() > 0.1
    part = inverse_of(matrices).parts[0]
    assert part is not None
    np.testing.assert_array_equal(part, np.linalg.inv(matrices))
