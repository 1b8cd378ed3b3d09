"""Exchanged coordinates behind the protocol of all engines: a seed, Newton steps, the triangular form.

The last pose is the triangular form's own, so every loop is closed exactly; only the given coordinates carry a
residual, which is an output. Why the iterates' conditions are dropped: where a guard, clamp or limit of an iterate has
led the steps astray, the residual is high; where it is not, the result is right whatever an iterate met on its way.
"""

from collections.abc import Mapping
from dataclasses import replace

from exporter.kinematics.exchanged.form import BLOCK_ID, ExchangedForm
from exporter.kinematics.exchanged.iterate import Values, Writer
from exporter.kinematics.exchanged.rates import UNDRIVEN_POSE, Transfer
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.scope import COORDINATES, Scope
from exporter.kinematics.protocol.solution import (
    Accelerations,
    BlockFacts,
    SolvedMotion,
    SolvedPose,
    Triple,
    check_names,
)
from exporter.kinematics.seeded.ordered_elimination import eliminate
from exporter.kinematics.seeded.residuals import RESIDUAL_EPS
from exporter.kinematics.seeded.seed import write_polynomial
from exporter.model.expression import Vector
from exporter.model.mechanism import Frame, Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import saturated

KIND = "given coordinates by a table and Newton steps"


