"""Time derivatives of values of a sequence, written into the same sequence (forward mode).

A pose holds `Rules`: how single values are differentiated, as a root by its guarded pivot or a solved angle by its
rate. Each motion makes its own `Derivatives` from them and the rates of the independent coordinates, and each
acceleration its own `SecondDerivatives`. A guard's replacement is not differentiated: the regular side is.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TypeVar, cast

from exporter.kinematics.protocol.vectors import Vector
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.operations import Kind, Step

Written = TypeVar("Written")
Rule = Callable[["Derivatives"], Value]
"""Writes the derivative of one value in a motion."""
RATES = (".v", "rates of ")
ACCELERATIONS = (".a", "accelerations of ")
"""What stands behind the id and before the text of a step whose derivatives are written."""


class Rules:
    """How single values are differentiated where the rule of their operation does not do; the same in every motion."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._of: dict[int, Rule] = {}

    @property
    def builder(self) -> Builder:
        """What is written into."""
        return self._builder

    def register(self, value: Value, rule: Rule, since: int = 0) -> None:
        """What to take for the derivative of a value; the first rule given counts.

        Constants have none, and what was written before the operation `since` keeps the rule of its own operation.
        """
        index, sign = signed_index(value)
        if self._builder.operation(index).kind is not Kind.CONSTANT and index >= since:
            self._of.setdefault(index, rule if sign > 0 else lambda d: -rule(d))

    def register_vector(self, vector: Vector, rule: Callable[["Derivatives"], Vector]) -> None:
        """What to take for the derivatives of a vector's components, as `register` does."""
        self.register(vector.x, lambda d: rule(d).x)
        self.register(vector.y, lambda d: rule(d).y)
        self.register(vector.z, lambda d: rule(d).z)

    def rule(self, index: int) -> Rule | None:
        """The rule of the value at this index, if it has one of its own."""
        return self._of.get(index)

    def present(self, value: Value) -> Rule:
        """The rule as it is now, whatever is registered later."""
        operation = self._builder.operation(value.index)
        if operation.kind is Kind.NEG:
            inner = self.present(Value(self._builder, operation.operands[0]))
            return lambda d: -inner(d)
        return self._of.get(value.index, lambda d: d.plain(value))

    def at_present(self, *values: Value) -> dict[int, Rule]:
        """The rules of some values, signs left out, by their index, as they are now."""
        unsigned = (Value(self._builder, signed_index(value)[0]) for value in values)
        return {value.index: self.present(value) for value in unsigned}


class Derivatives(Rules):
    """The derivatives of values in one motion; rules that hold in this motion alone are registered here."""

    def __init__(self, rules: Rules, given: Mapping[Value, Value], before: "Derivatives | None" = None) -> None:
        """Begin with the given derivatives.

        Args:
            rules: of the pose.
            given: value -> its derivative: coordinates and their rates, or rates and their accelerations.
            before: for accelerations, the derivatives of the motion: those of what no given value enters.
        """
        super().__init__(rules.builder)
        self._rules, self._before = rules, before
        self._known: dict[int, Value] = {}
        self._instead: Mapping[int, Rule] = {}
        self._kept: dict[object, object] = {}
        self._entered: dict[int, bool] = {}
        for value, derivative in given.items():
            self.register(value, lambda _, derivative=derivative: derivative)  # type: ignore[misc]
        self._given = frozenset(self._of)

    def rule(self, index: int) -> Rule | None:
        """The rule of this motion, else that of the motion before, else that of the pose."""
        return self._instead.get(index) or self._of.get(index) or (self._before or self._rules).rule(index)

    @contextmanager
    def by(self, rules: Mapping[int, Rule]) -> Iterator[None]:
        """Take other rules for some values, by index, while something is written."""
        before, self._instead = self._instead, {**self._instead, **rules}
        try:
            yield
        finally:
            self._instead = before

    def of(self, value: Value) -> Value:
        """The derivative of a value."""
        if value.index not in self._known:
            if self._before is not None and not self._is_entered(value.index):
                return self._before.of(value)
            rule, step = self.rule(value.index), self._builder.operation(value.index).step
            with self._builder.under(self._step_of(step)) if step else nullcontext():
                self._known[value.index] = self.plain(value) if rule is None else rule(self)
        return self._known[value.index]

    def _step_of(self, step: Step) -> Step:
        """The step of the derivatives of what was written for a step."""
        ending, what = RATES if self._before is None else ACCELERATIONS
        equation, subject = step.equation, step.subject
        for known_ending, known_what in (RATES, ACCELERATIONS):
            equation, subject = equation.removesuffix(known_ending), subject.removeprefix(known_what)
        return Step(f"{equation}{ending}", f"{what}{subject}", step.part)

    def of_vector(self, vector: Vector) -> Vector:
        """The derivative of a vector's components."""
        return Vector(self.of(vector.x), self.of(vector.y), self.of(vector.z))

    def of_place(self, place: tuple[Value, Value, Value]) -> tuple[Value, Value, Value]:
        """The derivatives of three values of the pose."""
        x, y, z = (self.of(part) for part in place)
        return x, y, z

    def once(self, write: Callable[["Derivatives"], Written]) -> Written:
        """What a function writes of these derivatives, written once."""
        if write not in self._kept:
            self._kept[write] = write(self)
        return cast(Written, self._kept[write])

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
        """Whether a value depends on parameters only: on nothing that has a rule."""
        return not any(self.rule(at) is not None for at in self._behind(index))

    def _behind(self, index: int) -> Iterator[int]:
        """A value and all that it is written from."""
        waiting, seen = [index], {index}
        while waiting:
            at = waiting.pop()
            yield at
            new = set(self._builder.operation(at).operands) - seen
            seen |= new
            waiting.extend(sorted(new))

    def _is_entered(self, index: int) -> bool:
        """Whether a given value is part of a value."""
        waiting = [index]
        while waiting:
            at = waiting[-1]
            operands = self._builder.operation(at).operands
            unknown = [each for each in operands if each not in self._entered and at not in self._given]
            if unknown:
                waiting.extend(unknown)
                continue
            self._entered[at] = at in self._given or any(self._entered[each] for each in operands)
            waiting.pop()
        return self._entered[index]

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


