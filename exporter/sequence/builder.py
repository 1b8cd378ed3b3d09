"""Builds an operation sequence: hash-consed, folding constants and signs, keeping the association that was written.

A handle (`Value`, `Flag`, `Bits`) stands for one operation; arithmetic on handles appends operations, and writing the
same operation twice gives the same handle. Rules applied while building, never a re-association or an expansion:
constants fold exactly (rationals); x*1, x+0, x*0, x/1 vanish; a minus sign moves outwards until an addition absorbs it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction

from exporter.sequence import passes
from exporter.sequence.handles import Bits, Flag, Number, Value
from exporter.sequence.operations import (
    EPSILON,
    Condition,
    Group,
    Kind,
    Limit,
    Operation,
    OperationSequence,
    Output,
    Precision,
    Signal,
    Step,
)
from exporter.sequence.status import BITS

__all__ = ["Bits", "Builder", "Flag", "Number", "Value"]

CHECKS = Step("checks", "arguments that are not finite or out of range are replaced by nominal values", part=True)
STATUS = Step("status", "the conditions of this call, one bit each", part=True)
ALWAYS_KEPT = "ARG_REJECTED"  # a condition of the call, whichever part of it reads the argument


class Builder:
    """Collects operations of one sequence. Every method that returns a handle may append operations."""

    def __init__(self, name: str, precision: Precision, *, contract: bool = True) -> None:
        self.name = name
        self.contract = contract  # False: guards are left out, for counting the arithmetic alone
        self.precision: Precision = precision
        self.epsilon = EPSILON[precision]
        self._operations: list[Operation] = []
        self._constants: list[Fraction | None] = []  # of each operation: its exact value, if it is a constant
        self._reals: dict[int | tuple[int, int], Value] = {}  # by integer or by ratio: a Fraction is slow to hash
        self._zero = -1  # index of the constant 0, once there is one
        self._index: dict[tuple[Kind, tuple[int, ...], Fraction | int | None], int] = {}
        self._inputs: list[Signal] = []
        self._declared: set[tuple[str, Group]] = set()
        self._outputs: list[Output] = []
        self._conditions: dict[str, Flag] = {}
        self._joined: set[tuple[str, int]] = set()  # conditions and the flags that each has already
        self._about: dict[str, str] = {}
        self._limits: dict[tuple[int, Fraction], Limit] = {}
        self._steps: dict[Step, Step] = {}
        self._step: Step | None = None
        self._inside = ""  # what stands before the ids of steps
        self._iterating = False
        self._deaf = False

    # -- the graph ---------------------------------------------------------------------------------------------------

    def append(self, kind: Kind, operands: tuple[int, ...] = (), value: Fraction | int | None = None) -> int:
        """The index of this operation, new or already there. No folding: see the named methods."""
        key = (kind, operands, value)
        index = self._index.get(key)
        if index is None:
            index = len(self._operations)
            self._index[key] = index
            self._operations.append(Operation(kind, operands, value, self._step))
            self._constants.append(Fraction(value) if kind is Kind.CONSTANT and value is not None else None)
        return index

    def copied(self, operation: Operation, operands: tuple[int, ...]) -> int:
        """The index of an operation of another sequence, of its own step, on these operands."""
        outer, step = self._step, operation.step
        self._step = step and self._steps.setdefault(step, step)
        try:
            return self.append(operation.kind, operands, operation.value)
        finally:
            self._step = outer

    def operation(self, index: int) -> Operation:
        """The operation at this index."""
        return self._operations[index]

    @property
    def written(self) -> int:
        """How many operations there are so far: the index of the next one."""
        return len(self._operations)

    def constant_of(self, index: int) -> Fraction | None:
        """The exact value of a constant operation, else None."""
        return self._constants[index]

    def _value(self, kind: Kind, *operands: Value) -> Value:
        return Value(self, self.append(kind, tuple([operand.index for operand in operands])))

    def _either_way(self, kind: Kind, left: Value, right: Value) -> Value:
        """An operation whose operands may change places: the earlier one stands first."""
        a, b = left.index, right.index
        return Value(self, self.append(kind, (a, b) if a <= b else (b, a)))

    def _negated(self, value: Value) -> Value | None:
        operation = self._operations[value.index]
        return Value(self, operation.operands[0]) if operation.kind is Kind.NEG else None

    @contextmanager
    def step(self, equation: str, text: str, *, part: bool = False) -> Iterator[None]:
        """What is written inside is of this step, but for what is written for a step inside of it.

        Args:
            equation: its id, such as "L1.2"; what it is told within stands before it.
            text: the unknown and the equation that gives it.
            part: it is no step of the solution by itself.
        """
        with self.under(Step(f"{self._inside} {equation}".strip(), text, part or self._iterating)):
            yield

    @contextmanager
    def under(self, step: Step | None) -> Iterator[None]:
        """What is written inside is of this step of a sequence that is there."""
        outer, self._step = self._step, step and self._steps.setdefault(step, step)
        try:
            yield
        finally:
            self._step = outer

    @contextmanager
    def part(self, name: str, text: str) -> Iterator[None]:
        """What is written inside is a part of the present step, told under a heading of its own.

        Args:
            name: its id within the step.
            text: the unknown and the equation that gives it.
        """
        within = self._step.equation if self._step else self._inside
        with self.under(Step(f"{within}.{name}" if within else name, text, part=True)):
            yield

    @contextmanager
    def within(self, name: str) -> Iterator[None]:
        """The ids of the steps that are told inside begin with this name."""
        outer, self._inside = self._inside, f"{self._inside} {name}".strip()
        try:
            yield
        finally:
            self._inside = outer

    @contextmanager
    def iterate(self, equation: str, *, conditions: bool = False) -> Iterator[None]:
        """What is written inside is an iterate of this step, and the steps that are told inside are parts of it.

        Guards keep everything finite as ever. Without `conditions` they are not the result's: of those that guards set,
        only a rejected argument is kept.
        """
        outer = self._iterating, self._deaf
        self._iterating, self._deaf = True, self._deaf or not conditions
        try:
            with self.within(equation):
                yield
        finally:
            self._iterating, self._deaf = outer

    # -- reals -------------------------------------------------------------------------------------------------------

    def real(self, number: Value | Number) -> Value:
        """A constant, exact until it is printed; a handle passes through."""
        if isinstance(number, Value):
            return number
        key = number if isinstance(number, int) else number.as_integer_ratio()
        known = self._reals.get(key)
        if known is None:
            known = self._reals[key] = Value(self, self.append(Kind.CONSTANT, (), Fraction(number)))
            self._zero = self._zero if number else known.index
        return known

    def add(self, left: Value, right: Value) -> Value:
        """left + right."""
        a, b = self._constants[left.index], self._constants[right.index]
        if left.index == self._zero:
            return right
        if right.index == self._zero:
            return left
        if a is not None and b is not None:
            return self.real(a + b)
        if (minus := self._minus(right)) is not None:
            return self.sub(left, minus)
        if (minus := self._minus(left)) is not None:
            return self.sub(right, minus)
        return self._either_way(Kind.ADD, left, right)

    def _minus(self, value: Value) -> Value | None:
        """What this is the negative of: under a NEG, or a negative constant."""
        constant = self._constants[value.index]
        if constant is not None:
            return self.real(-constant) if constant.numerator < 0 else None
        return self._negated(value)

    def sub(self, left: Value, right: Value) -> Value:
        """left - right."""
        a, b = self._constants[left.index], self._constants[right.index]
        if right.index == self._zero:
            return left
        if a is not None and b is not None:
            return self.real(a - b)
        if left.index == self._zero:
            return self.neg(right)
        if left == right:
            return self.real(0)
        if (minus := self._minus(right)) is not None:
            return self.add(left, minus)
        minus = self._minus(left)
        return self._value(Kind.SUB, left, right) if minus is None else self.neg(self.add(minus, right))

    def mul(self, left: Value, right: Value) -> Value:
        """left * right."""
        if self._zero in (left.index, right.index):
            return self.real(0)
        a, b = self._constants[left.index], self._constants[right.index]
        if a is not None and b is not None:
            return self.real(a * b)
        if a is not None:
            return self._scaled(a, right)
        if b is not None:
            return self._scaled(b, left)
        minus_left, minus_right = self._negated(left), self._negated(right)
        product = self._either_way(Kind.MUL, minus_left or left, minus_right or right)
        return self.neg(product) if (minus_left is None) != (minus_right is None) else product

    def _scaled(self, factor: Fraction, value: Value) -> Value:
        """Factor * value with the signs outside."""
        minus = self._negated(value)
        magnitude = minus or value
        if abs(factor.numerator) != factor.denominator:
            magnitude = self._value(Kind.MUL, self.real(abs(factor)), magnitude)
        return self.neg(magnitude) if (factor.numerator < 0) != (minus is not None) else magnitude

    def div(self, left: Value, right: Value) -> Value:
        """left / right. The caller guards the denominator.

        Raises:
            ZeroDivisionError: the denominator is the constant 0.
        """
        denominator = right.constant
        if denominator is not None:
            return self.mul(left, self.real(1 / denominator))
        if left.index == self._zero:
            return left
        minus_left, minus_right = self._minus(left), self._negated(right)
        quotient = self._value(Kind.DIV, minus_left or left, minus_right or right)
        return self.neg(quotient) if (minus_left is None) != (minus_right is None) else quotient

    def neg(self, value: Value) -> Value:
        """-value."""
        if value.constant is not None:
            return self.real(-value.constant)
        return self._negated(value) or self._value(Kind.NEG, value)

    def abs(self, value: Value) -> Value:
        """|value|."""
        if value.constant is not None:
            return self.real(abs(value.constant))
        return self._value(Kind.ABS, self._negated(value) or value)

    def sqrt(self, value: Value) -> Value:
        """The square root; the caller clamps the radicand. Exact squares of constants fold."""
        return self._value(Kind.SQRT, value)

    def square(self, value: Value) -> Value:
        """value * value."""
        return self.mul(value, value)

    def positive_part(self, value: Value) -> Value:
        """The larger of value and 0, exactly: (value + |value|) / 2, which needs no comparison."""
        return self.real(Fraction(1, 2)) * (value + abs(value))

    def sincos(self, angle: Value) -> tuple[Value, Value]:
        """(sine, cosine) by the fixed-time kernel; the angle stays within its domain by the ranges."""
        magnitude = self._negated(angle)
        pair = self.append(Kind.SINCOS, ((magnitude or angle).index,))
        sine = Value(self, self.append(Kind.SINE, (pair,)))
        cosine = Value(self, self.append(Kind.COSINE, (pair,)))
        return (self.neg(sine) if magnitude is not None else sine), cosine

    def atan2(self, y: Value, x: Value) -> Value:
        """Angle of the point (x, y) by the kernel, in [-pi, pi]; 0 at the origin."""
        return self._value(Kind.ATAN2, y, x)

    def asin(self, value: Value) -> Value:
        """Arcsine of a value within [-1, 1]."""
        return self._value(Kind.ASIN, value)

    def acos(self, value: Value) -> Value:
        """Arccosine of a value within [-1, 1]."""
        return self._value(Kind.ACOS, value)

    def exp(self, value: Value) -> Value:
        """The exponential; the argument is kept within the kernel's domain."""
        return self._value(Kind.EXP, value)

    def log(self, value: Value) -> Value:
        """Natural logarithm of a positive value."""
        return self._value(Kind.LOG, value)

    def tanh(self, value: Value) -> Value:
        """Hyperbolic tangent, in [-1, 1]."""
        minus = self._negated(value)
        return self._value(Kind.TANH, value) if minus is None else self.neg(self._value(Kind.TANH, minus))

    def floor(self, value: Value) -> Value:
        """The largest whole number that is not above the value."""
        if value.constant is not None:
            return self.real(value.constant.__floor__())
        return self._value(Kind.FLOOR, value)

    def pow(self, base: Value, exponent: Value) -> Value:
        """A positive base to any power."""
        return self._value(Kind.POW, base, exponent)

    def mod(self, value: Value, modulus: Value) -> Value:
        """value - modulus * floor(value / modulus), in [0, modulus), of a modulus above zero."""
        return self._value(Kind.MOD, value, modulus)

    def read(self, number: Value, constants: Sequence[Fraction]) -> Value:
        """The constant of this number, counted from 0; the ranges must show that the number is one of them."""
        if number.constant is not None:
            return self.real(constants[int(number.constant)])
        if len(set(constants)) == 1:
            return self.real(constants[0])
        operands = (self.truncate(number).index, *(self.real(constant).index for constant in constants))
        return Value(self, self.append(Kind.READ, operands))

    # -- flags, bits, selects ----------------------------------------------------------------------------------------

    def compare(self, kind: Kind, left: Value, right: Value) -> Flag:
        """The flag of LESS or LESS_EQUAL."""
        a, b = left.constant, right.constant
        if a is not None and b is not None:
            return self.flag(a < b if kind is Kind.LESS else a <= b)
        return Flag(self, self.append(kind, (left.index, right.index)))

    def flag(self, value: bool) -> Flag:
        """A constant flag."""
        return Flag(self, self.append(Kind.FLAG_CONSTANT, (), int(value)))

    def _flag_constant(self, flag: Flag) -> int | None:
        operation = self._operations[flag.index]
        return int(operation.value) if operation.kind is Kind.FLAG_CONSTANT and operation.value is not None else None

    def flag_and(self, left: Flag, right: Flag) -> Flag:
        """1 where both are."""
        for one, other in ((left, right), (right, left)):
            if (constant := self._flag_constant(one)) is not None:
                return other if constant else one
        if left == right:
            return left
        return Flag(self, self.append(Kind.FLAG_AND, tuple(sorted((left.index, right.index)))))

    def flag_not(self, flag: Flag) -> Flag:
        """1 where it is 0."""
        if (constant := self._flag_constant(flag)) is not None:
            return self.flag(not constant)
        operation = self._operations[flag.index]
        if operation.kind is Kind.FLAG_NOT:
            return Flag(self, operation.operands[0])
        return Flag(self, self.append(Kind.FLAG_NOT, (flag.index,)))

    def flag_or(self, left: Flag, right: Flag) -> Flag:
        """1 where either is."""
        for one, other in ((left, right), (right, left)):
            if (constant := self._flag_constant(one)) is not None:
                return one if constant else other
        if left == right:
            return left
        return Flag(self, self.append(Kind.FLAG_OR, tuple(sorted((left.index, right.index)))))

    def select(self, flag: Flag, if_one: Value | Number, if_zero: Value | Number) -> Value:
        """if_one where the flag is 1, if_zero where it is 0. Both are computed."""
        one, zero = self.real(if_one), self.real(if_zero)
        if (constant := self._flag_constant(flag)) is not None:
            return one if constant else zero
        if one == zero:
            return one
        return Value(self, self.append(Kind.SELECT, (flag.index, one.index, zero.index)))

    def select_bits(self, flag: Flag, if_one: Bits, if_zero: Bits) -> Bits:
        """The first integer where the flag is 1, else the second."""
        return Bits(self, self.append(Kind.SELECT, (flag.index, if_one.index, if_zero.index)))

    def bits(self, value: int) -> Bits:
        """A constant unsigned integer."""
        return Bits(self, self.append(Kind.BITS_CONSTANT, (), value))

    def bits_operation(self, kind: Kind, left: Bits, right: Bits | int) -> Bits:
        """AND, OR or XOR of two integers."""
        other = right if isinstance(right, Bits) else self.bits(right)
        return Bits(self, self.append(kind, tuple(sorted((left.index, other.index)))))

    def truncate(self, value: Value) -> Bits:
        """The integer part towards zero as two's complement bits; the operand must fit in 32 bits."""
        return Bits(self, self.append(Kind.TRUNCATE, (value.index,)))

    # -- the border --------------------------------------------------------------------------------------------------

    def input(self, signal: Signal) -> Value:
        """The raw value of an input signal, not yet checked (see `exporter.sequence.guards`).

        Raises:
            ValueError: a signal of that name and group is there already.
        """
        return Value(self, self.append(Kind.INPUT, (), self.declare(signal)))

    def declare(self, signal: Signal) -> int:
        """The number of a new input signal, counted from 0.

        Raises:
            ValueError: a signal of that name and group is there already.
        """
        if (signal.name, signal.group) in self._declared:
            raise ValueError(f"input '{signal.name}' is declared twice; give each input a name of its own")
        self._declared.add((signal.name, signal.group))
        self._inputs.append(signal)
        return len(self._inputs) - 1

    def output(self, signal: Signal, value: Value | Number) -> None:
        """Declare an output."""
        self._outputs.append(Output(signal, self.real(value).index))

    def condition(self, name: str, flag: Flag, about: str = "") -> None:
        """Set the status bit `name` (see `exporter.sequence.status.BITS`) where the flag is 1; several add up."""
        if self._deaf and name != ALWAYS_KEPT:
            return
        if (name, flag.index) not in self._joined:
            self._joined.add((name, flag.index))
            before = self._conditions.get(name)
            with self.under(self._step or self._operations[flag.index].step):
                self._conditions[name] = flag if before is None else self.flag_or(before, flag)
        self.describe(name, about)

    def describe(self, condition: str, about: str) -> None:
        """Say when a condition is set, besides what is said already; empty says nothing."""
        known = self._about.get(condition, "")
        if about and about not in known.split("; "):
            self._about[condition] = f"{known}; {about}" if known else about

    def may_limit(self, value: Value, bound: Fraction, condition: str, about: str) -> None:
        """Let a proof limit a value to [-bound, bound], with a condition where it does."""
        index = (self._negated(value) or value).index
        condition = "" if self._deaf and condition != ALWAYS_KEPT else condition
        known = self._limits.get((index, bound))
        if known is None or (condition and not known.condition):
            self._limits[index, bound] = Limit(index, bound, condition, about)

    def _status(self) -> tuple[int | None, tuple[Condition, ...]]:
        with self.under(STATUS):
            return self._written_status()

    def _written_status(self) -> tuple[int | None, tuple[Condition, ...]]:
        word: int | None = None
        conditions = []
        for name in sorted(self._conditions, key=lambda name: BITS[name][0]):
            flag, (bit, meaning) = self._conditions[name], BITS[name]
            shifted = self.append(Kind.WORD_OF, (flag.index,), bit)
            word = shifted if word is None else self.append(Kind.WORD_OR, (word, shifted))
            conditions.append(Condition(name, bit, self._about.get(name, meaning), flag.index))
        return word, tuple(conditions)

    def finish(self) -> OperationSequence:
        """The sequence, without dead operations, with shared reciprocals."""
        return passes.tidy(self.as_written())

    def as_written(self) -> OperationSequence:
        """The sequence with all that was written, used or not."""
        status, conditions = self._status()
        return OperationSequence(
            self.name,
            self.precision,
            tuple(self._inputs),
            tuple(self._operations),
            tuple(self._outputs),
            status,
            conditions,
            tuple(self._limits.values()),
        )
