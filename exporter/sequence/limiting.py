"""Limits what must be limited, and no more, so that a sequence can be proven finite.

In: a sequence with values that may be limited (`OperationSequence.limits`). Out: the sequence with limits at some of
them, each with its condition, and its enclosures. Where an operation may not be finite, the value before it that is
farthest beyond its bound is taken as limited, and the proof goes on behind that value.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from exporter.errors import NotProven
from exporter.sequence.builder import Builder, Flag, Value
from exporter.sequence.enclosure import Enclosure
from exporter.sequence.guards import kept_within
from exporter.sequence.intervals import Analysis, Intervals
from exporter.sequence.operations import Condition, Kind, Limit, OperationSequence
from exporter.sequence.status import BITS

_STATUS = frozenset({Kind.WORD_OF, Kind.WORD_OR})


def limit_where_needed(sequence: OperationSequence) -> tuple[OperationSequence, Intervals]:
    """The sequence with the limits that its proof needs, and the enclosures of its operations.

    Raises:
        NotProven: it is not finite even so (see `exporter.sequence.intervals`).
    """
    while True:
        analysis = Analysis(sequence)
        needed = _needed(analysis)
        if not needed:
            return replace(sequence, limits=()), analysis.intervals()
        sequence = _limited(sequence, needed)


def _needed(analysis: Analysis) -> dict[int, Limit]:
    """The values that must be limited, by operation; every operation is enclosed with these limits.

    Raises:
        NotProven: an operation may not be finite, and none of the values behind it is beyond its bound.
    """
    offered = _widest_first(analysis.sequence)
    needed: dict[int, Limit] = {}
    index = 0
    while index < len(analysis.sequence.operations):
        try:
            analysis.enclose(index)
        except NotProven:
            farthest = _farthest_beyond(analysis, index, offered, needed)
            if farthest is None:
                raise
            index = farthest
            needed[index] = offered[index].pop(0)
        if index in needed:
            analysis.known[index] = _clamped(analysis.known[index], float(needed[index].bound))
        index += 1
    return needed


def _widest_first(sequence: OperationSequence) -> dict[int, list[Limit]]:
    """The limits of each value, by operation."""
    offered: dict[int, list[Limit]] = {}
    for limit in sorted(sequence.limits, key=lambda limit: -limit.bound):
        offered.setdefault(limit.operation, []).append(limit)
    return offered


def _clamped(known: Enclosure, bound: float) -> Enclosure:
    low, high = (min(max(end, -bound), bound) for end in (known.low, known.high))
    return Enclosure(low, high, min(known.away, bound))


def _farthest_beyond(
    analysis: Analysis, index: int, offered: Mapping[int, Sequence[Limit]], needed: Collection[int]
) -> int | None:
    """The value farthest beyond its bound that an operation is made of; None where none is beyond.

    Values behind a limited one come last: they seldom make it smaller.
    """
    for stops in (needed, ()):
        found = dict(_beyond(analysis, index, offered, stops))
        if found:
            return max(found, key=lambda k: (found[k], k))
    return None


def _beyond(
    analysis: Analysis, index: int, offered: Mapping[int, Sequence[Limit]], stops: Collection[int]
) -> Iterator[tuple[int, float]]:
    """The values beyond their bounds that an operation is made of, and how far; none behind another one or a stop."""
    operations = analysis.sequence.operations
    waiting, seen = [index], {index}
    while waiting:
        for operand in operations[waiting.pop()].operands:
            if operand in seen:
                continue
            seen.add(operand)
            limits = offered.get(operand)
            if limits and analysis.known[operand].largest > limits[0].bound:
                yield operand, analysis.known[operand].largest / float(limits[0].bound)
            elif operand not in stops:
                waiting.append(operand)


def _limited(sequence: OperationSequence, needed: Mapping[int, Limit]) -> OperationSequence:
    """The sequence written again with these limits: everything that reads such a value reads it limited."""
    builder = Builder(sequence.name, sequence.precision)
    for signal in sequence.inputs:
        builder.declare(signal)
    for condition in sequence.conditions:
        builder.describe(condition.name, _said(condition))
    now: dict[int, int] = {}
    for index, operation in enumerate(sequence.operations):
        if operation.kind in _STATUS:
            continue
        with builder.under(operation.step):
            operands = tuple(now[operand] for operand in operation.operands)
            now[index] = builder.append(operation.kind, operands, operation.value)
            if index in needed:
                now[index] = _limit(Value(builder, now[index]), needed[index]).index
    for condition in sequence.conditions:
        builder.condition(condition.name, Flag(builder, now[condition.operation]))
    for output in sequence.outputs:
        builder.output(output.signal, Value(builder, now[output.operation]))
    for limit in sequence.limits:
        if limit.operation not in needed:
            builder.may_limit(Value(builder, now[limit.operation]), limit.bound, limit.condition, limit.about)
    return builder.finish()


def _said(condition: Condition) -> str:
    """When it is set; empty where nothing is said but what it means in every sequence."""
    return "" if condition.about == BITS[condition.name][1] else condition.about


def _limit(value: Value, limit: Limit) -> Value:
    within, kept = kept_within(value, limit.bound)
    if limit.condition:
        value.builder.condition(limit.condition, ~within, limit.about)
    return kept
