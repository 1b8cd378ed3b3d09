"""The spatial engine behind the protocol of `exporter.kinematics.solved`. Rates by the chain rule (`derivatives`)."""

from dataclasses import dataclass

from exporter.kinematics.points_of_interest import points_of_interest
from exporter.kinematics.position import Margin
from exporter.kinematics.scope import Scope
from exporter.kinematics.solved import BlockFacts, Triple
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.motions import motions_of
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.kinematics.spatial.vectors import Vector
from exporter.kinematics.spatial.writing import solve_spatial_pose
from exporter.kinematics.twists import Twist
from exporter.model import expression
from exporter.model.mechanism import Frame, Mechanism
from exporter.model.signals import coordinate_of
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

    def offered(self) -> tuple[str, ...]:
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

    def solve(self, builder: Builder, scope: Scope, coordinates: dict[str, Value]) -> "SpatialSolved":
        """Write the pose of all bodies into a sequence."""
        points = tuple(frame for _, frame in points_of_interest(self.form.mechanism))
        return SpatialSolved(solve_spatial_pose(self.form, builder, scope, coordinates, points))


@dataclass(frozen=True, slots=True)
class SpatialSolved:
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
        """An angle as a torn block solved it, or from its pair."""
        angle = self.pose.angle(coordinate)
        return self.pose.builder.atan2(angle.sine, angle.cosine) if angle.value is None else angle.value

    def point(self, frame: Frame) -> Triple:
        """Where a frame's origin is, ground axes."""
        return self.pose.point(frame).parts()

    def direction(self, body: str, local: expression.Vector) -> Triple:
        """A body-fixed direction, ground axes."""
        return self.pose.direction(body, local).parts()

    @property
    def spanned(self) -> frozenset[str]:
        """Bodies whose motion is summed from that of two or three of their points."""
        return frozenset(placed.body for placed in self.pose.form.plan.placed if placed.centers)

    def inside(self, body: str, vector: Vector) -> Vector:
        """A vector of ground axes in body axes."""
        return self.pose.placement(body).inside(vector)

    def move(self, rates: dict[str, Value]) -> "SpatialMotion":
        """The motion at these rates."""
        pose = self.pose
        pose.builder.step("V", "rates by the chain rule through the blocks")
        for name, rate in rates.items():
            pose.derivatives.register(pose.inputs[name], lambda rate=rate: rate)  # type: ignore[misc]
        return SpatialMotion(pose, rates)


@dataclass(frozen=True, slots=True)
class SpatialMotion:
    """Rates and accelerations of a spatial pose."""

    pose: SpatialPose
    rates: dict[str, Value]

    def rate(self, coordinate: str) -> Value:
        """Rate of a coordinate."""
        pose = self.pose
        with pose.builder.serving("V"):
            if pose.kinds[coordinate] == "slide":
                return pose.derivatives.of(pose.displacement(coordinate))
            return pose.angle(coordinate).rate()

    def point_velocity(self, frame: Frame) -> Triple:
        """Velocity of a frame's origin."""
        with self.pose.builder.serving("V"):
            return self.pose.derivatives.of_vector(self.pose.point(frame)).parts()

    def direction_rate(self, body: str, local: expression.Vector) -> Triple:
        """Rate of a body-fixed direction."""
        with self.pose.builder.serving("V"):
            return self.pose.derivatives.of_vector(self.pose.direction(body, local)).parts()

    def twist(self, frame: Frame) -> Twist:
        """How a body and a frame's origin on it move."""
        pose = self.pose
        with pose.builder.serving("V"):
            return pose.placement(frame.body).twist(pose.frame(frame).at, pose.derivatives)

    def accelerate(self, accelerations: dict[str, Value]) -> None:
        """Take the accelerations of the independent coordinates."""
        self.pose.builder.step("A", "accelerations by the chain rule through the blocks")
        for name, value in accelerations.items():
            self.pose.derivatives.register(self.rates[name], lambda value=value: value)  # type: ignore[misc]

    def acceleration(self, coordinate: str) -> Value:
        """Acceleration of a coordinate."""
        rate = self.rate(coordinate)
        with self.pose.builder.serving("A"):
            return self.pose.derivatives.of(rate)

    def point_acceleration(self, frame: Frame) -> Triple:
        """Acceleration of a frame's origin."""
        derivatives = self.pose.derivatives
        with self.pose.builder.serving("A"):
            return derivatives.of_vector(derivatives.of_vector(self.pose.point(frame))).parts()

    def direction_acceleration(self, body: str, local: expression.Vector) -> Triple:
        """Second derivative of a body-fixed direction."""
        derivatives = self.pose.derivatives
        with self.pose.builder.serving("A"):
            return derivatives.of_vector(derivatives.of_vector(self.pose.direction(body, local))).parts()

    def twist_rate(self, frame: Frame) -> Twist:
        """Derivatives of the components of a twist, in its own axes."""
        twist, derivatives = self.twist(frame), self.pose.derivatives
        with self.pose.builder.serving("A"):
            spin, velocity = derivatives.of_vector(twist.spin), derivatives.of_vector(twist.velocity)
        return Twist(spin, velocity, twist.in_body_axes)

    def where(self) -> SpatialSolved:
        """The pose that moves."""
        return SpatialSolved(self.pose)
