"""A design pose that the export itself flags as next to singular: few digits are kept there, and SIL compares little.

In: the functions of a program before what parameters alone decide is taken out of them. Out: a note for the user.
"""

from collections.abc import Sequence

import numpy as np

from exporter.functions.mechanism import KINEMATIC_FUNCTIONS
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence, Role
from exporter.sequence.status import BITS

NEAR_SINGULAR = "NEAR_SINGULAR"
SMALL = 0.05  # pivots below it are told
TOLD = 3  # of them, the smallest first


def flagged_design_notes(functions: Sequence[OperationSequence]) -> tuple[str, ...]:
    """That kinematic functions set NEAR_SINGULAR at the design pose, at rest; nothing where none does.

    Dynamics may set it for another reason, as a crank without mass at its dead centre.
    """
    kinematic = [function for function in functions if function.name in KINEMATIC_FUNCTIONS]
    flagged = [function.name for function in kinematic if _status_at_design(function) >> BITS[NEAR_SINGULAR][0] & 1]
    if not flagged:
        return ()
    precision = functions[0].precision
    wider = " or float64" if precision == "float32" else ""
    return (
        f"the design pose is next to a singular one{_small_pivots(kinematic[0])}: {', '.join(flagged)} set "
        f"{NEAR_SINGULAR} at it in {precision}. Digits are lost there, and SIL judges fewer rows: take a design pose "
        f"farther from it{wider}",
    )


def _design_row(function: OperationSequence) -> np.ndarray:
    return np.array([[float(signal.nominal or 0) for signal in function.inputs]])


def _status_at_design(function: OperationSequence) -> int:
    return int(interpret(function, _design_row(function)).status[0])


def _small_pivots(function: OperationSequence) -> str:
    """Pivots of the first function that are small at the design pose, in brackets."""
    values = interpret(function, _design_row(function)).outputs[0]
    pivots = {
        output.signal.name: abs(float(value))
        for output, value in zip(function.outputs, values, strict=True)
        if output.signal.role is Role.PIVOT
    }
    small = sorted((size, name) for name, size in pivots.items() if size < SMALL)[:TOLD]
    return f" ({', '.join(f'{name} = {size:.2g}' for size, name in small)})" if small else ""
