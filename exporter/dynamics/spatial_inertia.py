"""Inertia and weight of a mechanism in space: what its velocities add to kinetic energy and power.

In: bodies and a motion and its accelerations at independent ones of zero. Out: masses and
forces of a `Projection`. Forces are gravity less the rates of momentum and angular momentum of that motion,
each in the axes in which the engine gives the body's twist. In ground axes an inertia that differs about a single axis
n of the body is I = a 1 + b n n^T.
"""

from collections.abc import Iterable
from dataclasses import field
from fractions import Fraction
from functools import cached_property

from exporter.dynamics.projection import Projection
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.twists import BodyAcceleration, BodyMotion, BodyPose
from exporter.kinematics.protocol.vectors import Vector, identity
from exporter.model.expression import Expression, Number
from exporter.model.joints import CENTERED_JOINT_TYPES
from exporter.model.mechanism import Body, Frame, Joint, Mechanism
from exporter.progress import counted
from exporter.records import dataclass
from exporter.sequence.builder import Value

BODY_AXES = tuple((Number(Fraction(i == 0)), Number(Fraction(i == 1)), Number(Fraction(i == 2))) for i in range(3))
"""Directions along the axes of a body, as formulas."""


@dataclass(frozen=True, slots=True)
class Inertia:
    """Moments and products of inertia about the centre of mass, body axes, as values."""

    rows: tuple[Vector, Vector, Vector]

    def times(self, vector: Vector) -> Vector:
        """I v, body axes."""
        return Vector(*(row.dot(vector) for row in self.rows))

    def gyroscopic_torque(self, angular_velocity: Vector) -> Vector:
        """w x I w, body axes: about principal axes by differences, which vanish where the body is alike both ways."""
        if self.has_products:
            return angular_velocity.cross(self.times(angular_velocity))
        one, two, three = (self.moment(axis) for axis in range(3))
        return Vector(
            (three - two) * (angular_velocity.y * angular_velocity.z),
            (one - three) * (angular_velocity.z * angular_velocity.x),
            (two - one) * (angular_velocity.x * angular_velocity.y),
        )

    def plus(self, other: "Inertia") -> "Inertia":
        """The inertia of two bodies, whose axes are the same."""
        one, two, three = (row + its for row, its in zip(self.rows, other.rows, strict=True))
        return Inertia((one, two, three))

    def moved(self, arm: Vector, mass: Value) -> "Inertia":
        """About a point from which the centre of mass is `arm` away: I + m (|arm|^2 1 - arm arm^T)."""
        square = arm.squared()
        unit = identity(mass.builder).columns
        rows = zip(self.rows, unit, arm.parts(), strict=True)
        one, two, three = (row + (axis.scaled(square) - arm.scaled(part)).scaled(mass) for row, axis, part in rows)
        return Inertia((one, two, three))

    def moment(self, axis: int) -> Value:
        """The moment about a body axis."""
        return self.rows[axis].parts()[axis]

    @property
    def is_zero(self) -> bool:
        """A point mass."""
        return all(part.constant == 0 for row in self.rows for part in row.parts())

    @property
    def has_products(self) -> bool:
        """Whether the body axes are not principal axes."""
        return any(part.constant != 0 for part in (self.rows[0].y, self.rows[0].z, self.rows[1].z))

    def axis_of_symmetry(self) -> int | None:
        """The body axis about which the inertia differs from the other two, which are alike; None where none is."""
        if self.has_products:
            return None
        return next((k for k in (2, 0, 1) if self.moment((k + 1) % 3) == self.moment((k + 2) % 3)), None)


def inertia_of(scope: Scope, body: Body) -> Inertia:
    """The inertia of a body of the mechanism."""
    xx, yy, zz, xy, xz, yz = (scope.value(part) for part in body.inertia)
    return Inertia((Vector(xx, xy, xz), Vector(xy, yy, yz), Vector(xz, yz, zz)))


