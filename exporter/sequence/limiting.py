"""Limits what must be limited, and no more, so that a sequence can be proven finite.

In: a sequence with values that may be limited (`OperationSequence.limits`). Out: the sequence with limits at some of
them, each with its condition, and its enclosures. Where an operation may not be finite, the value before it that is
farthest beyond its bound is taken as limited, and the proof goes on behind that value.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import field, replace
from functools import cached_property
from heapq import heappop, heappush
from itertools import groupby

from exporter.errors import NotProven
from exporter.progress import say
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Flag, Value
from exporter.sequence.guards import kept_within
from exporter.sequence.in_pieces import analysis_in_pieces
from exporter.sequence.intervals import Analysis, Intervals, compare_bounds
from exporter.sequence.operations import Condition, Kind, Limit, OperationSequence
from exporter.sequence.shared_bounds import SharedBounds
from exporter.sequence.status import BITS

_COMPARISONS = frozenset({Kind.LESS, Kind.LESS_EQUAL})
TOLD_OPERATIONS = 1000
"""Operations after which it is said how far a proof is."""
_STATUS = frozenset({Kind.WORD_OF, Kind.WORD_OR})


def limit_where_needed(
    sequence: OperationSequence, *, pieces: bool = True, shared: SharedBounds | None = None
) -> tuple[OperationSequence, Intervals]:
    """The sequence with the limits that its proof needs, and the enclosures of its operations.

    What one box of ranges leaves open is tried in pieces of them, if these are wanted; where pieces show less than the
    box, the box counts. What is `shared` with functions that were proven before is taken from there.

    Raises:
        NotProven: it is not finite even so (see `exporter.sequence.intervals`).
    """

    def over_box(some: OperationSequence) -> Analysis:
        return Analysis(some, shared)

    if not pieces or analysis_in_pieces(sequence) is None:
        return _limited_over(sequence, over_box)
    with suppress(NotProven):
        search = _search(sequence, over_box(sequence))
        found = search.analysis.intervals()
        if not (search.needed or _open(sequence, found)):
            return replace(sequence, limits=()), found
    with suppress(NotProven):
        return _limited_over(sequence, lambda some: analysis_in_pieces(some, shared) or over_box(some))
    return _limited_over(sequence, over_box)


def _limited_over(
    sequence: OperationSequence, analysis_of: Callable[[OperationSequence], Analysis]
) -> tuple[OperationSequence, Intervals]:
    """The sequence with the limits that an analysis needs, which stand behind each other, and its enclosures."""
    while True:
        search = _search(sequence, analysis_of(sequence))
        if not search.needed:
            return replace(sequence, limits=()), search.analysis.intervals()
        sequence = _limited(sequence, search.needed)


def _search(sequence: OperationSequence, analysis: Analysis) -> "_Search":
    search = _Search(analysis, _offers(sequence))
    search.enclose_all()
    return search


def _open(sequence: OperationSequence, found: Intervals) -> bool:
    """Whether a comparison that no unchecked input decides may go either way."""
    return any(
        operation.kind in _COMPARISONS
        and all(found.enclosures[operand].bounded for operand in operation.operands)
        and compare_bounds(operation.kind, *(found.enclosures[operand] for operand in operation.operands)) is None
        for operation in sequence.operations
    )


@dataclass(frozen=True, slots=True)
class _Offer:
    bound: float
    limit: Limit


def _offers(sequence: OperationSequence) -> dict[int, list[_Offer]]:
    """The limits of each value, by operation; the widest first."""
    offers: dict[int, list[_Offer]] = {}
    for limit in sorted(sequence.limits, key=lambda limit: -limit.bound):
        offers.setdefault(limit.operation, []).append(_Offer(float(limit.bound), limit))
    return offers


@dataclass
class _Search:
    """Enclosures with as few limits as they need."""

    analysis: Analysis
    offers: dict[int, list[_Offer]]  # not taken
    needed: dict[int, Limit] = field(default_factory=dict)  # taken, by operation
    beyond: set[int] = field(default_factory=set)  # operations whose bounds are beyond their widest offer

    def enclose_all(self) -> None:
        """Enclose every operation, and take a limit wherever one may not be finite.

        Raises:
            NotProven: an operation may not be finite, and none of the values behind it is beyond its bound.
        """
        sequence = self.analysis.sequence
        for index in range(len(sequence.operations)):
            if index and index % TOLD_OPERATIONS == 0:
                say(f"proving that {sequence.name} stays finite: operation", index, len(sequence.operations))
            self._enclose(index)

    def _enclose(self, index: int) -> None:
        """Enclose one operation; what lies between a value that is limited for it and itself is enclosed anew."""
        while True:
            try:
                self.analysis.enclose(index)
            except NotProven:
                farthest = self._farthest_beyond(index)
                if farthest is None:
                    raise
                self.needed[farthest] = self.offers[farthest].pop(0).limit
                self._keep_within(farthest)
                self._enclose_between(farthest, index)
            else:
                break
        if index in self.offers:
            self._keep_within(index)

    def _keep_within(self, index: int) -> None:
        """Take an operation as limited where a limit of it is taken, and note whether it is beyond the next one."""
        if index in self.needed:
            self.analysis.clamp(index, float(self.needed[index].bound))
        offers = self.offers[index]
        if offers and self.analysis.known[index].largest > offers[0].bound:
            self.beyond.add(index)
        else:
            self.beyond.discard(index)

    def _enclose_between(self, first: int, last: int) -> None:
        """Enclose anew what depends on the first operation and stands before the last; bounds only get narrower."""
        waiting, index = [first], first
        while waiting:
            before, index = index, heappop(waiting)
            if index == first or (index != before and self._gets_narrower(index)):
                for user in self._users[index]:
                    if user < last:
                        heappush(waiting, user)

    def _gets_narrower(self, index: int) -> bool:
        """Enclose an operation anew; whether more may be known of it then."""
        before = self.analysis.known.get(index)
        self._enclose(index)
        return self.analysis.changed(index, before)

    @cached_property
    def _users(self) -> list[list[int]]:
        """The operations that read each operation, in order."""
        operations = self.analysis.sequence.operations
        users: list[list[int]] = [[] for _ in operations]
        for index, operation in enumerate(operations):
            for operand in operation.operands:
                users[operand].append(index)
        return users

    def _farthest_beyond(self, index: int) -> int | None:
        """The value farthest beyond its bound that an operation is made of; None where none is beyond.

        Values behind a limited one come last: they seldom make it smaller.
        """
        for stops in (self.needed, ()):
            found = dict(self._beyond(index, stops))
            if found:
                return max(found, key=lambda k: (found[k], k))
        return None

    def _beyond(self, index: int, stops: Collection[int]) -> Iterator[tuple[int, float]]:
        """The values beyond their bounds that an operation is made of, and how far; none behind another or a stop."""
        operations, known = self.analysis.sequence.operations, self.analysis.known
        first = min(self.beyond, default=index)  # what stands before it is made of none of them
        waiting, seen = [index], {index}
        while waiting:
            for operand in operations[waiting.pop()].operands:
                if operand < first or operand in seen:
                    continue
                seen.add(operand)
                if operand in self.beyond:
                    yield operand, known[operand].largest / self.offers[operand][0].bound
                elif operand not in stops:
                    waiting.append(operand)


def _limited(sequence: OperationSequence, needed: Mapping[int, Limit]) -> OperationSequence:
    """The sequence written again with these limits: everything that reads such a value reads it limited."""
    builder = Builder(sequence.name, sequence.precision)
    for signal in sequence.inputs:
        builder.declare(signal)
    for condition in sequence.conditions:
        builder.describe(condition.name, _said(condition))
    now = _copied(sequence, needed, builder)
    for condition in sequence.conditions:
        builder.condition(condition.name, Flag(builder, now[condition.operation]))
    for output in sequence.outputs:
        builder.output(output.signal, Value(builder, now[output.operation]))
    for limit in sequence.limits:
        if limit.operation not in needed:
            builder.may_limit(Value(builder, now[limit.operation]), limit.bound, limit.condition, limit.about)
    return replace(builder.finish(), left_out=sequence.left_out)


def _copied(sequence: OperationSequence, needed: Mapping[int, Limit], builder: Builder) -> dict[int, int]:
    """Write all but the status of a sequence again; gives the new index of each operation, limited where needed."""
    now: dict[int, int] = {}
    for step, run in groupby(enumerate(sequence.operations), key=lambda each: each[1].step):
        with builder.under(step):
            for index, operation in run:
                if operation.kind in _STATUS:
                    continue
                operands = tuple([now[operand] for operand in operation.operands])
                now[index] = builder.append(operation.kind, operands, operation.value)
                if index in needed:
                    now[index] = _limit(Value(builder, now[index]), needed[index]).index
    return now


def _said(condition: Condition) -> str:
    """When it is set; empty where nothing is said but what it means in every sequence."""
    return "" if condition.about == BITS[condition.name][1] else condition.about


def _limit(value: Value, limit: Limit) -> Value:
    within, kept = kept_within(value, limit.bound)
    if limit.condition:
        value.builder.condition(limit.condition, ~within, limit.about)
    return kept
