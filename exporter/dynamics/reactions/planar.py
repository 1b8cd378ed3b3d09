"""The balance of forces of a planar mechanism, in the axes of its plane: two across, the third is the normal.

In: a planar pose and its accelerations. Out: a `Mechanics`. Vectors are sums of what turns with the bodies, so that
their products are those of the kinematics.
"""

from exporter.dynamics.inertia import moment_about_normal, shortest_terms
from exporter.dynamics.reactions.components import Across, AlongLink, Direction, FixedAxis, FrameAxis
from exporter.dynamics.reactions.statics import Wrench
from exporter.kinematics.planar.complex_value import Complex
from exporter.kinematics.planar.engine import flat, in_space, place_of
from exporter.kinematics.planar.orientation import along_normal, in_plane
from exporter.kinematics.planar.plane import Term, gather, negative
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.planar.rates import Acceleration
from exporter.kinematics.protocol.frames import IDENTITY
from exporter.kinematics.protocol.solution import Triple
from exporter.kinematics.protocol.vectors import Vector, constant_vector, identity
from exporter.model import expression
from exporter.model.directions import turn_vector
from exporter.model.expression import Number
from exporter.model.joints import CENTERED_JOINT_TYPES, GROUND, Axis
from exporter.model.mechanism import Body, Frame, Joint
from exporter.records import dataclass
from exporter.sequence.builder import Value


@dataclass(frozen=True, slots=True)
class PlanarMechanics:
    """A planar pose with accelerations of everything."""

    second: Acceleration

    @property
    def _pose(self) -> Pose:
        return self.second.pose

    def zero(self) -> Vector:
        """No force."""
        return constant_vector(self._pose.builder, (0, 0, 0))

    def _vector(self, parts: Complex, above: Value | None = None) -> Vector:
        return Vector(parts.re, parts.im, self._pose.builder.real(0) if above is None else above)

    def arm(self, start: Joint, end: Joint | Frame) -> Vector:
        """From a joint's origin to another's, or to a frame's, by the fewest moving vectors."""
        pose = self._pose
        ways = [
            gather((*place_of(pose, there), *negative(place_of(pose, here))))
            for here in _frames(start)
            for there in (_frames(end) if isinstance(end, Joint) else (end,))
        ]
        return self._vector(pose.sum(min(ways, key=len)))

    def direction(self, direction: Direction) -> Vector:
        """A direction, in the plane and along its normal."""
        match direction:
            case FixedAxis(number):
                return identity(self._pose.builder).columns[number]
            case FrameAxis(frame, axis):
                return self._turned(frame, axis)
            case Across(one, other):
                return self.direction(one).cross(self.direction(other))
            case AlongLink():
                raise TypeError("a planar mechanism has no link that spins between two balls")

    def _turned(self, frame: Frame, axis: Axis) -> Vector:
        pose, model = self._pose, self._pose.form.model
        x, y, z = axis
        local = turn_vector((Number(x), Number(y), Number(z)), frame.rotation)
        above = along_normal(model.plane, model.orientation[frame.body], local)
        return self._vector(flat(pose, frame.body, local), pose.scope.linear(above))

    def inertial(self, body: Body) -> Wrench | None:
        """m (a - g) in the plane and J times the angular acceleration."""
        pose, form = self._pose, self._pose.form
        mass, moment = pose.scope.value(body.mass), moment_about_normal(form, pose.scope, body)
        if mass.constant == 0 and moment.constant == 0:
            return None
        centre = Term(body.name, in_plane(form.model.plane, form.model.orientation[body.name], body.center_of_mass))
        terms = shortest_terms(form, (*form.model.origin[body.name], centre))
        pull = self.second.point_acceleration(terms) - self._flat_of_ground(form.mechanism.gravity)
        turning = moment * self.second.acceleration(body.name) if moment.constant != 0 else moment
        return Wrench(self._vector(pull.scaled(mass)), Vector(*self.zero().parts()[:2], turning))

    def _flat_of_ground(self, vector: expression.Vector) -> Complex:
        pose, model = self._pose, self._pose.form.model
        return Complex(*pose.scope.vector(in_plane(model.plane, model.orientation[GROUND], vector)))

    def from_ground(self, vector: Vector) -> Vector:
        """A vector of ground axes in the plane's."""
        plane, builder = self._pose.form.model.plane, self._pose.builder
        x, y, z = (constant_vector(builder, axis).dot(vector) for axis in (plane.e1, plane.e2, plane.normal))
        return Vector(x, y, z)

    def in_ground_axes(self, vector: Vector) -> Triple:
        """A vector's components along the axes of the ground."""
        return in_space(self._pose, Complex(vector.x, vector.y), vector.z)

    def in_frame_axes(self, frame: Frame, vector: Vector) -> Triple:
        """A vector's components along the axes of a frame."""
        x, y, z = (self._turned(frame, axis).dot(vector) for axis in IDENTITY)
        return x, y, z


def _frames(joint: Joint) -> tuple[Frame, ...]:
    """The frames that share the joint's origin."""
    return (joint.child, joint.parent) if joint.type in CENTERED_JOINT_TYPES else (joint.child,)
