"""Third front door: what a user imports to write a symbolic model, and `load`, which fetches one.

Comes in: SymPy expressions, numbers and text with units; or "module:function" of the user's own Python code. Goes out:
a `SymbolicModel`. An input given in mm reaches the expressions in m; an output is what its expression says, in SI.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from exporter.errors import ModelError
from exporter.model.exact_numbers import exact
from exporter.model.mechanism import Input, Parameter
from exporter.model.policies import Division, Pivot, Radicand, Ratio, Root
from exporter.model.symbolic_loading import load
from exporter.model.symbolic_model import Definition, LinearSolve, SymbolicModel, SymbolicOutput

__all__ = [
    "Definition",
    "Division",
    "LinearSolve",
    "Pivot",
    "Radicand",
    "Ratio",
    "Root",
    "SymbolicModel",
    "SymbolicOutput",
    "define",
    "frozen",
    "given",
    "load",
    "output",
    "solve",
    "tunable",
]

Number = Any  # int, float, str ("274 mm"), Fraction, Decimal or a SymPy number; see `exact`


def given(
    name: str,
    minimum: Number = None,
    maximum: Number = None,
    *,
    nominal: Number = None,
    unit: str = "1",
    about: str = "",
) -> Input:
    """An input with its range; `nominal` replaces a rejected value (default: 0 if in range, else the middle).

    Args:
        name: as in the expressions.
        minimum: text with a unit ("-150 mm"), or a number in `unit`.
        maximum: the same.
        nominal: the same.
        unit: the SI unit of the input ("m", "rad").
        about: one line for the header.

    Raises:
        ModelError: a bound is missing or no number, the range is empty, nominal is outside.
    """
    what = f"input '{name}'"
    if minimum is None or maximum is None:
        raise ModelError(f"{what} has no range; give minimum and maximum, in '{unit}' or as text with a unit")
    low, high = _range(minimum, maximum, what)
    middle = Fraction(0) if low <= 0 <= high else (low + high) / 2
    chosen = middle if nominal is None else exact(nominal, f"nominal value of {what}")
    _inside(chosen, low, high, what)
    return Input(name, unit, low, high, chosen, about)


def frozen(name: str, value: Number, *, unit: str = "1", integer: bool = False, about: str = "") -> Parameter:
    """A parameter that becomes a constant of the export.

    Raises:
        ModelError: the value is no finite number, or not integral although `integer`.
    """
    chosen = exact(value, f"parameter '{name}'")
    _integral(chosen, name, integer)
    return Parameter(name, chosen, unit, frozen=True, integer=integer, about=about)


def tunable(
    name: str,
    value: Number,
    minimum: Number = None,
    maximum: Number = None,
    *,
    unit: str = "1",
    integer: bool = False,
    about: str = "",
) -> Parameter:
    """A parameter that the caller may change, within a range.

    Raises:
        ModelError: a bound is missing, a value is no finite number, outside, or not integral although `integer`.
    """
    what = f"parameter '{name}'"
    if minimum is None or maximum is None:
        raise ModelError(f"{what} is tunable and has no range; give minimum and maximum, or make it frozen")
    chosen = exact(value, what)
    low, high = _range(minimum, maximum, what)
    _inside(chosen, low, high, what)
    _integral(chosen, name, integer)
    return Parameter(name, chosen, unit, frozen=False, minimum=low, maximum=high, integer=integer, about=about)


def output(name: str, expression: Any, unit: str = "1", *, about: str = "", role: str = "value") -> SymbolicOutput:
    """A named result; `unit` is the SI unit that the expression yields."""
    return SymbolicOutput(name, _expression(expression, f"'{name}'"), unit, about, role)


def define(name: str, expression: Any, *, about: str = "") -> Definition:
    """An intermediate that later expressions use by its name."""
    return Definition(name, _expression(expression, f"'{name}'"), about)


def solve(
    unknowns: Sequence[Any], matrix: Any, right: Any, *, threshold: Number = None, about: str = ""
) -> LinearSolve:
    """The step "matrix * unknowns = right".

    Args:
        unknowns: n names or symbols.
        matrix: n rows of n expressions, nested sequences or a SymPy matrix.
        right: n expressions.
        threshold: of the pivots, in their own unit; None takes the model's division policy.
        about: one line for the source text.
    """
    rows = matrix.tolist() if hasattr(matrix, "tolist") else matrix
    column = list(right)
    return LinearSolve(
        tuple(str(unknown) for unknown in unknowns),
        tuple(tuple(_expression(entry, "an entry of a linear solve") for entry in row) for row in rows),
        tuple(_expression(entry, "an entry of a linear solve") for entry in column),
        None if threshold is None else exact(threshold, "threshold of a linear solve"),
        about,
    )


def _range(minimum: Number, maximum: Number, what: str) -> tuple[Fraction, Fraction]:
    low, high = exact(minimum, f"minimum of {what}"), exact(maximum, f"maximum of {what}")
    if low >= high:
        raise ModelError(f"{what} has the empty range [{minimum}, {maximum}]; give a minimum below the maximum")
    return low, high


def _inside(value: Fraction, low: Fraction, high: Fraction, what: str) -> None:
    if not low <= value <= high:
        raise ModelError(
            f"{what} is {float(value):g}, outside of its range [{float(low):g}, {float(high):g}]; widen the range"
        )


def _integral(value: Fraction, name: str, integer: bool) -> None:
    if integer and value.denominator != 1:
        raise ModelError(f"parameter '{name}' is declared integer and is {float(value):g}; give a whole number")


def _expression(value: Any, what: str) -> Any:
    """As a SymPy object. Text is refused: SymPy would run it."""
    try:
        return sp.sympify(value, strict=True)
    except sp.SympifyError as error:
        raise ModelError(f"{what} is {value!r}, which is no SymPy expression; build it from sympy symbols") from error
