"""Arcsine and arccosine in fixed time, with one square root.

Method: asin s = s + s^3 P(s^2) on [0, 1/2]; for a magnitude m above 1/2, asin m = pi/2 - 2 asin(sqrt((1 - m)/2)).
The result is a multiple of a quarter turn plus or minus one or two times that. Beyond [-1, 1] the argument counts as
the nearer end.
"""

from fractions import Fraction

from exporter.sequence.builder import Bits, Builder, Value
from exporter.sequence.kernels.coefficients import ARCSINE, QUARTER_TURN
from exporter.sequence.kernels.horner import polynomial
from exporter.sequence.kernels.masks import exchange_where, sign_bit, sign_mask, without
from exporter.sequence.operations import Group, Kind, OperationSequence, Precision, Signal

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)


def arcsine(precision: Precision) -> OperationSequence:
    """The sequence: input ratio, output its arcsine (rad) in [-pi/2, pi/2]."""
    builder, ratio = _start(Kind.ASIN, precision)
    outer = sign_mask(builder, HALF - abs(ratio))
    angle = _half_range(builder, ratio, outer) * _chosen(outer, builder.real(-2), builder.real(1))
    quarter_turn = builder.real(QUARTER_TURN[precision][0]).bits() & outer
    result = _with_turn(builder, quarter_turn.as_real(), angle)
    return _finish(builder, result.bits() ^ (ratio.bits() & sign_bit(builder)))


def arccosine(precision: Precision) -> OperationSequence:
    """The sequence: input ratio, output its arccosine (rad) in [0, pi]."""
    builder, ratio = _start(Kind.ACOS, precision)
    outer = sign_mask(builder, HALF - abs(ratio))
    left = sign_mask(builder, ratio)
    magnitude = _half_range(builder, ratio, outer) * _chosen(outer, builder.real(-2), builder.real(1))
    angle = (magnitude.bits() ^ without(builder, builder.bits(sign_bit(builder)), left)).as_real()
    half_turn = (builder.real(2 * QUARTER_TURN[precision][0]).bits() & left) & outer
    quarter_turn = without(builder, builder.real(QUARTER_TURN[precision][0]).bits(), outer)
    return _finish(builder, _with_turn(builder, (quarter_turn | half_turn).as_real(), angle).bits())


def _start(kind: Kind, precision: Precision) -> tuple[Builder, Value]:
    builder = Builder(kind.value, precision)
    one = Fraction(1)
    return builder, builder.input(Signal("ratio", "1", minimum=-one, maximum=one, nominal=Fraction(0)))


def _finish(builder: Builder, angle: Bits) -> OperationSequence:
    builder.output(Signal("angle", "rad", group=Group.OUTPUT), angle.as_real())
    return builder.finish()


def _half_range(builder: Builder, ratio: Value, outer: Bits) -> Value:
    """The arcsine of |ratio|, or asin(sqrt((1 - |ratio|)/2)) where the ratio is an outer one."""
    magnitude = abs(ratio)
    beyond = 1 - magnitude
    half_square = QUARTER * (beyond + abs(beyond))  # (1 - m)/2, and 0 for m > 1
    square = _chosen(outer, half_square, ratio * ratio)
    argument = _chosen(outer, builder.sqrt(half_square), magnitude)
    return argument + argument * (square * polynomial(builder, ARCSINE[builder.precision], square))


def _chosen(where: Bits, one: Value, other: Value) -> Value:
    return exchange_where(other.bits(), one.bits(), where)[0].as_real()


def _with_turn(builder: Builder, turn: Value, angle: Value) -> Value:
    """The sum, with the part of the quarter turns that their rounding misses."""
    return turn + (angle + turn * QUARTER_TURN[builder.precision][1])
