"""Passes over a finished sequence: sequence in, equivalent sequence out. Deterministic, linear in its length."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain

from exporter.sequence.operations import Kind, Limit, Operation, OperationSequence, Signal

Signed = tuple[int, int]
"""+1 or -1, and the operation that it stands before."""

_EITHER_WAY = frozenset({Kind.ADD, Kind.MUL, Kind.FLAG_AND, Kind.FLAG_OR, Kind.WORD_OR})
"""Kinds whose operands may change places."""


def tidy(sequence: OperationSequence) -> OperationSequence:
    """Share reciprocals, swap negated differences, drop what nothing uses."""
    needed = live(sequence)
    shared = share_reciprocals(sequence, needed)
    return drop_dead(swap_negated_differences(shared, needed if shared is sequence else None))


def renumber(sequence: OperationSequence, order: Sequence[tuple[int, Operation | int]]) -> OperationSequence:
    """A sequence of these operations. Each comes with the old index that it answers for; operands are old indices.

    An index in place of an operation answers with what that one answers with; so does a multiplication by one (a
    shared reciprocal's own numerator) with its other factor.
    """
    new_index: dict[int, int] = {}
    operations: list[Operation] = []
    ones: set[int] = set()  # new indices of constants that are one
    for old, operation in order:
        if isinstance(operation, int):
            new_index[old] = new_index[operation]
            continue
        before, kind = operation.operands, operation.kind
        operands = tuple([new_index[operand] for operand in before])
        if kind is Kind.MUL and not ones.isdisjoint(operands):
            new_index[old] = operands[1] if operands[0] in ones else operands[0]
            continue
        new_index[old] = len(operations)
        if kind is Kind.CONSTANT and operation.value == 1:
            ones.add(len(operations))
        same = operands == before
        operations.append(operation if same else Operation(kind, operands, operation.value, operation.step))
    return replace(
        sequence,
        operations=tuple(operations),
        outputs=tuple(replace(output, operation=new_index[output.operation]) for output in sequence.outputs),
        status=None if sequence.status is None else new_index[sequence.status],
        conditions=tuple(
            replace(condition, operation=new_index[condition.operation]) for condition in sequence.conditions
        ),
        limits=tuple(
            Limit(new_index[limit.operation], limit.bound, limit.condition, limit.about)
            for limit in sequence.limits
            if limit.operation in new_index
        ),
    )


def roots(sequence: OperationSequence) -> list[int]:
    """The operations that an output, a condition or the status is; one that is two of them twice."""
    found = [output.operation for output in sequence.outputs]
    found += [condition.operation for condition in sequence.conditions]
    return found if sequence.status is None else [*found, sequence.status]


def live(sequence: OperationSequence) -> set[int]:
    """Indices of the operations that an output, the status or a condition needs."""
    needed = set(roots(sequence))
    operations = sequence.operations
    for index in range(len(operations) - 1, -1, -1):
        if index in needed:
            needed.update(operations[index].operands)
    return needed


def drop_dead(sequence: OperationSequence) -> OperationSequence:
    """Without the operations that nothing uses. Input signals stay, used or not: the interface is stable."""
    needed = live(sequence)
    if len(needed) == len(sequence.operations):
        return sequence
    return renumber(sequence, [(i, op) for i, op in enumerate(sequence.operations) if i in needed])


def keep_outputs(sequence: OperationSequence, keeps: Callable[[Signal], bool]) -> OperationSequence:
    """Only the outputs that are kept, the names of the others; operations stay until dead ones are dropped."""
    kept = tuple(output for output in sequence.outputs if keeps(output.signal))
    left = tuple(output.signal.name for output in sequence.outputs if not keeps(output.signal))
    return replace(sequence, outputs=kept, left_out=(*sequence.left_out, *left)) if left else sequence


def merge_equal(sequence: OperationSequence) -> OperationSequence:
    """One operation in place of all that are equal: of one kind and value, on the same operands.

    A builder writes none twice, but what differed by a guard alone is equal once the guard is dropped.
    """
    first: dict[tuple[Kind, tuple[int, ...], Fraction | int | None], int] = {}
    earliest: list[int] = []  # of each operation: the first that is equal
    for index, op in enumerate(sequence.operations):
        operands = [earliest[operand] for operand in op.operands]
        key = op.kind, tuple(sorted(operands) if op.kind in _EITHER_WAY else operands), op.value
        earliest.append(first.setdefault(key, index))
    if len(first) == len(earliest):
        return sequence
    order = zip(earliest, enumerate(sequence.operations), strict=True)
    return renumber(sequence, [(index, op if same == index else same) for same, (index, op) in order])


def share_reciprocals(sequence: OperationSequence, known: set[int] | None = None) -> OperationSequence:
    """Where one number divides twice or more, divide once and multiply; `known` are the live operations."""
    needed = live(sequence) if known is None else known
    divisions = Counter(
        op.operands[1] for i, op in enumerate(sequence.operations) if op.kind is Kind.DIV and i in needed
    )
    shared = {denominator for denominator, count in divisions.items() if count > 1}
    if not shared:
        return sequence
    return renumber(sequence, _with_reciprocals(sequence, shared))


def _with_reciprocals(sequence: OperationSequence, shared: set[int]) -> Sequence[tuple[int, Operation]]:
    one = len(sequence.operations)
    reciprocal_of = {denominator: one + 1 + k for k, denominator in enumerate(sorted(shared))}
    order: list[tuple[int, Operation]] = [(one, Operation(Kind.CONSTANT, (), Fraction(1)))]
    written: set[int] = set()
    for index, op in enumerate(sequence.operations):
        if op.kind is not Kind.DIV or op.operands[1] not in shared:
            order.append((index, op))
            continue
        numerator, denominator = op.operands
        reciprocal = reciprocal_of[denominator]
        if denominator not in written:
            written.add(denominator)
            order.append((reciprocal, Operation(Kind.DIV, (one, denominator), None, op.step)))
        order.append((index, replace(op, kind=Kind.MUL, operands=(numerator, reciprocal))))
    return order


def swap_negated_differences(sequence: OperationSequence, known: set[int] | None = None) -> OperationSequence:
    """-(a - b) becomes b - a where nothing else uses a - b; `known` are the live operations."""
    needed = live(sequence) if known is None else known
    operations, swapped = list(sequence.operations), {}
    uses = Counter(chain.from_iterable([operations[index].operands for index in needed]))
    uses.update([output.operation for output in sequence.outputs])
    for index, op in enumerate(operations):
        inner = operations[op.operands[0]] if op.kind is Kind.NEG else None
        if inner is not None and inner.kind is Kind.SUB and uses[op.operands[0]] == 1:
            operations[index] = replace(inner, operands=inner.operands[::-1], step=op.step)
            swapped[op.operands[0]] = index
    limits = tuple(
        replace(each, operation=swapped[each.operation]) if each.operation in swapped else each
        for each in sequence.limits
    )
    return replace(sequence, operations=tuple(operations), limits=limits)
