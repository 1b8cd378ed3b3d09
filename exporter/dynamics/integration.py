"""One step of integration inside a sequence: explicit or semi-implicit Euler, Runge-Kutta, or linearly implicit.

In: the accelerations as a function of coordinates and rates. Used by: `dostep`. Fixed step, so the number of
operations is constant. An angle whose range holds a full turn is wrapped to [-pi, pi], so that a crank may turn for
ever; STEP_TOO_LARGE is set where a rate leaves its range, that is where a coordinate moves by more than its largest
rate times the step.
"""

from collections.abc import Callable
from contextlib import nullcontext
from fractions import Fraction
from functools import partial
from itertools import count
from typing import Protocol

from exporter.dynamics.accelerated_pose import AcceleratedPose
from exporter.dynamics.implicit_step import step_implicitly
from exporter.errors import ModelError
from exporter.kinematics.protocol.frames import FULL_TURN
from exporter.model.mechanism import Mechanism
from exporter.model.wrapping import is_wrapped
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Flag, Value
from exporter.sequence.guards import saturated
from exporter.sequence.kernels import DOMAIN
from exporter.sequence.operations import Kind, Precision

Values = dict[str, Value]


class Accelerated(Protocol):
    """What a derivative gives."""

    @property
    def accelerations(self) -> Values:
        """Accelerations of the independent coordinates, in 1/s^2 of their units."""


Derivative = Callable[[Values, Values], Accelerated]  # of coordinates and rates
Watched = Callable[[str], Flag]  # a coordinate -> where it counts


@dataclass(frozen=True)
class State:
    """Independent coordinates and rates."""

    coordinates: Values
    rates: Values


def advance(
    mechanism: Mechanism,
    builder: Builder,
    derivative: Derivative,
    coordinates: Values,
    rates: Values,
    watched: Watched | None = None,
) -> State:
    """The state one step later, by the mechanism's method and period.

    STEP_TOO_LARGE is for the coordinates that `watched` says count, once the derivative was written; for all without.
    """
    options, step = _Options(mechanism, watched), mechanism.step
    method, title = METHODS[step.method]
    with builder.step("I1", f"the state {float(step.period):g} s later, {title}"):
        after = method(options, _told(builder, derivative), State(coordinates, rates))
        return State(
            {name: _wrapped(mechanism, builder, name, value) for name, value in after.coordinates.items()},
            {name: _flagged_rate(options, builder, name, value) for name, value in after.rates.items()},
        )


def _told(builder: Builder, derivative: Derivative) -> Derivative:
    """The derivative under headings of its own; those of a later stage of a step begin with the stage."""
    stages = count(1)

    def told(coordinates: Values, rates: Values) -> Accelerated:
        stage = next(stages)
        with builder.under(None), builder.iterate(f"k{stage}", conditions=True) if stage > 1 else nullcontext():
            return derivative(coordinates, rates)

    return told


@dataclass(frozen=True)
class _Options:
    """How a method steps, and which rates must stay within their bounds."""

    mechanism: Mechanism
    watched: Watched | None

    @property
    def period(self) -> Fraction:
        """s."""
        return self.mechanism.step.period

    def counts(self, name: str) -> Flag | None:
        """Where a rate counts; None where it always does."""
        return None if self.watched is None else self.watched(name)


def _rates_in_range(options: _Options, rates: Values) -> Values:
    """The rates of a stage, each at its bound where it is beyond: they stay finite whatever the stage before."""
    return {name: _rate_in_range(options, name, rate) for name, rate in rates.items()}


def _rate_in_range(options: _Options, name: str, rate: Value) -> Value:
    bound = options.mechanism.ranges[name].rate
    if bound is None:
        return rate
    about = f"the rate of {name} leaves its range within a step"
    return saturated(rate.builder, rate, bound, about, "STEP_TOO_LARGE", options.counts(name))


def _plus(values: Values, rates: Values, step: Fraction) -> Values:
    return {name: value + step * rates[name] for name, value in values.items()}


