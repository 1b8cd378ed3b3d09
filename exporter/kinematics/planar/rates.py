"""Velocities and accelerations by the pivots of the positions.

In: a Pose whose blocks are solved. Used by: dynamics and the functions of an export. A `Motion` is one velocity
state (or a unit influence); `accelerate` makes an `Acceleration` of it, by default with independent accelerations of 0.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from fractions import Fraction

from exporter.kinematics.planar.blocks import LinearSolve
from exporter.kinematics.planar.blocks.arms import Rates
from exporter.kinematics.planar.complex_value import Complex, real
from exporter.kinematics.planar.plane import Term
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.protocol.limits import ACCELERATION_LIMIT, RATE_LIMIT
from exporter.model.joints import GROUND
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.guards import limitable
from exporter.sequence.operations import Precision


@dataclass
class Motion:
    """First derivatives of everything that a pose knows."""

    pose: Pose
    independent: dict[str, Value]  # rates
    root_rate: dict[str, Value] = field(default_factory=dict)  # of D's angle
    slide_rate: dict[str, Value] = field(default_factory=dict)

    def turn_rate(self, body: str) -> Value:
        """Rate of a body's angle relative to its root."""
        return _sum_of_turns(self.pose, body, self.independent)

    def rate(self, body: str) -> Value:
        """Angular velocity of a body along the normal."""
        return self.root_rate[self.pose.form.direction[body].root] + self.turn_rate(body)

    def velocity(self, terms: tuple[Term, ...]) -> Complex:
        """Derivative of a sum of moving vectors."""
        return _sum(self.pose, (self.term_velocity(term, self.rate(term.body)) for term in terms))

    def term_velocity(self, term: Term, rate: Value) -> Complex:
        """Derivative of one moving vector, its direction turning at `rate`."""
        turning = self.pose.moving(term).times_i().scaled(rate) if rate.constant != 0 else real(self.pose.builder, 0)
        if not term.slide or term.slide not in self.slide_rate:
            return turning
        return turning + self.pose.carrier(term).scaled(self.slide_rate[term.slide])


@dataclass
class Acceleration:
    """Second derivatives of everything that a motion knows."""

    motion: Motion
    independent: dict[str, Value]
    root_acceleration: dict[str, Value] = field(default_factory=dict)  # of D's angle
    slide_acceleration: dict[str, Value] = field(default_factory=dict)

    @property
    def pose(self) -> Pose:
        """The pose that moves."""
        return self.motion.pose

    def acceleration(self, body: str) -> Value:
        """Angular acceleration of a body along the normal."""
        return self.root_acceleration[self.pose.form.direction[body].root] + self.turn_acceleration(body)

    def turn_acceleration(self, body: str) -> Value:
        """Angular acceleration relative to the root."""
        return _sum_of_turns(self.pose, body, self.independent)

    def point_acceleration(self, terms: tuple[Term, ...]) -> Complex:
        """Second derivative of a sum of moving vectors."""
        return _sum(self.pose, (self.term_acceleration(term, self.acceleration(term.body)) for term in terms))

    def term_acceleration(self, term: Term, acceleration: Value) -> Complex:
        """Second derivative of one moving vector, its direction accelerating at `acceleration`."""
        vector, rate = self.pose.moving(term), self.motion.rate(term.body)
        total = vector.times_i().scaled(acceleration) - vector.scaled(rate * rate)
        if not term.slide:
            return total
        carrier, slide_rate = self.pose.carrier(term), self.motion.slide_rate[term.slide]
        total = total + carrier.times_i().scaled(2 * (rate * slide_rate))
        if term.slide in self.slide_acceleration:
            total = total + carrier.scaled(self.slide_acceleration[term.slide])
        return total


def _sum_of_turns(pose: Pose, body: str, values: Mapping[str, Value]) -> Value:
    """The sum of the values of the turns that carry a body from its root."""
    total = pose.builder.real(0)
    for name, sign in pose.form.direction[body].turns:
        total = total + sign * values[name]
    return total


def _sum(pose: Pose, parts: Iterable[Complex]) -> Complex:
    total = real(pose.builder, 0)
    for part in parts:
        total = total + part
    return total


def move(pose: Pose, solves: tuple[LinearSolve, ...], rates: dict[str, Value]) -> Motion:
    """All velocities from the independent rates."""
    motion = Motion(pose, rates)
    motion.root_rate[GROUND] = pose.builder.real(0)
    motion.slide_rate.update({name: rate for name, rate in rates.items() if name in pose.slide})
    for linear in solves:
        with pose.builder.step(f"{linear.block.id}.v", f"rates of loop '{linear.block.closure.name}'"):
            found = _limitable_rates(linear, linear.solve(_known_velocity(motion, linear)), RATE_LIMIT)
            _assign(linear, motion.root_rate, motion.slide_rate, found)
    return motion


def _unknown_names(linear: LinearSolve, kind: str) -> set[str]:
    return {unknown.name for unknown in linear.block.unknowns if unknown.kind == kind}


def _known_velocity(motion: Motion, linear: LinearSolve) -> Complex:
    """The derivative of the closure with the block's own rates at zero."""
    roots = _unknown_names(linear, "direction")
    total = real(motion.pose.builder, 0)
    for term in linear.block.closure.terms:
        own = motion.pose.form.direction[term.body].root in roots
        rate = motion.turn_rate(term.body) if own else motion.rate(term.body)
        total = total + motion.term_velocity(term, rate)
    return total


def accelerate(
    motion: Motion, solves: tuple[LinearSolve, ...], accelerations: dict[str, Value] | None = None
) -> Acceleration:
    """All accelerations from the independent ones (zero where none are given: then they are the bias)."""
    pose = motion.pose
    zero = pose.builder.real(0)
    second = Acceleration(motion, {name: (accelerations or {}).get(name, zero) for name in motion.independent})
    second.root_acceleration[GROUND] = zero
    second.slide_acceleration.update({name: value for name, value in second.independent.items() if name in pose.slide})
    for linear in solves:
        with pose.builder.step(f"{linear.block.id}.a", f"accelerations of loop '{linear.block.closure.name}'"):
            found = _limitable_rates(linear, linear.solve(_known_acceleration(second, linear)), ACCELERATION_LIMIT)
            _assign(linear, second.root_acceleration, second.slide_acceleration, found)
    return second


def _known_acceleration(second: Acceleration, linear: LinearSolve) -> Complex:
    roots = _unknown_names(linear, "direction")
    total = real(second.pose.builder, 0)
    for term in linear.block.closure.terms:
        own = second.pose.form.direction[term.body].root in roots
        acceleration = second.turn_acceleration(term.body) if own else second.acceleration(term.body)
        total = total + second.term_acceleration(term, acceleration)
    return total


def _limitable_rates(linear: LinearSolve, rates: Rates, limit: dict[Precision, Fraction]) -> Rates:
    """The rates of a block, which a proof may limit: then a cascade of loops cannot overflow."""
    first, second = rates
    builder = first.builder
    about = f"a rate of loop '{linear.block.closure.name}' is beyond its limit"
    bound = limit[builder.precision]
    return limitable(builder, first, bound, about), limitable(builder, second, bound, about)


def _assign(linear: LinearSolve, directions: dict[str, Value], slides: dict[str, Value], rates: Rates) -> None:
    for unknown, value in zip(linear.block.unknowns, rates, strict=True):
        (directions if unknown.kind == "direction" else slides)[unknown.name] = value
