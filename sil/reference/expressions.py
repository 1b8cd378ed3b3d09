"""Evaluates the expressions of a mechanism file in float64. In: an expression and values; out: a number per row."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.errors import ModelError
from exporter.model.expression import Binary, Call, Expression, Lookup, Name, Number, Power
from sil.reference.tables import at_rows

Real = NDArray[np.float64]
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
    "abs": lambda value: np.where(np.real(value) < 0, -value, value),  # complex where slopes are asked for
    "min": np.minimum,
    "max": np.maximum,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "pow": np.power,
}
_OPERATORS: dict[str, Callable[[Real, Real], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
}


def evaluate(expression: Expression, values: Mapping[str, Real]) -> Real:
    """The value of an expression, an array of shape () or (rows,), where `values` names parameters and inputs.

    Raises:
        ModelError: the expression uses a name that has no value.
    """
    match expression:
        case Number(value):
            return np.asarray(float(value))
        case Name(name):
            return _value_of(name, values)
        case Binary(operator, left, right):
            return np.asarray(_OPERATORS[operator](evaluate(left, values), evaluate(right, values)))
        case Power(base, exponent):
            power = evaluate(base, values) ** abs(exponent)
            return np.asarray(power if exponent >= 0 else 1.0 / power)
        case Lookup(known, arguments):
            return _in_table(known.table, [evaluate(argument, values) for argument in arguments])
        case Call(function, arguments):
            return np.asarray(_FUNCTIONS[function](*(evaluate(argument, values) for argument in arguments)))


def _in_table(table: Any, arguments: list[Real]) -> Real:
    axes = [np.array([float(knot) for knot in knots]) for knots in table.axes]
    values = np.array([float(value) for value in table.values])
    return at_rows(axes, values, table.method == "monotone_cubic", arguments)


def _value_of(name: str, values: Mapping[str, Real]) -> Real:
    if name not in values:
        raise ModelError(f"'{name}' has no value; it is neither a parameter nor an input of the model")
    return np.asarray(values[name])
