"""Differences from a part of a sum: (o + a + b) - o becomes a + b, and what was the sum becomes (a + b) + o.

Sequence in, equivalent sequence out. The place of a body's point is the body's place and an arm, and what turns the
arm is written with the difference of the two places: an addition that undoes another, and loses digits to both. Taken
where fewer operations are left: sums on the way may be needed with o elsewhere.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy

from exporter.sequence.operations import Kind, Operation, OperationSequence
from exporter.sequence.passes import drop_dead, live, renumber, roots

MOST_ADDENDS = 64
"""Of a sum that is looked through for a part of it."""

Signed = tuple[int, int]
"""+1 or -1, and the operation that it stands before."""


def differences_first(sequence: OperationSequence) -> OperationSequence:
    """Write what is left of a sum without a part of it, wherever the sum minus that part is asked for."""
    plan = _Plan(sequence)
    for part, differences in _differences(sequence).items():
        tried = plan.copy()
        for difference in differences:
            tried.take(difference, part)
        plan = tried if tried.left < plan.left else plan
    return drop_dead(renumber(sequence, list(plan.written(len(sequence.operations))))) if plan.instead else sequence


def _differences(sequence: OperationSequence) -> Mapping[int, list[int]]:
    """By a part of a sum: the operations that subtract it from the sum."""
    found: dict[int, list[int]] = {}
    for index in sorted(live(sequence)):
        operation = sequence.operations[index]
        if operation.kind is Kind.SUB and _has_part(sequence.operations, *operation.operands):
            found.setdefault(operation.operands[1], []).append(index)
    return found


def _has_part(operations: Sequence[Operation], whole: int, part: int) -> bool:
    """Whether a number that is no constant is an addend of a sum."""
    if operations[part].kind is Kind.CONSTANT:
        return False
    waiting, seen = [whole], 0
    while waiting and seen < MOST_ADDENDS:
        index, seen = waiting.pop(), seen + 1
        if index == part:
            return index != whole
        if index > part:
            waiting += _added(operations[index])
    return False


def _added(operation: Operation) -> tuple[int, ...]:
    """The operands that count as they are."""
    return operation.operands[: {Kind.ADD: 2, Kind.SUB: 1}.get(operation.kind, 0)]


class _Plan:
    """What is written instead of operations and before them, and how often each operation is used then."""

    def __init__(self, sequence: OperationSequence) -> None:
        self.operations = list(sequence.operations)  # those of the sequence as they were, then new ones
        self.instead: dict[int, Operation | int] = {}
        self.before: dict[int, list[int]] = {}  # place in the sequence -> new operations that stand before it
        self.left = 0  # how many operations are used
        self._rests: dict[tuple[int, int], Signed] = {}  # (sum, part) -> the sum without the part
        self._uses = [0] * len(self.operations)
        self._use(roots(sequence))

    def copy(self) -> "_Plan":
        """One to try something with."""
        tried = copy(self)
        tried.operations, tried.instead, tried._rests = list(self.operations), dict(self.instead), dict(self._rests)
        tried.before, tried._uses = {index: list(new) for index, new in self.before.items()}, list(self._uses)
        return tried

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
        self.instead[index] = new
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
            self._uses[index] += 1
            if self._uses[index] == 1:
                self.left += 1
                waiting += self._operands(index)

    def _release(self, indices: Iterable[int]) -> None:
        waiting = list(indices)
        while waiting:
            index = self._resolved(waiting.pop())
            self._uses[index] -= 1
            if not self._uses[index]:
                self.left -= 1
                waiting += self._operands(index)

    def _rest(self, whole: int, part: int) -> Signed:
        """The sum without one of its parts, written before it."""
        if (whole, part) not in self._rests:
            self._rests[whole, part] = self._written_rest(whole, part)
        return self._rests[whole, part]

    def _written_rest(self, whole: int, part: int) -> Signed:
        left, right = self.operations[whole].operands
        if self.operations[whole].kind is Kind.ADD:
            if part in (left, right):
                return 1, left if right == part else right
            inner, other = (left, right) if _reaches(self.operations, left, part) else (right, left)
            sign, rest = self._rest(inner, part)
            return 1, self._write(whole, Kind.ADD, rest, other) if sign > 0 else self._write(
                whole, Kind.SUB, other, rest
            )
        if left == part:
            return -1, right
        sign, rest = self._rest(left, part)
        return sign, self._write(whole, Kind.SUB if sign > 0 else Kind.ADD, rest, right)

    def _write(self, place: int, kind: Kind, *operands: int) -> int:
        index = len(self.operations)
        self.operations.append(Operation(kind, operands, None, self.operations[place].step))
        self._uses.append(0)
        self.before.setdefault(place, []).append(index)
        return index

    def written(self, count: int) -> Iterator[tuple[int, Operation | int]]:
        """The first operations, those of the sequence, in order, with what is written before them."""
        for index, operation in enumerate(self.operations[:count]):
            for new in self.before.get(index, ()):
                yield new, self.operations[new]
            yield index, self.instead.get(index, operation)


def _reaches(operations: Sequence[Operation], whole: int, part: int) -> bool:
    return whole == part or _has_part(operations, whole, part)
