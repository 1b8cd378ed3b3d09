"""What a formula is worth: its exact value, and the names that it needs.

In: nodes of `exporter.model.expression`, values in SI units. Out: rationals. Roots of squares are exact; other roots
have 60 significant digits, sines and cosines 60 decimals, so that sin(30 deg) is exactly 1/2.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from exporter.errors import ModelError
from exporter.model.expression import Binary, Call, Expression, Function, Lookup, Name, Number, Operator, Power

RATIONAL_DECIMALS = 60
MOST_EXPONENT = 1000  # of two, of the value of exp and pow


def names(expression: Expression) -> frozenset[str]:
    """The parameters and inputs that a formula uses."""
    match expression:
        case Name(name):
            return frozenset({name})
        case Binary(_, left, right):
            return names(left) | names(right)
        case Power(base, _):
            return names(base)
        case Call(_, arguments) | Lookup(_, arguments):
            return frozenset().union(*(names(argument) for argument in arguments))
        case Number():
            return frozenset()


def evaluate(expression: Expression, values: Mapping[str, Fraction]) -> Fraction:
    """The value of a formula, in SI units, where each name has the value given.

    Raises:
        ModelError: a name without a value, a division by zero, a root of a negative number.
    """
    match expression:
        case Number(value):
            return value
        case Name(name):
            if name not in values:
                raise ModelError(f'"{name}" has no value; declare it under [parameters] or [inputs]')
            return values[name]
        case Binary(operator, left, right):
            return _binary(operator, evaluate(left, values), evaluate(right, values))
        case Power(base, exponent):
            return _power(evaluate(base, values), exponent)
        case Lookup(known, arguments):
            return known.table.value(*(evaluate(argument, values) for argument in arguments))
        case Call(function, arguments):
            return _called(function, [evaluate(argument, values) for argument in arguments])


def _binary(operator: Operator, left: Fraction, right: Fraction) -> Fraction:
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            if right == 0:
                raise ModelError(f"{float(left):g} is divided by zero; change the formula or the parameters in it")
            return left / right


def _called(function: Function, arguments: Sequence[Fraction]) -> Fraction:
    match function:
        case "sqrt":
            return root(arguments[0])
        case "abs":
            return abs(arguments[0])
        case "min":
            return min(arguments)
        case "max":
            return max(arguments)
        case "sin" | "cos":
            return sine_or_cosine(function, arguments[0])
    return _transcendental(function, arguments)


def _transcendental(function: Literal["exp", "log", "tanh", "pow"], arguments: Sequence[Fraction]) -> Fraction:
    """To 60 significant digits."""
    import mpmath  # noqa: PLC0415 - most models need no irrational number

    first = arguments[0]
    if function in ("log", "pow") and first <= 0:
        raise ModelError(f"the {function} of {float(first):g} is asked for; its argument must be above zero")
    real: Any = mpmath.mp  # mpmath is untyped
    with real.workdps(RATIONAL_DECIMALS + 20):
        numbers = [real.mpf(argument.numerator) / argument.denominator for argument in arguments]
        value = real.power(*numbers) if function == "pow" else getattr(real, function)(*numbers)
        if not -MOST_EXPONENT < real.mag(value) < MOST_EXPONENT and value:
            raise ModelError(f"the {function} of {float(first):g} is too large or too small; change the formula")
        return Fraction(real.nstr(value, RATIONAL_DECIMALS))


def _power(base: Fraction, exponent: int) -> Fraction:
    if base == 0 and exponent < 0:
        raise ModelError(f"zero has the power {exponent}; change the formula or the parameters in it")
    return base**exponent


def root(value: Fraction) -> Fraction:
    """The square root: exact where it is rational, else to 60 significant digits.

    Raises:
        ModelError: the value is negative.
    """
    if value < 0:
        raise ModelError(f"the square root of {float(value):g} is asked for; change the formula or its parameters")
    numerator, denominator = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if numerator**2 == value.numerator and denominator**2 == value.denominator:
        return Fraction(numerator, denominator)
    bits = value.denominator.bit_length() - value.numerator.bit_length()
    scale = 1 << max(0, math.ceil(RATIONAL_DECIMALS * 3.33) + bits // 2 + 2)
    return Fraction(math.isqrt(value.numerator * scale**2 // value.denominator), scale)


def sine_or_cosine(function: Literal["sin", "cos"], angle: Fraction) -> Fraction:
    """The sine or cosine of an angle in rad, rounded to 60 decimals."""
    import mpmath  # noqa: PLC0415 - most models need no irrational number

    real: Any = mpmath.mp  # mpmath is untyped
    with real.workdps(RATIONAL_DECIMALS + 20):
        argument = real.mpf(angle.numerator) / angle.denominator
        value = real.sin(argument) if function == "sin" else real.cos(argument)
        return Fraction(int(real.nint(value * real.mpf(10) ** RATIONAL_DECIMALS)), 10**RATIONAL_DECIMALS)
