"""The path to be followed: values of the independent coordinates, row after row, with or without times.

In: a CSV file, or sweeps from the command line. Out: a `Path` in SI units. Coordinates that are not named stay at the
design pose.
"""

import csv
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path as File

import numpy as np

from exporter.errors import ModelError
from exporter.missing import no_file
from exporter.model.mechanism import Mechanism
from exporter.model.nearest import list_words, nearest
from exporter.model.place import Place
from exporter.model.toml.values import quantity
from exporter.model.units import TIME, Dimension, parse_unit, si_unit
from sil.reference.rotations import Array

TIME_COLUMN = "time"
MOST_ROWS = 1_000_000  # poses of a path
_NUMBER_AND_UNIT = re.compile(r"([+-]?[\d.]+(?:[eE][+-]?\d+)?)\s*([A-Za-z].*)")


@dataclass(frozen=True, slots=True)
class Path:
    """Independent coordinates (rows, f), rad and m, in the mechanism's order; times (rows,), s, where known."""

    names: tuple[str, ...]
    values: Array
    times: Array | None = None

    def moving(self) -> tuple[str, ...]:
        """The coordinates that change along it."""
        return tuple(n for k, n in enumerate(self.names) if np.ptp(self.values[:, k]) > 0)


def read_path(file: File, mechanism: Mechanism) -> Path:
    """A path out of a CSV file: one column per coordinate, "theta [deg]" or, in SI units, "theta"; perhaps "time".

    Raises:
        ModelError: the file cannot be read, a column is not known, a cell is no finite number, or time stands still.
    """
    table = _cells(file)
    header = [_column(file, title, mechanism) for title in table[0]]
    names = [name for name, _ in header]
    for position, name in enumerate(names):
        if name in names[:position]:
            raise ModelError(f"{file}: the column {name} stands twice; keep one")
    columns: dict[str, list[float]] = {name: [] for name in names}
    for line, row in enumerate(table[1:], start=2):
        if len(row) != len(header):
            raise ModelError(f"{file}, line {line}: {len(row)} cells under {len(header)} titles; give one for each")
        for (name, factor), cell in zip(header, row, strict=True):
            columns[name].append(factor * _number(file, line, name, cell))
    times = np.array(columns.pop(TIME_COLUMN)) if TIME_COLUMN in columns else None
    if times is not None and len(times) > 1 and not (np.diff(times) > 0).all():
        raise ModelError(f"{file}: the times do not rise from line to line; sort the lines and keep one per time")
    return Path(mechanism.independent, _complete_columns(mechanism, columns, len(table) - 1), times)


def _cells(file: File) -> list[list[str]]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ModelError(f"{no_file(file, 'file of a path')}; give a CSV file in UTF-8") from None
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ModelError(f"{file}: the path cannot be read ({why}); give a CSV file in UTF-8") from None
    table = [row for row in csv.reader(text.splitlines()) if any(cell.strip() for cell in row)]
    if len(table) < 3:
        raise ModelError(f"{file}: a path has a line of titles and at least two poses; this one has {len(table)} lines")
    if len(table) > MOST_ROWS:
        raise ModelError(f"{file}: {len(table)} lines; at most {MOST_ROWS} are read")
    return table


def _column(file: File, title: str, mechanism: Mechanism) -> tuple[str, float]:
    """Name of a column and the SI units in one of its own."""
    name, bracket, rest = (part.strip() for part in title.partition("["))
    dimensions: dict[str, Dimension] = {
        **{coordinate: mechanism.dimensions()[coordinate] for coordinate in mechanism.independent},
        TIME_COLUMN: TIME,
    }
    if name not in dimensions:
        raise ModelError(
            f'{file}: the column "{name}" is no independent coordinate{nearest(name, dimensions)}; '
            f"known are {list_words(dimensions)}"
        )
    if not bracket:
        return name, 1.0
    unit = parse_unit(rest.rstrip("]").strip())
    if unit.dimension != dimensions[name]:
        raise ModelError(
            f'{file}: the unit of "{title}" does not fit; write one such as "{name} [{si_unit(dimensions[name])}]"'
        )
    return name, float(unit.factor)


def _number(file: File, line: int, name: str, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ModelError(f'{file}, line {line}: "{cell.strip()}" under {name} is no finite number')
    return value


def sweep_path(mechanism: Mechanism, sweeps: Iterable[str]) -> Path:
    """A path out of words such as "theta=0 deg..360 deg:361"; several coordinates move together.

    Raises:
        ModelError: a word of another form, a coordinate that is not independent, or different numbers of poses.
    """
    found: dict[str, tuple[float, float, int]] = {}
    for word in sweeps:
        name, limits, count = _sweep(mechanism, word)
        if name in found:
            raise ModelError(f'--sweep: "{name}" stands twice; give one')
        found[name] = (*limits, count)
    counts = sorted({count for _, _, count in found.values()})
    if len(counts) != 1:
        raise ModelError(
            f"--sweep: coordinates that move together need one number of poses, not {' and '.join(map(str, counts))}"
        )
    columns = {name: np.linspace(low, high, count).tolist() for name, (low, high, count) in found.items()}
    return Path(mechanism.independent, _complete_columns(mechanism, columns, counts[0]))


def _sweep(mechanism: Mechanism, word: str) -> tuple[str, tuple[float, float], int]:
    name, equals, rest = (part.strip() for part in word.partition("="))
    limits, _, count = rest.rpartition(":")
    low, dots, high = (part.strip() for part in limits.partition(".."))
    if not (equals and dots and low and high and count.strip().isdigit()):
        raise ModelError(f'--sweep: "{word}" is not of the form NAME=FROM..TO:POSES, such as "theta=0deg..360deg:361"')
    if name not in mechanism.independent:
        known = mechanism.independent
        raise ModelError(
            f'--sweep: "{name}" is not independent{nearest(name, known)}; independent are {list_words(known)}'
        )
    if not 2 <= int(count) <= MOST_ROWS:
        raise ModelError(f"--sweep: {count} poses of {name}; give 2 to {MOST_ROWS}")
    dimension, place = mechanism.dimensions()[name], Place(key=f"--sweep {name}")
    first, last = (float(quantity(place, _space_unit(text), dimension)) for text in (low, high))
    return name, (first, last), int(count)


def _space_unit(text: str) -> str:
    """A quantity that a shell needs no quotes for, "360deg", as "360 deg"."""
    return _NUMBER_AND_UNIT.sub(r"\1 \2", text)


def _complete_columns(mechanism: Mechanism, columns: Mapping[str, list[float]], rows: int) -> Array:
    """All independent coordinates, those without a column at the design pose."""
    return np.stack(
        [
            np.array(columns[name]) if name in columns else np.full(rows, float(mechanism.pose[name]))
            for name in mechanism.independent
        ],
        axis=1,
    )
