"""Places that have two addends in common add these once, which changes the order of additions.

Sequence in, equivalent sequence out. A sum is a tree of additions, subtractions and minus signs whose inner results
nothing else uses, taken as a list of addends with signs. Only sums of lengths along directions, inputs, constants and
other sums are looked at, as in the corners of one body; never squares, forces, remainders or what parameters alone
make. What is shared are inputs and multiples of inputs, sines, cosines and sums. Greedy: the pair in most sums first.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from itertools import combinations, count

from exporter.records import dataclass
from exporter.sequence.operations import Group, Kind, Operation, OperationSequence, Step
from exporter.sequence.passes import drop_dead, live, renumber

MOST_ADDENDS = 64
"""Of a sum that is looked at: the work grows with the square."""
_SUM = frozenset({Kind.ADD, Kind.SUB, Kind.NEG})


@dataclass(frozen=True, slots=True)
class _Sum:
    addends: dict[int, int]  # operation -> +1 or -1, in the order written
    step: Step | None

    def sign(self, first: int, second: int) -> int:
        """The sign of the second addend where the first has +1; 0 where not both are addends."""
        return self.addends.get(first, 0) * self.addends.get(second, 0)


@dataclass(frozen=True, slots=True, order=True)
class _Pair:
    first: int
    second: int
    sign: int  # of the second where the first has +1
    outer: int  # of the first in the pair's own sum

    def fits(self, whole: _Sum) -> bool:
        """Not where the sum is the pair's negative: a minus sign costs what the sum costs."""
        alike = whole.sign(self.first, self.second) == self.sign
        return alike and (len(whole.addends) > 2 or whole.addends[self.first] == self.outer)


def share_sums(sequence: OperationSequence) -> OperationSequence:
    """Where two sums have a pair of addends in common, with like or with opposite signs, add it once."""
    sums = _sums(sequence)
    shared = {index for whole in sums.values() for index in whole.addends if _is_shared(sequence, index)}
    plan = _Plan(sequence, sums, shared)
    while pair := plan.best():
        plan.share(pair)
    return drop_dead(renumber(sequence, list(plan.written()))) if plan.fresh else sequence


def _sums(sequence: OperationSequence) -> dict[int, _Sum]:
    """The sums that are looked at, by the operation that yields them; none that has an addend twice."""
    operations, needed = sequence.operations, live(sequence)
    uses = Counter(operand for index in needed for operand in operations[index].operands)
    uses.update(output.operation for output in sequence.outputs)
    used = [index for index in sorted(needed) if operations[index].kind in _SUM]
    inner = {o for index in used for o in operations[index].operands if uses[o] == 1 and operations[o].kind in _SUM}
    found = {}
    for top in (index for index in used if index not in inner):
        addends = _take_apart(operations, inner, top)
        if 1 < len(addends) == len(dict(addends)) <= MOST_ADDENDS and all(_is_place(sequence, k) for k, _ in addends):
            found[top] = _Sum(dict(addends), operations[top].step)
    return found


def _take_apart(operations: tuple[Operation, ...], inner: set[int], top: int) -> list[tuple[int, int]]:
    waiting, addends = [(top, 1)], []
    while waiting:
        index, sign = waiting.pop()
        operation = operations[index]
        if index != top and index not in inner:
            addends.append((index, sign))
            continue
        signs = (-sign,) if operation.kind is Kind.NEG else (sign, -sign if operation.kind is Kind.SUB else sign)
        waiting += reversed(list(zip(operation.operands, signs, strict=True)))
    return addends


def _is_place(sequence: OperationSequence, index: int) -> bool:
    """Whether a sum with this addend may be written in another order."""
    return sequence.operations[index].kind in (Kind.CONSTANT, *_SUM) or _is_shared(sequence, index)


