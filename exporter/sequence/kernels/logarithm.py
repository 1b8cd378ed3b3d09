"""The natural logarithm of a positive number in fixed time, with one division.

Method: x = 2^e m with m within [1/sqrt 2, sqrt 2] by its bits; f = m - 1, s = f / (2 + f); ln m = 2 s + s^3 P(s^2),
written so that f, which is exact, enters last. An argument below the normal numbers counts as the smallest of them.
"""

from fractions import Fraction

from exporter.sequence.builder import Builder, Value
from exporter.sequence.kernels.coefficients import LOGARITHM, OCTAVE
from exporter.sequence.kernels.horner import polynomial
from exporter.sequence.kernels.masks import LAYOUTS, sign_mask
from exporter.sequence.operations import Group, Kind, OperationSequence, Precision, Signal
from exporter.sequence.rounding import FORMATS

ROOT_OF_TWO = Fraction(181, 128)  # near enough: the parts may lie a little beyond it


def smallest_normal(precision: Precision) -> Fraction:
    """The smallest positive number that has all its digits."""
    form = FORMATS[precision]
    return Fraction(2) ** (form.lowest + form.digits - 1)


def logarithm(precision: Precision) -> OperationSequence:
    """The sequence: input argument, output its natural logarithm."""
    builder = Builder(Kind.LOG.value, precision)
    least, most = smallest_normal(precision), FORMATS[precision].highest
    argument = builder.input(Signal("argument", "1", minimum=least, maximum=most, nominal=Fraction(1)))
    octaves, part = octaves_of(builder, builder.select(least < argument, argument, least))
    beyond = part - 1
    half_square = Fraction(1, 2) * (beyond * beyond)
    ratio = beyond / (part + 1)
    square = ratio * ratio
    higher = square * polynomial(builder, LOGARITHM[precision], square)
    whole, rest = OCTAVE[precision]
    correction = half_square - (ratio * (half_square + higher) + octaves * rest)
    builder.output(Signal("logarithm", "1", group=Group.OUTPUT), octaves * whole - (correction - beyond))
    return builder.finish()


def octaves_of(builder: Builder, positive: Value) -> tuple[Value, Value]:
    """The number e of octaves and the part m of a positive normal number 2^e m."""
    layout = LAYOUTS[builder.precision]
    bias = 2 ** (layout.sign - layout.fraction - 1) - 1
    magic = 2**layout.fraction  # its neighbours are one apart: an integer in its low bits is added to it
    bits = positive.bits()
    exponent = ((bits >> layout.fraction) | builder.real(magic).bits()).as_real() - (magic + bias)
    part = (bits & (magic - 1)) | builder.real(1).bits()  # within [1, 2)
    large = sign_mask(builder, ROOT_OF_TWO - part.as_real())
    halved = part ^ (large & magic)  # the lowest bit of the exponent
    return exponent + (builder.real(1).bits() & large).as_real(), halved.as_real()
