"""Reads parameters and inputs of a mechanism file, and says what formulas may use.

In: the tables [parameters] and [inputs], which fit the schema. Out: `Parameter`, `Input`, `Scope`.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from exporter.model.expression import LookupTable
from exporter.model.mechanism import Input, Parameter
from exporter.model.parse import NO_TABLES
from exporter.model.place import Place
from exporter.model.toml.bodies import Table
from exporter.model.toml.values import Scope, any_quantity, quantity, quantity_range, range_dimension
from exporter.model.units import Dimension, parse_unit, si_unit
from exporter.records import dataclass

NOT_IN_GEOMETRY = "is an input, and geometry, masses and gravity depend on parameters only; make it a parameter"
NOT_IN_VALUES = "is of the state, and this value depends on parameters and inputs only; write the whole law as `force`"


def read_parameters(place: Place, tables: Table) -> tuple[Parameter, ...]:
    """All parameters in the order of the file."""
    return tuple(_parameter(place / name, name, table) for name, table in tables.items())


def _parameter(place: Place, name: str, table: Table) -> Parameter:
    found = any_quantity(place / "value", table["value"])
    low, high = _bounds(place / "range", table.get("range"), found.dimension)
    return Parameter(
        name=name,
        value=found.value,
        unit=si_unit(found.dimension),
        frozen=table.get("frozen", False),
        minimum=low,
        maximum=high,
        integer=table.get("integer", False),
        about=table.get("about", ""),
        signed=table.get("signed", False),
    )


def _bounds(
    place: Place, texts: Sequence[str] | None, dimension: Dimension
) -> tuple[Fraction, Fraction] | tuple[None, None]:
    return (None, None) if texts is None else quantity_range(place, texts, dimension)


def read_inputs(place: Place, tables: Table) -> tuple[Input, ...]:
    """All inputs in the order of the file."""
    return tuple(_input(place / name, name, table) for name, table in tables.items())


def _input(place: Place, name: str, table: Table) -> Input:
    dimension = range_dimension(place / "range", table["range"])
    low, high = quantity_range(place / "range", table["range"], dimension)
    nominal = quantity(place / "nominal", table.get("nominal", "0"), dimension)
    return Input(name, si_unit(dimension), low, high, nominal, table.get("about", ""))


@dataclass(frozen=True, slots=True)
class FormulaScopes:
    """What formulas may use, by what they are for."""

    geometry: Scope  # parameters
    values: Scope  # of elements: inputs too
    forces: Scope  # the state too


def formula_scopes(
    parameters: Sequence[Parameter],
    inputs: Sequence[Input],
    state: Mapping[str, Dimension] | None = None,
    tables: Mapping[str, LookupTable] = NO_TABLES,
) -> FormulaScopes:
    """What formulas may use; `state` has the dimensions of coordinates, distances and their rates."""
    of_parameters = {parameter.name: parse_unit(parameter.unit).dimension for parameter in parameters}
    of_inputs = {given.name: parse_unit(given.unit).dimension for given in inputs}
    of_state = dict(state or {})
    known = {**of_parameters, **of_inputs}
    return FormulaScopes(
        Scope(of_parameters, dict.fromkeys(of_inputs, NOT_IN_GEOMETRY), tables),
        Scope(known, dict.fromkeys(of_state, NOT_IN_VALUES), tables),
        Scope({**known, **of_state}, {}, tables),
    )
