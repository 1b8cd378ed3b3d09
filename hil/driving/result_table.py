"""Results to a CSV file: one line per step with inputs, outputs, status and ticks.

In: lockstep runs and the function. Out: text whose numbers lead back to the same bits of the export's type.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from exporter.manifest import Field
from exporter.whole_file import write_whole
from hil.bench_runtime import BenchRuntime
from hil.driving.claims import output_place, status_text
from hil.driving.measure import unit_for
from hil.errors import BenchError
from hil.lockstep import Lockstep


def write_result_table(path: Path, runtime: BenchRuntime, runs: Sequence[Lockstep], units: Mapping[str, str]) -> int:
    """Write or replace the file; returns how many steps are in it. `units` are of outputs, left out: SI units.

    Raises `BenchError` where nothing was stepped, a unit is of another dimension, or the file cannot be written.
    """
    if not runs:
        raise BenchError(
            "nothing was stepped since the inputs were reset; call Step, Run For or Run Test Vectors first"
        )
    lines = list(_lines(runtime, runs, units))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    try:
        write_whole(path, text.getvalue().encode("utf-8"))
    except OSError as error:
        raise BenchError(f"{path} cannot be written ({error.strerror}); choose another place") from error
    return len(lines) - 1


def _lines(runtime: BenchRuntime, runs: Sequence[Lockstep], units: Mapping[str, str]) -> Iterator[list[str]]:
    function = runtime.function
    for name in units:
        output_place(runtime, name)
    shown = [units.get(field.name, field.unit) for field in function.row_outputs]
    factors = [_factor(field, unit) for field, unit in zip(function.row_outputs, shown, strict=True)]
    inputs = [f"input {field.name} [{field.unit}]" for field in function.row_inputs]
    outputs = [f"output {field.name} [{unit}]" for field, unit in zip(function.row_outputs, shown, strict=True)]
    yield ["step", *inputs, *outputs, "status", "ticks"]
    step = 0
    for run in runs:
        for row in range(len(run.rows)):
            step += 1
            values = [_digits(value, factor) for value, factor in zip(run.outputs[row], factors, strict=True)]
            told = [_digits(value, None) for value in run.rows[row]]
            yield [str(step), *told, *values, status_text(runtime, run, row), str(run.ticks[row])]


def _factor(field: Field, unit: str) -> float | None:
    """What a value is divided by; None in the export's own unit, whose bits are kept."""
    return None if unit == field.unit else float(unit_for(field, unit, "output").factor)


def _digits(value: Any, factor: float | None) -> str:
    """The fewest digits that lead back to the same number."""
    return str(value) if factor is None else str(np.float64(value) / factor)
