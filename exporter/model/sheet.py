"""Reads a sheet of points: CSV or JSON beside the mechanism file, with columns of any names.

In: the path of a file, `SheetLayout`. Out: three numbers by the name of a point, as the sheet has them.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from pathlib import Path
from typing import Any

from exporter.errors import ModelError
from exporter.model.nearest import list_words, nearest
from exporter.model.table_data import read_bytes
from exporter.model.units import parse_number
from exporter.records import dataclass

Numbers = tuple[Fraction, Fraction, Fraction]
PARTS = ("name", "x", "y", "z")
SEPARATORS = (",", ";", "\t")
COMMA, POINT = "comma", "point"  # before decimals


@dataclass(frozen=True, slots=True)
class SheetLayout:
    """How a sheet is to be read."""

    columns: Mapping[str, str] = field(default_factory=dict)  # name, x, y, z -> what the sheet calls it; else the same
    decimal: str = POINT

    def column(self, part: str) -> str:
        """What the sheet calls the name, or x, y or z."""
        return self.columns.get(part, part)

    def number(self, value: object, where: str) -> Fraction:
        """One coordinate.

        Raises:
            ModelError: it is no number as this sheet writes them.
        """
        text = str(value).strip()
        if self.decimal == COMMA and "." not in text:
            text = text.replace(",", ".")
        try:
            return parse_number(text)
        except ModelError:
            advice = (
                "" if self.decimal == COMMA or "," not in text else '; with decimal commas, write decimal = "comma"'
            )
            raise ModelError(f'{where} is "{value}", which is no number{advice or "; write digits alone"}') from None


def read_sheet(path: Path, layout: SheetLayout) -> dict[str, Numbers]:
    """The points of a CSV file (comma, semicolon or tab between cells, a heading in its first row) or of a JSON file.

    Rows without a name or without any number are headings of the sheet and are passed over.

    Raises:
        ModelError: the file cannot be read, lacks a column, has a name twice, or something that is no number.
    """
    data = read_bytes(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(f"{path.name}: byte {error.start} is not UTF-8; save the sheet as UTF-8 text") from None
    rows = _json_rows(path.name, text, layout) if path.suffix.lower() == ".json" else _csv_rows(path.name, text, layout)
    points: dict[str, Numbers] = {}
    for where, name, values in rows:
        if not name or not any(str(value).strip() for value in values):
            continue
        if name in points:
            raise ModelError(f'{where}: the point "{name}" stands in the sheet twice; rename or remove one of them')
        x, y, z = (
            layout.number(value, f"{where}: {layout.column(part)} of {name}")
            for part, value in zip(PARTS[1:], values, strict=True)
        )
        points[name] = x, y, z
    if not points:
        raise ModelError(f"{path.name} has no point; it needs a row for each, with name, x, y and z")
    return points


Row = tuple[str, str, Sequence[object]]  # where it stands, name, x, y, z


def _csv_rows(file: str, text: str, layout: SheetLayout) -> Iterator[Row]:
    separator = _separator(text)
    try:
        lines = list(csv.reader(text.splitlines(), delimiter=separator, strict=True))
    except csv.Error as error:
        raise ModelError(f"{file} is not CSV ({error}); save it as text with commas between the cells") from None
    filled = [(number, row) for number, row in enumerate(lines, start=1) if any(cell.strip() for cell in row)]
    if not filled:
        raise ModelError(f"{file} is empty; it needs a heading, and a row for each point")
    heading = [cell.strip() for cell in filled[0][1]]
    places = [_place_of(file, heading, layout.column(part), part) for part in PARTS]
    for number, row in filled[1:]:
        if len(row) > len(heading) and any(cell.strip() for cell in row[len(heading) :]):
            raise ModelError(
                f"{file}, row {number}, has {len(row)} cells under {len(heading)} headings; put what has a comma in it "
                "into quotes, or semicolons between the cells"
            )
        cells = [*row, *[""] * (len(heading) - len(row))]
        yield f"{file}, row {number}", cells[places[0]].strip(), [cells[place] for place in places[1:]]


def _separator(text: str) -> str:
    """What stands most often in the first line that has anything in it."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    return max(SEPARATORS, key=first.count)


def _place_of(file: str, heading: Sequence[str], column: str, part: str) -> int:
    """The place of a column, by its heading in any case of letters."""
    exact = [place for place, cell in enumerate(heading) if cell == column]
    found = exact or [place for place, cell in enumerate(heading) if cell.lower() == column.lower()]
    if len(found) == 1:
        return found[0]
    told = f'has {len(found)} columns "{column}"' if found else f'has no column "{column}"{nearest(column, heading)}'
    raise ModelError(
        f'{file} {told}; its heading is: {list_words(heading)}: say which is meant by columns = {{ {part} = "..." }}'
    )


def _json_rows(file: str, text: str, layout: SheetLayout) -> Iterator[Row]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                raise ModelError(f'{file}: "{name}" stands in one object twice; rename or remove one of them')
        return dict(pairs)

    try:
        content = json.loads(text, parse_float=str, parse_int=str, object_pairs_hook=once)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ModelError(f"{file} is not JSON ({error}); write a list of points, or points by name") from None
    yield from (_json_row(where, name, point, layout) for where, name, point in _json_points(file, content))


def _json_points(file: str, content: object) -> Iterable[tuple[str, str | None, object]]:
    if isinstance(content, dict):
        return [(f"{file}, {name}", name.strip(), point) for name, point in content.items()]
    if isinstance(content, list):
        return [(f"{file}, entry {number}", None, point) for number, point in enumerate(content, start=1)]
    raise ModelError(f'{file} has no points; write {{ "A": [x, y, z] }} or [{{ "name": "A", "x": x, "y": y, "z": z }}]')


def _json_row(where: str, name: str | None, point: object, layout: SheetLayout) -> Row:
    if isinstance(point, list) and name is not None:
        if len(point) != 3:
            raise ModelError(f"{where} has {len(point)} numbers; a point has three")
        return where, name, point
    if not isinstance(point, dict):
        raise ModelError(f"{where} is no point; write an object with {', '.join(map(layout.column, PARTS))}")
    keys = list(point)
    found = [point[keys[_place_of(where, keys, layout.column(part), part)]] for part in PARTS if part != "name"]
    if name is None:
        name = str(point[keys[_place_of(where, keys, layout.column("name"), "name")]]).strip()
    return where, name, ["" if value is None else value for value in found]
