"""Solve steps: numpy's dense solver, a closed form and the published operation count are the oracles."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import sympy as sp

from exporter.sequence.cost import cost
from exporter.sequence.interpreter import interpret
from exporter.sequence.status import BITS
from exporter.symbolic import SymbolicModel, given, output, solve
from exporter.symbolic.program import program_of_symbolic, sequence_of_symbolic

SINGULAR = 1 << BITS["NEAR_SINGULAR"][0]


@pytest.fixture(scope="module")
def models(load_data_module: Callable[[str], ModuleType]) -> ModuleType:
    return load_data_module("symbolic_models")


def arithmetic(model: SymbolicModel) -> int:
    """mul + add + div without guards, as SymPy's count_ops counts them."""
    counted = cost(sequence_of_symbolic(model, "float64", contract=False))
    return counted.mul + counted.add + counted.div


def test_regular_matrix_with_a_vanishing_entry_is_solved(models: ModuleType) -> None:
    """x = (2 sin q + 3 cos q, 2 cos q - 3 sin q) at q = 0 too, where symbolic LU gives nan (sympy/sympy#24780)."""
    angles = np.array([0.0, 1e-9, np.pi / 2, 0.7])
    result = interpret(sequence_of_symbolic(models.reflection(), "float64"), angles[:, None])
    expected = np.column_stack((2 * np.sin(angles) + 3 * np.cos(angles), 2 * np.cos(angles) - 3 * np.sin(angles)))
    assert result.outputs == pytest.approx(expected, abs=1e-14)
    assert not result.status.any()


@pytest.mark.parametrize("order", [1, 2, 3, 4, 6])
def test_dense_system_is_solved(models: ModuleType, order: int) -> None:
    """200 random systems, diagonally heavy."""
    random = np.random.default_rng(order)
    matrices = random.uniform(-1, 1, (200, order, order)) + 3 * np.eye(order)
    rights = random.uniform(-1, 1, (200, order))
    rows = np.hstack((matrices.reshape(200, -1), rights))
    result = interpret(sequence_of_symbolic(models.dense(order), "float64"), rows)
    regular = result.status == 0
    expected = np.linalg.solve(matrices, rights[..., None])[..., 0]
    assert regular.mean() > 0.95
    assert result.outputs[regular] == pytest.approx(expected[regular], rel=1e-9, abs=1e-9)


def test_dense_system_of_four_takes_at_most_seventy_operations(models: ModuleType) -> None:
    """SymPy's LUsolve writes 1249 and 67 after cse (sympy/sympy#28481 and others); elimination needs 65."""
    assert arithmetic(models.dense(4)) == 65


def test_dense_system_grows_with_the_cube_of_its_order(models: ModuleType) -> None:
    """At most 2n^3/3 + 2n^2 operations."""
    for order in (3, 4, 6, 8):
        assert arithmetic(models.dense(order)) <= 2 * order**3 / 3 + 2 * order**2


def symmetric(order: int, nominal: Callable[[int, int], Any]) -> SymbolicModel:
    """A x = b with one symbol per pair of mirrored entries."""

    def entry(i: int, j: int) -> sp.Symbol:
        return sp.Symbol(f"a{max(i, j)}{min(i, j)}")

    pairs = [(i, j) for i in range(order) for j in range(i + 1)]
    return SymbolicModel(
        "symmetric",
        (
            *(given(f"a{i}{j}", -9, 9, nominal=nominal(i, j)) for i, j in pairs),
            *(given(f"b{i}", -1, 1) for i in range(order)),
        ),
        tuple(output(f"y{i}", sp.Symbol(f"s{i}")) for i in range(order)),
        steps=(
            solve(
                [f"s{i}" for i in range(order)],
                sp.Matrix(order, order, entry),
                [sp.Symbol(f"b{i}") for i in range(order)],
                threshold="1e-9",
            ),
        ),
    )


def packed(matrices: np.ndarray, rights: np.ndarray) -> np.ndarray:
    order = matrices.shape[1]
    return np.hstack([matrices[:, i, j][:, None] for i in range(order) for j in range(i + 1)] + [rights])


