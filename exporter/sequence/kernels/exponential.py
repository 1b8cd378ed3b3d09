"""The exponential and the hyperbolic tangent in fixed time.

Method: the number n of the nearest octave by magic-number rounding; r = x - n ln 2 in two parts; exp r - 1 by a
polynomial on |r| <= (ln 2)/2; 2^n by its bits. tanh x = e / (e + 2) with e = exp(2 |x|) - 1, and the sign of x.
Beyond its domain an argument counts as the nearer end, so every result is finite; an exponential is never zero.
"""

from fractions import Fraction

from exporter.sequence.builder import Bits, Builder, Value
from exporter.sequence.kernels.coefficients import EXPONENTIAL, OCTAVE, OCTAVES_PER_UNIT
from exporter.sequence.kernels.horner import polynomial
from exporter.sequence.kernels.masks import LAYOUTS, sign_bit
from exporter.sequence.operations import Group, Kind, OperationSequence, Precision, Signal

SATURATED: dict[Precision, Fraction] = {"float32": Fraction(10), "float64": Fraction(20)}
"""Here the hyperbolic tangent is 1 in this precision."""


def exponential(precision: Precision, domain: Fraction) -> OperationSequence:
    """The sequence: input exponent, output exp of it."""
    builder = Builder(Kind.EXP.value, precision)
    exponent = builder.input(Signal("exponent", "1", minimum=-domain, maximum=domain, nominal=Fraction(0)))
    raised = builder.select(-domain < exponent, exponent, -domain)
    scale, rest = _octaves(builder, builder.select(raised < domain, raised, domain))
    builder.output(Signal("power", "1", group=Group.OUTPUT), scale * (1 + exponential_less_one(builder, rest)))
    return builder.finish()


def hyperbolic_tangent(precision: Precision) -> OperationSequence:
    """The sequence: input argument, output its hyperbolic tangent in [-1, 1]."""
    builder = Builder(Kind.TANH.value, precision)
    last = SATURATED[precision]
    argument = builder.input(Signal("argument", "1", minimum=-last, maximum=last, nominal=Fraction(0)))
    magnitude = builder.select(abs(argument) < last, abs(argument), last)
    scale, rest = _octaves(builder, 2 * magnitude)
    grown = (scale - 1) + scale * exponential_less_one(builder, rest)
    ratio = grown / (grown + 2)
    signed = ratio.bits() | (argument.bits() & sign_bit(builder))
    builder.output(Signal("tangent", "1", group=Group.OUTPUT), signed.as_real())
    return builder.finish()


def _octaves(builder: Builder, exponent: Value) -> tuple[Value, Value]:
    """2^n for the nearest number n of octaves, and the exponent beyond them."""
    shifted = exponent * OCTAVES_PER_UNIT[builder.precision][0] + power_magic(builder.precision)
    number = shifted - power_magic(builder.precision)
    whole, part = OCTAVE[builder.precision]
    return power_of_two(builder, shifted.bits()), (exponent - number * whole) - number * part


def power_magic(precision: Precision) -> Fraction:
    """Added to a number it rounds it to an integer n, and leaves n plus the exponent's bias in the low bits."""
    layout = LAYOUTS[precision]
    return Fraction(3, 2) * (1 << layout.fraction) + ((1 << (layout.sign - layout.fraction - 1)) - 1)


def power_of_two(builder: Builder, shifted: Bits) -> Value:
    """2^n from the bits of n + magic, within the exponents of normal numbers."""
    return (shifted << LAYOUTS[builder.precision].fraction).as_real()


def exponential_less_one(builder: Builder, rest: Value, tail: Value | int = 0) -> Value:
    """exp(rest + tail) - 1 for a rest of at most half an octave, to first order in the tail."""
    square = rest * rest
    higher = square * polynomial(builder, EXPONENTIAL[builder.precision], rest)
    return rest + (higher if tail == 0 else higher + (tail + rest * tail))
