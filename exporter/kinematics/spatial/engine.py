"""The spatial engine behind the protocol of all engines. Rates by the chain rule (`protocol.derivatives`)."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from fractions import Fraction

from exporter.kinematics.protocol.derivatives import (
    ACCELERATIONS,
    RATES,
    Derivatives,
    MovingCoordinate,
    SecondDerivatives,
    rates_by_coordinate,
)
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.motions import motions_of
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Assembly, BlockFacts, Triple, check_names
from exporter.kinematics.protocol.twists import Twist
from exporter.kinematics.protocol.vectors import Vector
from exporter.kinematics.spatial.evaluation import poses_of
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.other_roots import other_roots_in_space
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.kinematics.spatial.verification import assemblies
from exporter.kinematics.spatial.writing import solve_spatial_pose
from exporter.model import expression
from exporter.model.mechanism import Frame, Mechanism
from exporter.model.points_of_interest import points_of_interest
from exporter.model.signals import coordinate_of
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value

ON_REQUEST = ("spherical", "free")
"""Joints whose dependent coordinates, where a pose gives them, are written only where [outputs] asks for their like."""


@dataclass(frozen=True, slots=True)
class SpatialSolution:
    """A spatial mechanism in triangular form."""

    form: SpatialForm

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is solved."""
        return self.form.mechanism

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found redundant or assumed."""
        return self.form.notes

    def dependent(self) -> tuple[str, ...]:
        """Dependent coordinates in solve order."""
        return self.form.dependent()

    def exported_coordinates(self) -> tuple[str, ...]:
        """All but the Euler angles, and the displacements of free joints, that nothing asks for."""
        mechanism = self.form.mechanism
        coordinates = mechanism.coordinates()
        asked = {coordinate_of(signal, coordinates) for signal in mechanism.outputs.values()}
        quiet: set[str] = set()
        for joint in mechanism.joints:
            for kind in ("turn", "slide"):
                alike = {motion.coordinate for motion in motions_of(joint) if motion.kind == kind}
                if joint.type in ON_REQUEST and not asked & alike:
                    quiet |= alike & self.form.plan.read
        return tuple(name for name in self.form.dependent() if name not in quiet)

    def block_facts(self) -> tuple[BlockFacts, ...]:
        """The blocks in solve order."""
        own = set(self.form.mechanism.coordinates())
        return tuple(
            BlockFacts(
                block.id,
                str(block.kind),
                block.coordinates or (f"centre of {block.centers[0]}",),
                tuple(name for name in block.coordinates if name in own),
                block.degree,
                block.sign,
                block.branch,
            )
            for block in self.form.blocks
        )

    def branched_solution(self) -> "SpatialSolution":
        """This solution: spatial blocks can take other roots."""
        return self

    def with_signs(self, signs: tuple[int, ...]) -> "SpatialSolution":
        """On other roots, a sign for each block."""
        return replace(self, form=self.form.with_signs(signs))

    def assemblies(self, place: Mapping[str, Fraction], signs: Sequence[tuple[int, ...]]) -> tuple[Assembly, ...]:
        """The modes on these roots at values of the independent coordinates."""
        return assemblies(self.form, poses_of(self.form), signs, place)

    def other_roots(self) -> dict[str, str]:
        """Where the other root of each block is, in words."""
        return other_roots_in_space(self.form)

    def iterated_solution(self) -> None:
        """Nothing iterates from call to call."""

    def solve(self, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> "SpatialSolvedPose":
        """Write the pose of all bodies into a sequence."""
        points = tuple(frame for _, frame in points_of_interest(self.form.mechanism))
        return SpatialSolvedPose(solve_spatial_pose(self.form, builder, scope, coordinates, points))


@dataclass(frozen=True, slots=True)
class SpatialSolvedPose:
    """A solved spatial pose."""

    pose: SpatialPose

    @property
    def margins(self) -> list[Margin]:
        """Margins and pivots of the blocks."""
        return self.pose.margins

    def displacement(self, coordinate: str) -> Value:
        """A displacement."""
        return self.pose.displacement(coordinate)

    def pair(self, coordinate: str) -> tuple[Value, Value]:
        """Cosine and sine of an angle."""
        return self.pose.pair(coordinate)

    def angle(self, coordinate: str) -> Value:
        """An angle as a seeded Newton block solved it, or from its pair."""
        angle = self.pose.angle(coordinate)
        return self.pose.builder.atan2(angle.sine, angle.cosine) if angle.value is None else angle.value

    def point(self, frame: Frame) -> Triple:
        """Where a frame's origin is, ground axes."""
        return self.pose.point(frame).parts()

    def direction(self, body: str, local: expression.Vector) -> Triple:
        """A body-fixed direction, ground axes."""
        return self.pose.direction(body, local).parts()

    def next_start(self) -> dict[str, Value]:
        """Nothing iterates."""
        return {}

    @property
    def spanned(self) -> frozenset[str]:
        """Bodies whose motion is summed from that of two or three of their points."""
        return frozenset(placed.body for placed in self.pose.form.plan.placed if placed.centers)

    def in_body_axes(self, body: str, vector: Vector) -> Vector:
        """A vector of ground axes in body axes."""
        return self.pose.placement(body).in_body_axes(vector)

    def move(self, rates: dict[str, Value]) -> "SpatialMotion":
        """The motion at these rates."""
        check_names(self.pose.inputs, rates, "rates")
        return SpatialMotion(self, rates, rates_by_coordinate(self.pose.rules, self.pose.inputs, rates))


