"""Divisions, roots and arc functions of a symbolic model: proven, guarded or refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

from exporter.errors import ModelError
from exporter.sequence.interpreter import InterpretedRows, interpret
from exporter.sequence.status import BITS
from exporter.symbolic import Division, Pivot, Radicand, Ratio, Root, SymbolicModel, given, output, solve
from exporter.symbolic.program import program_of_symbolic, sequence_of_symbolic

x, y = sp.symbols("x y")
SINGULAR = 1 << BITS["NEAR_SINGULAR"][0]
OUTSIDE = 1 << BITS["OUT_OF_WORKSPACE"][0]


def model(expression: Any, low: Any = -2, high: Any = 2, **policies: Any) -> SymbolicModel:
    return SymbolicModel("guards", (given("x", low, high, nominal=high),), (output("y", expression),), **policies)


def run(symbolic: SymbolicModel, points: list[float]) -> InterpretedRows:
    return interpret(sequence_of_symbolic(symbolic, "float64"), np.array(points)[:, None])


def conditions(symbolic: SymbolicModel) -> set[str]:
    return {condition.name for condition in program_of_symbolic(symbolic, "float64").functions[0].conditions}


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (1 / x, "may vanish"),
        (sp.tan(x), "may vanish"),
        (x**-3, "may vanish"),
        (sp.sqrt(x), "may be negative"),
        (x ** sp.Rational(3, 2), "may be negative"),
        (sp.asin(x), "may leave"),
        (sp.acos(2 * x), "may leave"),
    ],
)
def test_undefined_places_without_a_policy_are_refused(expression: Any, words: str) -> None:
    """The sentence names the output, the bounds of the value, and the ways out."""
    with pytest.raises(ModelError, match=words) as caught:
        program_of_symbolic(model(expression), "float64")
    assert "output 'y'" in str(caught.value)
    assert "policy" in str(caught.value)


@pytest.mark.parametrize(
    ("expression", "low", "high"),
    [
        (1 / x, 1, 2),
        (1 / x, -2, "-0.1"),
        (1 / (2 + sp.cos(x)), -2, 2),
        (1 / sp.cos(x), -1, 1),
        (sp.sqrt(x**2 + 1), -2, 2),
        (sp.sqrt(sp.Abs(x)), -2, 2),
        (sp.asin(x), "-0.5", 1),
        (sp.acos(sp.Min(sp.Max(x, -1), 1) / 2), -2, 2),
        (1 / sp.sqrt(x), 1, 4),
        (1 / Pivot(x, sp.Rational(1, 100)) ** 2, 1, 2),
    ],
)
def test_ranges_that_prove_a_place_defined_need_no_policy(expression: Any, low: Any, high: Any) -> None:
    """And no guard: only the input's own range is checked."""
    assert conditions(model(expression, low, high)) == {"ARG_REJECTED"}


def test_default_policy_leaves_proven_places_alone() -> None:
    assert conditions(model(1 / (3 + x), division=Division("1e-6"))) == {"ARG_REJECTED"}


def test_pivot_marker_keeps_the_sign_of_a_small_denominator() -> None:
    """1/Pivot(x, 0.01) at +-0.001 is +-100, flagged; at 0.5 it is 2."""
    result = run(model(1 / Pivot(x, sp.Rational(1, 100))), [0.001, -0.001, 0.5])
    assert result.outputs[:, 0] == pytest.approx([100, -100, 2], rel=1e-14)
    assert list(result.status) == [SINGULAR, SINGULAR, 0]


def test_radicand_marker_tolerates_rounding_of_its_scale() -> None:
    """Radicand(x, 1000): -1e-13 is rounding of terms of size 1000, -1e-9 is not."""
    result = run(model(sp.sqrt(Radicand(x, 1000))), [-1e-13, -1e-9, 1.0])
    assert list(result.outputs[:, 0]) == [0, 0, 1]
    assert list(result.status) == [0, OUTSIDE, 0]


def test_scale_of_a_radicand_is_taken_from_its_terms() -> None:
    """x^2 - 10000 + 10000 has terms of 1e4, so a radicand of -1e-12 counts as rounding, -1e-6 does not."""
    radicand = sp.Add(sp.Add(x, 10000, evaluate=False), -10000, evaluate=False)
    result = run(model(sp.sqrt(radicand), root=Root()), [-1e-11, -1e-6])
    assert list(result.status) == [0, OUTSIDE]


