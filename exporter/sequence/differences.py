"""Differences from a part of a sum: (o + a + b) - o becomes a + b, and what was the sum becomes (a + b) + o.

Sequence in, equivalent sequence out. The place of a body's point is the body's place and an arm, and what turns the
arm is written with the difference of the two places: an addition that undoes another, and loses digits to both. Taken
where fewer operations are left: sums on the way may be needed with o elsewhere.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from exporter.sequence.operations import Kind, Operation, OperationSequence
from exporter.sequence.passes import Signed, drop_dead, live, renumber, roots
from exporter.sequence.shared_sums import MOST_ADDENDS

Key = TypeVar("Key")
Entry = TypeVar("Entry")


def differences_first(sequence: OperationSequence) -> OperationSequence:
    """Write what is left of a sum without a part of it, wherever the sum minus that part is asked for."""
    sums = _Sums(sequence)
    plan = _Plan(sequence, sums)
    for part, differences in _differences(sequence, sums).items():
        with plan.trial():
            for difference in differences:
                plan.take(difference, part)
    return drop_dead(renumber(sequence, list(plan.written()))) if plan.instead else sequence


def _differences(sequence: OperationSequence, sums: "_Sums") -> Mapping[int, list[int]]:
    """By a part of a sum: the operations that subtract it from the sum. What a proof may limit stays as it is."""
    found: dict[int, list[int]] = {}
    for index in sorted(live(sequence) - sums.limited):
        operation = sequence.operations[index]
        if operation.kind is Kind.SUB and sums.has_part(*operation.operands):
            found.setdefault(operation.operands[1], []).append(index)
    return found


class _Sums:
    """What the sums of a sequence are made of. A sum that may be limited is none: its limit would be lost."""

    def __init__(self, sequence: OperationSequence) -> None:
        self.limited = frozenset(limit.operation for limit in sequence.limits)
        self._operations = sequence.operations

    def has_part(self, whole: int, part: int) -> bool:
        """Whether a number that is no constant is an addend of a sum."""
        return whole != part and self._operations[part].kind is not Kind.CONSTANT and self.reaches(whole, part)

    def reaches(self, whole: int, part: int) -> bool:
        """Whether it is an addend of a sum, or the sum itself."""
        waiting, seen = [whole], 0
        while waiting and seen < MOST_ADDENDS:
            index, seen = waiting.pop(), seen + 1
            if index == part:
                return True
            if index > part:
                waiting += self._added(index)
        return False

    def _added(self, index: int) -> tuple[int, ...]:
        """The operands that count as they are."""
        operation = self._operations[index]
        count = 0 if index in self.limited else {Kind.ADD: 2, Kind.SUB: 1}.get(operation.kind, 0)
        return operation.operands[:count]


class _Plan:
    """What is written instead of operations and before them, and how often each operation is used then."""

    def __init__(self, sequence: OperationSequence, sums: _Sums) -> None:
        self.operations = dict(enumerate(sequence.operations))  # those of the sequence as they were, then new ones
        self.instead: dict[int, Operation | int] = {}
        self.left = 0  # how many operations are used
        self._count = len(sequence.operations)
        self._sums = sums
        self._before: dict[int, tuple[int, ...]] = {}  # place in the sequence -> new operations that stand before it
        self._rests: dict[tuple[int, int], Signed] = {}  # (sum, part) -> the sum without the part
        self._uses = dict.fromkeys(self.operations, 0)
        self._undone: list[tuple[dict[Any, Any], Any, Any]] = []  # what a trial has changed: a store, a key, its value
        self._use(roots(sequence))

    @contextmanager
    def trial(self) -> Iterator[None]:
        """What is taken inside is undone where no operation is saved."""
        left, self._undone = self.left, []
        yield
        if self.left >= left:
            for store, key, value in reversed(self._undone):
                store.pop(key) if value is None else store.update({key: value})
            self.left = left

    def _put(self, store: dict[Key, Entry], key: Key, value: Entry) -> None:
        self._undone.append((store, key, store.get(key)))
        store[key] = value

    def take(self, difference: int, part: int) -> None:
        """Write the rest of a sum before the sum, which becomes the rest and the part."""
        whole = self.operations[difference].operands[0]
        if whole in self.instead or difference in self.instead:
            return
        sign, rest = self._rest(whole, part)
        step = self.operations[whole].step
        self._replace(whole, Operation(Kind.ADD if sign > 0 else Kind.SUB, (part, rest), None, step))
        if sign > 0:
            self._replace(difference, rest)
        else:
            self._replace(difference, Operation(Kind.NEG, (rest,), None, step))

    def _replace(self, index: int, new: Operation | int) -> None:
        """Let an operation be another one, or what another one yields."""
        before, often = self._operands(index), self._uses[index]
        self._put(self.instead, index, new)
        if isinstance(new, int) and often:
            self.left -= 1
            self._use([new] * often)
        elif isinstance(new, Operation) and often:
            self._use(new.operands)
        self._release(before if often else ())

    def _operands(self, index: int) -> tuple[int, ...]:
        new = self.instead.get(index)
        return new.operands if isinstance(new, Operation) else self.operations[index].operands

    def _resolved(self, index: int) -> int:
        while isinstance(other := self.instead.get(index), int):
            index = other
        return index

    def _use(self, indices: Iterable[int]) -> None:
        waiting = list(indices)
        while waiting:
            index = self._resolved(waiting.pop())
            self._put(self._uses, index, self._uses[index] + 1)
            if self._uses[index] == 1:
                self.left += 1
                waiting += self._operands(index)

    def _release(self, indices: Iterable[int]) -> None:
        waiting = list(indices)
        while waiting:
            index = self._resolved(waiting.pop())
            self._put(self._uses, index, self._uses[index] - 1)
            if not self._uses[index]:
                self.left -= 1
                waiting += self._operands(index)

    def _rest(self, whole: int, part: int) -> Signed:
        """The sum without one of its parts, written before it."""
        if (whole, part) not in self._rests:
            self._put(self._rests, (whole, part), self._written_rest(whole, part))
        return self._rests[whole, part]

    def _written_rest(self, whole: int, part: int) -> Signed:
        left, right = self.operations[whole].operands
        if self.operations[whole].kind is Kind.ADD:
            if part in (left, right):
                return 1, left if right == part else right
            inner, other = (left, right) if self._sums.reaches(left, part) else (right, left)
            sign, rest = self._rest(inner, part)
            if sign > 0:
                return 1, self._write(whole, Kind.ADD, rest, other)
            return 1, self._write(whole, Kind.SUB, other, rest)
        if left == part:
            return -1, right
        sign, rest = self._rest(left, part)
        return sign, self._write(whole, Kind.SUB if sign > 0 else Kind.ADD, rest, right)

    def _write(self, place: int, kind: Kind, *operands: int) -> int:
        index = len(self.operations)
        self._put(self.operations, index, Operation(kind, operands, None, self.operations[place].step))
        self._put(self._uses, index, 0)
        self._put(self._before, place, (*self._before.get(place, ()), index))
        return index

    def written(self) -> Iterator[tuple[int, Operation | int]]:
        """The operations of the sequence in order, with what is written before them."""
        for index in range(self._count):
            for new in self._before.get(index, ()):
                yield new, self.operations[new]
            yield index, self.instead.get(index, self.operations[index])
