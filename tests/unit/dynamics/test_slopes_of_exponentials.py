"""Slopes of exp, log, tanh and pow in a formula, against central differences of Python's own functions."""

import math
from fractions import Fraction

import numpy as np
import pytest

from exporter.dynamics.law_slopes import slopes_of
from exporter.kinematics.protocol.scope import Scope
from exporter.model.library import model_path
from exporter.model.parse import parse_expression
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.guards import checked_input
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Signal

LAWS = {
    "exp(-2*x)*v": lambda x, v: math.exp(-2 * x) * v,
    "log(x + v)": lambda x, v: math.log(x + v),
    "tanh(3*v)/x": lambda x, v: math.tanh(3 * v) / x,
    "pow(x, -7/5)": lambda x, _: x**-1.4,
    "pow(x, v)": lambda x, v: x**v,
}
STEP = 1e-6


@pytest.mark.parametrize("text", list(LAWS))
@pytest.mark.parametrize("at", [(0.75, 0.5), (1.5, 1.25)])
def test_the_slope_is_that_of_the_function(text: str, at: tuple[float, float]) -> None:
    """By both arguments, to what a central difference tells."""
    builder = Builder("slopes", "float64")
    scope = Scope(builder, read_mechanism(model_path("slider_crank")))
    for name in ("x", "v"):
        signal = Signal(name, "1", "", Fraction(1, 2), Fraction(2), Fraction(1))
        scope.define(name, checked_input(builder, signal))
    for place, slope in enumerate(slopes_of(scope, parse_expression(text), ["x", "v"])):
        builder.output(Signal(f"s{place}", "1", group=Group.OUTPUT), slope)
    made = interpret(builder.finish(), np.array([at])).outputs[0]
    law, (x, v) = LAWS[text], at
    right = [
        (law(x + STEP, v) - law(x - STEP, v)) / (2 * STEP),
        (law(x, v + STEP) - law(x, v - STEP)) / (2 * STEP),
    ]
    assert list(made) == pytest.approx(right, rel=1e-8, abs=1e-9)
