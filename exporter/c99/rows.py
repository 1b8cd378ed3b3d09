"""Rows: how benches, vectors and self-tests talk to an exported function, and what the interpreter makes of them.

In: a program, a function's name, rows in the order of the manifest's `row_inputs`. Out: rows in the order of
`row_outputs` and a status per row, bit for bit what the exported C returns after recalibrate at nominal parameters.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.c99.layout import Layout, layout, row_groups
from exporter.manifest import Function
from exporter.sequence.interpreter import InterpretedRows, interpret
from exporter.sequence.looped import interpret_function
from exporter.sequence.operations import Group, OperationSequence, Signal
from exporter.sequence.program import Program

Row = NDArray[Any]


def interpret_rows(program: Program, function: str, rows: Row) -> InterpretedRows:
    """Run an exported function on rows.

    Args:
        program: the program.
        function: its name as the manifest has it, "position"; or "recalibrate".
        rows: (n, len(row_inputs)).

    Raises:
        ValueError: there is no such function, or the rows have another width.
    """
    return run_rows(layout(program), function, rows)


def run_rows(plan: Layout, function: str, rows: Row) -> InterpretedRows:
    """Run rows of a function whose layout is at hand."""
    described, sequence = _find(plan, function)
    if rows.ndim != 2 or rows.shape[1] != len(described.row_inputs):
        raise ValueError(
            f"'{function}' takes rows of {len(described.row_inputs)} inputs; an array of shape {rows.shape} was given"
        )
    derived = nominal_derived(plan)
    reads, writes = row_groups(function, sequence)
    position = {key: number for number, key in enumerate(_keys(plan, described, reads))}
    columns = [
        np.full(len(rows), derived[signal.name]) if signal.group is Group.DERIVED else rows[:, position[_key(signal)]]
        for signal in sequence.inputs
    ]
    inputs = np.stack(columns, axis=1) if columns else np.empty((len(rows), 0))
    result = interpret_function(plan.program, sequence, inputs, derived)
    written = {_key(output.signal): number for number, output in enumerate(sequence.outputs)}
    order = [written[key] for key in _keys(plan, described, writes)]
    return InterpretedRows(result.outputs[:, order], result.status)


def nominal_derived(plan: Layout) -> dict[str, float]:
    """Derived constants at the nominal parameters, by name."""
    sequence = plan.program.recalibrate
    if sequence is None:
        return {}
    nominal = np.array([[float(signal.nominal or 0) for signal in sequence.inputs]])
    outputs = interpret(sequence, nominal).outputs[0]
    return {output.signal.name: float(value) for output, value in zip(sequence.outputs, outputs, strict=True)}


def _find(plan: Layout, name: str) -> tuple[Function, OperationSequence]:
    if plan.recalibrate is not None and plan.program.recalibrate is not None and name == "recalibrate":
        return plan.recalibrate, plan.program.recalibrate
    for function, sequence in zip(plan.functions, plan.program.functions, strict=True):
        if function.name == name:
            return function, sequence
    known = ", ".join(function.name for function in plan.functions)
    raise ValueError(f"'{plan.program.name}' has no function '{name}'; it has {known}")


def _key(signal: Signal) -> tuple[str, str]:
    return signal.group.value, signal.name


def _keys(plan: Layout, function: Function, groups: list[str]) -> list[tuple[str, str]]:
    """(group, name) of every field of a row."""
    struct_of = {argument.name: plan.struct(argument.struct) for argument in function.arguments}
    return [(group, field.name) for group in groups for field in struct_of[group].fields]
