"""Bounds of values while a sequence is being built: can this denominator vanish, this radicand become negative?

In: a builder, the ranges of its inputs, what guards guarantee. Out: an enclosure per operation. It decides
only whether a guard is needed; `exporter.sequence.intervals` proves the finished sequence by itself.
"""

from collections.abc import Callable, Sequence
from functools import reduce

from exporter.sequence import enclosure
from exporter.sequence.builder import Value
from exporter.sequence.enclosure import UNBOUNDED, Arithmetic, Enclosure
from exporter.sequence.kernel_bounds import kernel_bounds
from exporter.sequence.narrowing import Bounds, Narrowing
from exporter.sequence.operations import KERNELS, Kind, Operation, Signal
from exporter.sequence.rounding import round_to_format
from exporter.symbolic.recording_builder import RecordingBuilder


class Enclosures:
    """Enclosures of the operations of one builder, computed on demand and kept."""

    def __init__(self, builder: RecordingBuilder) -> None:
        self._builder = builder
        self._arithmetic = Arithmetic(builder.precision)
        self._rules = _rules(self._arithmetic)
        self._inputs: list[Enclosure] = []
        self._known: dict[int, Enclosure] = {}

    def add_input(self, signal: Signal) -> None:
        """The next input of the builder is checked to be within this signal's range."""
        if signal.minimum is None or signal.maximum is None:
            self._inputs.append(UNBOUNDED)
            return
        low, high = (round_to_format(bound, self._builder.precision) for bound in (signal.minimum, signal.maximum))
        self._inputs.append(Enclosure(low, high))

    def of(self, value: Value) -> Enclosure:
        """The bounds of a value."""
        self._know(value.index + 1)
        return self._known[value.index]

    def _know(self, end: int) -> None:
        for index in range(len(self._known), end):
            self._known[index] = self._of_operation(index, self._known)

    def declare(self, value: Value, guaranteed: Enclosure) -> None:
        """What a guard guarantees of its result."""
        self.of(value)
        self._known[value.index] = guaranteed

    def where(self, value: Value, flags: Sequence[tuple[int, bool]]) -> Enclosure:
        """The bounds of a value where each of the flags, by its operation's index, has the value beside it."""
        self._know(self._builder.length)
        return self._narrowing(self._known).where(flags, value.index)

    def _narrowing(self, known: Bounds) -> Narrowing:
        return Narrowing(self._builder.operation, known, self._of_operation, self._builder.precision)

    def excludes_zero(self, value: Value) -> bool:
        """Whether the value cannot be zero."""
        return self.of(value).smallest > 0

    def _of_operation(self, index: int, known: Bounds) -> Enclosure:
        operation = self._builder.operation(index)
        match operation.kind:
            case Kind.INPUT:
                return self._inputs[int(operation.value or 0)]
            case Kind.CONSTANT:
                return enclosure.constant(round_to_format(operation.value or 0, self._builder.precision))
            case Kind.SINE | Kind.COSINE:
                return self._sine(operation, known)
            case Kind.SELECT | Kind.READ:
                return self._chosen(index, operation, known)
        operands = [known[operand] for operand in operation.operands]
        if not all(operand.bounded for operand in operands):
            return UNBOUNDED
        result = self._computed(operation, operands)
        return result if result.bounded else UNBOUNDED

    def _chosen(self, index: int, operation: Operation, known: Bounds) -> Enclosure:
        """One of the operands."""
        if operation.kind is Kind.SELECT:
            return self._narrowing(known).select(index)
        return reduce(enclosure.union, (known[operand] for operand in operation.operands[1:]))

    def _sine(self, operation: Operation, known: Bounds) -> Enclosure:
        pair = self._builder.operation(operation.operands[0])
        angle = known[pair.operands[0]]
        if not angle.bounded:
            return UNBOUNDED
        return self._arithmetic.cosine(angle) if operation.kind is Kind.COSINE else self._arithmetic.sine(angle)

    def _computed(self, operation: Operation, operands: list[Enclosure]) -> Enclosure:
        rule = self._rules.get(operation.kind)
        if operation.kind is Kind.MUL and operation.operands[0] == operation.operands[1]:
            return self._arithmetic.square(operands[0])
        if operation.kind is Kind.DIV and operands[1].smallest == 0:
            return UNBOUNDED
        if operation.kind is Kind.SQRT and operands[0].low < 0:
            return UNBOUNDED
        return UNBOUNDED if rule is None else rule(*operands)


def _rules(arithmetic: Arithmetic) -> dict[Kind, Callable[..., Enclosure]]:
    """Bounds of a defined operation from those of its operands."""
    return {
        Kind.ADD: arithmetic.add,
        Kind.SUB: lambda left, right: arithmetic.add(left, enclosure.negative(right)),
        Kind.MUL: arithmetic.mul,
        Kind.DIV: arithmetic.div,
        Kind.NEG: enclosure.negative,
        Kind.ABS: enclosure.magnitude,
        Kind.SQRT: arithmetic.sqrt,
        **{kind: _of_kernel(arithmetic, kind) for kind in KERNELS - {Kind.SINCOS}},
    }


def _of_kernel(arithmetic: Arithmetic, kind: Kind) -> Callable[..., Enclosure]:
    return lambda *arguments: kernel_bounds(arithmetic, kind, arguments)
