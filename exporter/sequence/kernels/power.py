"""A positive number to any power in fixed time, with one division.

Method: log2 of the base as a sum of two numbers of which the first has half of the bits, so that its product with half
of the exponent is exact (Dekker; in this form in the fdlibm of Sun Microsystems, e_pow.c); then 2 to that. A base below
the normal numbers counts as the smallest of them; where exponent * log2(base) leaves its limits it counts as the limit.
"""

from fractions import Fraction

from exporter.sequence.builder import Builder, Value
from exporter.sequence.kernels.coefficients import (
    LOGARITHM_TAIL,
    OCTAVE,
    OCTAVE_HALVES,
    TWO_THIRDS_OF_OCTAVES,
)
from exporter.sequence.kernels.exponential import exponential_less_one, power_magic, power_of_two
from exporter.sequence.kernels.horner import polynomial
from exporter.sequence.kernels.logarithm import octaves_of, smallest_normal
from exporter.sequence.kernels.masks import LAYOUTS, sign_bit
from exporter.sequence.operations import Group, Kind, OperationSequence, Precision, Signal
from exporter.sequence.rounding import FORMATS


def power(precision: Precision, octaves: Fraction) -> OperationSequence:
    """The sequence: inputs base and exponent, output base^exponent within 2^-octaves and 2^octaves."""
    builder = Builder(Kind.POW.value, precision)
    least, most = smallest_normal(precision), FORMATS[precision].highest
    base = builder.input(Signal("base", "1", minimum=least, maximum=most, nominal=Fraction(1)))
    exponent = builder.input(Signal("exponent", "1", minimum=-most, maximum=most, nominal=Fraction(1)))
    positive = builder.select(least < base, base, least)
    high, low = _product(_limited(builder, exponent), *_logarithm(builder, positive))
    builder.output(Signal("power", "1", group=Group.OUTPUT), _exponential(builder, high, low, octaves))
    return builder.finish()


def upper_half(value: Value) -> Value:
    """The number with the lower half of its digits cut off: a product of two such is exact."""
    builder = value.builder
    dropped = (LAYOUTS[builder.precision].fraction + 2) // 2
    kept = 2 * sign_bit(builder) - (1 << dropped)
    return (value.bits() & kept).as_real()


def _limited(builder: Builder, exponent: Value) -> Value:
    """An exponent beyond this limit leaves the octaves with every base but 1."""
    limit = Fraction(2) ** (LAYOUTS[builder.precision].fraction + 11)
    raised = builder.select(-limit < exponent, exponent, -limit)
    return builder.select(raised < limit, raised, limit)


def _logarithm(builder: Builder, base: Value) -> tuple[Value, Value]:
    """log2 of the base as a sum of a half-length and a small number."""
    octaves, part = octaves_of(builder, base)
    ratio, upper, lower = _ratio(part)
    square = ratio * ratio
    tail = square * square * polynomial(builder, LOGARITHM_TAIL[builder.precision], square)
    upper_square = upper * upper
    missing = tail + lower * (upper + ratio)
    series = upper_half(3 + upper_square + missing)
    rest = missing - ((series - 3) - upper_square)
    first, second = upper * series, lower * series + rest * ratio
    half = upper_half(first + second)
    small = second - (half - first)
    thirds, missing_thirds = TWO_THIRDS_OF_OCTAVES[builder.precision]
    scaled = half * thirds
    correction = half * missing_thirds + small * (thirds + missing_thirds)
    high = upper_half((scaled + correction) + octaves)
    return high, correction - ((high - octaves) - scaled)


def _ratio(part: Value) -> tuple[Value, Value, Value]:
    """s = (m - 1)/(m + 1), and s as a sum of its upper half and what is missing."""
    beyond = part - 1
    inverse = 1 / (part + 1)
    ratio = beyond * inverse
    upper = upper_half(ratio)
    above = upper_half(part + 1)
    below = part - (above - 1)
    return ratio, upper, inverse * ((beyond - upper * above) - upper * below)


def _product(exponent: Value, high: Value, low: Value) -> tuple[Value, Value]:
    """Exponent * (high + low) as a sum of an exact product and the rest."""
    upper = upper_half(exponent)
    return upper * high, (exponent - upper) * high + exponent * low


def _exponential(builder: Builder, high: Value, low: Value, octaves: Fraction) -> Value:
    """2^(high + low); beyond the octaves their number counts, with its sign."""
    whole = high + low
    inside = abs(whole) <= octaves
    limit = ((whole.bits() & sign_bit(builder)) | builder.real(octaves).bits()).as_real()
    high, low = builder.select(inside, high, limit), builder.select(inside, low, 0)
    magic = power_magic(builder.precision)
    shifted = (high + low) + magic
    near = high - (shifted - magic)
    cut = upper_half(near + low)
    first, second = OCTAVE_HALVES[builder.precision]
    main = cut * first
    small = (low - (cut - near)) * OCTAVE_WHOLE[builder.precision] + cut * second
    rest = main + small
    scale = power_of_two(builder, shifted.bits())
    return scale * (1 + exponential_less_one(builder, rest, small - (rest - main)))


OCTAVE_WHOLE: dict[Precision, Fraction] = {precision: parts[0] + parts[1] for precision, parts in OCTAVE.items()}
