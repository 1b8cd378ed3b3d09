"""Expressions of a model as values of a sequence: frozen parameters are constants, tunable ones inputs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from fractions import Fraction

from exporter.errors import ModelError
from exporter.kinematics.protocol.frames import square_root
from exporter.kinematics.protocol.linear_sums import LinearSum, PlaneVector
from exporter.model.evaluate import evaluate, names
from exporter.model.expression import Binary, Call, Expression, Function, Lookup, Name, Number, Power
from exporter.model.mechanism import Mechanism
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import checked_input, clamped_radicand
from exporter.sequence.kernels.domains import EXPONENT
from exporter.sequence.kernels.logarithm import smallest_normal
from exporter.sequence.lookup import lookup, lookup_slopes
from exporter.sequence.operations import Group, Kind, Signal

COORDINATES = ("q", "sines and cosines of the independent coordinates")
"""The step that every pose begins with: its id and its text."""


class Scope:
    """Names that expressions of one sequence may use. An expression is written once and then shared."""

    def __init__(self, builder: Builder, mechanism: Mechanism, *, nominal: bool = False) -> None:
        self.builder = builder
        self._frozen = {p.name: p.value for p in mechanism.parameters if p.frozen or nominal}
        self._tunable = {signal.name: signal for signal in tunable_signals(mechanism)}
        self._values: dict[str, Value] = {}
        self._state: Mapping[str, Callable[[], Value]] = {}
        self._pairs: Mapping[str, Callable[[], tuple[Value, Value]]] = {}

    def with_state(
        self, state: Mapping[str, Callable[[], Value]], pairs: Mapping[str, Callable[[], tuple[Value, Value]]]
    ) -> "Scope":
        """A scope that knows these names too, each written when it is asked for.

        Args:
            state: what gives the value of a name.
            pairs: what gives cosine and sine of an angle by its name.
        """
        seen = copy(self)
        seen._state, seen._pairs = state, pairs
        return seen

    @property
    def frozen(self) -> dict[str, Fraction]:
        """Values of the parameters that are constants here."""
        return self._frozen

    def define(self, name: str, value: Value) -> None:
        """Let expressions use an input of the caller's."""
        self._values[name] = value

    def knows(self, name: str) -> bool:
        """Whether an input of this name is defined."""
        return name in self._values

    def value(self, expression: Expression) -> Value:
        """The value of an expression; constants fold exactly.

        Raises:
            ModelError: it names something that is neither a parameter nor an input.
        """
        if not (names(expression) - self._frozen.keys()):
            return self.builder.real(evaluate(expression, self._frozen))
        match expression:
            case Name(name):
                return self._named(name)
            case Binary(operator, left, right):
                return self._binary(operator, self.value(left), self.value(right))
            case Power(base, exponent):
                return self._power(self.value(base), exponent)
            case Call() | Lookup():
                return self._called(expression)
            case Number(number):
                return self.builder.real(number)

    def _named(self, name: str) -> Value:
        if name in self._frozen:
            return self.builder.real(self._frozen[name])
        if name in self._state:
            return self._state[name]()
        if name not in self._values:
            if name not in self._tunable:
                raise ModelError(f"'{name}' is neither a parameter nor an input; declare it or correct the name")
            self._values[name] = checked_input(self.builder, self._tunable[name])
        return self._values[name]

    def slopes_of_table(self, called: Lookup) -> tuple[Value, ...]:
        """The derivatives of a table by its arguments."""
        arguments = self._values_of(called.arguments)
        return lookup_slopes(self.builder, called.table.table, arguments, f"table {called.table.name}")

    def _values_of(self, arguments: Sequence[Expression]) -> tuple[Value, ...]:
        return tuple(self.value(argument) for argument in arguments)

    def _called(self, call: Call | Lookup) -> Value:
        match call:
            case Lookup(known, arguments):
                return lookup(self.builder, known.table, self._values_of(arguments), f"table {known.name}")
            case Call("sin" | "cos" as function, (Name(name),)) if name in self._pairs:
                cosine, sine = self._pairs[name]()
                return sine if function == "sin" else cosine
        return self._call(call.function, [self.value(argument) for argument in call.arguments])

    def _call(self, function: Function, arguments: Sequence[Value]) -> Value:
        first, second = arguments[0], arguments[-1]
        match function:
            case "sqrt":
                return self.builder.sqrt(self._radicand(first))
            case "abs":
                return abs(first)
            case "min":
                return self.builder.select(first < second, first, second)
            case "max":
                return self.builder.select(first < second, second, first)
            case "exp" | "log" | "tanh" | "pow":
                return self._transcendental(function, first, second)
        sine, cosine = self.builder.sincos(first)
        return sine if function == "sin" else cosine

    def _transcendental(self, function: Function, first: Value, second: Value) -> Value:
        match function:
            case "exp":
                return self.builder.exp(self._not_above(first))
            case "log":
                return self.builder.log(self.positive(first))
            case "pow":
                return self.builder.pow(self.positive(first), second)
        return self.builder.tanh(first)

    def _not_above(self, argument: Value) -> Value:
        """The argument of an exponential, limited where that would overflow."""
        last = EXPONENT[self.builder.precision]
        above = argument > last
        self.builder.condition("OUT_OF_WORKSPACE", above, f"a formula takes exp of more than {last}")
        return self.builder.select(above, last, argument)

    def positive(self, argument: Value) -> Value:
        """The argument of a logarithm or the base of a power, limited to positive numbers."""
        least = smallest_normal(self.builder.precision)
        below = argument < least
        self.builder.condition("OUT_OF_WORKSPACE", below, "a formula takes log or pow of a number not above zero")
        return self.builder.select(below, least, argument)

    def _radicand(self, argument: Value) -> Value:
        """The argument of a root, clamped; a negative one is told, but for rounding of a difference."""
        if argument.constant is not None:
            return argument
        operation = self.builder.operation(argument.index)
        is_difference = operation.kind is Kind.SUB
        scale = abs(Value(self.builder, operation.operands[0])) if is_difference else 0
        return clamped_radicand(self.builder, argument, scale, "a formula takes the root of a negative number")

    def _binary(self, operator: str, left: Value, right: Value) -> Value:
        match operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
        return left / right

    def _power(self, base: Value, exponent: int) -> Value:
        if exponent < 0:
            return 1 / self._power(base, -exponent)
        result: Value | None = None
        square = base
        while exponent:
            if exponent & 1:
                result = square if result is None else result * square
            exponent >>= 1
            square = square * square if exponent else square
        return self.builder.real(1) if result is None else result

    def linear(self, parts: LinearSum) -> Value:
        """sum of factor * expression."""
        total = self.builder.real(0)
        for factor, expression in parts:
            total = total + self.builder.real(factor) * self.value(expression)
        return total

    def vector(self, vector: PlaneVector) -> tuple[Value, Value]:
        """The two components of a plane vector."""
        return self.linear(vector.re), self.linear(vector.im)

    def root(self, square: Value) -> Value:
        """The square root of something that is never negative; exact to 60 digits where it is constant."""
        constant: Fraction | None = square.constant
        if constant is not None:
            return self.builder.real(square_root(constant))
        return self.builder.sqrt(self.builder.positive_part(square))


def tunable_signals(mechanism: Mechanism) -> Iterable[Signal]:
    """The tunable parameters as signals, in the order of the file."""
    return [
        Signal(p.name, p.unit, p.about, p.minimum, p.maximum, p.value, group=Group.PARAMETER)
        for p in mechanism.parameters
        if not p.frozen
    ]
