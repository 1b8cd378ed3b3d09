"""Runs rows through the operation sequences of a program, which is rebuilt from the model in an export's manifest.

In: an export, or its program, rows in the manifest's order, and parameters that are not nominal; out: what the
interpreter gives. A derived constant is what `recalibrate` makes of the parameters, as in every other runner.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.errors import KinefixError
from exporter.export import Export, program_of_export
from exporter.sequence.interpreter import InterpretedRows, interpret
from exporter.sequence.looped import interpret_function
from exporter.sequence.operations import Group, OperationSequence
from exporter.sequence.program import Program

Rows = NDArray[Any]
INPUT_ORDER = (Group.STATE, Group.PARAMETER, Group.INPUT)
OUTPUT_ORDER = (Group.STATE, Group.DERIVED, Group.OUTPUT)


def program_of(export: Export) -> Program | None:
    """The program that this export prints, or None where the manifest holds no model.

    Raises:
        ModelError: the model in the manifest gives another program than the one that was exported.
    """
    return program_of_export(export)


def interpret_rows(
    program: Program, function: str, rows: Rows, parameters: Mapping[str, float] | None = None
) -> InterpretedRows:
    """Outputs and status of rows in the manifest's order; parameters by the user's name, the others nominal.

    Raises:
        KinefixError: the program has no such function.
    """
    sequence = _sequence(program, function)
    order = [(group, s.name) for group in INPUT_ORDER for s in sequence.inputs if s.group == group]
    derived = _derived_values(program, parameters or {})
    columns = []
    for signal in sequence.inputs:
        if signal.group is Group.DERIVED:
            columns.append(np.full(len(rows), derived[signal.name]))
        else:
            columns.append(rows[:, order.index((signal.group, signal.name))].astype(np.float64))
    inputs = np.stack(columns, axis=1) if columns else np.empty((len(rows), 0))
    done = interpret_function(program, sequence, inputs, derived)
    given = [(output.signal.group, output.signal.name) for output in sequence.outputs]
    wanted = [given.index(key) for group in OUTPUT_ORDER for key in given if key[0] == group]
    return InterpretedRows(done.outputs[:, wanted], done.status)


def _sequence(program: Program, function: str) -> OperationSequence:
    sequences = list(program.functions)
    if program.recalibrate is not None:
        sequences.append(program.recalibrate)
    for sequence in sequences:
        if sequence.name == function:
            return sequence
    raise KinefixError(f"the program of '{program.name}' has no function '{function}'")


def recalibrate(program: Program, parameters: Mapping[str, float]) -> InterpretedRows | None:
    """Derived constants and the status of `recalibrate`, one row; None where every parameter is frozen."""
    if program.recalibrate is None:
        return None
    given = [float(parameters.get(s.name, s.nominal or 0)) for s in program.recalibrate.inputs]
    return interpret(program.recalibrate, np.array([given]))


def _derived_values(program: Program, parameters: Mapping[str, float]) -> dict[str, float]:
    done = recalibrate(program, parameters)
    if done is None or program.recalibrate is None:
        return {}
    names = [output.signal.name for output in program.recalibrate.outputs]
    return dict(zip(names, done.outputs[0].astype(np.float64).tolist(), strict=True))
