"""A symbolic model computes what its expressions say: values from public bug reports and from closed forms.

Oracles are literal numbers (exact arithmetic or 40-digit mpmath) and elementary formulas.
"""

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

from exporter.sequence.cost import cost
from exporter.sequence.interpreter import InterpretedRows, interpret
from exporter.sequence.operations import Precision
from exporter.sequence.status import BITS
from exporter.symbolic import Root, SymbolicModel, frozen, given, output
from exporter.symbolic.program import program_of_symbolic, sequence_of_symbolic

PRECISIONS: tuple[Precision, ...] = ("float32", "float64")
EPSILON = {"float32": 2.0**-23, "float64": 2.0**-52}
x, y = sp.symbols("x y")


@pytest.fixture(scope="module")
def models(load_data_module: Callable[[str], ModuleType]) -> ModuleType:
    return load_data_module("symbolic_models")


def evaluate(
    model: SymbolicModel, rows: Sequence[Sequence[float]], precision: Precision = "float64"
) -> InterpretedRows:
    """All rows through the model's sequence, tunable parameters first."""
    return interpret(sequence_of_symbolic(model, precision), np.array(rows, dtype=float))


def one_input(expression: Any, low: Any = -4, high: Any = 4, **policies: Any) -> SymbolicModel:
    return SymbolicModel("one", (given("x", low, high),), (output("y", expression),), **policies)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_negative_whole_powers_are_reciprocals_of_products(models: ModuleType, precision: Precision) -> None:
    """7 a^-5 - 3 a^2 at 1.25 and -1.25 (sympy/sympy#15335), the exact values rounded."""
    result = evaluate(models.reciprocal_powers(), [[1.25], [-1.25]], precision)
    expected = [7 / 1.25**5 - 3 * 1.25**2, -7 / 1.25**5 - 3 * 1.25**2]
    assert expected == pytest.approx([-2.39374, -6.98126], abs=5e-6)
    assert result.outputs[:, 0] == pytest.approx(expected, rel=4 * EPSILON[precision])
    assert not result.status.any()


def test_power_of_a_vanishing_base_is_finite_and_flagged(models: ModuleType) -> None:
    """a = 0 in 7 a^-5: the threshold divides, NEAR_SINGULAR tells; it is not 1 and not infinite."""
    result = evaluate(models.reciprocal_powers(), [[0.0]])
    assert result.outputs[0, 0] == pytest.approx(7e15)
    assert result.status[0] == 1 << BITS["NEAR_SINGULAR"][0]


def test_fifth_power_takes_three_products(models: ModuleType) -> None:
    """a^5 = a a^4 by squaring, shared with a^2; one product by 3; one division."""
    counted = cost(sequence_of_symbolic(models.reciprocal_powers(), "float64", contract=False))
    assert (counted.mul, counted.add, counted.div) == (4, 1, 1)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize(("c", "x0", "expected"), [(1.0, 2.0, 16.0), (0.5, 1.5, 2.53125)])
def test_names_of_temporaries_and_keywords_keep_their_values(
    models: ModuleType, precision: Precision, c: float, x0: float, expected: float
) -> None:
    """A symbol x0 with assumptions is not overwritten by a temporary (sympy/sympy#25043)."""
    row = [{"x0": x0, "c": c}.get(name, 0.0) for name in models.AWKWARD]
    assert evaluate(models.awkward_names(), [row], precision).outputs[0, 0] == expected


@pytest.mark.parametrize("precision", PRECISIONS)
def test_quotients_of_whole_numbers_are_real(models: ModuleType, precision: Precision) -> None:
    """1/2, -3/N, N/2 and (N+1)/2 r with N = 7 (sympy/sympy#16882)."""
    outputs = evaluate(models.gear_ratio(), [[7, 0.75]], precision).outputs[0]
    assert outputs == pytest.approx([0.5, -3 / 7, 3.5, 2.0, 0.25 + 3 / 7], rel=2 * EPSILON[precision])


def test_integer_parameter_that_is_not_integral_is_rejected(models: ModuleType) -> None:
    """N = 7.5 is replaced by the nominal 7, with ARG_REJECTED; 8 is taken."""
    result = evaluate(models.gear_ratio(), [[7.5, 0], [8, 0]])
    assert list(result.outputs[:, 2]) == [3.5, 4.0]
    assert list(result.status) == [1 << BITS["ARG_REJECTED"][0], 0]


