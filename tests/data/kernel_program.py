"""A program that calls every fixed-time kernel: for what compilers and checkers say of the bundled headers."""

from fractions import Fraction

from exporter.sequence.builder import Builder
from exporter.sequence.interpolation import Table
from exporter.sequence.lookup import lookup
from exporter.sequence.operations import Group, Precision, Signal
from exporter.sequence.program import Program

TABLE = Table((tuple(map(Fraction, (-1, 0, "3/4", 1))),), tuple(map(Fraction, (0, -2, 1, "7/2"))), "monotone_cubic")


def every_kernel(precision: Precision) -> Program:
    """x, y in [-1, 1] -> sine and cosine of x, the angle of (x, y), arcsine and arccosine of y, and so on."""
    builder = Builder("angles", precision)
    x, y = (
        builder.input(Signal(name, "1", "", Fraction(-1), Fraction(1), Fraction(1, 2), group=Group.INPUT))
        for name in "xy"
    )
    sine, cosine = builder.sincos(x)
    outputs = {
        "sine": sine,
        "cosine": cosine,
        "angle": builder.atan2(y, x),
        "arcsine": builder.asin(y),
        "arccosine": builder.acos(y),
        "exponential": builder.exp(y),
        "logarithm": builder.log(y + 2),
        "tangent": builder.tanh(y),
        "whole": builder.floor(4 * y),
        "power": builder.pow(y + 2, x),
        "rest": builder.mod(y, x + 2),
        "table": lookup(builder, TABLE, (x,), "table"),
    }
    for name, value in outputs.items():
        builder.output(Signal(name, "1", group=Group.OUTPUT), value)
    return Program("every_kernel", "Every kernel", "test", precision, "0" * 64, (builder.finish(),))
