"""Proves that a sequence is total: within the ranges of its inputs nothing overflows, divides by zero or roots a minus.

In: a sequence with guarded inputs. Out: an enclosure per real operation. What cannot be proven is an error
that names the equations; a guard (`exporter.sequence.guards`) or a narrower range is the way out.
"""

from collections.abc import Mapping
from dataclasses import field
from functools import reduce

from exporter.errors import NotProven
from exporter.records import dataclass
from exporter.sequence import enclosure, refinement
from exporter.sequence.enclosure import UNBOUNDED, Arithmetic, Enclosure
from exporter.sequence.kernel_bounds import kernel_bounds
from exporter.sequence.kernels.domains import domain_text, within_domain
from exporter.sequence.narrowing import Bounds, Narrowing
from exporter.sequence.operations import KERNELS, SORT_OF, Group, Kind, Operation, OperationSequence, Signal, Sort
from exporter.sequence.rounding import FORMATS, round_to_format
from exporter.sequence.shared_bounds import SharedBounds, Tables

_UNCHECKED_KINDS = frozenset({Kind.ABS, Kind.NEG, Kind.SELECT, Kind.REAL_OF, Kind.INPUT})
"""Operations that may meet a number that nothing is known of; comparisons and bits have no enclosure."""


@dataclass(frozen=True, slots=True)
class Intervals:
    """The enclosures of a sequence."""

    enclosures: Bounds  # of every operation that yields a real
    beyond_domain: tuple[int, ...]  # kernel calls whose argument may leave the kernel's domain; they stay finite
    decided: Mapping[int, int] = field(default_factory=dict)  # flags whose value is known, beside what bounds tell

    def of(self, index: int) -> Enclosure:
        """The enclosure of a real operation."""
        return self.enclosures[index]


def analyse(sequence: OperationSequence, shared: SharedBounds | None = None) -> Intervals:
    """Enclose every real operation; what is `shared` with functions that were analysed before is taken from there.

    Raises:
        ModelError: an overflow, a division by zero, a root of a negative number or the use of an unchecked input cannot
            be excluded; the sentence names the equations that the operation serves.
    """
    return Analysis(sequence, shared).whole()


def domain_notes(sequence: OperationSequence, intervals: Intervals) -> tuple[str, ...]:
    """A sentence for each kernel call whose argument may leave the domain of the stated accuracy."""
    return tuple(_domain_note(sequence, sequence.operations[index]) for index in intervals.beyond_domain)


def _domain_note(sequence: OperationSequence, operation: Operation) -> str:
    argument = "arguments" if len(operation.operands) > 1 else "argument"
    call = f"'{sequence.name}', {place(operation)}: the {argument} of {operation.kind.value}"
    domain = domain_text(operation.kind, sequence.precision)
    return f"{call} may leave {domain}; the result is then finite but not accurate"


def place(operation: Operation) -> str:
    """The step that an operation was written for, in words: "equation L1.2 (s: the rod closes the loop)"."""
    step = operation.step
    return f"equation {step.equation} ({step.text})" if step else "outside the equations"


