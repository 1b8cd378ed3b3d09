"""Rounds exact numbers to a precision, once: to nearest, ties to even, subnormals included.

In: a rational. Out: a Python float that is exactly a number of that precision. Used by everything that needs
the value of a CONSTANT: the interpreters, interval analysis, the C printer.
"""

from fractions import Fraction
from functools import lru_cache

from exporter.errors import ModelError
from exporter.records import dataclass
from exporter.sequence.operations import Precision


@dataclass(frozen=True, slots=True)
class Format:
    """A binary floating-point format (IEEE 754)."""

    digits: int  # bits of the significand
    lowest: int  # exponent of the last bit of a subnormal
    highest: Fraction  # the largest finite number


FORMATS: dict[Precision, Format] = {
    "float32": Format(24, -149, Fraction((2**24 - 1) * 2**104)),
    "float64": Format(53, -1074, Fraction((2**53 - 1) * 2**971)),
}


def round_to_format(value: Fraction | int, precision: Precision) -> float:
    """The float nearest to a rational.

    Raises:
        ModelError: the magnitude exceeds the largest finite number of the precision.
    """
    return _round_ratio(*value.as_integer_ratio(), precision)


@lru_cache(maxsize=1 << 16)
def _round_ratio(numerator: int, denominator: int, precision: Precision) -> float:
    """The float nearest to a ratio; kept by two integers, for a Fraction is slow to hash."""
    number, form = Fraction(numerator, denominator), FORMATS[precision]
    last = _last_bit(number, form)
    whole = round(number / Fraction(2) ** last)  # Fraction rounds ties to even
    result = whole * Fraction(2) ** last
    if abs(result) > form.highest:
        raise ModelError(f"constant {float_text(number)} exceeds the range of {precision}; scale the model's units")
    return float(result)


def _last_bit(number: Fraction, form: Format) -> int:
    """Exponent of the last bit of the float next to this number, away from zero."""
    if number == 0:
        return form.lowest
    exponent = abs(number.numerator).bit_length() - number.denominator.bit_length()
    if abs(number) < Fraction(2) ** exponent:
        exponent -= 1
    return max(exponent - form.digits + 1, form.lowest)


def float_text(number: Fraction) -> str:
    """About six digits of a rational of any size, for messages."""
    try:
        return f"{float(number):.6g}"
    except OverflowError:
        return f"about 2**{abs(number.numerator).bit_length() - number.denominator.bit_length()}"
