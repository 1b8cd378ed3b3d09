"""The force of an element as a formula of the length or coordinate x that it acts along, and of its rate v.

In: an `Element`. Out: nodes, in which x has the name of what the element acts along and v that name with ".rate".
The laws are those of `exporter.model.elements`.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction

from exporter.model.expression import ONE, ZERO, Binary, Call, Expression, Name, Number, Power
from exporter.model.mechanism import Element, ElementType

SHORTEST_COLUMN = Number(Fraction(1, 1000))
"""Part of its column to which the gas of a gas spring can be pressed together."""
MOST_PRODUCTS = 4
"""Exponent of a gas up to which its power is written as products."""


def force_law(element: Element) -> Expression:
    """The force that makes x larger, N; a torque, N*m, where x is an angle."""
    x, v = Name(element.along), Name(f"{element.along}.rate")
    return LAWS[element.type](element.values, x, v)


def _spring(values: Mapping[str, Expression], x: Name, v: Name) -> Expression:
    if "force" in values:
        return values["force"]
    stretch = minus(x, values.get("free", ZERO))
    return minus(minus(values.get("preload", ZERO), times(values["stiffness"], stretch)), _damping(values, v))


def _damper(values: Mapping[str, Expression], _: Name, v: Name) -> Expression:
    return values["force"] if "force" in values else minus(ZERO, _damping(values, v))


def _actuator(values: Mapping[str, Expression], _x: Name, _v: Name) -> Expression:
    return values["force"]


def _gas_spring(values: Mapping[str, Expression], x: Name, v: Name) -> Expression:
    column = values["column"]
    left = Call("max", (plus(column, minus(x, values["at"])), times(column, SHORTEST_COLUMN)))
    ratio = over(column, left)
    exponent = values.get("exponent", ONE)
    return minus(times(values["force"], _raised(ratio, exponent)), _damping(values, v))


def _raised(ratio: Expression, exponent: Expression) -> Expression:
    """Few products where the exponent is a small whole number, else a power by its logarithm."""
    if exponent == ONE:
        return ratio
    if isinstance(exponent, Number) and exponent.value.denominator == 1 and 1 < exponent.value <= MOST_PRODUCTS:
        return Power(ratio, exponent.value.numerator)
    return Call("pow", (ratio, exponent))


def _end_stop(values: Mapping[str, Expression], x: Name, v: Name) -> Expression:
    force: Expression = ZERO
    if "lower" in values:
        force = _pushed(values, minus(values["lower"], x), minus(ZERO, v))
    if "upper" in values:
        force = minus(force, _pushed(values, minus(x, values["upper"]), v))
    return force


def _pushed(values: Mapping[str, Expression], depth: Expression, speed: Expression) -> Expression:
    """What a stop pushes back with, at a depth and the rate of that; never a pull."""
    elastic = times(values["stiffness"], _positive(depth))
    if "dissipation" not in values:
        return elastic
    return times(elastic, _positive(plus(ONE, times(values["dissipation"], speed))))


def _friction(values: Mapping[str, Expression], _: Name, v: Name) -> Expression:
    slow = values["smoothing_speed"]
    speed = Call("sqrt", (plus(Power(v, 2), Power(slow, 2)),))
    return minus(ZERO, times(values["force"], over(v, speed)))


Law = Callable[[Mapping[str, Expression], Name, Name], Expression]
LAWS: Mapping[ElementType, Law] = {
    "spring": _spring,
    "damper": _damper,
    "actuator": _actuator,
    "gas_spring": _gas_spring,
    "end_stop": _end_stop,
    "friction": _friction,
}


def _damping(values: Mapping[str, Expression], v: Name) -> Expression:
    return times(values["damping"], v) if "damping" in values else ZERO


def _positive(value: Expression) -> Expression:
    return Call("max", (value, ZERO))


# -- nodes, without terms that are zero and factors that are one ------------------------------------------------------


def plus(left: Expression, right: Expression) -> Expression:
    """left + right."""
    if left == ZERO:
        return right
    return left if right == ZERO else Binary("+", left, right)


def minus(left: Expression, right: Expression) -> Expression:
    """left - right."""
    return left if right == ZERO else Binary("-", left, right)


def times(left: Expression, right: Expression) -> Expression:
    """left * right."""
    if ZERO in (left, right):
        return ZERO
    if left == ONE:
        return right
    return left if right == ONE else Binary("*", left, right)


def over(left: Expression, right: Expression) -> Expression:
    """left / right."""
    if left == ZERO:
        return ZERO
    return left if right == ONE else Binary("/", left, right)
