"""Exact rationals from what a user writes in Python: 274, "0.1", 0.1, Fraction, Decimal, SymPy numbers.

A float means its shortest decimal text: 0.1 is one tenth.
"""

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import TYPE_CHECKING, Any

from exporter.digits import digits
from exporter.errors import ModelError
from exporter.model.units import parse_number

if TYPE_CHECKING:
    import sympy as sp

DOUBLE_BITS = 53
"""Precision of a SymPy Float that came from a Python float."""


def exact(value: object, what: str) -> Fraction:
    """The number as an exact rational.

    Args:
        value: the number as the user wrote it.
        what: what it is for, named in the error: "parameter 'L'".

    Raises:
        ModelError: it is no finite real number.
    """
    if isinstance(value, str):
        return _from_text(value, what)
    if isinstance(value, bool):
        raise ModelError(f"{what} is {value}; give a number")
    if isinstance(value, Rational | Integral):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, float | Decimal):
        return _from_text(repr(float(value)) if isinstance(value, float) else str(value), what)
    if hasattr(value, "is_Number"):
        return _from_sympy(value, what)
    raise ModelError(f"{what} is {value!r}, which is no number; give a number or its decimal text")


def positive(value: object, what: str) -> Fraction:
    """The number as an exact rational above zero.

    Raises:
        ModelError: it is no finite real number, or not above zero.
    """
    number = exact(value, what)
    if number <= 0:
        raise ModelError(f"{what} is {digits(number)}; give a positive number")
    return number


def _from_text(text: str, what: str) -> Fraction:
    try:
        return parse_number(text)
    except ModelError as error:
        raise ModelError(f"{what}: {error}") from error


def _from_sympy(value: Any, what: str) -> Fraction:
    if value.is_Float:
        return exact_float(value)
    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    if value.is_number and value.is_finite and value.is_real:
        return Fraction(str(value.evalf(60)))
    raise ModelError(f"{what} is {value}; a value must be a finite real number")


def exact_float(value: "sp.Float") -> Fraction:
    """The decimal number that a SymPy Float was written as."""
    double = float(value)
    if value._prec == DOUBLE_BITS and math.isfinite(double) and (double != 0) == bool(value):
        return Fraction(repr(double))
    return Fraction(str(value))
