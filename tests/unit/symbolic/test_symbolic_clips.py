"""A clip proves the range behind it: roots, quotients and arc functions of what Max, Min or a Piecewise bounds.

Right values are worked out by hand beside each case; y is in [-3, 3].
"""

from math import asin, pi, sqrt
from typing import Any

import numpy as np
import pytest
import sympy as sp

from exporter.errors import ModelError
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Precision
from exporter.sequence.status import BITS
from exporter.symbolic import Radicand, Ratio, Root, SymbolicModel, given, output, solve
from exporter.symbolic.program import program_of_symbolic

y, z = sp.symbols("y z", real=True)
QUARTER = sp.Rational(1, 4)
OUTSIDE = 1 << BITS["OUT_OF_WORKSPACE"][0]
PROVEN = {
    "root of Max": (sp.sqrt(sp.Max(0, y)), {2.5: sqrt(2.5), -1: 0}),
    "root of Max of a difference": (sp.sqrt(sp.Max(0, 1 - y**2)), {0.6: 0.8, 2: 0}),
    "root of a clip's complement": (sp.sqrt(1 - sp.Max(-1, sp.Min(1, y)) ** 2), {0.6: 0.8, 3: 0}),
    "root of -Min": (sp.sqrt(-sp.Min(0, y)), {-2.25: 1.5, 1: 0}),
    "over Max": (1 / sp.Max(QUARTER, y), {-3: 4, 0.1: 4, 2: 0.5}),
    "over Max of Abs": (1 / sp.Max(QUARTER, sp.Abs(y)), {-2: 0.5, 0: 4}),
    "arc of a clip": (sp.asin(sp.Max(-1, sp.Min(1, y))), {3: pi / 2, -0.5: asin(-0.5)}),
    "arc of a clip the other way round": (sp.acos(sp.Min(1, sp.Max(-1, y))), {3: 0, -3: pi}),
    "root in an arm": (sp.sqrt(sp.Piecewise((y, y > 0), (0, True))), {2.5: sqrt(2.5), -1: 0}),
    "root of a difference in an arm": (sp.Piecewise((sp.sqrt(y - 1), y > 1), (0, True)), {3: sqrt(2), 1: 0, -3: 0}),
    "root in the other arm": (sp.Piecewise((0, y < 0), (sp.sqrt(y), True)), {2.25: 1.5, -1: 0}),
    "root under an and": (sp.Piecewise((sp.sqrt(1 - y**2), (y > -1) & (y < 1)), (0, True)), {0.6: 0.8, 1: 0, -3: 0}),
    "root under a square": (sp.Piecewise((sp.sqrt(1 - y**2), y**2 < 1), (0, True)), {0.6: 0.8, -3: 0}),
    "quotient in an arm": (sp.Piecewise((1 / y, y > QUARTER), (4, True)), {2: 0.5, 0: 4, -3: 4}),
    "quotient below zero": (sp.Piecewise((1 / y, y <= -QUARTER), (-4, True)), {-2: -0.5, 0: -4, 3: -4}),
    "quotient on both sides": (sp.Piecewise((1 / y, sp.Abs(y) > QUARTER), (0, True)), {2: 0.5, -2: -0.5, 0.1: 0}),
    "quotient under an or": (sp.Piecewise((1 / y, (y > 1) | (y < -1)), (0, True)), {2: 0.5, -2: -0.5, 0.5: 0}),
    "arc in an arm": (
        sp.Piecewise((sp.asin(y), sp.Abs(y) <= 1), (sp.sign(y) * sp.pi / 2, True)),
        {3: pi / 2, 0.5: asin(0.5)},
    ),
    "arm inside an arm": (
        sp.Piecewise((sp.Piecewise((1 / y, y < 2), (sp.Rational(1, 2), True)), y > 1), (1, True)),
        {1.6: 0.625, 3: 0.5, -3: 1},
    ),
    "quotient in an arm that nothing selects": (
        sp.Piecewise((1 / y, y > QUARTER), (y, sp.sin(y) > -2), (1 / sp.sqrt(2 * y - 4), True)),
        {2: 0.5, -1: -1},
    ),
    "root of a quotient in an arm": (sp.Piecewise((sp.sqrt(4 - 1 / y), y > QUARTER), (0, True)), {2: sqrt(3.5), 0: 0}),
    "slope of Max": (sp.diff(sp.Max(0, y - 1) ** 2, y), {3: 4, 1: 0, 0: 0}),
    "slope of Min": (sp.diff(sp.Min(0, y) ** 3, y), {-2: 12, 1: 0}),
    "step": (sp.Heaviside(y), {2: 1, 0: 0.5, -2: 0}),
    "step that is 1 at zero": (sp.Heaviside(y, 1), {0: 1, -1: 0}),
}
REFUSED = {
    "any number above zero": (sp.Piecewise((1 / y, y > 0), (0, True)), "[0, 3]"),
    "the wrong arm": (sp.Piecewise((0, y > 0), (sp.sqrt(y), True)), "[-3, 0]"),
    "a clip that is too wide": (sp.asin(sp.Max(-2, sp.Min(1, y))), "[-2, 1]"),
    "the condition of another value": (sp.Piecewise((sp.sqrt(y), z > 0), (0, True)), "[-3, 3]"),
    "an arm and a place outside it": (sp.sqrt(y) + sp.Piecewise((sp.sqrt(y), y > 0), (0, True)), "[-3, 3]"),
    "a quotient that is larger in its arm": (sp.Piecewise((sp.sqrt(3 - 1 / y), y > QUARTER), (0, True)), "[-1, "),
}


