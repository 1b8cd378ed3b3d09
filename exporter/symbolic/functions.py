"""Functions and conditionals of a symbolic model. Both arms of a conditional are computed and one is selected.

In: a SymPy node and the handles of its operands. Out: the handle of its value.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any

from sympy.logic.boolalg import BooleanTrue

from exporter.errors import ModelError
from exporter.sequence.builder import Flag, Value
from exporter.symbolic import domains
from exporter.symbolic.constant_folding import fold
from exporter.symbolic.guards import Guards
from exporter.symbolic.handles import Handle, Infinity, Rule, condition, real, reals


def function(name: str, write: Callable[..., Value]) -> Rule:
    """A rule for a function of real arguments: folded where all are constant, else `write(guards, *arguments)`."""

    def rule(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
        arguments = reals(guards, handles)
        constants = [argument.constant for argument in arguments]
        known = [constant for constant in constants if constant is not None]
        if len(known) < len(arguments):
            return write(guards, *arguments)
        _check_domain(guards, name, arguments)
        return guards.builder.real(fold(name, *known))

    return rule


def _check_domain(guards: Guards, name: str, arguments: list[Value]) -> None:
    if name in ("asin", "acos"):
        guards.ratio(arguments[0])
    if name == "log":
        domains.positive(guards, arguments[0], "the logarithm")
    if name == "mod" and arguments[1].constant == 0:
        raise ModelError(f"{guards.place} takes Mod by zero")
    if name == "atan2" and all(argument.constant == 0 for argument in arguments):
        raise ModelError(f"{guards.place} takes atan2(0, 0) of constants, which is no angle")


def sine(guards: Guards, angle: Value) -> Value:
    """The kernel's first part."""
    return guards.builder.sincos(angle)[0]


def cosine(guards: Guards, angle: Value) -> Value:
    """The kernel's second part."""
    return guards.builder.sincos(angle)[1]


def tangent(guards: Guards, angle: Value) -> Value:
    """Sine over cosine; the cosine is a pivot."""
    sin, cos = guards.builder.sincos(angle)
    return sin / guards.pivot(cos)


def arcsine(guards: Guards, value: Value) -> Value:
    """asin of a ratio."""
    return guards.builder.asin(guards.ratio(value))


def arccosine(guards: Guards, value: Value) -> Value:
    """acos of a ratio."""
    return guards.builder.acos(guards.ratio(value))


def logarithm(guards: Guards, value: Value) -> Value:
    """log of a value above zero."""
    return guards.builder.log(domains.positive(guards, value, "the logarithm"))


def arctangent(guards: Guards, value: Value) -> Value:
    """atan2(value, 1)."""
    return guards.builder.atan2(value, guards.builder.real(1))


def absolute(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
    """|x|."""
    return abs(real(guards, handles[0]))


def sign(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
    """1, 0 or -1."""
    value, builder = real(guards, handles[0]), guards.builder
    return builder.select(value > 0, 1, builder.select(value < 0, -1, 0))


def unit_step(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
    """Heaviside(x, h): 1 above zero, 0 below, h at zero (SymPy's default is 1/2)."""
    value, at_zero = reals(guards, handles)
    builder = guards.builder
    return builder.select(value > 0, 1, builder.select(value < 0, 0, at_zero))


def smallest(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
    """Min: oo vanishes, -oo wins."""
    return _extreme(guards, handles, -1)


def largest(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
    """Max: -oo vanishes, oo wins."""
    return _extreme(guards, handles, 1)


def _extreme(guards: Guards, handles: list[Handle], direction: int) -> Handle:
    bounded = [handle for handle in handles if not isinstance(handle, Infinity)]
    winners = [handle for handle in handles if isinstance(handle, Infinity) and handle.sign == direction]
    if winners or not bounded:
        return winners[0] if winners else handles[0]
    return reduce(lambda a, b: _choose(guards, a, b, direction), reals(guards, bounded))


def _choose(guards: Guards, a: Value, b: Value, direction: int) -> Value:
    smaller = a < b
    return guards.builder.select(smaller, b, a) if direction > 0 else guards.builder.select(smaller, a, b)


def piecewise(guards: Guards, node: Any, handles: list[Handle]) -> Handle:
    """The first arm whose condition holds.

    Raises:
        ModelError: the last arm is conditional.
    """
    arms = list(zip(handles[::2], handles[1::2], strict=True))
    if type(node.args[-1].args[1]) is not BooleanTrue:
        raise ModelError(f"{guards.place} has a Piecewise without a default; add an arm (value, True)")
    result = real(guards, arms[-1][0])
    for value, holds in reversed(arms[:-1]):
        result = guards.builder.select(condition(guards, holds), real(guards, value), result)
    return result


def comparison(compare: Callable[[Value, Value], Flag]) -> Rule:
    """A rule for a relation of two numbers."""

    def rule(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
        left, right = reals(guards, handles)
        return compare(left, right)

    return rule


def equal(left: Value, right: Value) -> Flag:
    """Neither is larger; 0 for NaN."""
    return (left <= right) & (right <= left)


def every(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
    """Whether all conditions hold (And)."""
    return reduce(guards.builder.flag_and, [condition(guards, handle) for handle in handles])


def some(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
    """Whether a condition holds (Or)."""
    return reduce(guards.builder.flag_or, [condition(guards, handle) for handle in handles])


def negation(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
    """Whether a condition does not hold (Not)."""
    return ~condition(guards, handles[0])


def true(guards: Guards, _node: Any, _: list[Handle]) -> Handle:
    """The condition that always holds."""
    return guards.builder.flag(True)


def false(guards: Guards, _node: Any, _: list[Handle]) -> Handle:
    """The condition that never holds."""
    return guards.builder.flag(False)


def pivot_marker(guards: Guards, node: Any, handles: list[Handle]) -> Handle:
    """Pivot(x, threshold)."""
    value, threshold = reals(guards, handles)
    if threshold.constant is None or threshold.constant <= 0:
        raise ModelError(f"{guards.place} has a {type(node).__name__} whose threshold is no positive constant")
    return guards.pivot(value, threshold.constant)


def radicand_marker(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
    """Radicand(x) or Radicand(x, scale)."""
    value, *scale = reals(guards, handles)
    if scale and (scale[0].constant is None or scale[0].constant <= 0):
        raise ModelError(f"{guards.place} has a Radicand whose scale is no positive constant")
    return guards.radicand(value, marked=True, scale=scale[0].constant if scale else None)


def ratio_marker(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
    """Ratio(x)."""
    return guards.ratio(real(guards, handles[0]), marked=True)


def same(_guards: Guards, _: Any, handles: list[Handle]) -> Handle:
    """UnevaluatedExpr(x) is x."""
    return handles[0]
