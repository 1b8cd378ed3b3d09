"""Constants of a symbolic model as exact rationals: roots, angles and pi to 60 digits.

In: a function's name and exact arguments. Out: a Fraction with 60 correct digits, exact for exact
roots.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, floor, isqrt
from typing import Any

import mpmath as _mpmath

mpmath: Any = _mpmath  # untyped

CONSTANT_DIGITS = 60

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "asin": mpmath.asin,
    "acos": mpmath.acos,
    "atan": mpmath.atan,
    "atan2": mpmath.atan2,
    "power": mpmath.power,
    "exp": mpmath.exp,
    "log": mpmath.log,
    "tanh": mpmath.tanh,
}


_EXACT: Mapping[str, Callable[..., Fraction]] = {
    "floor": lambda value: Fraction(floor(value)),
    "ceiling": lambda value: Fraction(ceil(value)),
    "mod": lambda value, modulus: value % modulus,
}


def fold(function: str, *arguments: Fraction) -> Fraction:
    """The function's value. The caller has made sure that it is real."""
    if function in _EXACT:
        return _EXACT[function](*arguments)
    if function == "power" and (exact := _exact_root(*arguments)) is not None:
        return exact
    with mpmath.workdps(CONSTANT_DIGITS + 10):
        operands = [mpmath.fdiv(argument.numerator, argument.denominator) for argument in arguments]
        return Fraction(str(mpmath.nstr(FUNCTIONS[function](*operands), CONSTANT_DIGITS)))


def _exact_root(base: Fraction, exponent: Fraction) -> Fraction | None:
    if exponent.denominator == 1:
        return base**exponent.numerator
    if exponent.denominator != 2 or base < 0:
        return None
    top, bottom = isqrt(base.numerator), isqrt(base.denominator)
    if top * top != base.numerator or bottom * bottom != base.denominator:
        return None
    return Fraction(top, bottom) ** exponent.numerator