def model(expression: Any, **more: Any) -> SymbolicModel:
    return SymbolicModel("clipped", (given("y", -3, 3), given("z", -1, 1)), (output("w", expression),), **more)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("case", PROVEN)
def test_a_clip_proves_the_range_behind_it(case: str, precision: Precision) -> None:
    """No policy is asked for, no condition is left but that of the inputs, and the values are right."""
    expression, right = PROVEN[case]
    evaluate = program_of_symbolic(model(expression), precision).functions[0]
    assert {condition.name for condition in evaluate.conditions} <= {"ARG_REJECTED"}
    result = interpret(evaluate, np.array([[value, 0.5] for value in right]))
    np.testing.assert_allclose(
        result.outputs[:, 0], list(right.values()), rtol=0, atol=2e-6 if precision == "float32" else 2e-15
    )
    assert not result.status.any()


@pytest.mark.parametrize("case", REFUSED)
def test_a_condition_that_does_not_prove_the_range_is_refused_with_the_bounds_it_leaves(case: str) -> None:
    """What is told are the bounds where the value is needed."""
    expression, bounds = REFUSED[case]
    with pytest.raises(ModelError, match="no policy says what then") as refusal:
        program_of_symbolic(model(expression), "float64")
    assert f"value in {bounds}" in str(refusal.value)


def test_an_arm_is_finite_where_it_is_not_selected() -> None:
    """Each arm is computed for every input; a step of one arm is an input of the next solve, so it must be finite."""
    a = sp.Symbol("a")
    system = SymbolicModel(
        "finite",
        (given("y", -3, 3),),
        (output("w", sp.Piecewise((a, y > QUARTER), (0, True))),),
        steps=(solve([a], [[2 + y**2]], [sp.Piecewise((1 / y, y > QUARTER), (0, True))], threshold="1e-6"),),
    )
    evaluate = program_of_symbolic(system, "float32").functions[0]
    result = interpret(evaluate, np.linspace(-3, 3, 1001)[:, None])
    assert np.isfinite(result.outputs).all()
    assert not result.status.any()


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize(
    ("expression", "more", "right"),
    [
        (sp.sqrt(Radicand(-2 - y**2)), {}, 0.0),
        (sp.sqrt(-2 - y**2), {"root": Root()}, 0.0),
        (1 + sp.sqrt(Radicand(-2 - y**2)), {}, 1.0),
        (sp.asin(Ratio(2 + y**2)), {}, pi / 2),
        (sp.acos(-2 - y**2), {"root": Root()}, pi),
    ],
)
def test_what_is_never_inside_the_workspace_gives_the_edge_and_the_flag(
    expression: Any, more: dict[str, Any], right: float, precision: Precision
) -> None:
    """The marker and the policy promise 0, or the clamped ratio, with OUT_OF_WORKSPACE."""
    evaluate = program_of_symbolic(model(expression, **more), precision).functions[0]
    result = interpret(evaluate, np.array([[1.0, 0.0], [-3.0, 1.0]]))
    np.testing.assert_allclose(result.outputs[:, 0], right, atol=1e-6 if precision == "float32" else 1e-15)
    assert (result.status == OUTSIDE).all()


@pytest.mark.parametrize(
    ("angle", "right"), [(-9.4, -3.11681469282042), (4.7, -1.58318530717959), (55.5, -1.04866776461628)]
)
def test_an_angle_is_wrapped_by_atan2_of_its_sine_and_cosine(angle: float, right: float) -> None:
    """Right: the angle minus the nearest whole number of turns, by hand with 40 digits."""
    u = sp.Symbol("u")
    wrapped = SymbolicModel("wrap", (given("u", -100, 100),), (output("w", sp.atan2(sp.sin(u), sp.cos(u)), "rad"),))
    evaluate = program_of_symbolic(wrapped, "float64").functions[0]
    result = interpret(evaluate, np.array([[angle]]))
    assert result.outputs[0, 0] == pytest.approx(right, abs=1e-13)
    assert result.status[0] == 0