def _is_shared(sequence: OperationSequence, index: int) -> bool:
    """An input, checked or not, or a multiple of one, of a sine, a cosine or a sum; never a parameter."""
    operations = sequence.operations
    operation = operations[index]
    if operation.kind is Kind.MUL:
        constant, other = sorted(operation.operands, key=lambda operand: operations[operand].kind is not Kind.CONSTANT)
        direct = operations[other].kind in (Kind.SINE, Kind.COSINE, *_SUM)
        return operations[constant].kind is Kind.CONSTANT and (direct or _is_shared(sequence, other))
    if operation.kind is Kind.SELECT:
        operation = operations[operation.operands[1]]
    return operation.kind is Kind.INPUT and sequence.inputs[int(operation.value or 0)].group is not Group.PARAMETER


@dataclass
class _Plan:
    """The sums as they are to be written; those of `fresh` are new."""

    sequence: OperationSequence
    sums: dict[int, _Sum]
    shared: set[int]
    fresh: list[int] = field(default_factory=list)
    changed: set[int] = field(default_factory=set)

    def best(self) -> _Pair | None:
        """The pair in most sums, with the fewest minus signs, the earliest; None where no pair is in two."""
        often = Counter(index for whole in self.sums.values() for index in whole.addends)
        sums: Counter[_Pair] = Counter()
        positive: Counter[_Pair] = Counter()
        for whole in self.sums.values():
            shared = sorted(index for index in whole.addends if often[index] > 1 and index in self.shared)
            for first, second in combinations(shared, 2):
                sign = whole.sign(first, second)
                for pair in (_Pair(first, second, sign, outer) for outer in ((1, -1) if sign < 0 else (1,))):
                    sums[pair] += pair.fits(whole)
                    positive[pair] += whole.addends[first] == pair.outer
        chosen = min(sums, key=lambda pair: (-sums[pair], -positive[pair], pair), default=None)
        return chosen if chosen and sums[chosen] > 1 else None

    def share(self, pair: _Pair) -> None:
        """Add the pair once."""
        fresh = len(self.sequence.operations) + len(self.fresh)
        steps = []
        for top, whole in self.sums.items():
            if pair.fits(whole):
                rest = {k: sign for k, sign in whole.addends.items() if k not in (pair.first, pair.second)}
                self.sums[top] = _Sum({fresh: whole.addends[pair.first] * pair.outer} | rest, whole.step)
                self.changed.add(top)
                steps.append(whole.step)
        self.sums[fresh] = _Sum({pair.first: pair.outer, pair.second: pair.outer * pair.sign}, steps[0])
        self.fresh.append(fresh)

    def written(self) -> Iterator[tuple[int, Operation | int]]:
        """All operations in order, a new sum before the first that needs it."""
        waiting = dict.fromkeys(self.fresh)
        partial = count(len(self.sequence.operations) + len(self.fresh))
        for index, operation in enumerate(self.sequence.operations):
            if index not in self.changed:
                yield index, operation
                continue
            for fresh in [k for k in self.sums[index].addends if k in waiting]:
                del waiting[fresh]
                yield from _add_addends(fresh, self.sums[fresh], partial)
            yield from _add_addends(index, self.sums[index], partial)


def _add_addends(top: int, whole: _Sum, partial: Iterator[int]) -> Iterator[tuple[int, Operation | int]]:
    """One addend after the other, a positive one first; a minus sign last where there is none."""
    flip = 1 if max(whole.addends.values()) > 0 else -1
    total, *others = sorted(whole.addends, key=lambda index: whole.addends[index] * flip < 0)
    if not others:
        yield top, total
    for number, index in enumerate(others, start=1):
        kind = Kind.ADD if whole.addends[index] * flip > 0 else Kind.SUB
        name = top if number == len(others) and flip > 0 else next(partial)
        yield name, Operation(kind, (total, index), None, whole.step)
        total = name
    if flip < 0:
        yield top, Operation(Kind.NEG, (total,), None, whole.step)
