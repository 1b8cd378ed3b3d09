"""Prints constants of C: reals correctly rounded to the type, integers by width.

In: an exact rational and a precision. Out: a literal whose nearest number of that type is the rational
rounded once. A rational with few decimal digits is printed as it is, any other as its rounded value with 9 (float32) or
17 (float64) significant digits, which name a float uniquely.
"""

import struct
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

from exporter.sequence.operations import Precision
from exporter.sequence.rounding import round_to_format

LITERAL_DIGITS: dict[Precision, int] = {"float32": 9, "float64": 17}
SUFFIX: dict[Precision, str] = {"float32": "F", "float64": ""}
_FIXED_EXPONENTS = range(-4, 7)


def real_literal(value: Fraction | int, precision: Precision) -> str:
    """A literal of the real type, in parentheses where it is negative.

    Raises:
        ModelError: the magnitude exceeds the largest finite number of the precision.
    """
    return _literal(*value.as_integer_ratio(), precision)


@lru_cache(maxsize=1 << 16)
def _literal(numerator: int, denominator: int, precision: Precision) -> str:
    """Kept by two integers, for a Fraction is slow to hash; tables have thousands."""
    number = Fraction(numerator, denominator)
    nearest = round_to_format(number, precision)
    digits = _exact_digits(number, LITERAL_DIGITS[precision])
    if digits is None:
        digits = Context(prec=LITERAL_DIGITS[precision]).create_decimal(Decimal(nearest))
    text = _layout(abs(digits)) + SUFFIX[precision]
    return f"(-{text})" if nearest < 0 else text


def _exact_digits(number: Fraction, digits: int) -> Decimal | None:
    """The rational as a decimal of at most so many digits, if it is one."""
    decimal = Context(prec=digits).divide(Decimal(number.numerator), Decimal(number.denominator))
    return decimal if Fraction(decimal) == number else None


def _layout(decimal: Decimal) -> str:
    """A C floating literal without suffix: always with a point."""
    _, digits, _ = decimal.normalize().as_tuple()
    text = "".join(map(str, digits))
    exponent = decimal.adjusted() if decimal else 0
    if exponent not in _FIXED_EXPONENTS:
        return f"{text[0]}.{text[1:] or '0'}e{exponent}"
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + text
    whole = text[: exponent + 1].ljust(exponent + 1, "0")
    return f"{whole}.{text[exponent + 1 :] or '0'}"


def bits_literal(value: int, width: int) -> str:
    """An unsigned constant of 32 or 64 bits, in hexadecimal."""
    return f"UINT{width}_C(0x{value:0{width // 4}X})"


def real_bits(value: float, precision: Precision) -> int:
    """The bits that spell a float of this precision."""
    form = ("<f", "<I") if precision == "float32" else ("<d", "<Q")
    bits: int = struct.unpack(form[1], struct.pack(form[0], value))[0]
    return bits