@dataclass(frozen=True, slots=True)
class ExchangedSolution:
    """A mechanism driven by coordinates that no triangular form is driven by."""

    form: ExchangedForm

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is solved."""
        return self.form.exchange.mechanism

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done, and the notes of the triangular form."""
        return (*self.form.notes, *self.form.exchange.inner.notes)

    def dependent(self) -> tuple[str, ...]:
        """Dependent coordinates in solve order: the sought ones, then those of the triangular form."""
        exchange = self.form.exchange
        return (*exchange.sought, *(name for name in exchange.inner.dependent() if name not in exchange.given))

    def exported_coordinates(self) -> tuple[str, ...]:
        """The sought ones and those that the triangular form offers."""
        exchange = self.form.exchange
        return (
            *exchange.sought,
            *(name for name in exchange.inner.exported_coordinates() if name not in exchange.given),
        )

    def block_facts(self) -> tuple[BlockFacts, ...]:
        """The Newton steps, which take no root and so have one solution, then the blocks of the triangular form."""
        exchange = self.form.exchange
        first = BlockFacts(BLOCK_ID, KIND, exchange.sought, exchange.sought, 1, 1, "")
        return (first, *(_without(block, exchange.given) for block in exchange.inner.block_facts()))

    def branched_solution(self) -> None:
        """None: seed and steps lead to one root."""

    def iterated_solution(self) -> None:
        """Nothing iterates from call to call."""

    def solve(self, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> "ExchangedPose":
        """Write seed, steps and the pose of all bodies into a sequence."""
        transfer = self.sought(builder, scope, coordinates)
        return driven_pose(self, transfer, coordinates, transfer.writer.pose(transfer.at))

    def sought(self, builder: Builder, scope: Scope, coordinates: Values) -> Transfer:
        """Write seed and steps: the coordinates of the triangular form."""
        exchange = self.form.exchange
        writer = Writer(exchange, builder, scope)
        common = {name: coordinates[name] for name in exchange.common}
        with builder.step(BLOCK_ID, f"{', '.join(exchange.sought)}: seed of degree {self.form.table.degree}"):
            at = {**common, **self._seed(coordinates)}
            for number in range(1, self.form.table.steps + 1):
                at.update(self._stepped(writer, at, coordinates, number))
        return Transfer(writer, at, self.form.table.limits)

    def _seed(self, coordinates: Mapping[str, Value]) -> Values:
        table = self.form.table
        unit = table.box.unit([coordinates[name] for name in self.mechanism.independent])
        found = {}
        for name, seed in zip(self.form.exchange.sought, table.seeds, strict=True):
            builder = unit[0].builder
            with builder.part(name, f"seed of {name}, a polynomial in {', '.join(self.mechanism.independent)}"):
                away = write_polynomial(seed.polynomial, unit, self.mechanism.independent[0])
                with builder.iterate(BLOCK_ID):
                    found[name] = saturated(builder, away, seed.reach) + seed.middle
        return found

    def _stepped(self, writer: Writer, at: Values, targets: Values, number: int) -> Values:
        exchange, builder = self.form.exchange, writer.builder
        name, about = (
            f"{BLOCK_ID}.{number}",
            f"Newton step {number} of {self.form.table.steps} towards {', '.join(exchange.given)}",
        )
        with builder.step(name, about), builder.iterate(name):
            gaps = writer.gaps(writer.pose(at), targets)
            limits = [seed.longest_step for seed in self.form.table.seeds]
            names = [f"d {each}" for each in exchange.sought]
            step = eliminate(exchange.order, names, writer.jacobian(at), gaps, limits, UNDRIVEN_POSE)
        return {name: at[name] - part for name, part in zip(exchange.sought, step, strict=True)}


def _without(block: BlockFacts, given: tuple[str, ...]) -> BlockFacts:
    """A block of the triangular form, without coordinates that are given here."""
    return replace(block, coordinates=tuple(name for name in block.coordinates if name not in given))


@dataclass(frozen=True)
class ExchangedPose:
    """The last pose. The value of a given coordinate is the given one, not the one that it was found with."""

    transfer: Transfer
    coordinates: Values  # given and common
    last: SolvedPose
    margins: list[Margin]  # margins and pivots of the triangular form, and the residual

    def displacement(self, coordinate: str) -> Value:
        """A displacement."""
        return self.coordinates[coordinate] if coordinate in self.coordinates else self.last.displacement(coordinate)

    def pair(self, coordinate: str) -> tuple[Value, Value]:
        """Cosine and sine of an angle."""
        if coordinate in self.coordinates:
            builder = self.transfer.writer.builder
            with builder.step(*COORDINATES, part=True):
                sine, cosine = builder.sincos(self.coordinates[coordinate])
            return cosine, sine
        return self.last.pair(coordinate)

    def angle(self, coordinate: str) -> Value:
        """An angle within [-pi, pi]."""
        if coordinate in self.coordinates:
            cosine, sine = self.pair(coordinate)
            return self.transfer.writer.builder.atan2(sine, cosine)
        return self.last.angle(coordinate)

    def point(self, frame: Frame) -> Triple:
        """Where a frame's origin is, ground axes."""
        return self.last.point(frame)

    def direction(self, body: str, local: Vector) -> Triple:
        """A direction that is fixed in a body, ground axes."""
        return self.last.direction(body, local)

    def next_start(self) -> dict[str, Value]:
        """Nothing iterates."""
        return {}

    def move(self, rates: dict[str, Value]) -> "ExchangedMotion":
        """The motion at these rates."""
        check_names(self.transfer.writer.exchange.mechanism.independent, rates, "rates")
        inner = self.transfer.rates(rates)
        names = self.transfer.writer.exchange.inner.mechanism.independent
        return ExchangedMotion(self, rates, inner, self.last.move({name: inner[name] for name in names}))


def driven_pose(
    solution: ExchangedSolution, transfer: Transfer, coordinates: Values, last: SolvedPose
) -> ExchangedPose:
    """The pose at the end of the steps; RESIDUAL_HIGH where the given coordinates miss more than rounding."""
    builder, given = transfer.writer.builder, solution.form.exchange.given
    label, about = f"{BLOCK_ID}.r", f"what is missed of {', '.join(given)} after {solution.form.table.steps_text}"
    with builder.step(label, about):
        total = builder.real(0)
        for name in given:
            total = total + transfer.writer.miss(last, name, coordinates[name])
        if builder.contract:
            builder.condition("RESIDUAL_HIGH", total > RESIDUAL_EPS * builder.epsilon, about)
    return ExchangedPose(transfer, coordinates, last, [*last.margins, Margin(BLOCK_ID, "residual", total, about)])


@dataclass(frozen=True)
class ExchangedMotion:
    """Rates of the last pose."""

    pose: ExchangedPose
    rates: Values  # of the independent coordinates
    inner: Values  # rates of those of the triangular form
    last: SolvedMotion

    def rate(self, coordinate: str) -> Value:
        """Rate of a coordinate."""
        if coordinate in self.rates:
            return self.rates[coordinate]
        return self.inner[coordinate] if coordinate in self.inner else self.last.rate(coordinate)

    def point_velocity(self, frame: Frame) -> Triple:
        """Velocity of a frame's origin."""
        return self.last.point_velocity(frame)

    def direction_rate(self, body: str, local: Vector) -> Triple:
        """Rate of a direction that is fixed in a body, ground axes."""
        return self.last.direction_rate(body, local)

    def accelerate(self, accelerations: dict[str, Value]) -> "ExchangedAcceleration":
        """The accelerations of everything at these of the independent coordinates."""
        check_names(self.rates, accelerations, "accelerations")
        found = self.pose.transfer.accelerations(self.inner, accelerations)
        names = self.pose.transfer.writer.exchange.inner.mechanism.independent
        last = self.last.accelerate({name: found[name] for name in names})
        return ExchangedAcceleration(self, {**accelerations, **found}, last)


@dataclass(frozen=True)
class ExchangedAcceleration:
    """Accelerations of the last pose."""

    motion: ExchangedMotion
    accelerations: Values  # of the independent coordinates and those of the triangular form
    last: Accelerations

    def acceleration(self, coordinate: str) -> Value:
        """Acceleration of a coordinate."""
        known = self.accelerations
        return known[coordinate] if coordinate in known else self.last.acceleration(coordinate)

    def point_acceleration(self, frame: Frame) -> Triple:
        """Acceleration of a frame's origin."""
        return self.last.point_acceleration(frame)

    def direction_acceleration(self, body: str, local: Vector) -> Triple:
        """Second derivative of a direction that is fixed in a body, ground axes."""
        return self.last.direction_acceleration(body, local)
