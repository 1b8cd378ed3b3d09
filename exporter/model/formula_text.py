"""Writes nodes back as a formula, for messages and comments: `parse_expression(formula_text(e))` is `e` again.

In: nodes of `exporter.model.expression`; of quantities in formulas, which only the reader makes, none is read back.
Out: text; numbers exact, as decimals where they end, else as quotients.
"""

from decimal import Context
from fractions import Fraction

from exporter.model.expression import ZERO, Binary, Call, Expression, Lookup, Name, Number, Power

_RANK = {"+": 1, "-": 1, "*": 2, "/": 2}
_ATOM = 4


def formula_text(expression: Expression) -> str:
    """The formula that these nodes stand for."""
    match expression:
        case Number(value, unit):
            return f"{number_text(value)} {unit}".rstrip()
        case Name(name):
            return name
        case Binary("-", left, right) if left == ZERO and not isinstance(right, Number):
            return f"-{_within(right, 3)}"
        case Binary(operator, left, right):
            rank = _RANK[operator]
            return f"{_within(left, rank)} {operator} {_within(right, rank + 1)}"
        case Power(base, exponent):
            return f"{_within(base, _ATOM)}^{exponent}"
        case Call() | Lookup():
            name = expression.function if isinstance(expression, Call) else expression.table.name
            return f"{name}({', '.join(formula_text(argument) for argument in expression.arguments)})"


def number_text(value: Fraction) -> str:
    """A number exactly: "0.3", "-5", "1/3"."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1 or value.denominator.bit_length() > 200:
        return str(value)
    return f"{Context(prec=1000).divide(value.numerator, value.denominator):f}"


def _rank(expression: Expression) -> int:
    match expression:
        case Binary("-", left, _) if left == ZERO:
            return 1
        case Binary(operator, _, _):
            return _RANK[operator]
        case Number(value) if value < 0:
            return 1
        case Number(value) if "/" in number_text(value):
            return 2
        case Power():
            return 3
        case _:
            return _ATOM


def _within(expression: Expression, rank: int) -> str:
    text = formula_text(expression)
    return f"({text})" if _rank(expression) < rank else text
