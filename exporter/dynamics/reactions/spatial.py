"""The balance of forces of a mechanism in space, in ground axes.

In: a spatial pose, its motion and its accelerations. Out: a `Mechanics`.
"""

from exporter.dynamics.reactions.components import Across, AlongLink, Direction, FixedAxis, FrameAxis
from exporter.dynamics.reactions.statics import Wrench
from exporter.dynamics.spatial_inertia import BODY_AXES, Inertia
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Triple
from exporter.kinematics.protocol.twists import BodyAcceleration, BodyMotion
from exporter.kinematics.protocol.vectors import Vector, constant_vector, identity
from exporter.kinematics.spatial.engine import SpatialSolvedPose
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.model import expression
from exporter.model.directions import turn_vector
from exporter.model.expression import Number
from exporter.model.joints import CENTERED_JOINT_TYPES, GROUND
from exporter.model.mechanism import Body, Frame, Joint
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class SpatialMechanics:
    """A spatial pose with accelerations of everything."""

    solved: SpatialSolvedPose
    motion: BodyMotion
    second: BodyAcceleration

    @property
    def _pose(self) -> SpatialPose:
        return self.solved.pose

    @property
    def _scope(self) -> Scope:
        return self._pose.scope

    def zero(self) -> Vector:
        """No force."""
        return constant_vector(self._pose.builder, (0, 0, 0))

    def arm(self, start: Joint, end: Joint | Frame) -> Vector:
        """From a joint's origin to another's, or to a frame's; along one body as a direction of it."""
        return self._place(end) - self._place(start)

    def _place(self, place: Joint | Frame) -> Vector:
        if isinstance(place, Frame):
            return self._pose.point(place)
        known = {joint.name: joint for joint in self._pose.form.tree.joints}
        if place.type in CENTERED_JOINT_TYPES and known.get(place.name) == place:
            return self._pose.center(place.name)
        return self._pose.point(place.child)

    def direction(self, direction: Direction) -> Vector:
        """A direction, ground axes."""
        match direction:
            case FixedAxis(number):
                return identity(self._pose.builder).columns[number]
            case FrameAxis(frame, axis):
                x, y, z = axis
                local = turn_vector((Number(x), Number(y), Number(z)), frame.rotation)
                return Vector(*self.solved.direction(frame.body, local))
            case Across(one, other):
                return self.direction(one).cross(self.direction(other))
            case AlongLink(start, end):
                return self._pose.point(end) - self._pose.point(start)

    def inertial(self, body: Body) -> Wrench | None:
        """m (a - g) and H' = I w' + w x I w."""
        mass, inertia = self._scope.value(body.mass), self._inertia(body)
        if mass.constant == 0 and inertia.is_zero:
            return None
        centre = Frame(body.name, body.center_of_mass)
        pull = Vector(*self.second.point_acceleration(centre)) - self._vector(self._pose.form.mechanism.gravity)
        return Wrench(pull.scaled(mass), self._turning(body, centre, inertia))

    def _vector(self, vector: expression.Vector) -> Vector:
        x, y, z = (self._scope.value(part) for part in vector)
        return Vector(x, y, z)

    def _inertia(self, body: Body) -> Inertia:
        xx, yy, zz, xy, xz, yz = (self._scope.value(part) for part in body.inertia)
        return Inertia((Vector(xx, xy, xz), Vector(xy, yy, yz), Vector(xz, yz, zz)))

    def _turning(self, body: Body, centre: Frame, inertia: Inertia) -> Vector:
        if inertia.is_zero:
            return self.zero()
        twist, rate = self.motion.twist(centre), self.second.twist_rate(centre)
        spin, change = twist.angular_velocity, rate.angular_velocity
        if not twist.in_body_axes:
            if (axis := inertia.axis_of_symmetry()) is not None:
                return self._symmetric(body, spin, change, axis, inertia)
            spin, change = (self.solved.in_body_axes(body.name, each) for each in (spin, change))
        return self._of_body(body.name, inertia.times(change) + inertia.gyroscopic_torque(spin))

    def _symmetric(self, body: Body, spin: Vector, change: Vector, axis: int, inertia: Inertia) -> Vector:
        """H' = a w' + b ((n . w') n + (n . w) w x n), ground axes."""
        across = inertia.moment((axis + 1) % 3)
        excess, total = inertia.moment(axis) - across, change.scaled(across)
        if excess.constant == 0:
            return total
        n = Vector(*self.solved.direction(body.name, BODY_AXES[axis]))
        return total + (n.scaled(n.dot(change)) + spin.cross(n).scaled(n.dot(spin))).scaled(excess)

    def _of_body(self, body: str, vector: Vector) -> Vector:
        """A vector of body axes in ground axes."""
        total = self.zero()
        for axis, part in zip(BODY_AXES, vector.parts(), strict=True):
            if part.constant != 0:
                total = total + Vector(*self.solved.direction(body, axis)).scaled(part)
        return total

    def from_ground(self, vector: Vector) -> Vector:
        """A vector of ground axes."""
        return vector

    def in_ground_axes(self, vector: Vector) -> Triple:
        """A vector's components along the axes of the ground."""
        return vector.parts()

    def in_frame_axes(self, frame: Frame, vector: Vector) -> Triple:
        """A vector's components along the axes of a frame."""
        inside = vector if frame.body == GROUND else self.solved.in_body_axes(frame.body, vector)
        return self._pose.frame(frame).turn.transposed_times(inside).parts()
