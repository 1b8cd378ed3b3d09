"""What seeds and steps are made of: polynomials in several variables, elimination in a fixed order."""

from fractions import Fraction

import numpy as np

from exporter.kinematics.seeded.ordered_elimination import eliminate, elimination_order
from exporter.kinematics.seeded.seed import fit_polynomials, spread, write_polynomial
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Signal


def test_written_polynomial_is_the_fitted_function() -> None:
    """A cubic of three variables comes back from its values, and its nested scheme gives it at other points."""

    def cubic(points: np.ndarray) -> np.ndarray:
        x, y, z = points.T
        return np.stack([1 - 2 * x + 3 * x * y * z - y**3, 0.5 * z**2 * x], axis=-1)

    points = spread(3, 120)
    builder = Builder("p", "float64")
    variables = [builder.input(Signal(name, "1")) for name in "xyz"]
    for number, polynomial in enumerate(
        fit_polynomials(points, cubic(points), 3).without_small(np.full(2, 1e-9)).polynomials()
    ):
        builder.output(Signal(f"p{number}", "1", group=Group.OUTPUT), write_polynomial(polynomial, variables, "t"))
    elsewhere = np.random.Generator(np.random.Philox(1)).uniform(-1, 1, (50, 3))
    np.testing.assert_allclose(interpret(builder.finish(), elsewhere).outputs, cubic(elsewhere), atol=1e-13)


def test_elimination_solves_what_it_was_ordered_for() -> None:
    """A system whose first pivot is zero as it stands is solved, rows and columns in the order found."""
    matrix = np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 3.0], [4.0, 1.0, 0.0]])
    side = np.array([3.0, 5.0, -2.0])
    one = [Fraction(1)] * 3
    order = elimination_order(matrix, one, one)
    builder = Builder("e", "float64")
    entries = [builder.input(Signal(f"m{k}", "1")) for k in range(9)]
    right = [builder.input(Signal(f"r{k}", "1")) for k in range(3)]
    rows = [[entries[3 * row + column] for column in order.columns] for row in order.rows]
    found = eliminate(order, ["x", "y", "z"], rows, [right[row] for row in order.rows], [Fraction(100)] * 3, "")
    for column, value in sorted(zip(order.columns, found, strict=True), key=lambda pair: pair[0]):
        builder.output(Signal(f"x{column}", "1", group=Group.OUTPUT), value)
    result = interpret(builder.finish(), np.hstack([matrix.ravel(), side])[None])
    np.testing.assert_allclose(result.outputs[0], np.linalg.solve(matrix, side), atol=1e-14)
    assert not result.status.any()