def test_ratio_marker_clamps_the_argument_of_an_arc() -> None:
    result = run(model(sp.asin(Ratio(x))), [-1.5, 1.5, 0.5])
    assert result.outputs[:, 0] == pytest.approx([-np.pi / 2, np.pi / 2, np.pi / 6], rel=1e-14)
    assert list(result.status) == [OUTSIDE, OUTSIDE, 0]


def test_unselected_arm_raises_no_flag() -> None:
    """sin(x)/x for |x| > 1e-3, else 1: at 0 the division is computed, but nobody needs it."""
    expression = sp.Piecewise((sp.sin(x) / x, sp.Abs(x) > sp.Rational(1, 1000)), (1, True))
    result = run(model(expression, division=Division("1e-6")), [0.0, 0.5])
    assert result.outputs[:, 0] == pytest.approx([1, np.sin(0.5) / 0.5], rel=1e-14)
    assert list(result.status) == [0, 0]


def test_selected_arm_raises_its_flag() -> None:
    """A division by zero in the arm that is taken is flagged, and so is one that both arms share."""
    expression = sp.Piecewise((1 / x, x < 1), (x, True))
    assert list(run(model(expression, division=Division("1e-3")), [0.0, 2.0]).status) == [SINGULAR, 0]
    shared = sp.Piecewise((1 / x, x < 1), (2 / x, True))
    assert list(run(model(shared, division=Division("1e-3")), [0.0, 2.0]).status) == [SINGULAR, 0]


def test_guard_inside_nested_arms_counts_only_on_its_own_path() -> None:
    """The root is needed where x < 1 and not x < -1: at -0.5 (outside), not at -1.5."""
    inner = sp.Piecewise((0, x < -1), (sp.sqrt(x), True), evaluate=False)
    expression = sp.Piecewise((inner, x < 1), (5, True), evaluate=False)
    result = run(model(expression, root=Root()), [-1.5, -0.5, 0.25, 2.0])
    assert list(result.outputs[:, 0]) == [0, 0, 0.5, 5]
    assert list(result.status) == [0, OUTSIDE, 0, 0]


@pytest.mark.parametrize(
    "expression",
    [
        sp.sqrt(-x),
        1 / sp.sqrt(-x),
        sp.sqrt(-sp.sin(x) - sp.cos(x)),
        1 / (-(sp.sin(x) ** 2) - sp.cos(x) ** 2),
        1 / sp.Mul(-1, x - 1, evaluate=False),
        sp.asin(-x),
        sp.tan(-x) / x,
        x ** sp.Rational(-5, 2),
    ],
)
def test_policies_make_every_form_total(expression: Any) -> None:
    """Whatever the signs: the ranges of the guarded sequence prove it, and 2,001 points are finite."""
    guarded = model(expression, division=Division("1e-3"), root=Root())
    function = program_of_symbolic(guarded, "float32").functions[0]
    assert np.isfinite(interpret(function, np.linspace(-2, 2, 2001)[:, None]).outputs).all()


def test_marker_differentiates_like_its_argument() -> None:
    """A Jacobian taken by SymPy keeps its pivots."""
    assert sp.diff(1 / Pivot(2 * x, 1), x) == -2 / Pivot(2 * x, 1) ** 2
    assert sp.diff(Radicand(x**2), x) == 2 * x
    assert sp.diff(Ratio(3 * x), x) == 3


def test_threshold_that_lets_a_power_overflow_is_refused() -> None:
    """(1e-9)^-5 is beyond float32; the sentence names the equation."""
    with pytest.raises(ModelError, match=r"equation y.*overflow float32"):
        program_of_symbolic(model(x**-5, division=Division("1e-9")), "float32")


def test_policies_are_noted_in_the_program() -> None:
    notes = program_of_symbolic(model(1 / x, division=Division("1e-9")), "float64").notes
    assert any("1e-09" in note for note in notes)


@pytest.mark.parametrize("limit", [0, -1, "0"])
@pytest.mark.parametrize(
    "make",
    [Division, Root, lambda t: Pivot(x, t), lambda t: Radicand(x, t), lambda t: solve(["a"], [[x]], [1], threshold=t)],
)
def test_limits_must_be_positive(make: Callable[[Any], Any], limit: Any) -> None:
    with pytest.raises(ModelError, match="positive"):
        make(limit)
