"""Writes a polynomial into a sequence by Horner's rule."""

from collections.abc import Sequence
from fractions import Fraction

from exporter.sequence.builder import Builder, Value


def polynomial(builder: Builder, coefficients: Sequence[Fraction], variable: Value) -> Value:
    """The value of a polynomial; coefficients by ascending power."""
    value = builder.real(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = builder.real(coefficient) + variable * value
    return value