@dataclass(frozen=True, slots=True)
class SpatialMotion:
    """First derivatives of a spatial pose."""

    pose: SpatialSolvedPose
    rates: dict[str, Value]
    derivatives: Derivatives

    def rate(self, coordinate: str) -> Value:
        """Rate of a coordinate."""
        with self._told(coordinate):
            return rate_of(self.pose.pose, coordinate, self.derivatives)

    def point_velocity(self, frame: Frame) -> Triple:
        """Velocity of a frame's origin."""
        with self._told(frame.name or frame.body):
            return self.derivatives.of_vector(self.pose.pose.point(frame)).parts()

    def direction_rate(self, body: str, local: expression.Vector) -> Triple:
        """Rate of a body-fixed direction."""
        with self._told(body):
            return self.derivatives.of_vector(self.pose.pose.direction(body, local)).parts()

    def twist(self, frame: Frame) -> Twist:
        """How a body and a frame's origin on it move."""
        with self._told(frame.body):
            return twist_of(self.pose.pose, frame, self.derivatives)

    def accelerate(self, accelerations: dict[str, Value], resting: Sequence[Value] = ()) -> "SpatialAcceleration":
        """The second derivatives at these accelerations, at which `resting` rates do not change."""
        pose = self.pose.pose
        check_names(pose.inputs, accelerations, "accelerations")
        moving = [MovingCoordinate(value, self.rates[name], accelerations[name]) for name, value in pose.inputs.items()]
        return SpatialAcceleration(self, SecondDerivatives(pose.rules, self.derivatives, moving, resting))

    def where(self) -> SpatialSolvedPose:
        """The pose that moves."""
        return self.pose

    def _told(self, what: str) -> AbstractContextManager[None]:
        return self.pose.pose.builder.step(f"{what}{RATES[0]}", f"{RATES[1]}{what}", part=True)


@dataclass(frozen=True, slots=True)
class SpatialAcceleration:
    """Second derivatives of a spatial pose."""

    motion: SpatialMotion
    second: SecondDerivatives

    def acceleration(self, coordinate: str) -> Value:
        """Acceleration of a coordinate."""
        rate = self.motion.rate(coordinate)
        with self._told(coordinate):
            return self.second.of(rate, lambda d: rate_of(self._pose, coordinate, d))

    def point_acceleration(self, frame: Frame) -> Triple:
        """Acceleration of a frame's origin."""
        with self._told(frame.name or frame.body):
            return self._of_vector(self._pose.point(frame)).parts()

    def direction_acceleration(self, body: str, local: expression.Vector) -> Triple:
        """Second derivative of a body-fixed direction."""
        with self._told(body):
            return self._of_vector(self._pose.direction(body, local)).parts()

    def twist_rate(self, frame: Frame) -> Twist:
        """Derivatives of the components of a twist, in its own axes."""
        twist = self.motion.twist(frame)
        with self._told(frame.body):
            angular_velocity = self.second.of_vector(
                twist.angular_velocity, lambda d: twist_of(self._pose, frame, d).angular_velocity
            )
            velocity = self.second.of_vector(twist.velocity, lambda d: twist_of(self._pose, frame, d).velocity)
        return Twist(angular_velocity, velocity, twist.in_body_axes)

    def _of_vector(self, vector: Vector) -> Vector:
        """The second derivative of a vector of the pose."""
        return self.second.of_vector(self.motion.derivatives.of_vector(vector), lambda d: d.of_vector(vector))

    @property
    def _pose(self) -> SpatialPose:
        return self.motion.pose.pose

    def _told(self, what: str) -> AbstractContextManager[None]:
        return self._pose.builder.step(f"{what}{ACCELERATIONS[0]}", f"{ACCELERATIONS[1]}{what}", part=True)


def rate_of(pose: SpatialPose, coordinate: str, derivatives: Derivatives) -> Value:
    """Rate of a coordinate in a motion."""
    if coordinate in pose.displacements:
        return derivatives.of(pose.displacement(coordinate))
    return pose.angle(coordinate).rate(derivatives)


def twist_of(pose: SpatialPose, frame: Frame, derivatives: Derivatives) -> Twist:
    """How a body and a frame's origin on it move in a motion."""
    return pose.placement(frame.body).twist(pose.frame(frame).at, derivatives)