def test_integer_parameter_is_checked_where_parameters_are_prepared(models: ModuleType) -> None:
    """The check costs nothing per call: recalibrate does it."""
    program = program_of_symbolic(models.gear_ratio(), "float32")
    assert program.recalibrate is not None
    prepared = interpret(program.recalibrate, np.array([[7.5]]))
    assert prepared.status[0] == 1 << BITS["ARG_REJECTED"][0]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_regular_arctangent_has_no_bias(models: ModuleType, precision: Precision) -> None:
    """atan2(0.4, -0.3) and atan2(0.4, 0.3): a term against division by zero would show (symforce#436)."""
    result = evaluate(models.bearing(), [[0.4, -0.3], [0.4, 0.3]], precision)
    assert result.outputs[:, 0] == pytest.approx([2.21429743558818, 0.927295218001612], rel=3 * EPSILON[precision])
    assert not result.status.any()


def test_arctangent_of_the_origin_is_zero_and_flagged(models: ModuleType) -> None:
    """atan2(0, 0) has no direction: 0 and NEAR_SINGULAR."""
    result = evaluate(models.bearing(), [[0.0, 0.0]])
    assert result.outputs[0, 0] == 0
    assert result.status[0] == 1 << BITS["NEAR_SINGULAR"][0]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_signed_zero_decides_the_side_of_the_cut(precision: Precision) -> None:
    """atan2(-y, -x) at y = 0, x = 1 is -pi, since -0.0 is below the cut; a sweep past pi jumps by 2 pi only."""
    model = SymbolicModel("cut", (given("y", -2, 2), given("x", -2, 2)), (output("angle", sp.atan2(-y, -x)),))
    at_cut = evaluate(model, [[0.0, 1.0]], precision).outputs[0, 0]
    assert at_cut == pytest.approx(-np.pi, rel=EPSILON[precision])
    degrees = np.linspace(179.9, 180.1, 21)
    rows = np.column_stack((-np.sin(np.radians(degrees)), -np.cos(np.radians(degrees))))
    swept = np.unwrap(evaluate(model, rows.tolist(), precision).outputs[:, 0].astype(float))
    assert np.degrees(swept) == pytest.approx(degrees, abs=1e-4)


@pytest.mark.parametrize(
    ("precision", "angle", "expected"), [("float64", 1e-8, 5.0e-17), ("float32", 1e-3, 4.99999958333e-7)]
)
def test_form_that_does_not_cancel_stays(
    models: ModuleType, precision: Precision, angle: float, expected: float
) -> None:
    """2 sin(x/2)^2 is not turned into 1 - cos(x), which is 0 in the first case (sympy/sympy#24246)."""
    given_angle = float(np.float32(angle)) if precision == "float32" else angle
    exact = float(2 * mpmath.sin(mpmath.mpf(given_angle) / 2) ** 2)
    value = evaluate(models.versine(), [[given_angle]], precision).outputs[0, 0]
    assert exact == pytest.approx(expected, rel=1e-7)
    assert value == pytest.approx(exact, rel=4 * EPSILON[precision])


def test_infinite_bound_vanishes_in_min() -> None:
    """Min(oo, k x) with k = 120, x = 0.01 is 1.2 (casadi/casadi#1389)."""
    value = sp.Min(sp.oo, sp.Symbol("k") * x, evaluate=False)
    model = SymbolicModel("limit", (given("x", 0, 1),), (output("y", value),), parameters=(frozen("k", 120),))
    assert evaluate(model, [[0.01]]).outputs[0, 0] == pytest.approx(1.2, rel=1e-15)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_conditionals_keep_their_place_in_a_sum(models: ModuleType, precision: Precision) -> None:
    """2 (x if x < 1 else x^2) + (1 if x > 0 else 0) (sympy/sympy#1908)."""
    result = evaluate(models.conditional(), [[0.5], [3], [-2], [1]], precision)
    assert list(result.outputs[:, 0]) == [2, 19, -4, 3]


@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-12), ("float32", 2e-7)])
def test_half_powers_are_roots_and_products(models: ModuleType, precision: Precision, tolerance: float) -> None:
    """x^(3/2) + x^2/3 + sqrt(y)/2 sin(x) at (0.4, 2): two roots, no guard, since the ranges are not negative."""
    sequence = sequence_of_symbolic(models.float_mix(), precision)
    result = interpret(sequence, np.array([[0.4, 2.0]]))
    assert result.outputs[0, 0] == pytest.approx(0.581675896712, abs=tolerance)
    assert cost(sequence).sqrt == 2
    assert [condition.name for condition in sequence.conditions] == ["ARG_REJECTED"]


