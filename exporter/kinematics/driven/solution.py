"""A driven form behind the protocol of `exporter.kinematics.solved`: a seed, two Newton steps, the triangular form.

The last pose is the triangular form's own, so every loop is closed exactly; only the given coordinates carry a
residual, which is an output. Why the iterates' conditions are muted: where a guard, clamp or limit of an iterate has
led the steps astray, the residual is high; where it is not, the result is right whatever an iterate met on its way.
Rates: J h' = g' - what the common coordinates contribute, with J at the last pose; accelerations likewise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from exporter.kinematics.driven.form import STEPS, DrivenForm
from exporter.kinematics.driven.iterate import Values, Writer
from exporter.kinematics.ordered_elimination import Rows, eliminated
from exporter.kinematics.position import Margin
from exporter.kinematics.rates import ACCELERATION_LIMIT, RATE_LIMIT
from exporter.kinematics.scope import Scope
from exporter.kinematics.seed import written
from exporter.kinematics.solved import BlockFacts, SolvedMotion, SolvedPose, Triple
from exporter.model.expression import Vector
from exporter.model.mechanism import Frame, Mechanism
from exporter.sequence.builder import Builder, Value

BLOCK = "N1"
KIND = "given coordinates by a table and two Newton steps"
HIGH = 1000  # eps; a residual above it sets RESIDUAL_HIGH
NEAR = "the given coordinates do not drive the mechanism in this pose"


@dataclass(frozen=True, slots=True)
class DrivenSolution:
    """A mechanism driven by coordinates that no triangular form is driven by."""

    form: DrivenForm

    @property
    def mechanism(self) -> Mechanism:
        """What it was made from."""
        return self.form.exchange.mechanism

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done, and the notes of the triangular form."""
        return (*self.form.notes, *self.form.exchange.inner.notes)

    def dependent(self) -> tuple[str, ...]:
        """Dependent coordinates in solve order: the sought ones, then those of the triangular form."""
        exchange = self.form.exchange
        return (*exchange.sought, *(name for name in exchange.inner.dependent() if name not in exchange.given))

    def offered(self) -> tuple[str, ...]:
        """The sought ones and those that the triangular form offers."""
        exchange = self.form.exchange
        return (*exchange.sought, *(name for name in exchange.inner.offered() if name not in exchange.given))

    def block_facts(self) -> tuple[BlockFacts, ...]:
        """The Newton steps, which take no root and so have one solution, then the blocks of the triangular form."""
        exchange = self.form.exchange
        first = BlockFacts(BLOCK, KIND, exchange.sought, exchange.sought, 1, 1, "")
        return (first, *(_without(block, exchange.given) for block in exchange.inner.block_facts()))

    def solve(self, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> "DrivenPose":
        """Write seed, steps and the pose of all bodies into a sequence."""
        exchange = self.form.exchange
        writer = Writer(exchange, builder, scope)
        common = {name: coordinates[name] for name in exchange.common}
        with builder.serving(BLOCK):
            builder.step(BLOCK, f"{', '.join(exchange.sought)}: seed of degree {self.form.table.degree}")
            at = {**common, **self._seed(coordinates)}
            for number in range(1, STEPS + 1):
                at.update(self._stepped(writer, at, coordinates, number))
        pose = DrivenPose(self, writer, dict(coordinates), at, writer.pose(at))
        pose.margins.append(_residual(pose))
        return pose

    def _seed(self, coordinates: Mapping[str, Value]) -> Values:
        table = self.form.table
        unit = table.box.unit([coordinates[name] for name in self.mechanism.independent])
        return {
            name: written(polynomial, unit)
            for name, polynomial in zip(self.form.exchange.sought, table.polynomials, strict=True)
        }

    def _stepped(self, writer: Writer, at: Values, targets: Values, number: int) -> Values:
        exchange, builder = self.form.exchange, writer.builder
        builder.step(f"{BLOCK}.{number}", f"Newton step {number} of {STEPS} towards {', '.join(exchange.given)}")
        with builder.muted():
            gaps = writer.gaps(writer.pose(at), targets)
            limits = [exchange.longest_step(name) for name in exchange.sought]
            step = eliminated(exchange.order, writer.jacobian(at), gaps, limits, NEAR)
        return {name: at[name] - part for name, part in zip(exchange.sought, step, strict=True)}


def _without(block: BlockFacts, given: tuple[str, ...]) -> BlockFacts:
    """A block of the triangular form, without coordinates that are given here."""
    coordinates = tuple(name for name in block.coordinates if name not in given)
    return BlockFacts(block.id, block.kind, block.unknowns, coordinates, block.degree, block.sign, block.branch)


def _residual(pose: "DrivenPose") -> Margin:
    """The sum of what the given coordinates miss; RESIDUAL_HIGH where it is above rounding."""
    builder, given = pose.writer.builder, pose.solution.form.exchange.given
    about = f"what {', '.join(given)} miss after {STEPS} Newton steps"
    with builder.serving(BLOCK):
        builder.step(f"{BLOCK}.r", about)
        total = builder.real(0)
        for name in given:
            total = total + pose.writer.miss(pose.last, name, pose.coordinates[name])
        if builder.contract:
            builder.condition("RESIDUAL_HIGH", total > HIGH * builder.epsilon, about)
    return Margin(BLOCK, "residual", total, about)


@dataclass
class DrivenPose:
    """The last pose. The value of a given coordinate is the given one, not the one that it was found with."""

    solution: DrivenSolution
    writer: Writer
    coordinates: Values  # given and common
    at: Values  # sought and common
    last: SolvedPose
    _jacobian: Rows = field(default_factory=list)

    @property
    def margins(self) -> list[Margin]:
        """Margins and pivots of the triangular form, and the residual."""
        return self.last.margins

    def displacement(self, coordinate: str) -> Value:
        """A displacement."""
        return self.coordinates[coordinate] if coordinate in self.coordinates else self.last.displacement(coordinate)

    def pair(self, coordinate: str) -> tuple[Value, Value]:
        """Cosine and sine of an angle."""
        if coordinate in self.coordinates:
            sine, cosine = self.writer.builder.sincos(self.coordinates[coordinate])
            return cosine, sine
        return self.last.pair(coordinate)

    def angle(self, coordinate: str) -> Value:
        """An angle within [-pi, pi]."""
        if coordinate in self.coordinates:
            cosine, sine = self.pair(coordinate)
            return self.writer.builder.atan2(sine, cosine)
        return self.last.angle(coordinate)

    def point(self, frame: Frame) -> Triple:
        """Where a frame's origin is, ground axes."""
        return self.last.point(frame)

    def direction(self, body: str, local: Vector) -> Triple:
        """A body-fixed direction, ground axes."""
        return self.last.direction(body, local)

    def move(self, rates: dict[str, Value]) -> "DrivenMotion":
        """The motion at these rates."""
        common = {name: rates[name] for name in self.solution.form.exchange.common}
        drift = self.writer.rates(self.at, common) if common else {}
        limit = RATE_LIMIT[self.writer.builder.precision]
        found = {**self.solved(rates, drift, limit, "rates"), **common}
        names = self.solution.form.exchange.inner.mechanism.independent
        inner = {name: found[name] for name in names}
        return DrivenMotion(self, rates, inner, self.last.move(inner))

    def solved(self, wanted: Values, drift: Values, limit: Fraction, what: str) -> Values:
        """Rates or accelerations of the sought coordinates, from those of the given ones less what is there anyhow."""
        exchange, builder = self.solution.form.exchange, self.writer.builder
        with builder.serving(BLOCK):
            builder.step(f"{BLOCK}.{what[0]}", f"{what} of {', '.join(exchange.sought)}")
            if not self._jacobian:
                self._jacobian = self.writer.jacobian(self.at)
            sides = [wanted[name] - drift.get(name, builder.real(0)) for name in exchange.given]
            found = eliminated(exchange.order, self._jacobian, sides, [limit] * len(sides), NEAR)
        return dict(zip(exchange.sought, found, strict=True))


@dataclass
class DrivenMotion:
    """Rates and accelerations of the last pose."""

    pose: DrivenPose
    rates: Values  # of the independent coordinates
    inner: Values  # rates of those of the triangular form
    last: SolvedMotion
    accelerations: Values = field(default_factory=dict)

    def rate(self, coordinate: str) -> Value:
        """Rate of a coordinate."""
        if coordinate in self.rates:
            return self.rates[coordinate]
        return self.inner[coordinate] if coordinate in self.inner else self.last.rate(coordinate)

    def point_velocity(self, frame: Frame) -> Triple:
        """Velocity of a frame's origin."""
        return self.last.point_velocity(frame)

    def direction_rate(self, body: str, local: Vector) -> Triple:
        """Rate of a body-fixed direction."""
        return self.last.direction_rate(body, local)

    def accelerate(self, accelerations: dict[str, Value]) -> None:
        """Take the accelerations of the independent coordinates."""
        exchange, builder = self.pose.solution.form.exchange, self.pose.writer.builder
        names = exchange.inner.mechanism.independent
        common = {name: accelerations[name] for name in exchange.common}
        with builder.muted():
            free = self.pose.writer.pose(self.pose.at).move(self.inner)
            free.accelerate({name: common.get(name, builder.real(0)) for name in names})
            drift = {name: free.acceleration(name) for name in exchange.given}
        limit = ACCELERATION_LIMIT[builder.precision]
        found = {**self.pose.solved(accelerations, drift, limit, "accelerations"), **common}
        self.accelerations.update({**accelerations, **found})
        self.last.accelerate({name: found[name] for name in names})

    def acceleration(self, coordinate: str) -> Value:
        """Acceleration of a coordinate."""
        known = self.accelerations
        return known[coordinate] if coordinate in known else self.last.acceleration(coordinate)

    def point_acceleration(self, frame: Frame) -> Triple:
        """Acceleration of a frame's origin."""
        return self.last.point_acceleration(frame)

    def direction_acceleration(self, body: str, local: Vector) -> Triple:
        """Second derivative of a body-fixed direction."""
        return self.last.direction_acceleration(body, local)

    def where(self) -> DrivenPose:
        """The pose that moves."""
        return self.pose
