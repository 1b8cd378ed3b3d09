"""The exact interpreter gives what the mathematics gives, to the digits asked for."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from exact_interpreter import interpret_exact

from exporter.sequence import guards
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal


def sequence() -> OperationSequence:
    """Kernels, guards and a division in one function of two numbers."""
    builder = Builder("f", "float64")
    x, y = (
        guards.checked_input(builder, Signal(name, "1", "", Fraction(-1), Fraction(1), Fraction(1, 3))) for name in "xy"
    )
    sine, cosine = builder.sincos(x)
    root = builder.sqrt(guards.clamped_radicand(builder, Fraction(1, 2) - builder.square(y)))
    for name, value in {
        "quotient": sine / guards.signed_pivot(builder, y, Fraction(1, 100)),
        "root": root * cosine,
        "angle": builder.atan2(sine, y),
        "arc": builder.asin(x) + builder.acos(y),
    }.items():
        builder.output(Signal(name, "1", group=Group.OUTPUT), value)
    return builder.finish()


def test_fifty_digits_agree_with_the_formula() -> None:
    """No float is involved: constants and inputs are exact rationals."""
    outputs, status = interpret_exact(sequence(), [Fraction(1, 7), Fraction(-1, 9)])
    with mpmath.workdps(60):
        x, y = mpmath.mpf(1) / 7, mpmath.mpf(-1) / 9
        expected = [
            mpmath.sin(x) / y,
            mpmath.sqrt(mpmath.mpf(1) / 2 - y * y) * mpmath.cos(x),
            mpmath.atan2(mpmath.sin(x), y),
            mpmath.asin(x) + mpmath.acos(y),
        ]
        assert all(abs(a - b) < mpmath.mpf("1e-48") for a, b in zip(outputs, expected, strict=True))
    assert status == 0


@pytest.mark.parametrize(
    "row", [(0.5, 0.5), (0.1, -0.001), (-0.9, 0.95), (float("nan"), 0.2), (5.0, float("inf")), (0.0, -0.7072)]
)
def test_status_agrees_with_the_rounded_interpreter(row: tuple[float, float]) -> None:
    """Away from the thresholds both take the same branches; results agree to rounding."""
    outputs, status = interpret_exact(sequence(), row)
    rounded = interpret(sequence(), np.array([row]))
    assert status == rounded.status[0]
    assert [float(value) for value in outputs] == pytest.approx(list(rounded.outputs[0]), rel=1e-13, abs=1e-15)


def test_kernels_themselves_have_no_exact_counterpart() -> None:
    """A sequence of bit tricks is refused with a sentence instead of giving numbers without meaning."""
    builder = Builder("f", "float64")
    x = builder.input(Signal("x", "1", "", Fraction(-1), Fraction(1), Fraction(0)))
    builder.output(Signal("o", "1", group=Group.OUTPUT), (x.bits() << 1).as_real())
    with pytest.raises(ValueError, match="makes a real of bits"):
        interpret_exact(builder.finish(), [1])


def test_the_row_must_fit() -> None:
    """One number per input."""
    with pytest.raises(ValueError, match="takes 2 inputs; 1 were given"):
        interpret_exact(sequence(), [1])
