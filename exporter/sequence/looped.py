"""Runs and counts the functions of a program, those that iterate first included.

In: a program, one of its functions and rows of that function's inputs. Out: what the exported C returns, bit
for bit: a row leaves the loop when its own residual is small, as its own call does in C.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.records import dataclass
from exporter.sequence.cost import Cost, cost
from exporter.sequence.interpreter import InterpretedRows, interpret
from exporter.sequence.operations import Group, OperationSequence
from exporter.sequence.program import Loop, Program
from exporter.sequence.rounding import round_to_format

Rows = NDArray[Any]


@dataclass(frozen=True, slots=True)
class LoopedRows:
    """Where the loop ended."""

    inputs: Rows  # of the function, what is carried replaced
    status: NDArray[np.uint32]  # of all iterations together
    steps: NDArray[np.int64]  # iterations of each row


def interpret_function(
    program: Program, sequence: OperationSequence, inputs: Rows, derived: Mapping[str, float]
) -> InterpretedRows:
    """Run a function of a program on a batch.

    Args:
        program: what it belongs to.
        sequence: the function.
        inputs: (rows, n_inputs), in the order of `sequence.inputs`, derived constants included.
        derived: derived constants by name, for the body of the loop.
    """
    if program.loop is None or not program.iterates(sequence.name):
        return interpret(sequence, inputs)
    ended = iterate_rows(program, program.loop, sequence, inputs, derived)
    result = interpret(sequence, ended.inputs)
    return InterpretedRows(result.outputs, result.status | ended.status)


def iterate_rows(
    program: Program, loop: Loop, sequence: OperationSequence, inputs: Rows, derived: Mapping[str, float]
) -> LoopedRows:
    """Run the loop that stands before a function."""
    body = program.function(loop.body)
    position = {signal.name: number for number, signal in enumerate(sequence.inputs)}
    made = {output.signal.name: number for number, output in enumerate(body.outputs)}
    into = np.array([position[name] for name, _ in loop.carried])
    taken = np.array([made[name] for _, name in loop.carried])
    tolerance = round_to_format(loop.tolerance, sequence.precision)
    at, going = inputs.astype(np.float64), np.arange(len(inputs))
    status, steps = np.zeros(len(inputs), dtype=np.uint32), np.zeros(len(inputs), dtype=np.int64)
    for _ in range(loop.most):
        result = interpret(body, _of_body(body, at[going], position, derived))
        at[np.ix_(going, into)] = result.outputs[:, taken]
        status[going] |= result.status
        steps[going] += 1
        going = going[result.outputs[:, made[loop.residual]] > tolerance]
        if not len(going):
            break
    return LoopedRows(at, status, steps)


def _of_body(body: OperationSequence, rows: Rows, position: Mapping[str, int], derived: Mapping[str, float]) -> Rows:
    """The body's inputs out of those of the function."""
    columns = [
        np.full(len(rows), derived[signal.name]) if signal.group is Group.DERIVED else rows[:, position[signal.name]]
        for signal in body.inputs
    ]
    return np.stack(columns, axis=1)


# -- cost ----------------------------------------------------------------------------------------------------------


def cost_of_call(program: Program, sequence: OperationSequence, steps: int | None = None) -> Cost:
    """Operations of one call; where the function iterates, with so many steps, at worst as many as there can be."""
    own = cost(sequence)
    if program.loop is None or not program.iterates(sequence.name):
        return own
    return own + cost(program.function(program.loop.body)) * (program.loop.most if steps is None else steps)


def cost_text(program: Program, sequence: OperationSequence) -> str:
    """The cost of a function in words; where it iterates, per iteration and at worst."""
    if program.loop is None or not program.iterates(sequence.name):
        return cost(sequence).text()
    return (
        f"{cost(program.function(program.loop.body)).text()} in each of 1 to {program.loop.most} iterations, then "
        f"{cost(sequence).text()}; at most {cost_of_call(program, sequence).text()}; NOT fixed-time"
    )


def loop_text(loop: Loop) -> str:
    """What a reader must know: "NOT FIXED-TIME: position iterates newton_step ..."."""
    names = f"{', '.join(loop.functions[:-1])} and {loop.functions[-1]}" if loop.functions[1:] else loop.functions[0]
    return (
        f"NOT FIXED-TIME: {names} repeat {loop.body} until its residual is at most {float(loop.tolerance):g}, at most "
        f"{loop.most} times, so their cost depends on the data"
    )