@dataclass(frozen=True, slots=True)
class MovingCoordinate:
    """A coordinate that a pose is written from, with its rate and its acceleration."""

    coordinate: Value
    rate: Value
    acceleration: Value


class SecondDerivatives:
    """The second derivatives of values at one acceleration of a motion.

    Where a rate is a constant, or two coordinates share one, its acceleration cannot be told from the rate's value: its
    part is written by the first derivatives at rates of that acceleration, for accelerations enter linearly.
    """

    def __init__(
        self, rules: Rules, motion: Derivatives, moving: Sequence[MovingCoordinate], resting: Sequence[Value] = ()
    ) -> None:
        """Begin with all coordinates that rules are asked for, and with rates whose derivatives are zero.

        Raises:
            ValueError: the rate of a coordinate is the value of one: what it changes could not be told apart.
        """
        places = {signed_index(each.coordinate)[0] for each in moving}
        if any(signed_index(each.rate)[0] in places for each in moving):
            raise ValueError("a rate is the value of a coordinate; move the pose by rates with values of their own")
        self._motion = motion
        rates = Counter(signed_index(each.rate)[0] for each in moving)
        hidden = [each for each in moving if each.rate.constant is not None or rates[signed_index(each.rate)[0]] > 1]
        zero = rules.builder.real(0)
        given = {s.rate: zero if s in hidden else s.acceleration for s in moving}
        self._drift = Derivatives(rules, {**dict.fromkeys(resting, zero), **given}, motion)
        apart = {s.coordinate: s.acceleration if s in hidden else zero for s in moving}
        self._apart = Derivatives(rules, apart) if hidden else None

    def of(self, rate: Value, write: Callable[[Derivatives], Value]) -> Value:
        """The derivative of a rate of the motion, which `write` writes of any motion."""
        total = self._drift.of(rate)
        return total if self._apart is None else total + write(self._apart)

    def of_vector(self, velocity: Vector, write: Callable[[Derivatives], Vector]) -> Vector:
        """The derivative of a velocity of the motion, which `write` writes of any motion."""
        total = self._drift.of_vector(velocity)
        return total if self._apart is None else total + write(self._apart)

    def of_place(self, place: tuple[Value, Value, Value]) -> tuple[Value, Value, Value]:
        """The second derivatives of three values of the pose."""
        x, y, z = (self.of(self._motion.of(part), lambda d, part=part: d.of(part)) for part in place)  # type: ignore[misc]
        return x, y, z


def signed_index(value: Value) -> tuple[int, int]:
    """The index of a value without its minus sign, and the sign."""
    operation = value.builder.operation(value.index)
    return (operation.operands[0], -1) if operation.kind is Kind.NEG else (value.index, 1)


def _move_alike(value: Value, other: Value, rate: Value, other_rate: Value) -> bool:
    """Whether two coordinates that are one value, but for its sign, have one rate, with that sign."""
    return rate == (other_rate if value == other else -other_rate)


def rates_by_coordinate(rules: Rules, coordinates: Mapping[str, Value], rates: Mapping[str, Value]) -> Derivatives:
    """The derivatives of a motion, by the names of the independent coordinates.

    Raises:
        ValueError: a coordinate is a constant, or two coordinates are one value and move by different rates.
    """
    seen: dict[int, str] = {}
    for name, value in coordinates.items():
        if value.constant is not None:
            raise ValueError(f"{name} is posed by the constant {float(value.constant):g}; pose it by an input")
        other = seen.setdefault(signed_index(value)[0], name)
        if other != name and not _move_alike(value, coordinates[other], rates[name], rates[other]):
            raise ValueError(f"{other} and {name} are posed by one value; pose each by a value of its own")
    return Derivatives(rules, {coordinates[name]: rate for name, rate in rates.items()})
