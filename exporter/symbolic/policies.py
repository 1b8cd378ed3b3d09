"""What a symbolic model says about divisions and roots: default policies, and markers for single places.

An export computes something finite for every input, so each division, root and arc function needs an answer to "and
where it is undefined?". Either the ranges prove that the question does not arise, or a marker answers it at one place,
or the model's default policy answers it everywhere else. Without an answer the export is refused.
"""

from fractions import Fraction
from typing import Any

import sympy as sp

from exporter.model.exact_numbers import positive
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class Division:
    """Default for denominators: below `threshold`, the threshold divides with the denominator's sign (NEAR_SINGULAR).

    The threshold is in the denominator's own unit; text, int and float are taken exactly ("1e-9").
    """

    threshold: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", positive(self.threshold, "threshold of the division policy"))


@dataclass(frozen=True, slots=True)
class Root:
    """Default for radicands and arguments of asin and acos: clamped to their domain (OUT_OF_WORKSPACE).

    Rounding raises no flag: 8 eps of `scale`, which bounds the terms that a radicand is the difference of; None takes
    it from the ranges.
    """

    scale: Fraction | None = None

    def __post_init__(self) -> None:
        if self.scale is not None:
            object.__setattr__(self, "scale", positive(self.scale, "scale of the root policy"))


class Pivot(sp.Function):
    """Pivot(x, threshold): x, or the threshold with x's sign where |x| is smaller (NEAR_SINGULAR). Divide by it."""

    nargs = 2

    def __new__(cls, x: Any, threshold: Any, **options: Any) -> Any:
        """Take a threshold as text, int or float exactly; SymPy would run text."""
        return super().__new__(cls, x, _number(threshold, "threshold of a Pivot"), **options)

    def fdiff(self, argindex: int = 1) -> Any:
        """Derivative where x is regular."""
        return sp.Integer(1 if argindex == 1 else 0)


class Radicand(sp.Function):
    """Radicand(x) or Radicand(x, scale): the larger of x and 0, OUT_OF_WORKSPACE where x < -8 eps scale."""

    nargs = (1, 2)

    def __new__(cls, x: Any, *scale: Any, **options: Any) -> Any:
        """Take a scale as text, int or float exactly."""
        return super().__new__(cls, x, *(_number(each, "scale of a Radicand") for each in scale), **options)

    def fdiff(self, argindex: int = 1) -> Any:
        """Derivative inside the workspace."""
        return sp.Integer(1 if argindex == 1 else 0)


class Ratio(sp.Function):
    """Ratio(x): x clamped to [-1, 1] for asin and acos, OUT_OF_WORKSPACE where |x| > 1 + 8 eps."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Any:  # noqa: ARG002 - SymPy's signature
        """Derivative inside the domain."""
        return sp.Integer(1)


def _number(value: Any, what: str) -> Any:
    """As a SymPy number; an expression of frozen parameters passes."""
    if isinstance(value, sp.Basic):
        return value
    number = positive(value, what)
    return sp.Rational(number.numerator, number.denominator)
