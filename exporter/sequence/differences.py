"""Differences from a part of a sum: (o + a + b) - o becomes a + b, and what was the sum becomes (a + b) + o.

Sequence in, equivalent sequence out. The place of a body's point is the body's place and an arm, and what turns the
arm is written with the difference of the two places: an addition that undoes another, and loses digits to both. Taken
where fewer operations are left: sums on the way may be needed with o elsewhere.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from exporter.sequence.operations import Kind, Operation, OperationSequence, Step
from exporter.sequence.passes import drop_dead, live, renumber

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
        plan = tried if tried.count() < plan.count() else plan
    return drop_dead(renumber(sequence, list(plan.written()))) if plan.instead else sequence


def _differences(sequence: OperationSequence) -> Mapping[int, list[int]]:
    """By a part of a sum: the operations that subtract it from the sum."""
    found: dict[int, list[int]] = {}
    for index in sorted(live(sequence)):
        operation = sequence.operations[index]
        if operation.kind is Kind.SUB and _has_part(sequence.operations, *operation.operands):
            found.setdefault(operation.operands[1], []).append(index)
    return found


def _has_part(operations: tuple[Operation, ...], whole: int, part: int) -> bool:
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


@dataclass
class _Plan:
    """What is written instead of operations, and before them."""

    sequence: OperationSequence
    instead: dict[int, Operation | int] = field(default_factory=dict)
    before: dict[int, list[tuple[int, Operation]]] = field(default_factory=dict)
    rests: dict[tuple[int, int], Signed] = field(default_factory=dict)  # (sum, part) -> the sum without the part
    fresh: int = 0

    def copy(self) -> "_Plan":
        """One to try something with."""
        before = {index: list(operations) for index, operations in self.before.items()}
        return _Plan(self.sequence, dict(self.instead), before, dict(self.rests), self.fresh)

    def take(self, difference: int, part: int) -> None:
        """Write the rest of a sum before the sum, which becomes the rest and the part."""
        whole = self.sequence.operations[difference].operands[0]
        if whole in self.instead:
            return
        sign, rest = self._rest(whole, part)
        step = self.sequence.operations[whole].step
        negated = sign < 0
        self.instead[whole] = Operation(Kind.SUB if negated else Kind.ADD, (part, rest), None, step)
        self.instead[difference] = self._write(difference, Kind.NEG, (rest,), step) if negated else rest

    def _rest(self, whole: int, part: int) -> Signed:
        """The sum without one of its parts, written before it."""
        if (whole, part) not in self.rests:
            self.rests[whole, part] = self._written_rest(whole, part)
        return self.rests[whole, part]

    def _written_rest(self, whole: int, part: int) -> Signed:
        operation = self.sequence.operations[whole]
        left, right = operation.operands
        if operation.kind is Kind.ADD:
            if part in (left, right):
                return 1, left if right == part else right
            inner, other = (left, right) if _reaches(self.sequence.operations, left, part) else (right, left)
            return 1, self._sum(whole, self._rest(inner, part), other)
        if left == part:
            return -1, right
        sign, inner = self._rest(left, part)
        kind = Kind.SUB if sign > 0 else Kind.ADD
        return sign, self._write(whole, kind, (inner, right), operation.step)

    def _sum(self, whole: int, rest: Signed, other: int) -> int:
        (sign, inner), step = rest, self.sequence.operations[whole].step
        if sign < 0:
            return self._write(whole, Kind.SUB, (other, inner), step)
        return self._write(whole, Kind.ADD, (inner, other), step)

    def _write(self, place: int, kind: Kind, operands: tuple[int, ...], step: Step | None) -> int:
        index = len(self.sequence.operations) + self.fresh
        self.fresh += 1
        self.before.setdefault(place, []).append((index, Operation(kind, operands, None, step)))
        return index

    def written(self) -> Iterator[tuple[int, Operation | int]]:
        """All operations in order."""
        for index, operation in enumerate(self.sequence.operations):
            yield from self.before.get(index, ())
            yield index, self.instead.get(index, operation)

    def count(self) -> int:
        """How many operations would be left."""
        return len(live(renumber(self.sequence, list(self.written()))))


def _reaches(operations: tuple[Operation, ...], whole: int, part: int) -> bool:
    return whole == part or _has_part(operations, whole, part)
