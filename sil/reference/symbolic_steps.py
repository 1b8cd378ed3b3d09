"""The reference of a symbolic model with states: start values, and one step, with bounds of what rounding may do.

In: a `SymbolicReference`. Out: `Stepped`, the outputs at the present state and the state one period later. It walks the
model's expressions on tapes of its own; sample times, resets, limits and the integration are written here once more.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sil.reference.symbolic import DIGITS, Approximate, SymbolicReference, Tape, constant_of, mp, run_tape, tape_of

if TYPE_CHECKING:
    from exporter.symbolic.state import State

Values = dict[str, Approximate]
UNSURE = None
"""Whether a value was limited, where rounding decides."""


@dataclass(frozen=True, slots=True)
class Stepped:
    """What one step makes of a state and inputs."""

    outputs: Values
    states: Values  # one period later
    limited: bool | None  # whether a value was set to the limit of its range; None where rounding decides


@dataclass(frozen=True)
class StepReference:
    """A symbolic model with states that can be asked, one step at a time; clocks are states too."""

    reference: SymbolicReference
    unit: float  # rounding unit of the export's type
    tapes: dict[int, Tape] = field(default_factory=dict)  # by the identity of an expression, which the model holds

    @property
    def states(self) -> tuple["State", ...]:
        """The states that the model declares."""
        return self.reference.model.states

    def start(self) -> Values:
        """The state that `startup` sets."""
        with mp.workdps(DIGITS):
            known, limits = self.reference.parameters_at(self.unit), _Limits(self.unit)
            found = {state.name: limits.kept(state, self._value(state.start, known)) for state in self.states}
            return found | {name: exactly(0) for name in self._clocks()}

    def step(self, given: Mapping[str, Approximate]) -> Stepped:
        """One step from these states, clocks and inputs."""
        with mp.workdps(DIGITS):
            known, limits = self.reference.known_at(given, self.unit), _Limits(self.unit)
            after = self._integrated(given, known, limits)
            states = {state.name: self._following(state, known, after, limits) for state in self.states}
            for name, every in self._clocks().items():
                count = int(given[name].value)
                states[name] = exactly(count + 1 if count < every - 1 else 0)
            return Stepped(self.reference.outputs_of(known, self.unit), states, limits.told)

    def _clocks(self) -> dict[str, int]:
        return {f"clock.{state.every}": state.every for state in self.states if state.every > 1}

    def _value(self, expression: Any, known: Mapping[str, Approximate]) -> Approximate:
        if id(expression) not in self.tapes:
            self.tapes[id(expression)] = tape_of([expression])
        return run_tape(self.tapes[id(expression)], known, self.unit)[0]

    def _following(self, state: "State", known: Values, after: Values, limits: "_Limits") -> Approximate:
        value = after[state.name] if state.next is None else self._value(state.next, known)
        if state.every > 1 and known[f"clock.{state.every}"].value != 0:
            value = known[state.name]
        if state.reset is not None:
            asked, to = self._value(state.reset, known), self._value(state.reset_value, known)
            value = _chosen(asked, to, value)
        return limits.kept(state, value)

    def _integrated(self, given: Mapping[str, Approximate], known: Values, limits: "_Limits") -> Values:
        moving = [state for state in self.states if state.rate is not None]
        model = self.reference.model
        if not moving or model.period is None:
            return {}
        start = {state.name: known[state.name] for state in moving}
        first = self._rates(known)
        if model.method == "euler":
            return {name: self._moved(value, [(1, first[name])], model.period) for name, value in start.items()}
        slopes = [first]
        for part in (Fraction(1, 2), Fraction(1, 2), Fraction(1)):
            stage = {
                state.name: limits.kept(
                    state, self._moved(start[state.name], [(1, slopes[-1][state.name])], part * model.period)
                )
                for state in moving
            }
            slopes.append(self._rates(self.reference.known_at({**given, **stage}, self.unit)))
        weights = (1, 2, 2, 1)
        return {
            name: self._moved(value, [(w, k[name]) for w, k in zip(weights, slopes, strict=True)], model.period / 6)
            for name, value in start.items()
        }

    def _rates(self, known: Mapping[str, Approximate]) -> Values:
        return {state.name: self._value(state.rate, known) for state in self.states if state.rate is not None}

    def _moved(self, start: Approximate, slopes: list[tuple[int, Approximate]], length: Fraction) -> Approximate:
        """Start + length * the weighted sum of slopes, with the rounding of each product and sum."""
        step = constant_of(length, self.unit)
        total = sum((weight * slope.value for weight, slope in slopes), mp.mpf(0))
        size = sum((weight * abs(slope.value) for weight, slope in slopes), mp.mpf(0))
        wrong = sum((weight * slope.error for weight, slope in slopes), mp.mpf(0)) + len(slopes) * self.unit * size
        gained = step.value * total
        error = abs(step.value) * wrong + step.error * (abs(total) + wrong) + self.unit * abs(gained)
        value = start.value + gained
        return Approximate(value, start.error + error + self.unit * abs(value))


def exactly(number: float) -> Approximate:
    """A number that rounding has done nothing to."""
    return Approximate(mp.mpf(number), mp.mpf(0))


def _chosen(asked: Approximate, to: Approximate, otherwise: Approximate) -> Approximate:
    """Where a reset is asked for, its value; undecided where rounding decides."""
    taken = to if asked.value else otherwise
    return Approximate(taken.value, taken.error + asked.error)


class _Limits:
    """Keeps values within the ranges of states, and remembers whether one was beyond."""

    def __init__(self, unit: float) -> None:
        self.unit = unit
        self.told: bool | None = False

    def kept(self, state: "State", value: Approximate) -> Approximate:
        """The value within the range, whole where the state is."""
        inside = self._inside(state, value)
        if not state.integer:
            return inside
        whole = mp.nint(inside.value)
        room = mp.mpf(1) / 2 - abs(inside.value - whole)
        return Approximate(whole, mp.mpf(0) if room > inside.error or inside.error == 0 else mp.inf)

    def _inside(self, state: "State", value: Approximate) -> Approximate:
        low, high = constant_of(state.minimum, self.unit), constant_of(state.maximum, self.unit)
        for bound, beyond in ((low, low.value - value.value), (high, value.value - high.value)):
            slack = value.error + bound.error
            if beyond > slack:
                self.told = True
                return bound
            if slack > 0 and beyond > -slack:
                self.told = True if self.told else UNSURE
                return Approximate(bound.value if beyond > 0 else value.value, slack)
        return value


def step_reference_of(reference: SymbolicReference, unit: float) -> StepReference | None:
    """The reference of a model's steps; None where it has no states."""
    return StepReference(reference, unit) if reference.model.states else None