def _euler(options: _Options, derivative: Derivative, state: State) -> State:
    step = options.period
    accelerations = derivative(state.coordinates, state.rates).accelerations
    return State(_plus(state.coordinates, state.rates, step), _plus(state.rates, accelerations, step))


def _semi_implicit_euler(options: _Options, derivative: Derivative, state: State) -> State:
    step = options.period
    rates = _plus(state.rates, derivative(state.coordinates, state.rates).accelerations, step)
    return State(_plus(state.coordinates, rates, step), rates)


def _rk4(options: _Options, derivative: Derivative, state: State) -> State:
    """Four evaluations; the coordinates' slopes are the rates of each stage."""
    step = options.period
    half = step / 2
    slopes_q, slopes_u = [state.rates], [derivative(state.coordinates, state.rates).accelerations]
    for length in (half, half, step):
        coordinates = _plus(state.coordinates, slopes_q[-1], length)
        rates = _rates_in_range(options, _plus(state.rates, slopes_u[-1], length))
        slopes_q.append(rates)
        slopes_u.append(derivative(coordinates, rates).accelerations)
    return State(_combined(state.coordinates, slopes_q, step), _combined(state.rates, slopes_u, step))


def _linearly_implicit(options: _Options, derivative: Derivative, state: State) -> State:
    """Two evaluations and two linear solves."""

    def evaluate(coordinates: Values, rates: Values) -> AcceleratedPose:
        now = derivative(coordinates, rates)
        if not isinstance(now, AcceleratedPose) or now.equations is None:
            raise ModelError(
                f"{options.mechanism.name}: a linearly implicit step needs the equations of motion of the coordinates "
                "themselves, and these are driven from another triangular form; choose independent coordinates that "
                'have one (kinefix analyse), or write method = "rk4" under [step]'
            )
        return now

    within = partial(_rates_in_range, options)
    given = state.coordinates, state.rates
    return State(*step_implicitly(options.mechanism, evaluate, *given, within))


METHODS = {
    "euler": (_euler, "explicit Euler"),
    "semi_implicit_euler": (_semi_implicit_euler, "semi-implicit Euler"),
    "rk4": (_rk4, "Runge-Kutta 4"),
    "linearly_implicit": (_linearly_implicit, "linearly implicit, order two"),
}
"""By the name in the file: what writes one step, and its title in the C."""


def _combined(values: Values, slopes: list[Values], step: Fraction) -> Values:
    return {
        name: value + step / 6 * ((slopes[0][name] + slopes[3][name]) + 2 * (slopes[1][name] + slopes[2][name]))
        for name, value in values.items()
    }


def _flagged_rate(options: _Options, builder: Builder, name: str, rate: Value) -> Value:
    """The new rate, flagged where it leaves its range (the next step would then reject it)."""
    bound = options.mechanism.ranges[name].rate
    if bound is not None and builder.contract:
        beyond, counts = abs(rate) > bound, options.counts(name)
        flag = beyond if counts is None else counts & beyond
        builder.condition("STEP_TOO_LARGE", flag, f"the rate of {name} leaves its range")
    return rate


def state_limits(mechanism: Mechanism, name: str) -> tuple[Fraction, Fraction]:
    """The range of a coordinate as a state: a full-turn angle must not leave the sine's domain within a step."""
    limits = mechanism.ranges[name]
    reach = DOMAIN[Kind.SINCOS] - (limits.rate or 0) * mechanism.step.period
    return max(limits.minimum, -reach), min(limits.maximum, reach)


TURN_BITS: dict[Precision, int] = {
    "float32": 12,
    "float64": 26,
}
MAGIC: dict[Precision, Fraction] = {
    "float32": Fraction(3 * 2**22),
    "float64": Fraction(3 * 2**51),
}


def _wrapped(mechanism: Mechanism, builder: Builder, name: str, angle: Value) -> Value:
    if not is_wrapped(mechanism, name):
        return angle
    magic = MAGIC[builder.precision]
    turns = ((angle * (1 / FULL_TURN)) + magic) - magic
    unit = Fraction(8, 2 ** TURN_BITS[builder.precision])
    leading = round(FULL_TURN / unit) * unit
    return (angle - turns * leading) - turns * (FULL_TURN - leading)
