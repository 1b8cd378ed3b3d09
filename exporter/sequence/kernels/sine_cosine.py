"""Sine and cosine of one angle in fixed time.

Method: the number n of the nearest quarter turn by magic-number rounding; r = angle - n pi/2 by Cody and Waite, with
the rounding error kept as a tail; two polynomials on |r| <= pi/4; the low two bits of n exchange them and set signs.
Beyond the domain the result means nothing, but it is finite.
"""

from fractions import Fraction

from exporter.sequence.builder import Bits, Builder, Value
from exporter.sequence.kernels.coefficients import COSINE, QUARTER_TURN_PARTS, QUARTERS_PER_RADIAN, SINE
from exporter.sequence.kernels.horner import polynomial
from exporter.sequence.kernels.masks import LAYOUTS, mask, without
from exporter.sequence.operations import Group, Kind, OperationSequence, Precision, Signal


def sine_cosine(precision: Precision, domain: Fraction) -> OperationSequence:
    """The sequence: input angle (rad), outputs sine and cosine."""
    builder = Builder(Kind.SINCOS.value, precision)
    angle = builder.input(Signal("angle", "rad", minimum=-domain, maximum=domain, nominal=Fraction(0)))
    quarters, number = _quarters(builder, angle)
    rest, tail = _rest(builder, angle, number)
    sine, cosine = _first_octant(builder, rest, tail)
    for name, bits in zip(("sine", "cosine"), _place_quarter(builder, sine, cosine, quarters), strict=True):
        builder.output(Signal(name, "1", group=Group.OUTPUT), bits.as_real())
    return builder.finish()


def _quarters(builder: Builder, angle: Value) -> tuple[Bits, Value]:
    """The nearest number of quarter turns: in the low bits of an integer, and as a real."""
    magic = Fraction(3, 2) * 2 ** LAYOUTS[builder.precision].fraction  # its neighbours are one apart
    shifted = angle * QUARTERS_PER_RADIAN[builder.precision][0] + magic
    return shifted.bits(), shifted - magic


def _rest(builder: Builder, angle: Value, number: Value) -> tuple[Value, Value]:
    """The angle beyond the quarter turns, and what is missing of it. All products but the last are exact."""
    *exact, before_last, last = QUARTER_TURN_PARTS[builder.precision]
    coarse = angle
    for part in exact:
        coarse = coarse - number * part
    fine = number * before_last
    rest = coarse - fine
    return rest, ((coarse - rest) - fine) - number * last


def _first_octant(builder: Builder, rest: Value, tail: Value) -> tuple[Value, Value]:
    """Sine and cosine of rest + tail, to first order in the tail."""
    square = rest * rest
    half, *higher = COSINE[builder.precision]
    loss = square * half
    near = 1 - loss
    rounding = (1 - near) - loss
    cosine = near + (rounding - (square * square * polynomial(builder, higher, square) + rest * tail))
    cubic = rest * square * polynomial(builder, SINE[builder.precision], square)
    return rest + (cubic + tail * cosine), cosine


def _place_quarter(builder: Builder, sine: Value, cosine: Value, quarters: Bits) -> tuple[Bits, Bits]:
    """Sine and cosine of the whole angle: exchanged in odd quarters, with the signs of their quarter."""
    sign = LAYOUTS[builder.precision].sign
    sine_bits, cosine_bits = _zero_unless_below_two(builder, sine.bits(), cosine.bits())
    exchange = (sine_bits ^ cosine_bits) & mask(builder, quarters.bit(0))
    change = exchange ^ ((quarters & 2) << (sign - 1))  # of both, in the second half turn
    return sine_bits ^ change, (cosine_bits ^ change) ^ (quarters << sign)


def _zero_unless_below_two(builder: Builder, sine: Bits, cosine: Bits) -> tuple[Bits, Bits]:
    """Sine and cosine, or zeros where either is 2 or more, infinite or NaN: far beyond the domain."""
    large = mask(builder, (sine | cosine).bit(LAYOUTS[builder.precision].top_exponent))
    return without(builder, sine, large), without(builder, cosine, large)
