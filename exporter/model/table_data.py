"""The numbers of a look-up table: checked, and read from CSV.

In: knots and values as exact rationals, or the path of a file. Out: a `Table`.
"""

import csv
from fractions import Fraction
from itertools import pairwise
from math import prod
from pathlib import Path

from exporter.errors import ModelError
from exporter.model.units import parse_number
from exporter.sequence.interpolation import Method, Table

Numbers = tuple[Fraction, ...]
MOST_VALUES = 20_000
LARGEST_CSV = 1_000_000  # bytes
METHODS: dict[str, Method] = {"linear": "linear", "monotone_cubic": "monotone_cubic"}


def checked_table(what: str, axes: tuple[Numbers, ...], values: Numbers, method: str) -> Table:
    """A table of these numbers.

    Raises:
        ModelError: fewer than two knots, knots that do not increase, another number of values, an unknown method.
    """
    if method not in METHODS:
        raise ModelError(f'{what} has the method "{method}"; known are {", ".join(METHODS)}')
    if method != "linear" and len(axes) > 1:
        raise ModelError(f'{what} has two axes and the method "{method}"; with two axes only linear ones are exported')
    for knots in axes:
        if len(knots) < 2:
            raise ModelError(f"{what} has an axis of {len(knots)} knots; give at least 2")
        for left, right in pairwise(knots):
            if left >= right:
                raise ModelError(f"{what} has the knot {float(right):g} after {float(left):g}; knots must increase")
    wanted = prod(len(knots) for knots in axes)
    if len(values) != wanted:
        raise ModelError(f"{what} has {len(values)} values at {wanted} knots; give one for each")
    if wanted > MOST_VALUES:
        raise ModelError(f"{what} has {wanted} values; at most {MOST_VALUES} are exported")
    return Table(axes, values, METHODS[method])


def read_csv(path: Path, axes: int) -> tuple[tuple[Numbers, ...], Numbers]:
    """Knots and values of a file: columns x, y; or of two axes y in the first row, x in the first column.

    The first row of a table with one axis may be a heading.

    Raises:
        ModelError: the file cannot be read, or has something that is no number.
    """
    rows = [row for row in _rows(path) if any(cell.strip() for cell in row)]
    if axes == 1:
        rows = rows[1:] if rows and not any(_is_number(cell) for cell in rows[0]) else rows
        for row in rows:
            if len(row) != 2:
                raise ModelError(
                    f'{path.name} has a row that is not x, y: "{",".join(row)}"; a table with one axis has two '
                    "columns, with a comma between them and points in numbers"
                )
        columns = [tuple(_number(path, row[place]) for row in rows) for place in (0, 1)]
        return (columns[0],), columns[1]
    if any(len(row) != len(rows[0]) for row in rows):
        raise ModelError(f"{path.name} has rows of different lengths; give a value for each knot of the first row")
    first = tuple(_number(path, row[0]) for row in rows[1:])
    second = tuple(_number(path, cell) for cell in rows[0][1:]) if rows else ()
    return (first, second), tuple(_number(path, cell) for row in rows[1:] for cell in row[1:])


def read_bytes(path: Path) -> bytes:
    """What a file beside the model holds.

    Raises:
        ModelError: it cannot be read, or is too long.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path.name} cannot be read ({error.strerror}); put it beside the model") from None
    if len(data) > LARGEST_CSV:
        raise ModelError(f"{path.name} has {len(data)} bytes; at most {LARGEST_CSV} are read")
    return data


def _rows(path: Path) -> list[list[str]]:
    data = read_bytes(path)
    try:
        return list(csv.reader(data.decode("utf-8-sig").splitlines()))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ModelError(f"{path.name} is not CSV ({error}); save it as UTF-8 text with commas") from None


def _is_number(text: str) -> bool:
    try:
        parse_number(text.strip())
    except ModelError:
        return False
    return True


def _number(path: Path, text: str) -> Fraction:
    try:
        return parse_number(text.strip())
    except ModelError as error:
        raise ModelError(f"{path.name}: {error}") from None
