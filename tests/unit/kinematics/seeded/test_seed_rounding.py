"""Seeds do not depend on the last bits of linear algebra, which differ between computers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from exporter.kinematics.engine import triangular_solution
from exporter.kinematics.exchanged.search import exchanged_form
from exporter.kinematics.seeded.ordered_elimination import elimination_order
from exporter.kinematics.seeded.seed import fit_polynomials, spread
from exporter.model.complete import with_independent
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism

NOISE = 4e-16  # of every result of linear algebra


def noisy(function: Callable[..., Any], generator: np.random.Generator) -> Callable[..., Any]:
    def disturbed(*arguments: Any, **options: Any) -> Any:
        result = function(*arguments, **options)
        first = result[0] if isinstance(result, tuple) else result
        first = first * (1 + NOISE * generator.integers(-2, 3, np.shape(first)))
        return (first, *result[1:]) if isinstance(result, tuple) else first

    return disturbed


def test_table_of_a_driven_mechanism_is_the_same_whatever_the_last_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = with_independent(read_mechanism(model_path("stephenson_iii")), ["beta1"])
    plain = exchanged_form(mechanism, triangular_solution, lambda _: None)
    generator = np.random.Generator(np.random.Philox(8))
    for name in ("lstsq", "solve", "det", "pinv", "inv"):
        monkeypatch.setattr(np.linalg, name, noisy(getattr(np.linalg, name), generator))
    disturbed = exchanged_form(mechanism, triangular_solution, lambda _: None)
    assert plain is not None
    assert disturbed is not None
    assert (plain.table, plain.exchange.order) == (disturbed.table, disturbed.exchange.order)


def test_rounded_coefficients_have_so_many_decimals_in_powers_too() -> None:
    """Three decimals of a length of 0.05 m are five of a metre; powers of Chebyshev polynomials have whole numbers."""
    points = spread(2, 60)
    fit = fit_polynomials(points, np.exp(points @ [[0.3], [0.2]]), 4).rounded(3, [0.05])
    for polynomial in fit.polynomials():
        assert all((value * 10**5).denominator == 1 for value in polynomial.coefficients.values())
    assert len(fit.polynomials()[0].coefficients) == 15


@pytest.mark.parametrize("larger", [0, 1])
def test_elimination_takes_the_first_of_pivots_that_are_alike(larger: int) -> None:
    matrix = np.array([[0.1, 2.0], [2.0, 0.1]])
    matrix[larger, 1 - larger] *= 1 + 4e-16
    order = elimination_order(matrix, [1, 1], [1, 1])
    assert (order.rows, order.columns) == ((0, 1), (1, 0))
