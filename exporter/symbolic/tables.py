"""Look-up tables of symbolic models: `table` makes a function that SymPy carries, with all numbers in it.

In: knots and values. Out: a function of one argument, or of two; `sympy.diff` knows its first derivative.
"""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import sympy as sp

from exporter.errors import ModelError
from exporter.model.exact_numbers import exact
from exporter.model.table_data import checked_table, read_csv
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.interpolation import Method, Table
from exporter.sequence.lookup import lookup, lookup_slopes
from exporter.symbolic.guards import Guards
from exporter.symbolic.handles import Handle, reals

METHODS: tuple[Method, ...] = ("linear", "monotone_cubic")


class LookUp(sp.Function):
    """LookUp(axes, argument of each, method, number of knots of each, knots, values): made by `table`."""

    def fdiff(self, argindex: int = 1) -> Any:
        """The slope along an axis."""
        return LookUpSlope(argindex - 2, *self.args)


class LookUpSlope(sp.Function):
    """LookUpSlope(axis, and what LookUp has): the derivative by one argument."""


@dataclass(frozen=True, slots=True)
class TableFunction:
    """A table that is called with SymPy expressions."""

    name: str
    table: Table

    def __call__(self, *arguments: Any) -> Any:
        """The value at these arguments, one for each axis.

        Raises:
            ModelError: there are more or fewer arguments than axes.
        """
        axes = self.table.axes
        if len(arguments) != len(axes):
            raise ModelError(f"table '{self.name}' takes {len(axes)} arguments; {len(arguments)} were given")
        numbers = [number for row in (*axes, self.table.values) for number in row]
        sizes, rationals = map(len, axes), [sp.Rational(each.numerator, each.denominator) for each in numbers]
        return LookUp(len(axes), *arguments, METHODS.index(self.table.method), *sizes, *rationals)


def table(
    name: str, x: Sequence[Any], y: Sequence[Any], z: Sequence[Sequence[Any]] | None = None, *, method: str = "linear"
) -> TableFunction:
    """A look-up table as a function: values y at knots x, or values z[i][j] at x[i], y[j].

    Args:
        name: what messages call it.
        x: knots, increasing; text, int and float are taken exactly.
        y: values, or the knots of the second axis.
        z: values of a table with two axes.
        method: "linear", or "monotone_cubic" with one axis.

    Raises:
        ModelError: knots do not increase, or sizes do not fit.
    """
    axes = (x,) if z is None else (x, y)
    rows = y if z is None else [value for row in z for value in row]
    if z is not None and any(len(row) != len(y) for row in z):
        raise ModelError(
            f"table '{name}' has rows of other lengths than y; give one value for each of its {len(y)} knots"
        )
    numbers = tuple(_exact(name, axis) for axis in axes)
    return TableFunction(name, checked_table(f"table '{name}'", numbers, _exact(name, rows), method))


def table_from_csv(name: str, path: str | Path, *, axes: int = 1, method: str = "linear") -> TableFunction:
    """A look-up table from a CSV file of numbers, by the path of the file.

    With one axis two columns, x and y; with two axes y in the first row and x in the first column.

    Raises:
        ModelError: the file cannot be read, or is no table.
    """
    knots, values = read_csv(Path(path), axes)
    return TableFunction(name, checked_table(f"table '{name}'", knots, values, method))


def _exact(name: str, numbers: Sequence[Any]) -> tuple[Fraction, ...]:
    return tuple(exact(number, f"a number of table '{name}'") for number in numbers)


def arguments_of(node: Any) -> tuple[Any, ...]:
    """The arguments of a LookUp or a LookUpSlope, without the table's own numbers."""
    parts = node.args[1:] if type(node) is LookUpSlope else node.args
    return tuple(parts[1 : 1 + int(parts[0])])


def _table_of(node: Any) -> Table:
    parts = node.args[1:] if type(node) is LookUpSlope else node.args
    count = int(parts[0])
    method, *numbers = parts[1 + count :]
    sizes, values = [int(size) for size in numbers[:count]], [Fraction(int(v.p), int(v.q)) for v in numbers[count:]]
    axes = []
    for size in sizes:
        axes.append(tuple(values[:size]))
        values = values[size:]
    return Table(tuple(axes), tuple(values), METHODS[int(method)])


def value_rule(guards: Guards, node: Any, handles: list[Handle]) -> Handle:
    """The value of a table."""
    with guards.builder.guarding() as guarded:
        value = lookup(guards.builder, _table_of(node), tuple(reals(guards, handles)), _about(guards))
        guarded.append(value)
    return value


def slope_rule(guards: Guards, node: Any, handles: list[Handle]) -> Handle:
    """The slope of a table."""
    with guards.builder.guarding() as guarded:
        slopes = lookup_slopes(guards.builder, _table_of(node), tuple(reals(guards, handles)), _about(guards))
        value: Value = slopes[int(node.args[0])]
        guarded.append(value)
    return value


def _about(guards: Guards) -> str:
    return f"a table of {guards.place}"
