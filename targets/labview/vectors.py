"""Test vectors of a package: rows of inputs, and what the operation sequences make of them, bit for bit.

In: an export and its program. Out: `Vectors` per function, and their CSV with hexadecimal floats. The first row is
nominal, then come rows within the ranges, then limits and values that are out of range or no numbers.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from exporter.manifest import Field, Function, Manifest
from targets.rows import input_slots, output_slots

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from exporter.sequence.program import Program

DEFAULT_ROWS = 256
"""Rows of a function in a package."""
STREAM = 0x4C56
"""Of the generator, so that no other campaign draws the same numbers."""
UNBOUNDED_EXTENT = 10.0
"""Where an input has no range, its SI value is drawn from plus and minus this."""
SPECIAL_VALUES = (float("nan"), float("inf"), -float("inf"), 5e-324, -0.0, 1e300)


@dataclass(frozen=True, slots=True)
class Vectors:
    """Rows of one function, in the manifest's order: state, then inputs; state, then outputs."""

    function: Function
    columns_in: tuple[str, ...]  # "theta (rad)"
    columns_out: tuple[str, ...]
    inputs: "NDArray[np.float64]"  # (n, inputs)
    outputs: "NDArray[np.float64]"  # (n, outputs)
    status: "NDArray[np.uint32]"  # (n,)


def vectors(manifest: Manifest, program: "Program", function: Function, count: int = DEFAULT_ROWS) -> Vectors:
    """Rows with what the interpreter says of them.

    Args:
        manifest: of the export.
        program: what it prints.
        function: one of the manifest's.
        count: rows, at least those with limits and special values.
    """
    import numpy as np  # noqa: PLC0415 - not for --help

    from exporter.c99.rows import interpret_rows  # noqa: PLC0415

    inputs = input_rows(manifest, function, count)
    done = interpret_rows(program, function.name, inputs)
    return Vectors(
        function,
        _columns(function.row_inputs, [slot.argument for slot in input_slots(manifest, function)]),
        _columns(function.row_outputs, [slot.argument for slot in output_slots(manifest, function)]),
        inputs,
        done.outputs.astype(np.float64),
        done.status,
    )


def input_rows(manifest: Manifest, function: Function, count: int) -> "NDArray[np.float64]":
    """(count, inputs): nominal, then drawn within the ranges, then one input at a time at a limit or out of range."""
    import numpy as np  # noqa: PLC0415 - not for --help

    fields = function.row_inputs
    if not fields:
        return np.zeros((1, 0))
    nominal = np.array([0.0 if field.nominal is None else field.nominal for field in fields])
    number = manifest.functions.index(function)
    raw = np.random.Philox(key=[manifest.export_id, STREAM + number]).random_raw(count * len(fields))
    unit = (np.asarray(raw, dtype=np.uint64) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    low = np.array([_limits(field)[0] for field in fields])
    high = np.array([_limits(field)[1] for field in fields])
    rows: NDArray[np.float64] = low + unit.reshape(count, len(fields)) * (high - low)
    rows[0] = nominal
    last = list(_at_the_edges(fields, nominal.tolist()))[: count // 2]
    if last:
        rows[-len(last) :] = last
    real = np.dtype(manifest.real).type
    with np.errstate(over="ignore"):
        return rows.astype(real).astype(np.float64)  # what a narrower real holds, so that files say what is computed


def _limits(field: Field) -> tuple[float, float]:
    low = -UNBOUNDED_EXTENT if field.minimum is None else field.minimum
    high = UNBOUNDED_EXTENT if field.maximum is None else field.maximum
    return low, high


def _at_the_edges(fields: tuple[Field, ...], nominal: list[float]) -> Iterator[list[float]]:
    for position, field in enumerate(fields):
        for value in (*_limits(field), 2.0 * _limits(field)[1] + 1.0, *SPECIAL_VALUES):
            yield [*nominal[:position], value, *nominal[position + 1 :]]


def _columns(fields: tuple[Field, ...], arguments: list[str]) -> tuple[str, ...]:
    return tuple(
        f"{'state ' if argument == 'state' else ''}{field.name} ({field.unit})"
        for field, argument in zip(fields, arguments, strict=True)
    )


def csv_text(made: Vectors) -> str:
    """One line per row: inputs, outputs, status. Reals are hexadecimal, so nothing is lost in the text."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        [*(f"in {name}" for name in made.columns_in), *(f"out {name}" for name in made.columns_out), "status"]
    )
    for taken, given, word in zip(made.inputs.tolist(), made.outputs.tolist(), made.status.tolist(), strict=True):
        writer.writerow([*(float(value).hex() for value in (*taken, *given)), word])
    return stream.getvalue()