@dataclass(frozen=True)
class MovingBodies:
    """Bodies of a mechanism in motion, and the forms that they add to."""

    mechanism: Mechanism
    scope: Scope
    pose: BodyPose
    motion: BodyMotion
    bias: BodyAcceleration  # at independent accelerations of zero
    into: Projection
    apart: frozenset[str] = frozenset()  # bodies whose inertia is added otherwise
    turning: dict[tuple[Vector, Vector], tuple[Inertia, tuple[str, ...]]] = field(
        default_factory=dict
    )  # with the names of the bodies, by angular velocity and bias, body axes

    @cached_property
    def _joints(self) -> dict[str, Joint]:
        return self.mechanism.spanning_tree().joints

    def add_everything(self) -> None:
        """Inertia and weight of every body."""
        builder = self.scope.builder
        bodies = [body for body in self.mechanism.bodies if body.name not in self.apart]
        for body in counted("mass of", bodies, lambda each: each.name):
            with builder.part(body.name, f"weight and inertia forces of {body.name} along its rates"):
                self._body(body)
        for (angular_velocity, bias), (inertia, names) in self.turning.items():
            turning = ", ".join(names)
            with builder.part(f"{names[0]}.H", f"H' = I w' + w x I w of {turning}"):
                self._turning(angular_velocity, bias, inertia)

    def _vector(self, parts: Iterable[Expression]) -> Vector:
        x, y, z = (self.scope.value(part) for part in parts)
        return Vector(x, y, z)

    # -- bodies ------------------------------------------------------------------------------------------------------

    def _body(self, body: Body) -> None:
        mass, inertia = self.scope.value(body.mass), inertia_of(self.scope, body)
        if mass.constant == 0 and inertia.is_zero:
            return
        if (pivot := self._pivot(body)) is not None:
            arm = self._vector(body.center_of_mass) - self._vector(pivot.at)
            moved = inertia.moved(arm, mass)
            if not moved.has_products:
                self._about(pivot, moved, arm.scaled(mass))
                return
        centre = Frame(body.name, body.center_of_mass)
        twist, rate = self.motion.twist(centre), self.bias.twist_rate(centre)
        gravity, bias = self._vector(self.mechanism.gravity), rate.velocity
        if twist.in_body_axes:
            gravity = self.pose.in_body_axes(body.name, gravity)
            bias = bias + twist.angular_velocity.cross(twist.velocity)
        self._add(twist.velocity, (gravity - bias).scaled(mass), mass)
        if inertia.is_zero:
            return
        if twist.in_body_axes:
            self._turn(body.name, twist.angular_velocity, rate.angular_velocity, inertia)
        elif (axis := inertia.axis_of_symmetry()) is not None:
            self._symmetric(body, twist.angular_velocity, rate.angular_velocity, axis, inertia)
        else:
            in_body_axes = [
                self.pose.in_body_axes(body.name, vector) for vector in (twist.angular_velocity, rate.angular_velocity)
            ]
            self._turn(body.name, in_body_axes[0], in_body_axes[1], inertia)

    def _pivot(self, body: Body) -> Frame | None:
        """A point of the body that rests, its twist in body axes."""
        joint = self._joints[body.name]
        if joint.type not in CENTERED_JOINT_TYPES:
            return None
        twist = self.motion.twist(joint.child)
        rests = all(part.constant == 0 for part in twist.velocity.parts())
        return joint.child if rests and twist.in_body_axes else None

    def _about(self, pivot: Frame, inertia: Inertia, first_moment: Vector) -> None:
        """A body that turns about a resting point, inertia and mass * arm about it: its centre needs no velocity."""
        twist, rate = self.motion.twist(pivot), self.bias.twist_rate(pivot)
        self._turn(pivot.body, twist.angular_velocity, rate.angular_velocity, inertia)
        gravity = self.pose.in_body_axes(pivot.body, self._vector(self.mechanism.gravity))
        for part, moment in zip(twist.angular_velocity.parts(), first_moment.cross(gravity).parts(), strict=True):
            self.into.add_force(part, moment)

    def _add(self, rates: Vector, forces: Vector, mass: Value) -> None:
        for rate, force in zip(rates.parts(), forces.parts(), strict=True):
            self.into.add_mass(rate, mass)
            self.into.add_force(rate, force)

    def _turn(self, body: str, angular_velocity: Vector, bias: Vector, inertia: Inertia) -> None:
        """Bodies that turn alike, on both sides of a slide for example, count as one."""
        known, names = self.turning.get((angular_velocity, bias), (None, ()))
        self.turning[angular_velocity, bias] = (inertia if known is None else known.plus(inertia), (*names, body))

    def _turning(self, angular_velocity: Vector, bias: Vector, inertia: Inertia) -> None:
        """H' = I w' + w x I w, body axes."""
        change = inertia.times(bias) + inertia.gyroscopic_torque(angular_velocity)
        for number, rate in enumerate(angular_velocity.parts()):
            self.into.add_force(rate, -change.parts()[number])
            self.into.add_mass(rate, inertia.moment(number))
            for other in range(number + 1, 3):
                self.into.add_product(rate, angular_velocity.parts()[other], inertia.rows[number].parts()[other])

    def _symmetric(self, body: Body, angular_velocity: Vector, bias: Vector, axis: int, inertia: Inertia) -> None:
        """H' = a w' + b ((n . w') n + (n . w) w x n), ground axes."""
        across, force = inertia.moment((axis + 1) % 3), -bias.scaled(inertia.moment((axis + 1) % 3))
        excess = inertia.moment(axis) - across
        if excess.constant != 0:
            n = Vector(*self.pose.direction(body.name, BODY_AXES[axis]))
            about = n.dot(angular_velocity)
            self.into.add_mass(about, excess)
            self.into.add_force(about, -(excess * n.dot(bias)))
            force = force - angular_velocity.cross(n).scaled(excess * about)
        self._add(angular_velocity, force, across)
