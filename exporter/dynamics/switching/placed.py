"""A pose that is known by either of two choices: what is asked of it is asked of both and selected.

In: two solved poses and a flag. Used by: `evaluation`, and through the protocol of all engines to the outputs
of a function.
"""

from collections.abc import Sequence
from dataclasses import field

from exporter.dynamics.switching.choices import Choice, columns_of
from exporter.kinematics.planar.complex_value import Complex
from exporter.kinematics.planar.engine import PlanarMotion, PlanarPose
from exporter.kinematics.planar.form import Block
from exporter.kinematics.planar.orientation import GROUND_ORIENTATION, unit_in_plane
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.solution import Triple
from exporter.model.expression import Vector
from exporter.model.mechanism import Frame
from exporter.records import dataclass
from exporter.sequence.builder import Flag, Value


def pick_vector(flag: Flag, if_one: Complex, if_zero: Complex) -> Complex:
    """One of two vectors."""
    select = flag.builder.select
    return Complex(select(flag, if_one.re, if_zero.re), select(flag, if_one.im, if_zero.im))


def _triple(flag: Flag, if_one: Sequence[Value], if_zero: Sequence[Value]) -> Triple:
    x, y, z = (flag.builder.select(flag, one, zero) for one, zero in zip(if_one, if_zero, strict=True))
    return x, y, z


@dataclass(frozen=True)
class SelectedPose:
    """The pose of the second choice where the flag is 1, else of the first."""

    flag: Flag
    first: PlanarPose
    second: PlanarPose

    @property
    def margins(self) -> list[Margin]:
        """None: those of a choice say little of the pose; each choice's own positions tell them."""
        return []

    def displacement(self, coordinate: str) -> Value:
        """A displacement."""
        one, other = self.second.displacement(coordinate), self.first.displacement(coordinate)
        return self.flag.builder.select(self.flag, one, other)

    def pair(self, coordinate: str) -> tuple[Value, Value]:
        """Cosine and sine of an angle."""
        pair = pick_vector(self.flag, self.second.pose.relative(coordinate), self.first.pose.relative(coordinate))
        return pair.re, pair.im

    def angle(self, coordinate: str) -> Value:
        """An angle from its pair."""
        cosine, sine = self.pair(coordinate)
        return self.flag.builder.atan2(sine, cosine)

    def point(self, frame: Frame) -> Triple:
        """Where a frame's origin is, ground axes."""
        return _triple(self.flag, self.second.point(frame), self.first.point(frame))

    def direction(self, body: str, local: Vector) -> Triple:
        """A body-fixed direction, ground axes."""
        return _triple(self.flag, self.second.direction(body, local), self.first.direction(body, local))

    def next_start(self) -> dict[str, Value]:
        """Nothing iterates."""
        return {}


@dataclass(frozen=True)
class SelectedMotion:
    """The motion of the second choice where the flag is 1, else of the first."""

    pose: SelectedPose
    first: PlanarMotion
    second: PlanarMotion

    def rate(self, coordinate: str) -> Value:
        """Rate of a coordinate."""
        return self.pose.flag.builder.select(self.pose.flag, self.second.rate(coordinate), self.first.rate(coordinate))

    def point_velocity(self, frame: Frame) -> Triple:
        """Velocity of a frame's origin."""
        return _triple(self.pose.flag, self.second.point_velocity(frame), self.first.point_velocity(frame))

    def direction_rate(self, body: str, local: Vector) -> Triple:
        """Rate of a body-fixed direction."""
        return _triple(self.pose.flag, self.second.direction_rate(body, local), self.first.direction_rate(body, local))


@dataclass
class PlacedPose(Pose):
    """A pose whose bodies were placed by another choice."""

    unit_of: dict[str, Complex] = field(default_factory=dict)

    def unit(self, body: str) -> Complex:
        """D of a body."""
        return self.unit_of[body]


def seen_by(choice: Choice, pose: Pose) -> PlacedPose:
    """The pose that another choice has solved, for a choice's own closures.

    What is independent decides by how much bodies are turned at phi = 0, so that the choices may differ in that.
    """
    units = {body: _as_seen_by(choice, pose, body) for body in choice.form.direction}
    return PlacedPose(choice.form, pose.builder, pose.scope, slide=pose.slide, unit_of=units)


def _as_seen_by(choice: Choice, pose: Pose, body: str) -> Complex:
    """D of a body in a choice's own terms."""
    turned = pose.form.model.shift[body].since(choice.form.model.shift[body])
    if turned == GROUND_ORIENTATION:
        return pose.unit(body)
    return pose.unit(body) * Complex(*pose.scope.vector(unit_in_plane(pose.form.model.plane, turned)))


def sign_of(choice: Choice, block: Block, pose: Pose) -> Value:
    """The sign of the block's root at a pose: that of its determinant, as at the design pose or the other one."""
    one, other = columns_of(block, pose)
    sign = choice.calibration[block.id]
    return pose.builder.select(one.cross(other) >= 0, sign, -sign)
