"""Checks that a formula has the dimension that its place asks for.

In: nodes, dimensions of the names. Out: a dimension, or a `ModelError`. The radian counts as 1 inside a formula, as in
the SI; a literal zero has every dimension; other literal numbers have none.
"""

from collections.abc import Mapping

from exporter.errors import ModelError
from exporter.model.expression import Binary, Call, Expression, Lookup, Name, Number, Power
from exporter.model.formula_text import formula_text
from exporter.model.units import DIMENSIONLESS, Dimension, describe, parse_unit


def require_dimension(expression: Expression, expected: Dimension, of_names: Mapping[str, Dimension]) -> None:
    """Refuse a formula of another dimension.

    Raises:
        ModelError: naming the formula, the found and the expected dimension with their units.
    """
    found = dimension_of(expression, of_names)
    if found is not None and found.without_angle() != expected.without_angle():
        raise ModelError(
            f'"{formula_text(expression)}" is {describe(found)}, but {describe(expected)} is needed here; '
            "change the formula or the unit of a parameter in it"
        )


def dimension_of(expression: Expression, of_names: Mapping[str, Dimension]) -> Dimension | None:
    """The dimension of a formula; None for a literal zero, which fits everywhere.

    Raises:
        ModelError: a sum of different dimensions, a sine of a length, a root of an odd power, an unknown name.
    """
    match expression:
        case Number(value, unit):
            return None if value == 0 else parse_unit(unit).dimension if unit else DIMENSIONLESS
        case Name(name):
            return _name_dimension(name, of_names)
        case Power(base, exponent):
            dimension = dimension_of(base, of_names)
            return None if dimension is None else dimension**exponent
        case Call():
            return _call_dimension(expression, of_names)
        case Lookup():
            return _lookup_dimension(expression, of_names)
        case Binary():
            return _binary_dimension(expression, of_names)


def _binary_dimension(expression: Binary, of_names: Mapping[str, Dimension]) -> Dimension | None:
    left, right = dimension_of(expression.left, of_names), dimension_of(expression.right, of_names)
    if expression.operator in ("+", "-"):
        return _alike(expression, f'"{expression.operator}"', left, right)
    if left is None or right is None:
        return None
    return left * right if expression.operator == "*" else left / right


def _name_dimension(name: str, of_names: Mapping[str, Dimension]) -> Dimension:
    if name not in of_names:
        raise ModelError(f'"{name}" is not known here; declare it under [parameters]')
    return of_names[name]


def _alike(expression: Binary | Call, by: str, left: Dimension | None, right: Dimension | None) -> Dimension | None:
    """The one dimension of two operands."""
    if left is None or right is None:
        return left or right
    if left.without_angle() != right.without_angle():
        raise ModelError(
            f'"{formula_text(expression)}" joins {describe(left)} and {describe(right)} by '
            f"{by}; give both the same dimension"
        )
    return left


def _call_dimension(call: Call, of_names: Mapping[str, Dimension]) -> Dimension | None:
    dimension, *others = [dimension_of(argument, of_names) for argument in call.arguments]
    if call.function == "abs":
        return dimension
    if call.function in ("min", "max"):
        return _alike(call, call.function, dimension, others[0])
    if call.function == "sqrt":
        return None if dimension is None else _root_dimension(call, dimension)
    dimension = next((each for each in (dimension, *others) if each and each.without_angle() != DIMENSIONLESS), None)
    if dimension is not None:
        wanted = "an angle" if call.function in ("sin", "cos") else "a number"
        raise ModelError(f'"{formula_text(call)}" has {describe(dimension)} in it; give {call.function} {wanted}')
    return DIMENSIONLESS


def _lookup_dimension(lookup: Lookup, of_names: Mapping[str, Dimension]) -> Dimension:
    *axes, values = (parse_unit(unit).dimension for unit in lookup.table.units)
    for argument, wanted in zip(lookup.arguments, axes, strict=True):
        found = dimension_of(argument, of_names)
        if found is not None and found.without_angle() != wanted.without_angle():
            raise ModelError(
                f'"{formula_text(lookup)}" has {describe(found)} in it, and the axis of table {lookup.table.name} is '
                f"{describe(wanted)}; give both the same dimension"
            )
    return values


def _root_dimension(call: Call, dimension: Dimension) -> Dimension:
    exponents = (dimension.length, dimension.mass, dimension.time)
    if any(exponent % 2 for exponent in exponents):
        raise ModelError(
            f'"{formula_text(call)}" takes the root of {describe(dimension)}, which has no unit; '
            "take the root of a square"
        )
    return Dimension(*(exponent // 2 for exponent in exponents))
