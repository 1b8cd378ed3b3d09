"""Sums of factor times expression: a length stays an expression of its parameters, factors are exact.

In: constant vectors of a model that are turned and added. Used by: `scope`, which writes them into a sequence.
"""

from collections.abc import Iterable
from fractions import Fraction

from exporter.model.expression import Expression
from exporter.records import dataclass

LinearSum = tuple[tuple[Fraction, Expression], ...]  # sum of factor * expression, expressions distinct
FACTOR_ROUNDING = Fraction(1, 10**50)  # of factors: what constant rotations to 60 digits leave of zero


@dataclass(frozen=True, slots=True)
class PlaneVector:
    """A constant vector in the plane of motion, in body axes at phi = 0."""

    re: LinearSum
    im: LinearSum


def linear_sum(parts: Iterable[tuple[Fraction, Expression]]) -> LinearSum:
    """The sum with one term per expression; what cancels is gone."""
    total: dict[Expression, Fraction] = {}
    for factor, expression in parts:
        total[expression] = total.get(expression, Fraction(0)) + factor
    kept = ((factor, expression) for expression, factor in total.items() if not _zero(expression))
    return tuple((factor, expression) for factor, expression in kept if abs(factor) > FACTOR_ROUNDING)


def _zero(expression: Expression) -> bool:
    return getattr(expression, "value", None) == 0


def opposite(parts: LinearSum) -> LinearSum:
    """The sum with its sign changed."""
    return tuple((-factor, part) for factor, part in parts)
