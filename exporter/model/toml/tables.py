"""Reads the look-up tables of a mechanism file: quantities in the file, or numbers of a CSV file beside it.

In: the table [tables], which fits the schema, and the folder of the file. Out: `LookupTable`s by name, in SI units.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from exporter.model.expression import ARGUMENTS, LookupTable
from exporter.model.place import Place
from exporter.model.table_data import Numbers, checked_table, read_csv
from exporter.model.toml.bodies import Table
from exporter.model.toml.values import any_quantity, quantity
from exporter.model.units import Dimension, Quantity, parse_unit, si_unit

UNITS_OF_ONE_AXIS, UNITS_OF_TWO_AXES = 2, 3


def read_tables(place: Place, tables: Table, folder: Path | None) -> dict[str, LookupTable]:
    """All tables in the order of the file; CSV files lie in `folder`."""
    return {name: _table(place / name, name, table, folder) for name, table in tables.items()}


def _table(place: Place, name: str, table: Table, folder: Path | None) -> LookupTable:
    if name in ARGUMENTS:
        raise place.error(f'"{name}" is a function of formulas; choose another name')
    axes, values, units = _from_csv(place, table, folder) if "csv" in table else _written(place, table)
    with place.within():
        return LookupTable(name, checked_table("the table", axes, values, table.get("method", "linear")), units)


def _written(place: Place, table: Table) -> tuple[tuple[Numbers, ...], Numbers, tuple[str, ...]]:
    """Axes, values and units of quantities in the file."""
    if "x" not in table or "y" not in table or "units" in table:
        raise place.error('a table has x and y, quantities with units, or csv = "FILE.csv" and units')
    if "z" in table and any(len(row) != len(table["y"]) for row in table["z"]):
        raise (place / "z").error(f"a row has not one value for each of the {len(table['y'])} knots of y")
    rows = {"x": table["x"], "y": table["y"]}
    if "z" in table:
        rows["z"] = [text for row in table["z"] for text in row]
    found = [_row(place / key, row) for key, row in rows.items()]
    *axes, values = (numbers for numbers, _ in found)
    return tuple(axes), values, tuple(unit for _, unit in found)


def _row(place: Place, texts: Sequence[str]) -> tuple[Numbers, str]:
    """Numbers of one dimension in SI units, and the SI unit."""
    found = [any_quantity(place[k], text) for k, text in enumerate(texts)]
    dimension = next((each.dimension for each in found if not _bare_zero(each)), Dimension())
    return tuple(quantity(place[k], text, dimension) for k, text in enumerate(texts)), si_unit(dimension)


def _bare_zero(found: Quantity) -> bool:
    return found.value == 0 and found.dimension == Dimension()


def _from_csv(
    place: Place, table: Mapping[str, object], folder: Path | None
) -> tuple[tuple[Numbers, ...], Numbers, tuple[str, ...]]:
    """Axes, values and units of a file beside the model."""
    file, units = str(table["csv"]), table.get("units", [])
    assert isinstance(units, list)
    if {"x", "y", "z"} & table.keys():
        raise place.error("a table is written in the file or read from csv, not both; leave one out")
    if len(units) not in (UNITS_OF_ONE_AXIS, UNITS_OF_TWO_AXES):
        raise (place / "units").error('give the units of the columns: ["mm", "N"], or of two axes and values')
    if Path(file).name != file or folder is None:
        raise (place / "csv").error(f'"{file}" is not a file beside the model file; write its name alone')
    with (place / "csv").within():
        axes, values = read_csv(folder / file, len(units) - 1)
    with (place / "units").within():
        known = [parse_unit(unit) for unit in units]
    scaled = [_scaled(row, unit.factor) for row, unit in zip((*axes, values), known, strict=True)]
    return tuple(scaled[:-1]), scaled[-1], tuple(si_unit(unit.dimension) for unit in known)


def _scaled(numbers: Numbers, factor: Fraction) -> Numbers:
    return tuple(number * factor for number in numbers)
