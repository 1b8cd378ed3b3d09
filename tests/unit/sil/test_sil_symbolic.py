"""The reference of symbolic models: known values, bounds that hold, deep and shared expressions."""

import mpmath
import pytest
import sympy as sp

from exporter.errors import ModelError
from exporter.symbolic import SymbolicModel, define, frozen, given, output, solve
from sil.reference.symbolic import symbolic_reference_of

UNIT = 2.0**-53
x, y = sp.symbols("x y")


def evaluate(outputs, inputs, steps=(), parameters=()):
    model = SymbolicModel(
        "model",
        tuple(given(name, -10, 10) for name in inputs),
        tuple(output(f"y{n}", expression) for n, expression in enumerate(outputs)),
        parameters=tuple(parameters),
        steps=tuple(steps),
    )
    return list(symbolic_reference_of(model).evaluate(inputs, UNIT).values())


def test_public_cases_have_their_right_values():
    """Negative powers, conditionals, a shifted atan2: values computed with exact arithmetic elsewhere."""
    powers = evaluate([7 * x**-5 - 3 * x**2], {"x": 1.25})[0]
    choice = 2 * sp.Piecewise((x, x < 1), (x**2, True)) + sp.Piecewise((1, x > 0), (0, True))
    chosen = [float(evaluate([choice], {"x": value})[0].value) for value in (0.5, 3.0, -2.0, 1.0)]
    angle = evaluate([sp.atan2(y, x)], {"x": -0.3, "y": 0.4})[0]
    assert float(powers.value) == pytest.approx(-2.39374, abs=1e-12)
    assert chosen == [2.0, 19.0, -4.0, 3.0]
    assert float(angle.value) == pytest.approx(2.21429743558818, abs=1e-14)


def test_a_linear_step_is_solved_where_its_first_pivot_vanishes():
    """[[sin q, cos q], [cos q, -sin q]] s = (2, 3) has determinant -1 for all q; at q = 0 the answer is (3, 2)."""
    matrix = [[sp.sin(x), sp.cos(x)], [sp.cos(x), -sp.sin(x)]]
    steps = [solve(["a", "b"], matrix, [2, 3], threshold="1e-6")]
    found = evaluate([sp.Symbol("a"), sp.Symbol("b")], {"x": 0.0}, steps)
    assert [float(each.value) for each in found] == pytest.approx([3.0, 2.0], abs=1e-15)


def test_an_unevaluated_form_is_not_rewritten():
    """2 sin(x/2)^2 at 1e-8 is 5e-17, with a bound far below that."""
    form = sp.Mul(2, sp.Pow(sp.sin(sp.Mul(sp.Rational(1, 2), x, evaluate=False)), 2, evaluate=False), evaluate=False)
    answer = evaluate([form], {"x": 1e-8})[0]
    assert float(answer.value) == pytest.approx(5.0e-17, rel=1e-12)
    assert float(answer.error) < 2e-31


def test_bounds_hold_in_double_precision():
    """What float64 makes of a cancelling polynomial lies within its bound, and the bound is not idle."""
    value = 1.0 + 1e-9
    answer = evaluate([x**3 - 3 * x**2 + 3 * x - 1], {"x": value})[0]
    made = value * value * value - 3 * (value * value) + 3 * value - 1
    assert abs(made - answer.value) <= answer.error
    assert answer.error < 1e-14


def test_a_comparison_that_rounding_decides_is_not_judged():
    answer = evaluate([sp.Piecewise((1, x * x * 3 < 3), (2, True))], {"x": 1.0})[0]
    assert mpmath.isinf(answer.error)


def test_depth_and_sharing_cost_nothing():
    """5,000 steps nested in one expression, each used twice: the fixed point to 15 digits."""
    value = x
    for _ in range(5000):
        product = sp.Mul(sp.sin(value, evaluate=False), sp.cos(value, evaluate=False), evaluate=False)
        value = sp.Add(product, x, evaluate=False)
    assert float(evaluate([value], {"x": 0.3})[0].value) == pytest.approx(0.799792808503297, abs=1e-15)


def test_steps_and_parameters_are_found_by_name():
    c = sp.Symbol("c", positive=True)
    steps = [define("mid", x + c)]
    assert float(evaluate([2 * sp.Symbol("mid")], {"x": 1.5}, steps, [frozen("c", "0.25")])[0].value) == 3.5


def test_an_unknown_function_is_named():
    model = SymbolicModel("model", (given("x", -1, 1),), (output("y", sp.besselj(0, x)),))
    with pytest.raises(ModelError, match="besselj"):
        symbolic_reference_of(model).evaluate({"x": 0.5}, UNIT)
