"""Reads the table [hardpoints] of a mechanism file: points in ground axes at the design pose, written or from a sheet.

In: the table, which fits the schema, and the folder of the file. Out: `Hardpoints`, places by name, in m.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from pathlib import Path
from typing import Any

from exporter.model.checks.names import is_name
from exporter.model.expression import Expression, Number, Vector
from exporter.model.nearest import list_words, nearest
from exporter.model.place import Place
from exporter.model.sheet import POINT, SheetLayout, read_sheet
from exporter.model.toml.turned import named_axis
from exporter.model.toml.values import Scope, vector
from exporter.model.units import LENGTH, describe, parse_unit
from exporter.records import dataclass

Table = Mapping[str, Any]
FILES = ("csv", "json")
OF_A_SHEET = ("units", "columns", "names", "axes", "decimal")
USUAL_AXES = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class Hardpoints:
    """Places of the design pose in ground axes, by name; none where the file has no such table."""

    points: Mapping[str, Vector] = field(default_factory=dict)

    def __contains__(self, name: object) -> bool:
        return name in self.points

    def at(self, place: Place, name: str) -> Vector:
        """Where a hardpoint is.

        Raises:
            ModelError: there is none of this name.
        """
        if name not in self.points:
            raise place.error(
                f'"{name}" is no hardpoint{nearest(name, self.points)}; known are {list_words(self.points)}: add it '
                "under [hardpoints] points, or to the sheet"
            )
        return self.points[name]


def read_hardpoints(place: Place, table: Table, scope: Scope, folder: Path | None) -> Hardpoints:
    """The hardpoints of the sheet, then those of the file, which take the place of the sheet's of the same name."""
    written = {name: vector(place / "points" / name, at, LENGTH, scope) for name, at in table.get("points", {}).items()}
    return Hardpoints({**_of_sheet(place, table, folder), **written})


def _of_sheet(place: Place, table: Table, folder: Path | None) -> dict[str, Vector]:
    given = [key for key in FILES if key in table]
    if not given:
        for key in OF_A_SHEET:
            if key in table:
                raise (place / key).error(f'is of a sheet, and none is named; add csv = "FILE.csv", or leave {key} out')
        return {}
    if len(given) > 1:
        raise place.error("csv and json are both named; name one sheet")
    if "units" not in table:
        raise place.error('the unit of the sheet is missing; add units = "mm", or whichever it has')
    at, file = place / given[0], str(table[given[0]])
    if Path(file).name != file or folder is None:
        raise at.error(f'"{file}" is not a file beside the model file; write its name alone')
    layout = SheetLayout(table.get("columns", {}), table.get("decimal", POINT))
    with at.within():
        rows = read_sheet(folder / file, layout)
    return _in_ground_axes(_named(place, table, rows), _directions(place / "axes", table), _factor(place, table))


def _factor(place: Place, table: Table) -> Fraction:
    with (place / "units").within():
        unit = parse_unit(table["units"])
    if unit.dimension != LENGTH:
        raise (place / "units").error(f'"{table["units"]}" is {describe(unit.dimension)}; write a unit of length: "mm"')
    return unit.factor


def _named(place: Place, table: Table, rows: Mapping[str, Sequence[Fraction]]) -> dict[str, Sequence[Fraction]]:
    """The points by the names that the mechanism uses; those that no name fits are left out."""
    renamed: dict[str, str] = {}
    for name, title in table.get("names", {}).items():
        if title not in rows:
            known = list_words(rows)
            raise (place / "names" / name).error(f'the sheet has no "{title}"{nearest(title, rows)}; it has: {known}')
        renamed[title] = name
    points: dict[str, Sequence[Fraction]] = {}
    for title, row in rows.items():
        name = renamed.get(title, title)
        if not is_name(name):
            continue
        if name in points:
            raise (place / "names").error(f'"{name}" stands for two points of the sheet; choose another name for one')
        points[name] = row
    return points


def _directions(place: Place, table: Table) -> tuple[str, ...]:
    axes = tuple(table.get("axes", USUAL_AXES))
    if sorted(axis[-1] for axis in axes) != list(USUAL_AXES):
        raise place.error(
            f"{list_words(axes)} are not three axes at right angles; say along which ground axes x, y and z of the "
            'sheet count, as in ["-x", "y", "z"]'
        )
    return axes


def _in_ground_axes(
    points: Mapping[str, Sequence[Fraction]], axes: Sequence[str], factor: Fraction
) -> dict[str, Vector]:
    columns = [named_axis(axis) for axis in axes]

    def component(row: Sequence[Fraction], k: int) -> Expression:
        return Number(sum((value * axis[k] for value, axis in zip(row, columns, strict=True)), Fraction(0)) * factor)

    return {name: (component(row, 0), component(row, 1), component(row, 2)) for name, row in points.items()}
