"""Drops the guards that cannot fire: a comparison whose outcome the ranges decide costs nothing at run time.

In: a guarded sequence. Out: the same function, limited where its proof needs that (`limiting`), without the
comparisons, selects, clamps and status bits that interval arithmetic (`exporter.sequence.intervals`) decides. Every
input gives the same bits, but for the sign of a zero. A slider-crank whose rod is longer than its crank, for example,
can neither leave its workspace nor become singular.
"""

from dataclasses import field, replace
from fractions import Fraction

from exporter.progress import say
from exporter.records import dataclass
from exporter.sequence.intervals import Intervals, compare_bounds
from exporter.sequence.limiting import limit_where_needed
from exporter.sequence.operations import Kind, Operation, OperationSequence
from exporter.sequence.passes import drop_dead, merge_equal
from exporter.sequence.shared_bounds import SharedBounds

_FOLDED = frozenset(
    {Kind.LESS, Kind.LESS_EQUAL, Kind.FLAG_NOT, Kind.FLAG_AND, Kind.FLAG_OR, Kind.SELECT, Kind.WORD_OR, Kind.MUL}
)


def drop_guards_over_one_box(sequence: OperationSequence, shared: SharedBounds | None = None) -> OperationSequence:
    """The sequence without guards that one box of its ranges makes superfluous: for parts of a larger function.

    Raises:
        ModelError: the sequence cannot be proven total within its ranges.
    """
    return drop_proven_guards(sequence, shared, pieces=False)


def drop_proven_guards(
    sequence: OperationSequence, shared: SharedBounds | None = None, *, pieces: bool = True
) -> OperationSequence:
    """The sequence without guards that the input ranges make superfluous, over `pieces` of them or one box.

    What is `shared` with functions that were proven before is taken from there.

    Raises:
        ModelError: the sequence cannot be proven total within its ranges (see `intervals.analyse`).
    """
    say(f"proving that {sequence.name} stays finite")
    limited, intervals = limit_where_needed(sequence, pieces=pieces, shared=shared)
    folding = _Folding(limited, intervals)
    for index in range(len(limited.operations)):
        folding.fold(index)
    return merge_equal(drop_dead(folding.result()))


@dataclass
class _Folding:
    sequence: OperationSequence
    intervals: Intervals
    operations: list[Operation] = field(default_factory=list)
    same_as: dict[int, int] = field(default_factory=dict)  # index -> earlier index of equal value

    def fold(self, index: int) -> None:
        """Decide one operation; its operands are decided already."""
        found = self.sequence.operations[index]
        operands = tuple([self.resolve(operand) for operand in found.operands])
        same = operands == found.operands
        operation = found if same else Operation(found.kind, operands, found.value, found.step)
        self.operations.append(operation)
        if operation.kind not in _FOLDED:
            return
        flag = self._decided(index, operation)
        if flag is not None:
            self.operations[index] = Operation(Kind.FLAG_CONSTANT, (), flag)
            return
        equal = self._equal(operation)
        if equal is not None:
            self.same_as[index] = equal

    def resolve(self, index: int) -> int:
        """The operation that yields this value now."""
        return self.same_as.get(index, index)

    def _flag(self, index: int) -> int | None:
        operation = self.operations[index]
        return int(operation.value or 0) if operation.kind is Kind.FLAG_CONSTANT else None

    def _decided(self, index: int, operation: Operation) -> int | None:
        """The constant that a flag operation always yields, if the ranges tell."""
        match operation.kind:
            case Kind.LESS | Kind.LESS_EQUAL:
                original = self.sequence.operations[index].operands
                found = compare_bounds(operation.kind, *(self.intervals.of(operand) for operand in original))
                return self.intervals.decided.get(index) if found is None else found
            case Kind.FLAG_NOT:
                flag = self._flag(operation.operands[0])
                return None if flag is None else 1 - flag
            case Kind.FLAG_AND | Kind.FLAG_OR:
                return self._both(operation)
        return None

    def _both(self, operation: Operation) -> int | None:
        flags = [self._flag(operand) for operand in operation.operands]
        strong = 0 if operation.kind is Kind.FLAG_AND else 1
        if strong in flags:
            return strong
        return None if None in flags else 1 - strong

    def _equal(self, operation: Operation) -> int | None:
        """The earlier operation that this one always equals."""
        match operation.kind:
            case Kind.SELECT:
                flag = self._flag(operation.operands[0])
                return None if flag is None else operation.operands[1 if flag else 2]
            case Kind.FLAG_AND | Kind.FLAG_OR:
                return self._other_than_constant(operation)
            case Kind.WORD_OR:
                return self._other_than_zero(operation)
            case Kind.MUL:
                return self._clamped_in_vain(operation)
        return None

    def _other_than_constant(self, operation: Operation) -> int | None:
        for one, other in (operation.operands, operation.operands[::-1]):
            if self._flag(one) is not None:
                return other
        return None

    def _is_zero_word(self, index: int) -> bool:
        operation = self.operations[index]
        if operation.kind is Kind.WORD_OR:
            return all(self._is_zero_word(operand) for operand in operation.operands)
        return operation.kind is Kind.WORD_OF and self._flag(operation.operands[0]) == 0

    def _other_than_zero(self, operation: Operation) -> int | None:
        for one, other in (operation.operands, operation.operands[::-1]):
            if self._is_zero_word(one):
                return other
        return None

    def _clamped_in_vain(self, operation: Operation) -> int | None:
        """The x of (x + |x|) / 2 where x is never negative: doubling and halving are exact."""
        for half, total in (operation.operands, operation.operands[::-1]):
            known = self.operations[half]
            if known.kind is not Kind.CONSTANT or known.value != Fraction(1, 2):
                continue
            addition = self.operations[total]
            if addition.kind is Kind.ADD and (part := self._with_its_magnitude(addition)) is not None:
                return part if self.intervals.of(part).low >= 0 else None
        return None

    def _with_its_magnitude(self, addition: Operation) -> int | None:
        for part, other in (addition.operands, addition.operands[::-1]):
            magnitude = self.operations[other]
            if magnitude.kind is Kind.ABS and magnitude.operands == (part,):
                return part
        return None

    def result(self) -> OperationSequence:
        """The sequence with everything resolved, dead operations still in it."""
        sequence = self.sequence
        status = None if sequence.status is None else self.resolve(sequence.status)
        if status is not None and self._is_zero_word(status):
            status = None
        return replace(
            sequence,
            operations=tuple(self.operations),
            outputs=tuple(replace(output, operation=self.resolve(output.operation)) for output in sequence.outputs),
            status=status,
            conditions=tuple(
                replace(condition, operation=self.resolve(condition.operation))
                for condition in sequence.conditions
                if self._flag(self.resolve(condition.operation)) != 0
            ),
        )
