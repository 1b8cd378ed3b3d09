"""Joins the flags of every condition once.

In: a proven function. Out: the same function, bit for bit, with fewer operations where a condition joins a flag twice,
as that of a pivot which several rates divide by. Each flag is still negated by itself: of `not (a and b)` clang makes
branches where a and b select values too, and then a call does not take one number of instructions.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from exporter.sequence.operations import Kind, Operation, OperationSequence
from exporter.sequence.passes import drop_dead, live, renumber

_FLAGS = frozenset({Kind.FLAG_AND, Kind.FLAG_OR, Kind.FLAG_NOT})


def join_flags(sequence: OperationSequence) -> OperationSequence:
    """The sequence with its conditions joined anew, or itself where that takes no fewer operations."""
    joining = _Joining(sequence)
    now = {flag: joining.joined(flag) for flag in sorted(_conditions(sequence))}
    read = [_reading(operation, now) for operation in sequence.operations]
    conditions = tuple(replace(each, operation=now[each.operation]) for each in sequence.conditions)
    joined = replace(sequence, operations=tuple(read), conditions=conditions)
    found = drop_dead(renumber(joined, list(joining.order(joined.operations))))
    return found if _on_flags(found) < _on_flags(sequence) else sequence


def _reading(operation: Operation, now: Mapping[int, int]) -> Operation:
    """A word of the status, of the flag that a condition is set by now."""
    if operation.kind is not Kind.WORD_OF or operation.operands[0] not in now:
        return operation
    return replace(operation, operands=(now[operation.operands[0]],))


def _conditions(sequence: OperationSequence) -> set[int]:
    """The flags that conditions are set by."""
    needed = live(sequence)
    words = [op.operands[0] for k, op in enumerate(sequence.operations) if op.kind is Kind.WORD_OF and k in needed]
    return {*words, *(condition.operation for condition in sequence.conditions)}


def _on_flags(sequence: OperationSequence) -> int:
    """How many operations on flags are needed."""
    needed = live(sequence)
    return sum(operation.kind in _FLAGS for k, operation in enumerate(sequence.operations) if k in needed)


@dataclass
class _Joining:
    """Operations that are written, by the operation that they stand behind."""

    sequence: OperationSequence
    behind: dict[int, list[tuple[int, Operation]]] = field(default_factory=lambda: defaultdict(list))
    place: dict[int, int] = field(default_factory=dict)  # of an operation that is written: what it stands behind
    known: dict[tuple[int, ...], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._numbers = count(len(self.sequence.operations))

    def joined(self, root: int) -> int:
        """A flag that is set where this one is, of its parts once each."""
        found, *others = sorted(_parts(self.sequence.operations, root))
        for flag in others:
            found = self._write(found, flag)
        return found

    def _write(self, *operands: int) -> int:
        if operands in self.known:
            return self.known[operands]
        number, last = next(self._numbers), max(self.place.get(operand, operand) for operand in operands)
        step = self.sequence.operations[last].step
        self.behind[last].append((number, Operation(Kind.FLAG_OR, operands, None, step)))
        self.place[number], self.known[operands] = last, number
        return number

    def order(self, operations: Sequence[Operation]) -> Iterator[tuple[int, Operation]]:
        """These operations of the sequence, and what is written behind each."""
        for index, operation in enumerate(operations):
            yield index, operation
            yield from self.behind[index]


def _parts(operations: Sequence[Operation], root: int) -> Collection[int]:
    """The flags that are joined by `or`."""
    found: dict[int, None] = {}
    waiting = [root]
    while waiting:
        index = waiting.pop()
        if operations[index].kind is Kind.FLAG_OR:
            waiting.extend(operations[index].operands)
        else:
            found[index] = None
    return found
