"""Bounds that functions have in common: what several of them compute alike is enclosed once.

In: operations of one sequence after the other. Out: what was found for an operation that computes the same number in
another sequence. The functions of a mechanism repeat each other: a velocity begins with the position, a step with the
accelerations. Bounds follow from an operation, its operands and the ranges of inputs, and are kept by these; those over
pieces of ranges also by what is cut.
"""

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

from exporter.records import dataclass
from exporter.sequence.operations import Group, Kind, Operation, OperationSequence, Precision

Tables = tuple[MutableMapping[int, Any], ...]
"""What an analysis finds, by operation: one table for bounds, one for flags and so on."""


class SharedBounds:
    """What is known of the functions of one program."""

    def __init__(self) -> None:
        self._terms: dict[tuple[object, ...], int] = {}
        self._terms_of: dict[OperationSequence, Sequence[int]] = {}
        self._found: dict[tuple[Precision, tuple[int, ...]], dict[int, tuple[Any, ...]]] = {}

    def of(self, sequence: OperationSequence, cut: Sequence[int] = ()) -> "SequenceBounds":
        """What is known of one sequence, its ranges cut at these operations."""
        terms = self._terms_of.get(sequence)
        if terms is None:
            terms = self._terms_of[sequence] = self._written(sequence)
        where = sequence.precision, tuple(terms[index] for index in cut)
        return SequenceBounds(terms, self._found.setdefault(where, {}))

    def forget_pieces(self) -> None:
        """Keep bounds over one box alone: those over thousands of pieces take as much memory as all else."""
        self._found = {(precision, cut): found for (precision, cut), found in self._found.items() if not cut}

    def _written(self, sequence: OperationSequence) -> Sequence[int]:
        """A number for what each operation computes: another one wherever it may be another value."""
        known, terms = self._terms, list[int]()
        for operation in sequence.operations:
            operands = tuple([terms[operand] for operand in operation.operands])
            key = (operation.kind, operands, None if operation.value is None else _meant(sequence, operation))
            terms.append(known.setdefault(key, len(known)))
        return terms


def _meant(sequence: OperationSequence, operation: Operation) -> object:
    """What the value of an operation says: a number, by two integers for a Fraction is slow to hash; or an input.

    Two inputs of one sequence differ; the ranges of derived constants bound them, those of others do not.
    """
    number = int(operation.value or 0)
    if operation.kind is not Kind.INPUT:
        return None if operation.value is None else operation.value.as_integer_ratio()
    signal = sequence.inputs[number]
    return (number, signal.minimum, signal.maximum) if signal.group is Group.DERIVED else number


@dataclass(frozen=True, slots=True)
class SequenceBounds:
    """What is known of the operations of one sequence."""

    terms: Sequence[int]
    found: dict[int, tuple[Any, ...]]  # by term: what each table of an analysis has, None where it has nothing

    def fill(self, index: int, tables: Tables, find: Callable[[int], None]) -> None:
        """Enter what is known of an operation into an analysis; where nothing is, what `find` enters is kept."""
        kept = self.found.get(self.terms[index])
        if kept is None:
            find(index)
            self.found[self.terms[index]] = tuple([table.get(index) for table in tables])
            return
        for table, value in zip(tables, kept, strict=True):
            if value is not None:
                table[index] = value
