"""A trace as CSV: one line per pose, SI units in the titles, status in hexadecimal."""

import csv
import io

import numpy as np

from sil.reference.rotations import Array
from sil.trace.evaluation import TracedPath


def csv_text(found: TracedPath) -> str:
    """The text of the file: time, coordinates, other outputs, rates, margins and pivots, status."""
    columns = columns_of(found)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(f"{name} [{unit}]" if unit != "1" else name for name, (unit, _) in columns.items()), "status"])
    table = np.stack([values for _, values in columns.values()], axis=1)
    for row, word in zip(table.tolist(), found.status.tolist(), strict=True):
        writer.writerow([*(f"{value:.17g}" for value in row), f"0x{word:08x}"])
    return text.getvalue()


def columns_of(found: TracedPath) -> dict[str, tuple[str, Array]]:
    """Title -> unit and values."""
    mechanism = found.mechanism
    columns: dict[str, tuple[str, Array]] = {}
    if found.path.times is not None:
        columns["time"] = ("s", found.path.times)
    for name in mechanism.coordinates():
        columns[name] = (mechanism.unit_of(name), found.column(name))
    rates = {} if found.path.times is None else found.rates
    for group in (found.outputs, rates, found.margins):
        columns.update({name: (found.units[name], values) for name, values in group.items()})
    return columns
