"""Places that have two addends in common add these once: the one pass that changes the order of additions.

Sequence in, equivalent sequence out. A sum is a tree of additions, subtractions and minus signs whose inner results
nothing else uses, taken as a list of addends with signs. What is shared are lengths along a direction and inputs, as
in the corners of one body; never squares, forces or remainders, whose order of addition rounding depends on. Greedy:
the pair in most sums first.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, count

from exporter.sequence.operations import Kind, Operation, OperationSequence
from exporter.sequence.passes import drop_dead, live, renumber

Addends = dict[int, int]  # operation -> +1 or -1, in the order written
Pair = tuple[int, int, int]  # two operations, and the sign of the second where the first has +1

MOST_ADDENDS = 64
"""Of a sum that is looked at: the work grows with the square."""
_SUM = frozenset({Kind.ADD, Kind.SUB, Kind.NEG})


def share_sums(sequence: OperationSequence) -> OperationSequence:
    """Where two sums have a pair of addends in common, with like or with opposite signs, add it once."""
    plan = _Plan(sequence, _sums(sequence))
    while pair := _best(plan):
        plan.share(pair)
    return drop_dead(renumber(sequence, list(plan.written()))) if plan.changed else sequence


def _sums(sequence: OperationSequence) -> dict[int, Addends]:
    """The addends of every sum that is used, by its operation; not of one that has an addend twice, or very many."""
    operations, needed = sequence.operations, live(sequence)
    uses = Counter(operand for index in needed for operand in operations[index].operands)
    uses.update(output.operation for output in sequence.outputs)
    used = [index for index in sorted(needed) if operations[index].kind in _SUM]
    inner = {o for index in used for o in operations[index].operands if uses[o] == 1 and operations[o].kind in _SUM}
    tops = [index for index in used if index not in inner]
    flat = {top: list(_addends(operations, inner, top)) for top in tops}
    return {
        top: dict(addends) for top, addends in flat.items() if 1 < len(addends) == len(dict(addends)) <= MOST_ADDENDS
    }


def _addends(operations: tuple[Operation, ...], inner: set[int], top: int) -> Iterator[tuple[int, int]]:
    waiting = [(top, 1)]
    while waiting:
        index, sign = waiting.pop()
        operation = operations[index]
        if index != top and index not in inner:
            yield index, sign
        elif operation.kind is Kind.NEG:
            waiting.append((operation.operands[0], -sign))
        else:
            first, second = operation.operands
            waiting += [(second, -sign if operation.kind is Kind.SUB else sign), (first, sign)]


def _best(plan: "_Plan") -> Pair | None:
    """The pair in most sums, the earliest of like ones; None where no pair is in two."""
    often = Counter(index for addends in plan.sums.values() for index in addends)
    counts: Counter[Pair] = Counter()
    for addends in plan.sums.values():
        candidates = sorted(index for index in addends if often[index] > 1 and plan.may_share(index))
        counts.update((a, b, addends[a] * addends[b]) for a, b in combinations(candidates, 2) if _worth(addends, a))
    if not counts:
        return None
    pair, number = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return pair if number > 1 else None


def _worth(addends: Addends, first: int) -> bool:
    """Not where the sum is the pair's negative: a minus sign costs what the sum costs."""
    return len(addends) > 2 or addends[first] > 0


@dataclass
class _Plan:
    """The sums as they are to be written."""

    sequence: OperationSequence
    sums: dict[int, Addends]
    changed: set[int] = field(default_factory=set)
    serves: dict[int, set[str]] = field(default_factory=dict)  # of the new sums

    def share(self, pair: Pair) -> None:
        """Add the pair once."""
        first, second, sign = pair
        fresh = len(self.sequence.operations) + len(self.serves)
        self.serves[fresh] = set()
        for top, addends in list(self.sums.items()):
            if addends.get(first, 0) * addends.get(second, 0) == sign and _worth(addends, first):
                rest = {index: its_sign for index, its_sign in addends.items() if index not in pair[:2]}
                self.sums[top] = {fresh: addends[first]} | rest
                self.serves[fresh].update(self._equations(top))
                self.changed.add(top)
        self.sums[fresh] = {first: 1, second: sign}

    def may_share(self, index: int) -> bool:
        """An input, checked or not, or a constant times something."""
        operations = self.sequence.operations
        if index in self.serves:
            return False
        operation = operations[index]
        if operation.kind is Kind.MUL:
            return any(operations[operand].kind is Kind.CONSTANT for operand in operation.operands)
        return operation.kind in (Kind.INPUT, Kind.SELECT)

    def _equations(self, top: int) -> Iterable[str]:
        return self.serves[top] if top in self.serves else self.sequence.operations[top].equations

    def written(self) -> Iterator[tuple[int, Operation | int]]:
        """All operations in order, a new sum before the first that needs it."""
        done: set[int] = set()
        partial = count(len(self.sequence.operations) + len(self.serves))
        for index, operation in enumerate(self.sequence.operations):
            if index not in self.changed:
                yield index, operation
                continue
            for top in (*sorted(self.serves.keys() & self.sums[index].keys() - done), index):
                done.add(top)
                yield from _added(top, self.sums[top], tuple(sorted(self._equations(top))), partial)


def _added(
    top: int, addends: Addends, equations: tuple[str, ...], partial: Iterator[int]
) -> Iterator[tuple[int, Operation | int]]:
    """One addend after the other, a positive one first; a minus sign last where there is none."""
    flip = 1 if max(addends.values()) > 0 else -1
    total, *others = sorted(addends, key=lambda index: addends[index] * flip < 0)
    if not others:
        yield top, total
        return
    for number, index in enumerate(others, start=1):
        kind = Kind.ADD if addends[index] * flip > 0 else Kind.SUB
        name = top if number == len(others) and flip > 0 else next(partial)
        yield name, Operation(kind, (total, index), None, equations)
        total = name
    if flip < 0:
        yield top, Operation(Kind.NEG, (total,), None, equations)
