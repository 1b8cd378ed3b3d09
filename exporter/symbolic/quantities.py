"""Values of one signal in SI: numbers in a common unit, or text with units of its own.

In: what a user gave as value, bounds and nominal value. Out: exact rationals and the SI unit's name.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from exporter.errors import ModelError
from exporter.model.exact_numbers import exact
from exporter.model.units import DIMENSIONLESS, Dimension, Unit, describe, parse_quantity, parse_unit, si_unit
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class SiValues:
    """Values in `unit`, which is an SI unit; None where none was given."""

    values: tuple[Fraction | None, ...]
    unit: str


def in_si(values: Sequence[Any], unit: str | None, what: str) -> SiValues:
    """Convert the values of one signal.

    Args:
        values: numbers (in `unit`), text with a unit ("274 mm"), or None.
        unit: of the plain numbers; None takes SI, or 1 where no text names a unit either.
        what: named in errors: "input 'x'".

    Raises:
        ModelError: a value is no finite number, units of different dimensions, an unknown unit.
    """
    common = _common_unit(values, unit, what)
    converted = tuple(None if value is None else _convert(value, common, unit, what) for value in values)
    return SiValues(converted, si_unit(common.dimension))


def require_si(unit: str, what: str) -> None:
    """Refuse a unit that is not SI: an expression yields what it yields, and nothing converts it.

    Raises:
        ModelError: the unit is unknown or scaled.
    """
    parsed = parse_unit(unit)
    if parsed.factor != 1:
        raise ModelError(f"{what} is declared in {unit}; expressions are in SI, so declare {si_unit(parsed.dimension)}")


def _common_unit(values: Sequence[Any], unit: str | None, what: str) -> Unit:
    if unit is not None:
        with _name_errors(what):
            return parse_unit(unit)
    dimensions = [_text_dimension(value, what) for value in values if isinstance(value, str)]
    named = [dimension for dimension in dimensions if dimension != DIMENSIONLESS]
    return Unit(Fraction(1), named[0] if named else DIMENSIONLESS)


def _text_dimension(text: str, what: str) -> Dimension:
    with _name_errors(what):
        return parse_quantity(text).dimension


def _convert(value: Any, common: Unit, unit: str | None, what: str) -> Fraction:
    if isinstance(value, str) and " " in value.strip():
        with _name_errors(what):
            quantity = parse_quantity(value)
        if quantity.dimension != common.dimension:
            raise ModelError(
                f"{what}: '{value}' is {describe(quantity.dimension)}, but {describe(common.dimension)} is needed"
            )
        return quantity.value
    number = exact(value, what)
    if unit is None and common.dimension != DIMENSIONLESS and number != 0:
        raise ModelError(f"{what}: {value} has no unit, its other values do; write the unit of each value")
    return number * common.factor


@contextmanager
def _name_errors(what: str) -> Iterator[None]:
    """Put the signal's name in front of an error about its text."""
    try:
        yield
    except ModelError as error:
        raise ModelError(f"{what}: {error}") from error
