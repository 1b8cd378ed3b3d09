"""What a value of a sequence cannot exceed, as far as the operations that it is made of tell at a glance.

In: a value while its sequence is being written. Out: a bound of its magnitude, infinite where none is seen. Used by:
limits that need not be written where this shows that they never act. Whether everything is finite is proven in the end
(`proven`), from enclosures that are narrower; a limit that was left out wrongly would be missed there.
"""

import math
from weakref import WeakKeyDictionary

from exporter.sequence.builder import Builder, Value
from exporter.sequence.operations import Kind

_FOUND: WeakKeyDictionary[Builder, list[float]] = WeakKeyDictionary()
"""Bounds of the operations of a builder, as far as they were asked for."""


def magnitude(value: Value) -> float:
    """A bound of |value|."""
    builder = value.builder
    found = _FOUND.setdefault(builder, [])
    for index in range(len(found), value.index + 1):
        found.append(_bound(builder, index, found))
    return found[value.index]


def note_limit(value: Value, limit: float) -> None:
    """Take down that a value is never larger than this."""
    bound = magnitude(value)
    _FOUND[value.builder][value.index] = min(bound, limit)


def _bound(builder: Builder, index: int, found: list[float]) -> float:
    operation = builder.operation(index)
    below = [found[operand] for operand in operation.operands]
    match operation.kind:
        case Kind.CONSTANT:
            return abs(float(operation.value or 0))
        case Kind.INPUT:
            return _of_input(builder, int(operation.value or 0))
        case Kind.SINE | Kind.COSINE:
            return 1.0
        case Kind.NEG | Kind.ABS | Kind.ADD | Kind.SUB:
            return sum(below)
        case Kind.MUL if all(map(math.isfinite, below)):
            return math.prod(below)
    return max(below[1:]) if operation.kind is Kind.SELECT else math.inf


def _of_input(builder: Builder, number: int) -> float:
    """An argument is replaced where it is out of its range."""
    signal = builder.signal(number)
    if signal.minimum is None or signal.maximum is None:
        return math.inf
    return max(abs(float(signal.minimum)), abs(float(signal.maximum)))
