"""Writes `startup` and `dostep` of a symbolic model with states.

In: a `SymbolicModel` and a precision. Out: two sequences. `startup` sets the start values; `dostep` gives the outputs
at the present state and the state one step later. A next value beyond its range is set to the limit, with LIMITED, so
the state stays within its ranges for ever; continuous states are integrated with a fixed step, inputs held.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial

from exporter.digits import digits
from exporter.errors import ModelError
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Flag, Value
from exporter.sequence.enclosure import Enclosure
from exporter.sequence.guards import saturated
from exporter.sequence.operations import Group, Kind, OperationSequence, Precision, Signal
from exporter.sequence.rounding import round_to_format
from exporter.symbolic.claims import Claims
from exporter.symbolic.guards import Guards
from exporter.symbolic.model import SymbolicModel
from exporter.symbolic.sequence import Writer, names_in
from exporter.symbolic.state import METHODS, State, clock_name, sample_times, whole_states
from exporter.symbolic.writing import Writing, require_exact_integers, rounded, written

LIMITED = "LIMITED"
"""The status of a value that was set to the limit of its range."""
Values = dict[str, Value]


def step_sequences(
    model: SymbolicModel, precision: Precision, *, contract: bool = True
) -> tuple[OperationSequence, ...]:
    """`startup` and `dostep`, with tunable parameters still among their inputs.

    Raises:
        ModelError: an expression cannot be exported, or a start value is outside of its range.
    """
    signals = _state_signals(model)
    startup, dostep = partial(_write_startup, signals), partial(_write_dostep, signals)
    return (
        written(model, "startup", precision, startup, contract=contract),
        written(model, "dostep", precision, dostep, contract=contract),
    )


def limited(guards: Guards, value: Value, signal: Signal, about: str) -> Value:
    """The value within the range of the signal, with LIMITED where it was beyond."""
    builder = guards.builder
    if not builder.contract or signal.minimum is None or signal.maximum is None:
        return value
    known = guards.enclosures.of(value)
    if known.low >= _rounded(guards, signal.minimum) and known.high <= _rounded(guards, signal.maximum):
        return value
    if signal.minimum == -signal.maximum and value.constant is None:
        return _limited_alike(guards, value, signal.maximum, about)
    below, above = value < signal.minimum, value > signal.maximum
    builder.condition(LIMITED, below | above, about)
    return builder.select(above, signal.maximum, builder.select(below, signal.minimum, value))


def _limited_alike(guards: Guards, value: Value, limit: Fraction, about: str) -> Value:
    """The value between -limit and limit: one comparison instead of two."""
    known = guards.enclosures.of(value)
    kept = saturated(guards.builder, value, limit, about, LIMITED)
    bound = _rounded(guards, limit)
    if known.largest > bound:
        low, high = (min(max(end, -bound), bound) for end in (known.low, known.high))
        guards.enclosures.declare(kept, Enclosure(low, high))
    return kept


def _rounded(guards: Guards, bound: Fraction) -> float:
    return round_to_format(bound, guards.builder.precision)


def _state_signals(model: SymbolicModel) -> dict[str, Signal]:
    """Every state, then the clocks; a state that is rejected is replaced by its start value at nominal parameters."""
    writing = Writing(model, "startup", "float64", Claims(), contract=False)
    signals = {state.name: _signal(state, _nominal(writing, state)) for state in model.states}
    for every in sample_times(model.states):
        about = f"steps since the last sample of what changes at every {every}"
        clock = Signal(clock_name(every), "1", about, Fraction(0), Fraction(every - 1), Fraction(0), group=Group.STATE)
        signals[clock.name] = clock
    return signals


def _signal(state: State, nominal: Fraction) -> Signal:
    if not state.minimum <= nominal <= state.maximum:
        raise ModelError(
            f"the start value of state '{state.name}' is {digits(nominal)} at the nominal parameters, outside of its "
            f"range [{digits(state.minimum)}, {digits(state.maximum)}]; widen the range"
        )
    return Signal(state.name, state.unit, state.about, state.minimum, state.maximum, nominal, group=Group.STATE)


def _nominal(writing: Writing, state: State) -> Fraction:
    value = _start_value(writing, state)
    return Fraction(writing.nominal([value])[0]) if value.constant is None else value.constant


def _start_value(writing: Writing, state: State) -> Value:
    for name in names_in(state.start):
        if name not in writing.names:
            raise ModelError(
                f"the start value of state '{state.name}' reads '{name}', which is no parameter; only parameters are "
                "known at the start"
            )
    return Writer(writing.guards, dict(writing.names)).value(state.start, f"the start value of state '{state.name}'")


def _write_startup(signals: Mapping[str, Signal], writing: Writing) -> None:
    for state in writing.model.states:
        with writing.builder.step(state.name, f"{state.about or state.name} at the start"):
            value = _start_value(writing, state)
            value = _within(writing, value, signals[state.name], state, f"the start value of {state.name}")
        writing.builder.output(signals[state.name], value)
    for every in sample_times(writing.model.states):
        writing.builder.output(signals[clock_name(every)], 0)


def _write_dostep(signals: Mapping[str, Signal], writing: Writing) -> None:
    model = writing.model
    whole = whole_states(model.states)
    present = {name: writing.checked(signal, integer=name in whole) for name, signal in signals.items()}
    writing.declare_inputs()
    stepping = _Stepping(writing, signals, present, writing.at(present))
    after = stepping.integrated()
    due = {every: stepping.due(clock) for clock, every in _clocks(model).items()}
    for state in model.states:
        with writing.builder.step(f"{state.name}.next", f"{state.about or state.name} one step later"):
            value = stepping.following(state, after, due)
        writing.builder.output(signals[state.name], value)
    for clock, every in _clocks(model).items():
        with writing.builder.step(f"{clock}.next", "the steps counted", part=True):
            value = writing.builder.select(present[clock] < every - 1, present[clock] + 1, 0)
        writing.builder.output(signals[clock], value)
    writing.write_outputs(stepping.writer)


def _clocks(model: SymbolicModel) -> dict[str, int]:
    return {clock_name(every): every for every in sample_times(model.states)}


@dataclass(frozen=True)
class _Stepping:
    """A step under construction: the present state, and what writes expressions there."""

    writing: Writing
    signals: Mapping[str, Signal]
    present: Values
    writer: Writer

    def following(self, state: State, after: Mapping[str, Value], due: Mapping[int, Flag]) -> Value:
        """The value of a state one step later, within its range."""
        builder, present = self.writing.builder, self.present[state.name]
        if state.next is None:
            value = after[state.name]
        else:
            value = self.writer.value(state.next, f"the next value of state '{state.name}'")
        if state.every > 1:
            value = builder.select(due[state.every], value, present)
        if state.reset is not None:
            flag = self.writer.condition(state.reset, f"the reset of state '{state.name}'")
            to = self.writer.value(state.reset_value, f"the reset value of state '{state.name}'")
            value = builder.select(flag, to, value)
        return _within(self.writing, value, self.signals[state.name], state, f"{state.name} would leave its range")

    def due(self, clock: str) -> Flag:
        """Whether what this clock counts for changes in this step."""
        with self.writing.builder.step(f"{clock}.next", "the steps counted", part=True):
            return self.present[clock] < 1

    def integrated(self) -> Values:
        """The continuous states one period later, before they are limited."""
        model = self.writing.model
        names = [state.name for state in model.states if state.rate is not None]
        if not names or model.period is None:
            return {}
        with self.writing.builder.step("I1", f"{float(model.period):g} s later, {METHODS[model.method]}"):
            method = {"euler": self._euler, "rk4": self._rk4}[model.method]
            return method({name: self.present[name] for name in names}, model.period)

    def _euler(self, values: Values, period: Fraction) -> Values:
        return _plus(values, self._rates(self.writer), period)

    def _rk4(self, values: Values, period: Fraction) -> Values:
        slopes = [self._rates(self.writer)]
        for length in (period / 2, period / 2, period):
            slopes.append(self._stage(_plus(values, slopes[-1], length), len(slopes) + 1))
        return {
            name: value + period / 6 * ((slopes[0][name] + slopes[3][name]) + 2 * (slopes[1][name] + slopes[2][name]))
            for name, value in values.items()
        }

    def _stage(self, values: Values, number: int) -> Values:
        """The rates at a later stage, whose states are kept within their ranges."""
        builder = self.writing.builder
        kept = {
            name: limited(self.writing.guards, value, self.signals[name], f"{name} would leave its range within a step")
            for name, value in values.items()
        }
        with builder.under(None), builder.iterate(f"k{number}", conditions=True):
            return self._rates(self.writing.at({**self.present, **kept}))

    def _rates(self, writer: Writer) -> Values:
        rates = {}
        for state in self.writing.model.states:
            if state.rate is not None:
                with self.writing.builder.step(f"{state.name}.rate", f"rate of {state.about or state.name}"):
                    rates[state.name] = writer.value(state.rate, f"the rate of state '{state.name}'")
        return rates


def _plus(values: Values, rates: Values, length: Fraction) -> Values:
    return {name: value + length * rates[name] for name, value in values.items()}


def _within(writing: Writing, value: Value, signal: Signal, state: State, about: str) -> Value:
    """The value within its range, and whole where the state is."""
    builder = writing.builder
    if state.integer:
        require_exact_integers(builder, signal)
    kept = limited(writing.guards, value, signal, about)
    return rounded(builder, kept) if state.integer and not _is_whole(builder, kept) else kept


def _is_whole(builder: Builder, value: Value) -> bool:
    """Whether sums, products and selects of whole numbers alone make it."""
    seen: set[int] = set()
    stack = [value.index]
    while stack:
        index = stack.pop()
        if index in seen:
            continue
        seen.add(index)
        operation = builder.operation(index)
        if operation.kind is Kind.SELECT:
            if not _is_checked_integer(builder, index):
                stack.extend(operation.operands[1:])
        elif operation.kind in (Kind.ADD, Kind.SUB, Kind.MUL, Kind.NEG, Kind.ABS):
            stack.extend(operation.operands)
        elif operation.kind is not Kind.CONSTANT or Fraction(operation.value or 0).denominator != 1:
            return False
    return True


def _is_checked_integer(builder: Builder, index: int) -> bool:
    """Whether this is a select that keeps a value only where it equals its rounded self."""
    flag, kept, _ = builder.operation(index).operands
    both = builder.operation(flag)
    if both.kind is not Kind.FLAG_AND:
        return False
    pairs = [builder.operation(each) for each in both.operands]
    if any(pair.kind is not Kind.LESS_EQUAL for pair in pairs) or pairs[0].operands != pairs[1].operands[::-1]:
        return False
    return kept in pairs[0].operands and any(
        builder.operation(other).kind is Kind.SUB for other in pairs[0].operands if other != kept
    )
