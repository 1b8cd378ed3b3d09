"""Time derivatives of values of a sequence, written into the same sequence (forward mode).

Comes in: a builder and, by `register`, what is known of single values: the rate of an input, the derivative of a root
by its guarded pivot, the rate of a solved angle. Goes out: the derivative of any value, shared where it is shared.
Applied twice it gives accelerations. A guard's replacement is not differentiated: the regular side is.
"""

from collections.abc import Callable

from exporter.kinematics.spatial.vectors import Vector
from exporter.sequence.builder import Builder, Value
from exporter.sequence.operations import Kind

Thunk = Callable[[], Value]


class Derivatives:
    """The derivative of every value that was asked for, and where special ones come from."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._known: dict[int, Value] = {}
        self._special: dict[int, Thunk] = {}

    @property
    def builder(self) -> Builder:
        """What is written into."""
        return self._builder

    def register(self, value: Value, derivative: Thunk, since: int = 0) -> None:
        """What to take for the derivative of a value; the first one given counts.

        Constants have none, and what was written before the operation `since` keeps the rule of its own operation.
        """
        operation, index = self._builder.operation(value.index), value.index
        if operation.kind is Kind.CONSTANT:
            return
        if operation.kind is Kind.NEG:
            (index,) = operation.operands
        if index >= since:
            self._special.setdefault(index, derivative if index == value.index else lambda: -derivative())

    def register_vector(self, vector: Vector, derivative: Callable[[], Vector]) -> None:
        """What to take for the derivatives of a vector's components, as `register` does."""
        self.register(vector.x, lambda: derivative().x)
        self.register(vector.y, lambda: derivative().y)
        self.register(vector.z, lambda: derivative().z)

    def of(self, value: Value) -> Value:
        """The derivative of a value."""
        if value.index not in self._known:
            special = self._special.get(value.index)
            self._known[value.index] = special() if special is not None else self.plain(value)
        return self._known[value.index]

    def present(self, value: Value) -> Thunk:
        """The derivative as it is known now, whatever is registered later."""
        operation = self._builder.operation(value.index)
        if operation.kind is Kind.NEG:
            inner = self.present(Value(self._builder, operation.operands[0]))
            return lambda: -inner()
        special = self._special.get(value.index)
        return special if special is not None else lambda: self.plain(value)

    def of_vector(self, vector: Vector) -> Vector:
        """The derivative of a vector's components."""
        return Vector(self.of(vector.x), self.of(vector.y), self.of(vector.z))

    def plain(self, value: Value) -> Value:  # noqa: PLR0911, C901 - one line per operation
        """The derivative by the rule of the value's own operation.

        Raises:
            ValueError: the operation has no derivative; the block that wrote it should have registered one.
        """
        builder = self._builder
        operation = builder.operation(value.index)
        operands = [Value(builder, index) for index in operation.operands]
        match operation.kind:
            case Kind.CONSTANT | Kind.INPUT:
                return builder.real(0)
            case Kind.ADD:
                return self.of(operands[0]) + self.of(operands[1])
            case Kind.SUB:
                return self._difference(self.of(operands[0]), self.of(operands[1]))
            case Kind.NEG:
                return -self.of(operands[0])
            case Kind.MUL:
                return self._product(*operands)
            case Kind.DIV:
                return (self.of(operands[0]) - value * self.of(operands[1])) / operands[1]
            case Kind.SQRT:
                return self.of(operands[0]) / (2 * value)
            case Kind.SINE | Kind.COSINE:
                return self._sine_or_cosine(operation.kind, operands[0])
            case Kind.SELECT:
                return self.of(operands[1])
        if self._is_still(value.index):
            return builder.real(0)
        raise ValueError(f"{operation.kind} has no derivative; register one")

    def _is_still(self, index: int) -> bool:
        """Whether a value depends on parameters only: on nothing that a derivative is registered for."""
        waiting, seen = [index], {index}
        while waiting:
            at = waiting.pop()
            if at in self._special:
                return False
            new = set(self._builder.operation(at).operands) - seen
            seen |= new
            waiting.extend(sorted(new))
        return True

    def _difference(self, left: Value, right: Value) -> Value:
        """Without the addend that both have: the second derivative of a b' - b a' has a' b' twice."""
        minuend, subtrahend = (self._builder.operation(value.index) for value in (left, right))
        if minuend.kind is Kind.ADD and subtrahend.kind is Kind.ADD:
            for common, one in (minuend.operands, minuend.operands[::-1]):
                for same, other in (subtrahend.operands, subtrahend.operands[::-1]):
                    if common == same:
                        return Value(self._builder, one) - Value(self._builder, other)
        return left - right

    def _product(self, left: Value, right: Value) -> Value:
        if left == right:
            return 2 * (left * self.of(left))
        return self.of(left) * right + left * self.of(right)

    def _sine_or_cosine(self, kind: Kind, pair: Value) -> Value:
        builder = self._builder
        angle = Value(builder, builder.operation(pair.index).operands[0])
        if kind is Kind.SINE:
            return Value(builder, builder.append(Kind.COSINE, (pair.index,))) * self.of(angle)
        return -(Value(builder, builder.append(Kind.SINE, (pair.index,))) * self.of(angle))
