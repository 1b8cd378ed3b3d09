"""Sums, products and powers of a symbolic model, in the order of the node's arguments: nothing is expanded.

In: a SymPy node and the handles of its operands. Out: the handle of its value.
"""

from fractions import Fraction
from functools import reduce
from typing import Any

import sympy as sp

from exporter.sequence.builder import Value
from exporter.sequence.kernels.logarithm import smallest_normal
from exporter.symbolic import domains
from exporter.symbolic.constant_folding import fold
from exporter.symbolic.guards import Guards
from exporter.symbolic.handles import Handle, reals


def divides(factor: Any) -> bool:
    """Whether a factor of a product is base**(negative number): then its base divides."""
    return type(factor) is sp.Pow and factor.args[1].is_Rational and factor.args[1].p < 0


def total(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
    """A sum from left to right."""
    return reduce(guards.builder.add, reals(guards, handles), guards.builder.real(0))


def product(guards: Guards, node: Any, handles: list[Handle]) -> Handle:
    """Numerators over denominators: one division for the whole product."""
    above, below = guards.builder.real(1), guards.builder.real(1)
    for factor, value in zip(node.args, reals(guards, handles), strict=True):
        if divides(factor):
            below = below * _denominator(guards, factor, value)
        else:
            above = above * value
    return above / below


def power(guards: Guards, _: Any, handles: list[Handle]) -> Handle:
    """A whole or half power, or any power of a base above zero; a negative constant one divides."""
    base, exponent = reals(guards, handles)
    power = exponent.constant
    if power is None:
        return domains.power(guards, domains.positive(guards, base, "a power"), exponent)
    if power < 0:
        return guards.builder.real(1) / _power(guards, base, power)
    return _power(guards, base, power)


def _denominator(guards: Guards, factor: Any, base: Value) -> Value:
    return _power(guards, base, Fraction(int(factor.args[1].p), int(factor.args[1].q)))


def _power(guards: Guards, base: Value, exponent: Fraction) -> Value:
    """base**|exponent|, fit to divide by where the exponent is negative."""
    if base.constant is not None and exponent.denominator != 1:
        return _constant_power(guards, base.constant, exponent)
    if exponent.denominator not in (1, 2):
        return _real_power(guards, base, exponent)
    whole = int(abs(exponent) * exponent.denominator)
    if exponent.denominator == 1:
        return chain(guards.pivot(base) if exponent < 0 else base, whole)
    radicand = guards.radicand(base)
    root = guards.builder.sqrt(radicand)
    if exponent < 0:
        return chain(guards.pivot(root), whole)
    return chain(radicand, whole // 2) * root


def _real_power(guards: Guards, base: Value, exponent: Fraction) -> Value:
    """base**|exponent| by the kernel; of zero it is zero, unless it divides."""
    power = guards.builder.real(abs(exponent))
    if exponent < 0:
        return domains.power(guards, domains.positive(guards, base, "a power"), power)
    radicand = guards.radicand(base)
    if domains.is_normal(guards, radicand):
        return domains.power(guards, radicand, power)
    result = domains.power(guards, radicand, power)
    return guards.builder.select(radicand < smallest_normal(guards.builder.precision), 0, result)


def _constant_power(guards: Guards, base: Fraction, exponent: Fraction) -> Value:
    guards.radicand(guards.builder.real(base))
    if exponent < 0:
        guards.pivot(guards.builder.real(base))
    return guards.builder.real(fold("power", base, abs(exponent)))


def chain(base: Value, exponent: int) -> Value:
    """base**exponent by squaring; 1 for exponent 0."""
    result = base.builder.real(1)
    square = base
    while exponent:
        if exponent & 1:
            result = result * square
        exponent >>= 1
        if exponent:
            square = base.builder.square(square)
    return result
