"""exp, log, tanh, powers, floor and Mod of symbolic models.

Oracles: an angle wrapped by hand (u minus the nearest whole number of turns, 40 digits, made for this project),
Python's own functions, and SIL's reference, which must find a wrong kernel and pass a sound one next to a step.
"""

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp

from exporter.sequence.interpreter import interpret
from exporter.sequence.status import BITS
from exporter.symbolic import Root, SymbolicModel, given, output
from exporter.symbolic.program import sequence_of_symbolic
from sil.reference.symbolic import symbolic_reference_of

OUT_OF_WORKSPACE = 1 << BITS["OUT_OF_WORKSPACE"][0]
u, x, y = sp.symbols("u x y", real=True)
TURN = 2 * sp.pi
WRAPS = {
    "Mod": sp.Mod(u + sp.pi, TURN) - sp.pi,
    "floor": u - TURN * sp.floor((u + sp.pi) / TURN),
    "atan2": sp.atan2(sp.sin(u), sp.cos(u)),
}
WRAPPED = {-9.4: -3.11681469282042, 4.7: -1.58318530717959, 55.5: -1.04866776461628}
UNITS = {"float32": 2.0**-24, "float64": 2.0**-53}


def model(value: Any, *inputs: Any, **policies: Any) -> SymbolicModel:
    return SymbolicModel("m", inputs or (given("u", -100, 100, nominal=0),), (output("w", value),), **policies)


def run(made: SymbolicModel, rows: Any, precision: Any = "float64") -> tuple[Any, Any]:
    """Values and status."""
    result = interpret(sequence_of_symbolic(made, precision), np.array(rows, dtype=np.float64))
    return result.outputs[:, 0], result.status


@pytest.mark.parametrize(("precision", "room"), [("float32", 6e-6), ("float64", 2e-14)])
@pytest.mark.parametrize("way", list(WRAPS))
def test_an_angle_is_wrapped_in_three_ways(way: str, precision: Any, room: float) -> None:
    """The usual ways to write it, and the one by sine and cosine."""
    values, status = run(model(WRAPS[way]), [[angle] for angle in WRAPPED], precision)
    assert list(values) == pytest.approx(list(WRAPPED.values()), abs=room)
    assert not status.any()


@pytest.mark.parametrize(
    ("expression", "right"),
    [
        (sp.exp(-x), lambda a, _: math.exp(-a)),
        (sp.log(x) + sp.tanh(y), lambda a, b: math.log(a) + math.tanh(b)),
        (x**y, lambda a, b: a**b),
        (3**y, lambda _, b: 3**b),
        (x ** sp.Rational(5, 7), lambda a, _: a ** (5 / 7)),
        (1 / x**0.3, lambda a, _: a**-0.3),
        (sp.floor(y) - sp.ceiling(x), lambda a, b: math.floor(b) - math.ceil(a)),
        (sp.Mod(y, x), lambda a, b: b % a),
        (sp.Mod(y, -x), lambda a, b: b % -a),
        (sp.Mod(-y, 1), lambda _, b: -b % 1),
    ],
)
def test_values_are_those_of_python(expression: Any, right: Any) -> None:
    """Arguments of both signs; the rest of a division has the sign of the divisor, as in Python."""
    rows = [(0.5, -2.75), (0.5, 2.0), (1.0, 0.0), (2.25, 1.25), (3.0, -0.001)]
    values, _ = run(model(expression, given("x", "0.5", 3, nominal=1), given("y", -3, 3)), rows)
    assert list(values) == pytest.approx([right(*row) for row in rows], rel=1e-14, abs=1e-15)


def test_a_real_power_of_zero_is_zero() -> None:
    """The kernel takes numbers above zero only."""
    values, status = run(model(x ** sp.Rational(1, 3), given("x", 0, 8)), [[0], [1e-320], [8]])
    assert list(values) == [0, 0, pytest.approx(2, rel=1e-15)]
    assert not status.any()


@pytest.mark.parametrize("expression", [sp.log(x), x**y, x ** sp.Rational(1, 3)])
def test_the_root_policy_clamps_and_tells(expression: Any) -> None:
    """Below zero the result is finite and flagged; above it is not."""
    made = model(expression, given("x", -1, 4), given("y", 0, 1), root=Root())
    values, status = run(made, [[-0.5, 0.5], [2, 0.5]])
    assert np.isfinite(values).all()
    assert list(status) == [OUT_OF_WORKSPACE, 0]


def test_an_arm_proves_its_argument() -> None:
    """The condition of the arm keeps the argument above zero: no policy, no flag."""
    value = sp.Piecewise((sp.log(x), x > sp.Rational(1, 10)), (0, True))
    values, status = run(model(value, given("x", -1, 4)), [[-0.5], [2]])
    assert list(values) == [0, pytest.approx(math.log(2))]
    assert not status.any()


def error_over_bound(expression: Any, at: float, made: float, precision: str) -> float:
    found = symbolic_reference_of(model(expression)).evaluate({"u": at}, UNITS[precision])["w"]
    return float(abs(made - found.value) / (found.error + 1e-300))


SMOOTH = {
    "exp": (sp.exp(u / 30), 1.0),
    "log": (sp.log(u + 101), 1.0),
    "tanh": (sp.tanh(u / 50), 1.0),
    "pow": ((u + 101) ** sp.Rational(1, 3), 1.0),
    "Mod": (sp.Mod(u, 7), 1.0),
}


@pytest.mark.parametrize("precision", list(UNITS))
@pytest.mark.parametrize("name", list(SMOOTH))
def test_the_reference_finds_a_wrong_kernel(name: str, precision: Any) -> None:
    """A result that is a hundred units in the last place off is beyond the bound, a sound one within."""
    expression, _ = SMOOTH[name]
    (value,), _ = run(model(expression), [[12.25]], precision)
    assert error_over_bound(expression, 12.25, float(value), precision) <= 1
    assert error_over_bound(expression, 12.25, float(value) * (1 + 200 * UNITS[precision]), precision) > 1


@pytest.mark.parametrize("precision", list(UNITS))
@pytest.mark.parametrize(("expression", "jump"), [(sp.floor(u / 3 * 3), 1.0), (sp.Mod(u / 3 * 3, sp.pi), math.pi)])
def test_a_step_is_judged_where_rounding_cannot_pass_it(expression: Any, jump: float, precision: Any) -> None:
    """Next to a step both sides are right; elsewhere the other side is wrong."""
    step = 2.0 if jump == 1.0 else float(2 * np.pi)
    assert error_over_bound(sp.floor(u * sp.pi / 3), 1.5, 0.0, precision) > 1
    (value,), _ = run(model(expression), [[step + 0.5]], precision)
    assert error_over_bound(expression, step + 0.5, float(value), precision) <= 1
    assert error_over_bound(expression, step + 0.5, float(value) + jump, precision) > 1
    near = sp.floor(u * sp.pi / sp.pi.n(30)) if jump == 1.0 else sp.Mod(u * 3, 3 * sp.pi) / 3
    (value,), _ = run(model(near), [[step]], precision)
    assert error_over_bound(near, step, float(value), precision) <= 1