def test_symmetric_positive_system_is_solved_by_fewer_operations(models: ModuleType) -> None:
    """LDL: the values of numpy's solver, and n(n-1)(n-2)/3 operations less than the unsymmetric elimination."""
    random = np.random.default_rng(5)
    factors = random.uniform(-1, 1, (200, 5, 5))
    matrices = factors @ factors.transpose(0, 2, 1) + np.eye(5)
    rights = random.uniform(-1, 1, (200, 5))
    model = symmetric(5, lambda i, j: 2 if i == j else 0)
    result = interpret(sequence_of_symbolic(model, "float64"), packed(matrices, rights))
    assert not result.status.any()
    expected = np.linalg.solve(matrices, rights[..., None])[..., 0]
    assert result.outputs == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert arithmetic(models.dense(5)) - arithmetic(model) == 5 * 4 * 3 / 3


def test_order_of_elimination_is_chosen_at_the_nominal_point() -> None:
    """A symmetric matrix with a zero diagonal has no pivot in the order given; it is solved as numpy solves it."""
    model = symmetric(3, lambda i, j: 0 if i == j else 1 + i)
    matrix = np.array([[[0.0, 2.0, 3.0], [2.0, 0.0, 3.0], [3.0, 3.0, 0.0]]])
    right = np.array([[1.0, -0.5, 0.25]])
    result = interpret(sequence_of_symbolic(model, "float64"), packed(matrix, right))
    assert result.status[0] == 0
    assert result.outputs[0] == pytest.approx(np.linalg.solve(matrix[0], right[0]), rel=1e-13)


def test_row_whose_pivot_is_small_at_the_nominal_point_waits() -> None:
    """[[x, 1, 0], [1, 0, 1], [0, 1, 1]] has the determinant -x - 1: regular at x = 0, where its first entry is 0."""
    x = sp.Symbol("x")
    model = SymbolicModel(
        "waits",
        (given("x", "-0.5", "0.5", nominal="0.01"),),
        tuple(output(f"y{i}", sp.Symbol(f"s{i}")) for i in range(3)),
        steps=(solve(["s0", "s1", "s2"], [[x, 1, 0], [1, 0, 1], [0, 1, 1]], [1, 2, 3], threshold="1e-6"),),
    )
    result = interpret(sequence_of_symbolic(model, "float64"), np.array([[0.0]]))
    assert result.status[0] == 0
    assert result.outputs[0] == pytest.approx([0, 1, 2], abs=1e-15)


def test_entries_that_are_zero_by_structure_cost_nothing() -> None:
    """An upper triangular system of three: a division per unknown, a product and a difference per entry above."""
    names = [f"a{i}{j}" for i in range(3) for j in range(i, 3)]
    rows = [[sp.Symbol(f"a{i}{j}") if j >= i else 0 for j in range(3)] for i in range(3)]
    model = SymbolicModel(
        "upper",
        tuple(given(name, 1, 2) for name in names),
        tuple(output(f"y{i}", sp.Symbol(f"s{i}")) for i in range(3)),
        steps=(solve(["s0", "s1", "s2"], rows, [1, 2, 3]),),
    )
    counted = cost(sequence_of_symbolic(model, "float64", contract=False))
    assert (counted.add, counted.mul, counted.div) == (3, 3, 3)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_singular_matrix_is_finite_and_flagged(order: int) -> None:
    """k (I + ones) x = ones: regular at k = 1, the zero matrix at k = 0."""
    names = [f"s{i}" for i in range(order)]
    rows = [[sp.Symbol("k") * (2 if i == j else 1) for j in range(order)] for i in range(order)]
    model = SymbolicModel(
        "scaled",
        (given("k", -2, 2, nominal=1),),
        tuple(output(f"y{i}", sp.Symbol(name)) for i, name in enumerate(names)),
        steps=(solve(names, rows, [1] * order, threshold="1e-3"),),
    )
    result = interpret(sequence_of_symbolic(model, "float64"), np.array([[0.0], [1.0]]))
    assert np.isfinite(result.outputs).all()
    assert list(result.status) == [SINGULAR, 0]
    assert result.outputs[1] == pytest.approx([1 / (order + 1)] * order, rel=1e-14)


def test_bounded_pivots_need_no_threshold() -> None:
    """det = 4 + x y with x, y in [-1, 1] cannot vanish: no guard, no flag."""
    x, y = sp.symbols("x y")
    model = SymbolicModel(
        "regular",
        (given("x", -1, 1), given("y", -1, 1)),
        (output("u", sp.Symbol("a")), output("v", sp.Symbol("b"))),
        steps=(solve(["a", "b"], [[2, -x], [y, 2]], [1, 0]),),
    )
    function = program_of_symbolic(model, "float64").functions[0]
    assert [condition.name for condition in function.conditions] == ["ARG_REJECTED"]
    assert interpret(function, np.array([[1.0, 1.0]])).outputs[0] == pytest.approx([0.4, -0.2])
