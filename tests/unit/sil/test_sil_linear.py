"""Small linear systems over many rows, and those that fall apart into smaller ones."""

import numpy as np
import pytest

from sil.reference.linear import (
    Inverse,
    System,
    condition_numbers,
    independent_systems,
    inverse_of,
    solve_columns,
    whole_system,
)


def apart(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Matrices of six equations that fall apart into three, two and one after a change of order, and sides."""
    random = np.random.default_rng(5)
    matrices = np.zeros((rows, 6, 6))
    for start, end in ((0, 3), (3, 5), (5, 6)):
        matrices[:, start:end, start:end] = random.standard_normal((rows, end - start, end - start))
    equations, unknowns = random.permutation(6), random.permutation(6)
    return matrices[:, equations][:, :, unknowns], random.standard_normal((rows, 6))


def systems_of(matrices: np.ndarray) -> tuple[System, ...]:
    return independent_systems([set(np.flatnonzero(row).tolist()) for row in matrices[0]])


def solved(matrices: np.ndarray, systems: tuple[System, ...], sides: np.ndarray) -> np.ndarray:
    """X of (rows, n) from A (rows, n, n) and b (rows, n)."""
    return inverse_of(np.moveaxis(matrices, 0, -1), systems).solve(sides.T[:, None])[:, 0].T


def test_systems_that_fall_apart_are_solved_apart() -> None:
    """Each of three systems by itself gives what the whole gives."""
    matrices, sides = apart(4)
    systems = systems_of(matrices)
    assert sorted(len(each.equations) for each in systems) == [1, 2, 3]
    assert sorted(row for each in systems for row in each.equations) == list(range(6))
    expected = np.linalg.solve(matrices, sides[..., None])[..., 0]
    assert solved(matrices, systems, sides) == pytest.approx(expected, rel=1e-10)


def test_equations_that_share_an_unknown_late_are_one_system() -> None:
    """The last equation joins what the first two kept apart."""
    assert independent_systems([{0}, {1}, {0, 1, 2}]) == (System([0, 1, 2], [0, 1, 2], ((0,), (1,), (0, 1, 2))),)


def test_a_singular_row_costs_its_own_system_alone() -> None:
    """Not a number where the system has no solution, and the solution elsewhere."""
    matrices, sides = apart(2)
    systems = systems_of(matrices)
    singular = next(each for each in systems if len(each.equations) == 2)
    matrices[1, singular.equations] = 0.0
    found = solved(matrices, systems, sides)
    assert np.isnan(found[1, singular.unknowns]).all()
    assert np.isfinite(np.delete(found[1], singular.unknowns)).all()
    assert np.isfinite(found[0]).all()


@pytest.mark.parametrize("size", range(2, 7))
def test_what_is_singular_to_rounding_has_no_inverse(size: int) -> None:
    """The last equation is a sum of the others, up to rounding; sizes of errors are infinite there alone."""
    random = np.random.default_rng(7)
    matrices = random.standard_normal((3, size, size))
    matrices[1, -1] = (random.standard_normal(size - 1)[:, None] * matrices[1, :-1]).sum(axis=0)
    inverse = inverse_of(np.moveaxis(matrices, 0, -1))
    assert np.isnan(inverse.solve(np.ones((size, 1, 3)))[:, 0, 1]).all()
    assert np.isinf(inverse.rounding_sizes(np.ones((size, 3)))).all(axis=0).tolist() == [False, True, False]


def test_a_system_that_is_not_square_has_no_solution() -> None:
    """Two equations of one unknown beside one equation of two."""
    matrices = np.array([[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 1.0]]])
    assert np.isnan(solved(matrices, systems_of(matrices), np.ones((1, 3)))).all()


def test_sizes_of_errors_are_those_of_the_inverse() -> None:
    """|A^-1| b by LAPACK's inverse."""
    random = np.random.default_rng(8)
    matrices, terms = random.standard_normal((4, 5, 5)), random.uniform(0.0, 2.0, (4, 5))
    expected = np.einsum("nij,nj->ni", np.abs(np.linalg.inv(matrices)), terms)
    found = inverse_of(np.moveaxis(matrices, 0, -1)).rounding_sizes(terms.T).T
    assert np.ascontiguousarray(found) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("size", range(1, 7))
def test_systems_whose_rows_stand_last(size: int) -> None:
    """By Cramer's rule or by elimination: solution and determinant are those of each matrix by itself."""
    random = np.random.default_rng(6)
    matrices, sides = random.standard_normal((5, size, size)), random.standard_normal((5, size))
    found, determinants = solve_columns(np.moveaxis(matrices, 0, -1), sides.T, whole_system(size).reads)
    expected = np.linalg.solve(matrices, sides[..., None])[..., 0]
    assert np.ascontiguousarray(found.T) == pytest.approx(expected, rel=1e-9)
    assert determinants == pytest.approx(np.linalg.det(matrices), rel=1e-9)


@pytest.mark.parametrize("size", range(1, 5))
def test_a_singular_row_that_stands_last_is_not_finite(size: int) -> None:
    """Rows beside it are solved."""
    matrix, side = np.repeat(np.eye(size)[:, :, None], 2, axis=2), np.ones((size, 2))
    matrix[0, :, 1] = 0.0
    found, determinants = solve_columns(matrix, side, whole_system(size).reads)
    assert not np.isfinite(found[0, 1])
    assert determinants.tolist() == [1.0, 0.0]


def test_what_falls_apart_is_judged_by_its_parts() -> None:
    """Condition numbers and sizes of rounding are those of the whole, a row without a solution included."""
    matrices, sides = apart(4)
    systems = systems_of(matrices)
    matrices[1, systems[0].equations] = 0.0
    assert condition_numbers(matrices, systems) == pytest.approx(condition_numbers(matrices), rel=1e-9)
    columns, terms = np.moveaxis(matrices, 0, -1), np.abs(sides).T
    sizes = inverse_of(columns).rounding_sizes(terms)
    assert inverse_of(columns, systems).rounding_sizes(terms) == pytest.approx(sizes, rel=1e-9)
    assert np.isinf(sizes[:, 1]).all()
    matrices[1, 0, 0] = np.nan
    assert np.isinf(condition_numbers(matrices, systems)[1])


def test_what_an_unknown_does_not_depend_on_leaves_nothing_in_it() -> None:
    """A second loop reads the first: its side moves it alone. an inverse leaves 1e-16 in the first loop."""
    random = np.random.default_rng(8)
    matrices = random.standard_normal((50, 6, 6))
    matrices[:, :3, 3:] = 0.0
    shuffled = matrices[:, random.permutation(6)]
    sides = np.einsum("nij,nj->ni", shuffled, np.broadcast_to([0, 0, 0, 1.0, -2.0, 0.5], (50, 6)))
    assert np.abs(np.einsum("nij,nj->ni", np.linalg.inv(shuffled), sides)[:, :3]).max() > 1e-17
    found = solved(shuffled, (whole_system(6),), sides)
    assert np.abs(found[:, :3]).max() < 1e-25
    np.testing.assert_allclose(found[:, 3:], np.broadcast_to([1.0, -2.0, 0.5], (50, 3)), rtol=1e-9)


def test_a_long_correction_is_not_taken() -> None:
    """An inverse is wrong by a factor of 3, then of 1.05: the second solution becomes 1.05 (2 - 1.05)."""
    matrices, sides = np.eye(4)[..., None], np.ones((4, 1, 1))
    for factor, expected in ((3.0, 3.0), (1.05, 1.05 * 0.95)):
        found = Inverse(matrices, (whole_system(4),), (factor * matrices,)).solve(sides)
        assert found[:, 0, 0] == pytest.approx(np.full(4, expected), rel=1e-14)
