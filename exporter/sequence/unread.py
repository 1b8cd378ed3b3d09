"""Tunable parameters on which nothing depends: setting them at run time would be believed and do nothing.

In: the functions of a program before `hoist` takes what parameters alone decide. Out: notes for the user.
"""

from collections.abc import Sequence

from exporter.sequence.operations import Group, Kind, OperationSequence, Signal


def unread_notes(functions: Sequence[OperationSequence], parameters: Sequence[Signal]) -> tuple[str, ...]:
    """A sentence for every parameter on which no output of any function depends, in their order."""
    read = {name for function in functions for name in _read_by(function)}
    return tuple(
        f"no output of any function depends on the tunable {each.name}; setting it changes nothing"
        for each in parameters
        if each.name not in read
    )


def _read_by(function: OperationSequence) -> set[str]:
    """Names of the parameters that outputs depend on; being checked is not being read."""
    pending = [output.operation for output in function.outputs]
    seen: set[int] = set()
    found: set[str] = set()
    while pending:
        index = pending.pop()
        if index in seen:
            continue
        seen.add(index)
        operation = function.operations[index]
        pending.extend(operation.operands)
        if operation.kind is Kind.INPUT:
            signal = function.inputs[int(operation.value or 0)]
            found |= {signal.name} if signal.group is Group.PARAMETER else set()
    return found
