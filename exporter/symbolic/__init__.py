"""The front end for symbolic models: what a user imports to write one, and `load`, which fetches one.

In: SymPy expressions, numbers and text with units; or "module:function" of the user's own Python code. Out:
a `SymbolicModel`. An input given in mm reaches the expressions in m; an output is what its expression says, in SI.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from exporter.digits import digits
from exporter.errors import ModelError
from exporter.model.exact_numbers import positive
from exporter.model.mechanism import Input, Parameter
from exporter.symbolic.given_expression import as_expression
from exporter.symbolic.loading import load
from exporter.symbolic.mechanics import from_mechanics
from exporter.symbolic.model import Definition, LinearSolve, SymbolicModel, SymbolicOutput
from exporter.symbolic.policies import Division, Pivot, Radicand, Ratio, Root
from exporter.symbolic.quantities import in_si, require_si
from exporter.symbolic.state import State
from exporter.symbolic.state_declaration import state
from exporter.symbolic.tables import table, table_from_csv

__all__ = [
    "Definition",
    "Division",
    "LinearSolve",
    "Pivot",
    "Radicand",
    "Ratio",
    "Root",
    "State",
    "SymbolicModel",
    "SymbolicOutput",
    "define",
    "from_mechanics",
    "frozen",
    "given",
    "load",
    "output",
    "solve",
    "state",
    "table",
    "table_from_csv",
    "tunable",
]

Number = Any  # int, float, str ("274 mm"), Fraction, Decimal or a SymPy number; see exact_numbers


def given(
    name: str,
    minimum: Number = None,
    maximum: Number = None,
    *,
    nominal: Number = None,
    unit: str | None = None,
    about: str = "",
) -> Input:
    """An input with its range; `nominal` replaces a rejected value (default: 0 if in range, else the middle).

    Args:
        name: as in the expressions.
        minimum: text with a unit ("-150 mm"), or a number in `unit`.
        maximum: the same.
        nominal: the same.
        unit: of plain numbers ("mm"); the expressions see the SI value.
        about: one line for the header.

    Raises:
        ModelError: a bound is missing or no number, the range is empty, nominal is outside, the units do not fit.
    """
    what = f"input '{name}'"
    if minimum is None or maximum is None:
        raise ModelError(f"{what} has no range; give minimum and maximum, as numbers or text with a unit")
    si = in_si((minimum, maximum, nominal), unit, what)
    low, high, chosen = si.values
    low, high = _range(low, high, what)
    if chosen is None:
        chosen = Fraction(0) if low <= 0 <= high else (low + high) / 2
    _inside(chosen, low, high, f"nominal value of {what}")
    return Input(name, si.unit, low, high, chosen, about)


def frozen(name: str, value: Number, *, unit: str | None = None, integer: bool = False, about: str = "") -> Parameter:
    """A parameter that becomes a constant of the export.

    Raises:
        ModelError: the value is no finite number, or not integral although `integer`.
    """
    si = in_si((value,), unit, f"parameter '{name}'")
    chosen = _integral(si.values[0], name, integer)
    return Parameter(name, chosen, si.unit, frozen=True, integer=integer, about=about)


def tunable(
    name: str,
    value: Number,
    minimum: Number = None,
    maximum: Number = None,
    *,
    unit: str | None = None,
    integer: bool = False,
    about: str = "",
) -> Parameter:
    """A parameter that the caller may change, within a range. `integer`: a value that is not integral is rejected.

    Raises:
        ModelError: a bound is missing, a value is no finite number, outside, or not integral although `integer`.
    """
    what = f"parameter '{name}'"
    if minimum is None or maximum is None:
        raise ModelError(f"{what} is tunable and has no range; give minimum and maximum, or make it frozen")
    si = in_si((value, minimum, maximum), unit, what)
    chosen = _integral(si.values[0], name, integer)
    low, high = _range(si.values[1], si.values[2], what)
    _inside(chosen, low, high, what)
    return Parameter(name, chosen, si.unit, frozen=False, minimum=low, maximum=high, integer=integer, about=about)


def output(name: str, expression: Any, unit: str = "1", *, about: str = "", role: str = "value") -> SymbolicOutput:
    """A named result; `unit` is the SI unit that the expression yields.

    Raises:
        ModelError: the unit is unknown or not SI, the expression is text or no SymPy object.
    """
    require_si(unit, f"output '{name}'")
    return SymbolicOutput(name, as_expression(expression, f"'{name}'"), unit, about, role)


def define(name: str, expression: Any, *, about: str = "") -> Definition:
    """An intermediate that later expressions use by its name."""
    return Definition(name, as_expression(expression, f"'{name}'"), about)


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
        tuple(tuple(as_expression(entry, "an entry of a linear solve") for entry in row) for row in rows),
        tuple(as_expression(entry, "an entry of a linear solve") for entry in column),
        None if threshold is None else positive(threshold, "threshold of a linear solve"),
        about,
    )


def _range(low: Fraction | None, high: Fraction | None, what: str) -> tuple[Fraction, Fraction]:
    if low is None or high is None or low >= high:
        raise ModelError(f"{what} has an empty range; give a minimum below the maximum")
    return low, high


def _inside(value: Fraction, low: Fraction, high: Fraction, what: str) -> None:
    if not low <= value <= high:
        raise ModelError(
            f"{what} is {digits(value)}, outside of its range [{digits(low)}, {digits(high)}]; widen the range"
        )


def _integral(value: Fraction | None, name: str, integer: bool) -> Fraction:
    if value is None:
        raise ModelError(f"parameter '{name}' has no value; give a number")
    if integer and value.denominator != 1:
        raise ModelError(f"parameter '{name}' is declared integer and is {digits(value)}; give a whole number")
    return value
