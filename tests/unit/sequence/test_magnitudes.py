"""Bounds of values while they are written: never exceeded by what NumPy computes, and limits are left out by them."""

import math
from fractions import Fraction

import numpy as np
import pytest

from exporter.dynamics.factorisation import LARGEST_FACTOR, limit_value
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import checked_input
from exporter.sequence.magnitudes import magnitude
from exporter.sequence.operations import Saturation, Signal


def written(saturate: Saturation = Saturation.NOTHING) -> tuple[Builder, Value, Value]:
    """A sequence with two arguments, |x| <= 3 and |y| <= 2."""
    builder = Builder("bounds", "float64", saturate=saturate)
    x, y = (
        checked_input(builder, Signal(name, "1", minimum=Fraction(-most), maximum=Fraction(1), nominal=Fraction(0)))
        for name, most in (("x", 3), ("y", 2))
    )
    return builder, x, y


def test_a_bound_is_not_exceeded() -> None:
    """Sums, products, roots of unity and choices, at places over the ranges."""
    builder, x, y = written()
    sine, cosine = builder.sincos(x)
    values = [x * y - 5, sine * x + cosine * 7, abs(-(x * x)), builder.select(x < y, x * 4, y)]
    a, b = np.meshgrid(np.linspace(-3, 1, 41), np.linspace(-2, 1, 31))
    right = [a * b - 5, np.sin(a) * a + np.cos(a) * 7, a * a, np.where(a < b, 4 * a, b)]
    for value, rows in zip(values, right, strict=True):
        assert np.abs(rows).max() <= magnitude(value) < math.inf


def test_nothing_is_known_of_a_quotient_or_an_open_input() -> None:
    """What a denominator may come to is the business of the proof."""
    builder, x, y = written()
    assert magnitude(x / y) == math.inf
    assert magnitude(builder.input(Signal("z", "1"))) == math.inf


@pytest.mark.parametrize("may_exceed", [False, True])
def test_a_limit_is_written_where_it_may_act(may_exceed: bool) -> None:
    """A quotient is limited, and counts as limited from then on; a product of small numbers is left as it is."""
    _, x, y = written(Saturation.RATES)
    value = x / y if may_exceed else x * y
    limited = limit_value(value, LARGEST_FACTOR)
    assert (limited != value) is may_exceed
    assert magnitude(limited) == (float(LARGEST_FACTOR["float64"]) if may_exceed else 6)
    assert limit_value(limited, LARGEST_FACTOR) == limited
