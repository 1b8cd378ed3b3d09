"""Integer masks: choices and signs without a branch. Used by the kernels only.

A mask is all ones or all zeros; a sign is the top bit alone.
"""

from exporter.records import dataclass
from exporter.sequence.builder import Bits, Builder, Flag, Value
from exporter.sequence.operations import Precision


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the fields of a float lie in its bits (IEEE 754)."""

    sign: int  # number of the sign bit
    top_exponent: int  # set in every number of magnitude 2 or more, in infinity and in NaN; clear below 2
    fraction: int  # bits of the fraction


LAYOUTS: dict[Precision, Layout] = {"float32": Layout(31, 30, 23), "float64": Layout(63, 62, 52)}


def sign_bit(builder: Builder) -> int:
    """The integer with the sign bit alone."""
    return 1 << LAYOUTS[builder.precision].sign


def mask(builder: Builder, flag: Flag) -> Bits:
    """All ones where the flag is 1."""
    ones = 2 * sign_bit(builder) - 1
    return builder.select_bits(flag, builder.bits(ones), builder.bits(0))


def without(builder: Builder, bits: Bits, mask_: Bits) -> Bits:
    """Bits kept where the mask is zero."""
    return bits & (mask_ ^ (2 * sign_bit(builder) - 1))


def sign_mask(builder: Builder, value: Value) -> Bits:
    """All ones where the sign of this number is minus, -0 included."""
    return mask(builder, value.bits().bit(LAYOUTS[builder.precision].sign))


def exchange_where(first: Bits, second: Bits, where: Bits) -> tuple[Bits, Bits]:
    """The two in the other order where the mask is set."""
    difference = (first ^ second) & where
    return first ^ difference, second ^ difference


def zero_unless_below_two(builder: Builder, bits: Bits) -> Bits:
    """The bits of a float, +0 in place of a magnitude of 2 or more, an infinity or a NaN."""
    return without(builder, bits, mask(builder, bits.bit(LAYOUTS[builder.precision].top_exponent)))
