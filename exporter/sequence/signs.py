"""Minus signs move outwards: (-a) b is -(a b), and a + (-b) is a - b.

Sequence in, equivalent sequence out, with the same bits but for the sign of a zero. A builder writes signs so from the
start; passes that write sums anew leave some inside.
"""

from dataclasses import field, replace

from exporter.records import dataclass
from exporter.sequence.operations import Kind, Operation, OperationSequence
from exporter.sequence.passes import Signed, drop_dead, live, renumber

_PRODUCTS = frozenset({Kind.MUL, Kind.DIV})
_SUMS = frozenset({Kind.ADD, Kind.SUB})


def signs_outward(sequence: OperationSequence) -> OperationSequence:
    """Minus signs before sums and products in place of those inside, where fewer are left."""
    if not _has_sign_inside(sequence):
        return sequence
    moved = drop_dead(_Moving(sequence).result())
    return moved if len(moved.operations) < len(live(sequence)) else sequence


def _has_sign_inside(sequence: OperationSequence) -> bool:
    operations = sequence.operations
    return any(
        operations[operand].kind is Kind.NEG
        for operation in operations
        if operation.kind in _SUMS or operation.kind in _PRODUCTS
        for operand in operation.operands
    )


@dataclass
class _Moving:
    sequence: OperationSequence
    order: list[tuple[int, Operation | int]] = field(default_factory=list)
    signed: list[Signed] = field(default_factory=list)  # by operation
    negated: dict[int, int] = field(default_factory=dict)  # operation -> its negative, once that is written

    def result(self) -> OperationSequence:
        sequence = self.sequence
        for index, operation in enumerate(sequence.operations):
            self.signed.append(self._moved(index, operation))
        outputs = tuple(
            replace(each, operation=self._written(self.signed[each.operation])) for each in sequence.outputs
        )
        limits = tuple(replace(each, operation=self.signed[each.operation][1]) for each in sequence.limits)
        return renumber(replace(sequence, outputs=outputs, limits=limits), self.order)

    def _moved(self, index: int, operation: Operation) -> Signed:
        """Write an operation without the signs of its operands; gives the sign that is left before it."""
        operands = [self.signed[operand] for operand in operation.operands]
        if operation.kind is Kind.NEG:
            ((sign, inner),) = operands
            return -sign, inner
        if operation.kind in _SUMS:
            return self._sum(index, operation, operands)
        if operation.kind in _PRODUCTS:
            (left, one), (right, other) = operands
            return left * right, self._write(index, operation.kind, one, other)
        if operation.kind is Kind.ABS:
            return 1, self._write(index, Kind.ABS, operands[0][1])
        return 1, self._write(index, operation.kind, *(self._written(signed) for signed in operands))

    def _sum(self, index: int, operation: Operation, operands: list[Signed]) -> Signed:
        (left, one), (right, other) = operands
        right = right if operation.kind is Kind.ADD else -right
        if left == right:
            return left, self._write(index, Kind.ADD, one, other)
        first, second = (one, other) if left > 0 else (other, one)
        return 1, self._write(index, Kind.SUB, first, second)

    def _write(self, index: int, kind: Kind, *operands: int) -> int:
        known = self.sequence.operations[index]
        self.order.append((index, Operation(kind, operands, known.value, known.step)))
        return index

    def _written(self, signed: Signed) -> int:
        """The operation with its sign."""
        sign, index = signed
        if sign > 0:
            return index
        if index not in self.negated:
            self.negated[index] = len(self.sequence.operations) + len(self.negated)
            self.order.append(
                (self.negated[index], Operation(Kind.NEG, (index,), None, self.sequence.operations[index].step))
            )
        return self.negated[index]
