"""What must hold of a run: an output near a value, an output within limits, the status.

In: an open bench and a lockstep run. Out: nothing, or an `AssertionError` whose sentence has the name, both values with
their unit, the limit and the step. NaN fails.
"""

from collections.abc import Sequence

import numpy as np

from exporter.manifest import Field
from exporter.model.nearest import nearest_word
from hil.bench_runtime import BenchRuntime
from hil.digest import flag_names
from hil.driving.measure import Measure, si_value, unit_for
from hil.errors import BenchError
from hil.lockstep import Lockstep, fields_names
from sil.stated_limits import require_tolerance

NO_CONDITION = "ok"


def output_place(runtime: BenchRuntime, name: str) -> int:
    """The column of an output in a row of outputs; raises `BenchError` where there is none of this name."""
    names = [field.name for field in runtime.function.row_outputs]
    if name not in names:
        near = nearest_word(name, names)
        hint = f"did you mean '{near}'? " if near else ""
        raise BenchError(f"{runtime.function.symbol} has no output '{name}'; {hint}it has {', '.join(names)}")
    return names.index(name)


def read_output(runtime: BenchRuntime, run: Lockstep, name: str, unit: str | None = None) -> float:
    """An output of the last step, in the SI unit or in this one."""
    place = output_place(runtime, name)
    field, value = runtime.function.row_outputs[place], float(run.outputs[-1, place])
    return value if unit is None else value / float(unit_for(field, unit, "output").factor)


def require_output(runtime: BenchRuntime, run: Lockstep, name: str, expected: Measure, tolerance: Measure) -> None:
    """The output of the last step is no farther from `expected` than `tolerance`."""
    place = output_place(runtime, name)
    field = runtime.function.row_outputs[place]
    wanted = si_value(field, expected, "output")
    allowed = require_tolerance(si_value(field, tolerance, "output"), f"the tolerance of '{name}'")
    value = float(run.outputs[-1, place])
    if not abs(value - wanted) <= allowed:
        raise AssertionError(
            f"{name} is {expected.shown(value)}, wanted is {expected.text} within {tolerance.text}: "
            f"{tolerance.shown(abs(value - wanted))} apart; {_after(runtime, run)}."
        )


def require_within(runtime: BenchRuntime, run: Lockstep, name: str, low: Measure, high: Measure) -> None:
    """The output of every step is within both limits; the first step that leaves them is told, with its inputs."""
    place = output_place(runtime, name)
    field = runtime.function.row_outputs[place]
    least, greatest = si_value(field, low, "output"), si_value(field, high, "output")
    if not least <= greatest:
        raise BenchError(f"the limits of '{name}' are {low.text} to {high.text}; give the lower one first")
    values = run.outputs[:, place].astype(np.float64)
    outside = np.flatnonzero(~((values >= least) & (values <= greatest)))
    if len(outside):
        first = int(outside[0])
        raise AssertionError(
            f"{name} is {low.shown(float(values[first]))} in step {first + 1:,} of {len(values):,}, outside of "
            f"{low.text} to {high.text}; {len(outside):,} of them are outside; the inputs of step {first + 1:,} were "
            f"{_inputs(runtime.function.row_inputs, run, first)}, its status {status_text(runtime, run, first)}."
        )


def require_status(runtime: BenchRuntime, run: Lockstep, conditions: Sequence[str]) -> None:
    """The status of the last step has exactly these conditions; "ok" alone is none."""
    known = runtime.export.manifest.status
    wanted = set(conditions) - {NO_CONDITION}
    if not conditions or (wanted and NO_CONDITION in conditions):
        raise BenchError(f"name the conditions that the status should have, or '{NO_CONDITION}' alone for none")
    for name in sorted(wanted - set(known)):
        near = nearest_word(name, known)
        hint = f"did you mean '{near}'? " if near else ""
        raise BenchError(f"there is no condition '{name}'; {hint}known are {NO_CONDITION}, {', '.join(known)}")
    found = flag_names(int(run.status[-1]), known)
    if set(found) != wanted:
        told = ", ".join(sorted(wanted)) or NO_CONDITION
        raise AssertionError(
            f"The status is {status_text(runtime, run, -1)}, wanted is {told}; the inputs were "
            f"{_inputs(runtime.function.row_inputs, run, -1)}.{_meaning(runtime, found)}"
        )


def status_text(runtime: BenchRuntime, run: Lockstep, row: int) -> str:
    """The conditions of a step by name; "ok" for none."""
    return ", ".join(flag_names(int(run.status[row]), runtime.export.manifest.status)) or NO_CONDITION


def _meaning(runtime: BenchRuntime, found: Sequence[str]) -> str:
    """What the conditions that were found say of this function."""
    conditions = runtime.function.conditions
    return "".join(f" {name}: {conditions[name]}." for name in found if name in conditions)


def _after(runtime: BenchRuntime, run: Lockstep) -> str:
    return (
        f"inputs {_inputs(runtime.function.row_inputs, run, -1)}, status {status_text(runtime, run, -1)} of the "
        "last step"
    )


def _inputs(fields: tuple[Field, ...], run: Lockstep, row: int) -> str:
    pairs = zip(fields_names(fields), run.rows[row], strict=True)
    return ", ".join(f"{name} = {float(value):.9g}" for name, value in pairs) or "none"
