"""The planar engine behind the protocol of `solution`: coordinates, rates and points in space of a planar mechanism."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from exporter.kinematics.planar.assembly import assemblies
from exporter.kinematics.planar.blocks import LinearSolve
from exporter.kinematics.planar.complex_value import Complex
from exporter.kinematics.planar.coordinates import coordinate_acceleration, coordinate_rate
from exporter.kinematics.planar.form import TriangularForm
from exporter.kinematics.planar.orientation import along_normal, in_plane
from exporter.kinematics.planar.other_roots import other_roots
from exporter.kinematics.planar.plane import Term
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.planar.rates import Acceleration, Motion, accelerate, move
from exporter.kinematics.planar.solution import solve_pose
from exporter.kinematics.protocol.linear_sums import linear_sum
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Assembly, BlockFacts, Triple, check_names
from exporter.model.expression import Vector
from exporter.model.mechanism import Frame, Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value


@dataclass(frozen=True, slots=True)
class PlanarSolution:
    """A planar mechanism in triangular form."""

    form: TriangularForm

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is solved."""
        return self.form.mechanism

    @property
    def notes(self) -> tuple[str, ...]:
        """The closure equations that a planar loop leaves redundant in space."""
        return self.form.model.dropped

    def dependent(self) -> tuple[str, ...]:
        """Dependent coordinates in solve order."""
        return self.form.dependent()

    def exported_coordinates(self) -> tuple[str, ...]:
        """All dependent coordinates."""
        return self.form.dependent()

    def block_facts(self) -> tuple[BlockFacts, ...]:
        """The blocks in solve order."""
        return tuple(
            BlockFacts(
                block.id,
                str(block.kind),
                tuple(f"{unknown.kind} of {unknown.name}" for unknown in block.unknowns),
                block.coordinates,
                block.degree,
                block.sign,
                block.branch,
                block.closure.name,
            )
            for block in self.form.blocks
        )

    def branched_solution(self) -> "PlanarSolution":
        """This solution: planar blocks can take other roots."""
        return self

    def with_signs(self, signs: tuple[int, ...]) -> "PlanarSolution":
        """On other roots, a sign for each block."""
        return replace(self, form=self.form.with_signs(signs))

    def assemblies(self, place: Mapping[str, Fraction], signs: Sequence[tuple[int, ...]]) -> tuple[Assembly, ...]:
        """The modes on these roots at values of the independent coordinates."""
        return assemblies(self.form, place, signs)

    def other_roots(self) -> dict[str, str]:
        """Where the other root of each block is, in words."""
        return other_roots(self.form)

    def iterated_solution(self) -> None:
        """Nothing iterates from call to call."""

    def solve(self, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> "PlanarPose":
        """Write the pose of all bodies into a sequence."""
        return PlanarPose(*solve_pose(self.form, builder, scope, coordinates))


@dataclass(frozen=True, slots=True)
class PlanarPose:
    """A solved planar pose and what solves its blocks for rates."""

    pose: Pose
    solves: tuple[LinearSolve, ...]

    @property
    def margins(self) -> list[Margin]:
        """Margins and pivots of the blocks."""
        return self.pose.margins

    def displacement(self, coordinate: str) -> Value:
        """A displacement."""
        return self.pose.slide[coordinate]

    def pair(self, coordinate: str) -> tuple[Value, Value]:
        """Cosine and sine of an angle."""
        pair = self.pose.relative(coordinate)
        return pair.re, pair.im

    def angle(self, coordinate: str) -> Value:
        """An angle from its pair."""
        cosine, sine = self.pair(coordinate)
        return self.pose.builder.atan2(sine, cosine)

    def point(self, frame: Frame) -> Triple:
        """Where a frame's origin is, ground axes."""
        return in_space(self.pose, self.pose.sum(place_of(self.pose, frame)), height_of(self.pose, frame))

    def direction(self, body: str, local: Vector) -> Triple:
        """A body-fixed direction, ground axes."""
        model, pose = self.pose.form.model, self.pose
        above = along_normal(model.plane, model.orientation[body], local)
        return in_space(pose, flat(pose, body, local), pose.scope.linear(above))

    def next_start(self) -> dict[str, Value]:
        """Nothing iterates."""
        return {}

    def move(self, rates: dict[str, Value]) -> "PlanarMotion":
        """The motion at these rates."""
        check_names(self.pose.form.independent, rates, "rates")
        return PlanarMotion(self, move(self.pose, self.solves, rates))


@dataclass(frozen=True, slots=True)
class PlanarMotion:
    """Rates of a planar pose."""

    pose: PlanarPose
    motion: Motion

    def rate(self, coordinate: str) -> Value:
        """Rate of a coordinate."""
        return coordinate_rate(self.motion, coordinate)

    def point_velocity(self, frame: Frame) -> Triple:
        """Velocity of a frame's origin."""
        pose = self.motion.pose
        return in_space(pose, self.motion.velocity(place_of(pose, frame)))

    def direction_rate(self, body: str, local: Vector) -> Triple:
        """Rate of a body-fixed direction."""
        pose = self.motion.pose
        return in_space(pose, flat(pose, body, local).times_i().scaled(self.motion.rate(body)))

    def accelerate(self, accelerations: dict[str, Value]) -> "PlanarAcceleration":
        """The second derivatives at these accelerations."""
        check_names(self.motion.independent, accelerations, "accelerations")
        return PlanarAcceleration(self, accelerate(self.motion, self.pose.solves, accelerations))


@dataclass(frozen=True, slots=True)
class PlanarAcceleration:
    """Accelerations of a planar pose."""

    motion: PlanarMotion
    second: Acceleration

    def acceleration(self, coordinate: str) -> Value:
        """Acceleration of a coordinate."""
        return coordinate_acceleration(self.second, coordinate)

    def point_acceleration(self, frame: Frame) -> Triple:
        """Acceleration of a frame's origin."""
        pose = self.second.pose
        return in_space(pose, self.second.point_acceleration(place_of(pose, frame)))

    def direction_acceleration(self, body: str, local: Vector) -> Triple:
        """Second derivative of a body-fixed direction."""
        pose, rate = self.second.pose, self.second.motion.rate(body)
        vector = flat(pose, body, local)
        turning = vector.times_i().scaled(self.second.acceleration(body))
        return in_space(pose, turning - vector.scaled(rate * rate))


def place_of(pose: Pose, frame: Frame) -> tuple[Term, ...]:
    """Moving vectors from the ground's origin to a frame's."""
    model = pose.form.model
    arm = Term(frame.body, in_plane(model.plane, model.orientation[frame.body], frame.at))
    return pose.form.terms((*model.origin[frame.body], arm))


def height_of(pose: Pose, frame: Frame) -> Value:
    """How far a frame's origin is from the ground's origin along the normal, m."""
    model = pose.form.model
    above = along_normal(model.plane, model.orientation[frame.body], frame.at)
    return pose.scope.linear(linear_sum((*model.height[frame.body], *above)))


def flat(pose: Pose, body: str, local: Vector) -> Complex:
    """The part of a body-fixed vector in the plane, turned with the body."""
    model = pose.form.model
    return pose.unit(body) * Complex(*pose.scope.vector(in_plane(model.plane, model.orientation[body], local)))


def in_space(pose: Pose, vector: Complex, height: Value | None = None) -> Triple:
    """A vector of the plane, and a height above it, in ground axes."""
    plane, builder = pose.form.model.plane, pose.builder
    above = builder.real(0) if height is None else height
    parts = [
        (builder.real(e1) * vector.re + builder.real(e2) * vector.im) + builder.real(n) * above
        for e1, e2, n in zip(plane.e1, plane.e2, plane.normal, strict=True)
    ]
    return parts[0], parts[1], parts[2]
