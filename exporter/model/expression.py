"""Expressions of a model file: data, parsed through a whitelist, never evaluated as code.

A node carries exact rationals. `parse` turns text into nodes, `evaluate` gives a number, `names` lists what it needs.
"""

from fractions import Fraction
from typing import Literal

from exporter.records import dataclass
from exporter.sequence.interpolation import Table

Function = Literal["sin", "cos", "sqrt", "abs", "min", "max", "exp", "log", "tanh", "pow"]
Operator = Literal["+", "-", "*", "/"]


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number in SI units.

    Within a formula it has no dimension, unless a unit says that it is a quantity: what the reader makes of a
    hardpoint in numbers beside one in parameters. No file writes that.
    """

    value: Fraction
    unit: str = ""  # the SI unit of a quantity, "m"

    def __hash__(self) -> int:
        """By the ratio: a Fraction takes a modular power to hash."""
        return hash(self.value.as_integer_ratio())


@dataclass(frozen=True, slots=True)
class Name:
    """A parameter or an input of the model."""

    name: str


@dataclass(frozen=True, slots=True)
class Binary:
    """left operator right."""

    operator: Operator
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class Power:
    """base to an integer exponent."""

    base: "Expression"
    exponent: int


@dataclass(frozen=True, slots=True)
class Call:
    """One of the functions that a model file may use."""

    function: Function
    arguments: tuple["Expression", ...]  # as many as ARGUMENTS has


@dataclass(frozen=True, slots=True)
class LookupTable:
    """A look-up table that formulas call by its name; numbers in SI units."""

    name: str
    table: Table
    units: tuple[str, ...]  # SI units of each axis, then of the values

    def __hash__(self) -> int:
        """By the name: there may be thousands of numbers."""
        return hash((self.name, self.units))


@dataclass(frozen=True, slots=True)
class Lookup:
    """The value of a look-up table."""

    table: LookupTable
    arguments: tuple["Expression", ...]  # one for each axis


Expression = Number | Name | Binary | Power | Call | Lookup
ARGUMENTS: dict[Function, int] = {
    **{"sin": 1, "cos": 1, "sqrt": 1, "abs": 1, "min": 2, "max": 2},
    **{"exp": 1, "log": 1, "tanh": 1, "pow": 2},
}
"""How many arguments each function takes."""


def arguments_of(expression: Expression) -> tuple[Expression, ...]:
    """The nodes that a node is made of."""
    match expression:
        case Binary(_, left, right):
            return left, right
        case Power(base, _):
            return (base,)
        case Call(_, arguments) | Lookup(_, arguments):
            return arguments
    return ()


ZERO = Number(Fraction(0))
ONE = Number(Fraction(1))
Vector = tuple[Expression, Expression, Expression]
