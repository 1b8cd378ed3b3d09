"""Bounds of values while a sequence is being built: can this denominator vanish, this radicand become negative?

Comes in: a builder and the ranges of its inputs. Goes out: an interval per operation, each widened by the rounding of
the operation. It decides only whether a guard is needed; `exporter.sequence.intervals` holds the finished sequence
against overflow by itself.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from exporter.model.recording_builder import RecordingBuilder
from exporter.sequence.builder import Value
from exporter.sequence.operations import Kind, Operation, Signal

Interval = tuple[float, float]
EVERYTHING: Interval = (-math.inf, math.inf)
HALF_TURN = 3.1415927  # above pi


class Enclosures:
    """Intervals of the operations of one builder, computed on demand and kept."""

    def __init__(self, builder: RecordingBuilder) -> None:
        self._builder = builder
        self._slack = float(builder.epsilon)
        self._inputs: list[Interval] = []
        self._known: list[Interval] = []
        self._nonzero: set[int] = set()

    def add_input(self, signal: Signal) -> None:
        """The next input of the builder is within this signal's range."""
        if signal.minimum is None or signal.maximum is None:
            self._inputs.append(EVERYTHING)
        else:
            self._inputs.append(self._widened(float(signal.minimum), float(signal.maximum)))

    def of(self, value: Value) -> Interval:
        """The bounds of a value."""
        for index in range(len(self._known), value.index + 1):
            self._known.append(self._of_operation(self._builder.operation(index)))
        return self._known[value.index]

    def declare(self, value: Value, low: float, high: float) -> None:
        """What a guard guarantees, where its arithmetic does not show it."""
        before = self.of(value)
        self._known[value.index] = (max(before[0], low), min(before[1], high))

    def declare_nonzero(self, value: Value) -> None:
        """A guarded pivot of either sign."""
        self._nonzero.add(value.index)

    def excludes_zero(self, value: Value) -> bool:
        """Whether the value cannot be zero."""
        low, high = self.of(value)
        return low > 0 or high < 0 or value.index in self._nonzero

    def magnitude(self, value: Value) -> float:
        """The largest absolute value."""
        return max(abs(bound) for bound in self.of(value))

    def _widened(self, low: float, high: float) -> Interval:
        if math.isnan(low) or math.isnan(high):
            return EVERYTHING
        return low - abs(low) * self._slack, high + abs(high) * self._slack

    def _of_operation(self, operation: Operation) -> Interval:
        match operation.kind:
            case Kind.INPUT:
                return self._inputs[int(operation.value or 0)]
            case Kind.CONSTANT:
                value = float(Fraction(operation.value or 0))
                return self._widened(value, value)
            case Kind.MUL if operation.operands[0] == operation.operands[1]:
                return self._widened(*_square(self._known[operation.operands[0]]))
            case Kind.SELECT:
                return _hull(*(self._known[operand] for operand in operation.operands[1:]))
        rule = _RULES.get(operation.kind)
        if rule is None:
            return EVERYTHING
        return self._widened(*rule(*(self._known[operand] for operand in operation.operands)))


def _add(a: Interval, b: Interval) -> Interval:
    return a[0] + b[0], a[1] + b[1]


def _sub(a: Interval, b: Interval) -> Interval:
    return a[0] - b[1], a[1] - b[0]


def _mul(a: Interval, b: Interval) -> Interval:
    products = [0.0 if x == 0 or y == 0 else x * y for x in a for y in b]
    return min(products), max(products)


def _div(a: Interval, b: Interval) -> Interval:
    if b[0] <= 0 <= b[1]:
        return EVERYTHING
    return _mul(a, (1 / b[1], 1 / b[0]))


def _neg(a: Interval) -> Interval:
    return -a[1], -a[0]


def _abs(a: Interval) -> Interval:
    low = 0.0 if a[0] <= 0 <= a[1] else min(abs(a[0]), abs(a[1]))
    return low, max(abs(a[0]), abs(a[1]))


def _square(a: Interval) -> Interval:
    low, high = _abs(a)
    return low * low, high * high


def _sqrt(a: Interval) -> Interval:
    return math.sqrt(max(a[0], 0.0)), math.sqrt(max(a[1], 0.0))


def _hull(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), max(a[1], b[1])


def _constantly(low: float, high: float) -> Callable[..., Interval]:
    return lambda *_: (low, high)


_RULES: dict[Kind, Callable[..., Interval]] = {
    Kind.ADD: _add,
    Kind.SUB: _sub,
    Kind.MUL: _mul,
    Kind.DIV: _div,
    Kind.NEG: _neg,
    Kind.ABS: _abs,
    Kind.SQRT: _sqrt,
    Kind.SINE: _constantly(-1.0, 1.0),
    Kind.COSINE: _constantly(-1.0, 1.0),
    Kind.ATAN2: _constantly(-HALF_TURN, HALF_TURN),
    Kind.ASIN: _constantly(-HALF_TURN / 2, HALF_TURN / 2),
    Kind.ACOS: _constantly(0.0, HALF_TURN),
}
