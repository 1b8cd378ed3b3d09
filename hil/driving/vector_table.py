"""Vectors from a CSV file whose header has names and units: `theta [deg],F [N]`.

In: a file and a function. Out: `VectorTable`, in SI units. Columns may stand in any order. The columns of the state may
all be left out; then the rows are steps one after another, each from the state that the one before left. Every error
has the file, and the line and column where there is one.
"""

import csv
import hashlib
import io
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from exporter.errors import KinefixError
from exporter.manifest import Field, Function
from exporter.missing import no_file
from exporter.model.nearest import nearest_word
from exporter.model.units import Unit, parse_number, signed_float
from hil.driving.measure import unit_for
from hil.errors import BenchError

HEADING = re.compile(r"\s*(?P<name>[^\[\]]+?)\s*(?:\[\s*(?P<unit>[^\[\]]*?)\s*\])?\s*")


@dataclass(frozen=True, slots=True)
class VectorTable:
    """Rows of inputs in SI units."""

    rows: NDArray[np.float64]  # (n, row_inputs), or without the leading state
    has_state: bool
    sha256: str  # of the file


@dataclass(frozen=True, slots=True)
class _Column:
    heading: str
    signal: Field
    unit: Unit


def read_vector_table(path: Path, function: Function, states: int) -> VectorTable:
    """Read the file; the first `states` inputs of the function are its state.

    Raises `BenchError` where it is no such file, a column is unknown, missing, there twice or in a wrong unit, or a
    cell is no finite number.
    """
    lines, content = _lines(path)
    columns = _columns(path, lines[0], function)
    named = {column.signal.name for column in columns}
    names = [field.name for field in function.row_inputs]
    has_state = states == 0 or not named.isdisjoint(names[:states])
    wanted = names if has_state else names[states:]
    missing = [name for name in wanted if name not in named]
    if missing:
        raise BenchError(
            f"{path}, line 1: there is no column for {', '.join(missing)}; {function.symbol} takes "
            f"{', '.join(_heading(field) for field in function.row_inputs)}"
        )
    numbers = [_row(path, line, cells, columns) for line, cells in enumerate(lines[1:], start=2) if cells]
    if not numbers:
        raise BenchError(f"{path} has a header and no rows; write one line for each vector")
    order = [[column.signal.name for column in columns].index(name) for name in wanted]
    return VectorTable(np.array(numbers, dtype=np.float64)[:, order], has_state, hashlib.sha256(content).hexdigest())


def has_unit_header(path: Path) -> bool:
    """Whether a CSV file's header names units."""
    with path.open(encoding="utf-8", errors="replace") as file:
        return "[" in file.readline()


def _lines(path: Path) -> tuple[list[list[str]], bytes]:
    """The cells of each line, and the bytes of the file."""
    if not path.is_file():
        raise BenchError(f"{no_file(path, 'file of vectors')}; its header is as 'theta [deg],F [N]'")
    content = path.read_bytes()
    try:
        lines = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise BenchError(f"{path} is no CSV file in UTF-8 ({error}); save it as one") from error
    if not lines or not any(cell.strip() for cell in lines[0]):
        raise BenchError(f"{path} has no header; its first line names inputs with units, as 'theta [deg],F [N]'")
    return lines, content


def _columns(path: Path, headings: list[str], function: Function) -> list[_Column]:
    if len(headings) == 1 and re.search("[;\t]", headings[0]):
        raise BenchError(f"{path}, line 1: columns are separated by commas, and decimals by points; save it so")
    columns: list[_Column] = []
    for number, heading in enumerate(headings, start=1):
        place = f"{path}, line 1, column {number} '{heading.strip()}'"
        column = _column(place, heading, function)
        if any(column.signal == each.signal for each in columns):
            raise BenchError(f"{place}: '{column.signal.name}' has a column already; leave one out")
        columns.append(column)
    return columns


def _column(place: str, heading: str, function: Function) -> _Column:
    found, fields = HEADING.fullmatch(heading), {field.name: field for field in function.row_inputs}
    if found is None or found["name"] not in fields:
        near = nearest_word(heading.partition("[")[0].strip(), fields)
        hint = f"did you mean '{_heading(fields[near])}'? " if near else ""
        inputs = ", ".join(_heading(field) for field in function.row_inputs)
        raise BenchError(f"{place}: {function.symbol} has no such input; {hint}it takes {inputs}")
    signal = fields[found["name"]]
    try:
        return _Column(heading.strip(), signal, unit_for(signal, found["unit"] or "1", "input"))
    except KinefixError as error:
        raise BenchError(f"{place}: {error}") from error


def _row(path: Path, line: int, cells: list[str], columns: list[_Column]) -> list[float]:
    if len(cells) != len(columns):
        raise BenchError(f"{path}, line {line}: {len(cells)} cells, and the header has {len(columns)}")
    return [_number(path, line, cell, column) for cell, column in zip(cells, columns, strict=True)]


def _number(path: Path, line: int, cell: str, column: _Column) -> float:
    try:
        return signed_float(parse_number(cell) * column.unit.factor, cell)
    except KinefixError as error:
        raise BenchError(f"{path}, line {line}, column '{column.heading}': {error}") from error


def _heading(field: Field) -> str:
    return f"{field.name} [{field.unit}]"