@pytest.mark.parametrize(
    ("expression", "function"),
    [
        (sp.sin(x) * sp.cos(2 * x), lambda v: np.sin(v) * np.cos(2 * v)),
        (sp.atan(x), np.arctan),
        (sp.asin(x / 4), lambda v: np.arcsin(v / 4)),
        (sp.acos(x / 4), lambda v: np.arccos(v / 4)),
        (sp.tan(x / 4), lambda v: np.tan(v / 4)),
        (sp.Abs(x - 1), lambda v: np.abs(v - 1)),
        (sp.sign(x), np.sign),
        (sp.Min(x, 1, x**2), lambda v: np.minimum(np.minimum(v, 1), v**2)),
        (sp.Max(x, -1, -x), lambda v: np.maximum(np.maximum(v, -1), -v)),
        (sp.pi * x + sp.E, lambda v: np.pi * v + np.e),
        (sp.sqrt(2) * x + 2 ** sp.Rational(1, 3), lambda v: np.sqrt(2) * v + np.cbrt(2)),
        (sp.sin(1) + sp.atan2(1, 2) * x, lambda v: np.sin(1) + np.arctan2(1, 2) * v),
        (1 / (1 + x**2), lambda v: 1 / (1 + v**2)),
        ((x + 5) ** sp.Rational(-3, 2), lambda v: (v + 5) ** -1.5),
        (sp.Piecewise((1, sp.Eq(x, 2)), (2, sp.Ne(x, 3)), (3, True)), lambda v: np.select([v == 2, v != 3], [1, 2], 3)),
        (
            sp.Piecewise((1, sp.Or(x < -1, sp.And(x > 0, sp.Not(x > 2)))), (0, True)),
            lambda v: np.where((v < -1) | ((v > 0) & (v <= 2)), 1, 0),
        ),
        (sp.Float("0.1") * x + 0.1, lambda v: 0.1 * v + 0.1),
    ],
)
def test_functions_agree_with_numpy(expression: Any, function: Callable[[Any], Any]) -> None:
    """Each class that a symbolic model may use, on 41 points including 0, 1, 2 and 3."""
    points = np.linspace(-4, 4, 41)
    points = np.unique(np.concatenate((points, [0.0, 1.0, 2.0, 3.0])))
    result = evaluate(one_input(expression), points[:, None].tolist())
    assert result.outputs[:, 0] == pytest.approx(function(points), rel=1e-14, abs=1e-15)
    assert not result.status.any()


def test_a_symbol_is_known_by_its_name_whatever_its_assumptions() -> None:
    """x and Symbol("x", real=True) are one input; theta(t) and its derivative are theta and theta.rate."""
    t = sp.Symbol("t")
    theta = sp.Function("theta")(t)
    model = SymbolicModel(
        "names",
        (given("x", -4, 4), given("theta", -4, 4), given("theta.rate", -4, 4)),
        (output("y", x - sp.Symbol("x", real=True) + theta * sp.Derivative(theta, t)),),
    )
    assert evaluate(model, [[1, 2, 3]]).outputs[0, 0] == 6


@pytest.mark.parametrize("tenth", [sp.Float("0.1"), sp.Float(0.1), sp.Float("0.1", 30), sp.Rational(1, 10)])
def test_decimal_text_of_a_float_is_meant_exactly(tenth: Any) -> None:
    """0.1 is one tenth: times a frozen ten it is 1, and x - x leaves no operation. The float itself is 0.1 + 6e-18."""
    model = SymbolicModel(
        "tenth",
        (given("x", -4, 4),),
        (output("y", tenth * sp.Symbol("ten") * x - x),),
        parameters=(frozen("ten", 10),),
    )
    assert cost(sequence_of_symbolic(model, "float64", contract=False)).text() == "no operations"


def test_units_reach_the_expressions_in_si() -> None:
    """An input in mm and a parameter in deg: 500 mm * 180 deg = 0.5 pi."""
    model = SymbolicModel(
        "units",
        (given("x", 0, 1000, unit="mm"),),
        (output("arc", x * sp.Symbol("turn"), "m"),),
        parameters=(frozen("turn", "180 deg"),),
    )
    assert model.inputs[0].unit == "m"
    assert float(model.inputs[0].maximum) == 1.0
    assert evaluate(model, [[0.5]]).outputs[0, 0] == pytest.approx(np.pi / 2, rel=1e-15)


def test_rejected_input_gives_the_nominal_value() -> None:
    """NaN, infinity and 9 outside of [-4, 4] are replaced by 0, with ARG_REJECTED."""
    result = evaluate(one_input(sp.cos(x)), [[np.nan], [np.inf], [9.0]])
    assert list(result.outputs[:, 0]) == [1, 1, 1]
    assert set(result.status) == {1 << BITS["ARG_REJECTED"][0]}


def test_root_policy_clamps_and_flags() -> None:
    """sqrt(x) at -1 is 0 with OUT_OF_WORKSPACE; at -1e-17 it is 0 by rounding, without a flag."""
    result = evaluate(one_input(sp.sqrt(x), root=Root()), [[4.0], [-1.0], [-1e-17]])
    assert list(result.outputs[:, 0]) == [2, 0, 0]
    assert list(result.status) == [0, 1 << BITS["OUT_OF_WORKSPACE"][0], 0]
