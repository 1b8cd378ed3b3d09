"""The angle of a point (x, y) in fixed time, with one division.

Method: the quotient q of the smaller by the larger magnitude; an odd polynomial on [0, 1]; the angle is a multiple of a
quarter turn plus or minus that. Signed zeros count as C's atan2 counts them; 0/0 is read as 0.
"""

from fractions import Fraction

from exporter.sequence.builder import Bits, Builder, Value
from exporter.sequence.kernels.coefficients import ARCTANGENT, QUARTER_TURN
from exporter.sequence.kernels.horner import polynomial
from exporter.sequence.kernels.masks import exchange_where, sign_bit, sign_mask, without, zero_unless_below_two
from exporter.sequence.operations import Group, Kind, OperationSequence, Precision, Signal


def arctangent(precision: Precision, domain: Fraction) -> OperationSequence:
    """The sequence: inputs y and x, output angle (rad) in [-pi, pi]."""
    builder = Builder(Kind.ATAN2.value, precision)
    y = builder.input(Signal("y", "1", minimum=-domain, maximum=domain, nominal=Fraction(0)))
    x = builder.input(Signal("x", "1", minimum=-domain, maximum=domain, nominal=Fraction(1)))
    steep = sign_mask(builder, abs(x) - abs(y))
    left = sign_mask(builder, x)
    quotient = _quotient(builder, y, x, steep)
    turned = (quotient ^ ((steep ^ left) & sign_bit(builder))).as_real()
    angle = _whole(builder, _arctangent(builder, turned), steep, left)
    builder.output(
        Signal("angle", "rad", group=Group.OUTPUT), (angle.bits() ^ (y.bits() & sign_bit(builder))).as_real()
    )
    return builder.finish()


def _quotient(builder: Builder, y: Value, x: Value, steep: Bits) -> Bits:
    """The smaller magnitude over the larger, in [0, 1]."""
    smaller, larger = exchange_where(abs(y).bits(), abs(x).bits(), steep)
    return zero_unless_below_two(builder, (smaller.as_real() / larger.as_real()).bits())


def _arctangent(builder: Builder, quotient: Value) -> Value:
    square = quotient * quotient
    return quotient + quotient * (square * polynomial(builder, ARCTANGENT[builder.precision], square))


def _whole(builder: Builder, angle: Value, steep: Bits, left: Bits) -> Value:
    """The multiple of a quarter turn, 0, pi/2 or pi, plus the angle."""
    quarter, missing = QUARTER_TURN[builder.precision]
    quarter_turn = builder.real(quarter).bits() & steep
    half_turn = without(builder, builder.real(2 * quarter).bits() & left, steep)
    turn = (quarter_turn | half_turn).as_real()
    return turn + (angle + turn * missing)