class Analysis:
    """The enclosures found so far, one operation after the other."""

    def __init__(self, sequence: OperationSequence, shared: SharedBounds | None = None) -> None:
        self.sequence = sequence
        self.arithmetic = Arithmetic(sequence.precision)
        self.known: Bounds = {}
        self.shared = None if shared is None else shared.of(sequence)  # None: it goes alone
        self.largest = float(FORMATS[sequence.precision].highest)

    def enclose(self, index: int) -> None:
        """Enclose one operation, where it yields a real; those before it are enclosed.

        Raises:
            NotProven: it may be undefined or not finite.
        """
        if self.shared is None:
            self._enclose(index)
        else:
            self.shared.fill(index, self._tables(), self._enclose)

    def _tables(self) -> Tables:
        return (self.known,)

    def _enclose(self, index: int) -> None:
        operation = self.sequence.operations[index]
        sort = SORT_OF.get(operation.kind) or self.sequence.sort(index)
        if sort is Sort.REAL:
            self.known[index] = self._checked(index, operation)

    def whole(self) -> Intervals:
        """Enclose every operation.

        Raises:
            NotProven: one may be undefined or not finite, or an output is not bounded.
        """
        for index in range(len(self.sequence.operations)):
            self.enclose(index)
        return self.intervals()

    def intervals(self) -> Intervals:
        """The enclosures, once every operation is enclosed.

        Raises:
            NotProven: an output is not bounded.
        """
        sequence = self.sequence
        for output in sequence.outputs:
            if not self.known[output.operation].bounded:
                raise NotProven(
                    f"output '{output.signal.name}' of '{sequence.name}' is not bounded; check the inputs first"
                )
        beyond = tuple(k for k, operation in enumerate(sequence.operations) if self.leaves_domain(operation))
        return Intervals(self.known, beyond, self.decided())

    def clamp(self, index: int, bound: float) -> None:
        """Take an operation as limited to [-bound, bound]; functions that do not limit it have other bounds."""
        known, self.shared = self.known[index], None
        low, high = (min(max(end, -bound), bound) for end in (known.low, known.high))
        self.known[index] = Enclosure(low, high, min(known.away, bound))

    def changed(self, index: int, before: Enclosure | None) -> bool:
        """Whether more may be known of an operation than its enclosure before."""
        return self.known.get(index) != before

    def decided(self) -> Mapping[int, int]:
        """Flags whose value is known, beside what the bounds of their operands tell."""
        return {}

    def _checked(self, index: int, operation: Operation) -> Enclosure:
        """The enclosure of one operation, which must be defined and finite."""
        operands = self._operands(operation)
        if operation.kind in _UNCHECKED_KINDS:
            return self._enclosed(index, operation, operands)
        for operand in operands:
            if not operand.bounded:
                raise self._error(operation, "an input that was not checked for its range; use checked_input")
        if operation.kind is Kind.READ:
            self._check_number(operation)
        result = self._enclosed(index, operation, operands)
        if not result.largest <= self.largest:
            raise self.overflow(operation)
        return result

    def overflow(self, operation: Operation) -> NotProven:
        """The error of an operation whose result may not be finite."""
        precision = self.sequence.precision
        wider = ", or take float64" if precision == "float32" else ""
        return self._error(operation, f"a result that may overflow {precision}; narrow the ranges{wider}")

    def _operands(self, operation: Operation) -> list[Enclosure]:
        """The enclosures of the operands that are reals."""
        known = self.known
        return [known[operand] for operand in operation.operands if operand in known]

    def _check_number(self, operation: Operation) -> None:
        """Refuse a read beyond its constants."""
        number = self.sequence.operations[operation.operands[0]]
        known = self.known[number.operands[0]] if number.kind is Kind.TRUNCATE else enclosure.UNBOUNDED
        if not (known.low >= 0 and known.high < len(operation.operands) - 1):
            raise self._error(number, f"a number that may be none of {len(operation.operands) - 1} constants; limit it")

    def _error(self, operation: Operation, what: str) -> NotProven:
        operands = " and ".join(enclosure.text(self.known[k]) for k in operation.operands if k in self.known)
        where = f"'{self.sequence.name}', {place(operation)}"
        return NotProven(f"{where}: {operation.kind.value} of {operands or 'a flag'} has {what}")

    def _enclosed(self, index: int, operation: Operation, operands: list[Enclosure]) -> Enclosure:
        match operation.kind:
            case Kind.ADD | Kind.SUB | Kind.MUL | Kind.DIV | Kind.SQRT:
                result = self._arithmetic(operation, operands)
            case Kind.INPUT:
                result = self._input(self.sequence.inputs[int(operation.value or 0)])
            case Kind.CONSTANT:
                result = enclosure.constant(round_to_format(operation.value or 0, self.sequence.precision))
            case Kind.SELECT:
                result = self._select(index, operation)
            case Kind.REAL_OF:
                result = self._real_of(index)
            case Kind.READ:
                result = reduce(enclosure.union, operands)
            case Kind.NEG:
                result = enclosure.negative(operands[0])
            case Kind.ABS:
                result = enclosure.magnitude(operands[0])
            case _:
                result = self._kernel(operation, operands)
        return result

    def _input(self, signal: Signal) -> Enclosure:
        """Derived constants come from `recalibrate`, in their range; anything else may be anything."""
        if signal.group is not Group.DERIVED or signal.minimum is None or signal.maximum is None:
            return UNBOUNDED
        low, high = (round_to_format(end, self.sequence.precision) for end in (signal.minimum, signal.maximum))
        return Enclosure(low, high)

    def _select(self, index: int, operation: Operation) -> Enclosure:
        flag, one, zero = operation.operands
        if (outcome := self._outcome(flag)) is not None:
            return self.known[one if outcome else zero]
        operations = self.sequence.operations
        return Narrowing(operations.__getitem__, self.known, self._under, self.sequence.precision).select(index)

    def _under(self, index: int, known: Bounds) -> Enclosure:
        """An operation where its operands are bounded like this."""
        inside, operation = Analysis(self.sequence), self.sequence.operations[index]
        inside.known = known
        return inside._enclosed(index, operation, inside._operands(operation))

    def _outcome(self, flag: int) -> int | None:
        """What a comparison always gives, if the bounds tell."""
        operation = self.sequence.operations[flag]
        if operation.kind not in (Kind.LESS, Kind.LESS_EQUAL):
            return None
        left, right = (self.known[operand] for operand in operation.operands)
        return compare_bounds(operation.kind, left, right)

    def _real_of(self, index: int) -> Enclosure:
        """Bits say nothing, but for one number's magnitude with another's sign."""
        copied = refinement.copied_sign(self.sequence, index)
        if copied is None:
            return UNBOUNDED
        size, sign = (self.known[k] for k in copied)
        positive = enclosure.magnitude(size)
        if sign.low > 0:
            return positive
        return Enclosure(-positive.high, positive.high, positive.low)

    def _arithmetic(self, operation: Operation, operands: list[Enclosure]) -> Enclosure:
        match operation.kind:
            case Kind.MUL if operation.operands[0] == operation.operands[1]:
                return self.arithmetic.square(operands[0])
            case Kind.MUL:
                return self.arithmetic.mul(*operands)
            case Kind.ADD:
                return self._sum(operation, operands)
            case Kind.SUB:
                return self._difference(operation, operands)
            case Kind.DIV if operands[1].smallest == 0:
                raise self._error(operation, "a denominator that may be zero; guard it as a pivot (signed_pivot)")
            case Kind.DIV:
                return self.arithmetic.div(*operands)
        if operands[0].low < 0:
            raise self._error(operation, "a radicand that may be negative; clamp it (clamped_radicand)")
        return self.arithmetic.sqrt(operands[0])

    def _sum(self, operation: Operation, operands: list[Enclosure]) -> Enclosure:
        part = refinement.positive_part(self.sequence, operation)
        return self.arithmetic.add(*operands) if part is None else self._twice_positive(self.known[part])

    def _difference(self, operation: Operation, operands: list[Enclosure]) -> Enclosure:
        part = refinement.negative_part(self.sequence, operation)
        if part is None:
            return self.arithmetic.sub(*operands)
        return self._twice_positive(enclosure.negative(self.known[part]))

    def _twice_positive(self, value: Enclosure) -> Enclosure:
        """Bounds of x + |x|."""
        positive = enclosure.positive_part(value)
        return enclosure.at_least(self.arithmetic.add(positive, positive), 0.0)

    def _kernel(self, operation: Operation, operands: list[Enclosure]) -> Enclosure:
        if operation.kind in (Kind.SINE, Kind.COSINE):
            return self._sine(operation)
        return kernel_bounds(self.arithmetic, operation.kind, operands)

    def _sine(self, operation: Operation) -> Enclosure:
        pair = self.sequence.operations[operation.operands[0]]
        angle = self.known[pair.operands[0]]
        if not angle.bounded:
            raise self._error(pair, "an input that was not checked for its range; use checked_input")
        if self.leaves_domain(pair):
            return Enclosure(-2.0, 2.0)
        return self.arithmetic.cosine(angle) if operation.kind is Kind.COSINE else self.arithmetic.sine(angle)

    def leaves_domain(self, operation: Operation) -> bool:
        """Whether an argument of a kernel may exceed the domain of its stated accuracy."""
        if operation.kind not in KERNELS:
            return False
        return not within_domain(operation.kind, self.sequence.precision, [self.known[k] for k in operation.operands])


def compare_bounds(kind: Kind, left: Enclosure, right: Enclosure) -> int | None:
    """1 or 0 where the bounds decide left < right (LESS) or left <= right (LESS_EQUAL), else None."""
    if not (left.bounded and right.bounded):
        return None
    if kind is Kind.LESS:
        if left.high < right.low:
            return 1
        return 0 if left.low >= right.high else None
    if left.high <= right.low:
        return 1
    return 0 if left.low > right.high else None
