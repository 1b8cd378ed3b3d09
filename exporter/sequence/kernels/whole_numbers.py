"""The largest whole number below, and the rest of a division, in fixed time.

Floor: the nearest whole number of the magnitude by magic-number rounding, less one where that is above. Every number
beyond 2^fraction is whole. Rest: the nearest quotient twice, first by a power of two times the modulus, each subtracted
as exact products of halves; then one modulus is added to a negative rest.
"""

from fractions import Fraction

from exporter.sequence.builder import Builder, Value
from exporter.sequence.kernels.masks import LAYOUTS, exchange_where, sign_bit, sign_mask
from exporter.sequence.kernels.power import upper_half
from exporter.sequence.operations import EPSILON, Group, Kind, OperationSequence, Precision, Signal
from exporter.sequence.rounding import FORMATS


def floor(precision: Precision) -> OperationSequence:
    """The sequence: input value, output the largest whole number that is not above it; -0, infinities and NaN stay."""
    builder = Builder(Kind.FLOOR.value, precision)
    most = FORMATS[precision].highest
    value = builder.input(Signal("value", "1", minimum=-most, maximum=most, nominal=Fraction(0)))
    magic = 2 ** LAYOUTS[precision].fraction  # its neighbours are one apart
    rounded = (abs(value) + magic) - magic
    nearest = (rounded.bits() | (value.bits() & sign_bit(builder))).as_real()
    above = sign_mask(builder, value - nearest)
    below = nearest - (builder.real(1).bits() & above).as_real()
    small = sign_mask(builder, abs(value) - magic)
    builder.output(
        Signal("whole", "1", group=Group.OUTPUT), exchange_where(value.bits(), below.bits(), small)[0].as_real()
    )
    return builder.finish()


def rest_of_division(precision: Precision, quotient: Fraction) -> OperationSequence:
    """The sequence: inputs value and modulus above zero, output value - modulus * floor(value / modulus).

    Within [0, modulus): where that rounds to the modulus it is the number below.
    """
    builder = Builder(Kind.MOD.value, precision)
    most = FORMATS[precision].highest
    value = builder.input(Signal("value", "1", minimum=-most, maximum=most, nominal=Fraction(0)))
    modulus = builder.input(Signal("modulus", "1", minimum=-most, maximum=most, nominal=Fraction(1)))
    upper = upper_half(modulus)
    lower, inverse = modulus - upper, 1 / modulus
    step = 2 ** (quotient.numerator.bit_length() // 2)
    coarse = _nearest_rest(value, step * upper, step * lower, Fraction(1, step) * inverse)
    near = _nearest_rest(coarse, upper, lower, inverse)
    positive = near + builder.select(near < 0, modulus, 0)
    last = (1 - EPSILON[precision] / 2) * modulus
    inside = builder.select(positive < modulus, positive, last)
    builder.output(Signal("rest", "1", group=Group.OUTPUT), builder.select(inside > 0, inside, 0))
    return builder.finish()


def _nearest_rest(value: Value, upper: Value, lower: Value, inverse: Value) -> Value:
    """Value less the nearest multiple of (upper + lower), exactly, for quotients of at most half of the digits."""
    magic = Fraction(3, 2) * (1 << LAYOUTS[value.builder.precision].fraction)
    quotient = (value * inverse + magic) - magic
    return (value - quotient * upper) - quotient * lower
