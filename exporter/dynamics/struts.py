"""Struts: thin symmetric bodies on a line from a resting centre to a point that another body moves.

In: a mechanism in motion. Out: which bodies form such a line, and what they add to kinetic energy and power. A rod, a
damper or a cylinder needs no velocity of its own there. With the line n, the distance L, the velocity v of the far
point, s = L' = n . v and the moment of inertia I(L) about the centre:

    2 T = A |v|^2 + (m - A) s^2,  A = I / L^2,  m the mass that slides,

and Lagrange's equations in the position of the far point give the inertia forces. A body that also has a moment J about
the line adds J times its spin squared, and the gyroscopic force of that spin.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

from exporter.dynamics.projection import Projection
from exporter.dynamics.spatial_inertia import Inertia, inertia_of
from exporter.kinematics.protocol.limits import PIVOT_THRESHOLD
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.twists import BodyAcceleration, BodyMotion, BodyPose
from exporter.kinematics.protocol.vectors import Vector
from exporter.model.expression import Expression
from exporter.model.joints import GROUND, Joint, Rotation
from exporter.model.mechanism import Body, Frame, Mechanism
from exporter.model.size import length_of
from exporter.model.tree import SpanningTree
from exporter.progress import counted
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.guards import signed_pivot

CENTRES = ("universal", "spherical")
"""Joints of a strut's ends. About a revolute joint a body has a single rate, which is cheaper than three of a point.

So are the rates of a centre that are given, and with these a strut may be folded to no length.
"""
FOLDED = "the length of a strut is zero"


@dataclass(frozen=True, slots=True)
class Chain:
    """A body in a joint on the ground, and what slides in it."""

    pivot: Joint
    near: Body
    slide: Joint | None
    far: Body | None

    @property
    def last(self) -> Body:
        """The body that ends it."""
        return self.near if self.far is None else self.far

    @property
    def bodies(self) -> tuple[Body, ...]:
        """One or two."""
        return (self.near,) if self.far is None else (self.near, self.far)


@dataclass(frozen=True, slots=True)
class Strut:
    """A chain on one line, which is an axis of its bodies."""

    chain: Chain
    tip: Frame  # on the body that moves the far end
    axis: int  # of the body axes
    back: Value  # where the pivot is on that axis of the near body, m
    ahead: Value  # where the far point is on that axis of the last body, m


def struts_of(mechanism: Mechanism, scope: Scope, given: Collection[str]) -> list[Strut]:
    """Every strut of a mechanism that is moved by these coordinates."""
    search = _Search(mechanism, scope, frozenset(given))
    return [strut for body in mechanism.bodies if (strut := search.strut_on(body)) is not None]


@dataclass(frozen=True)
class _Search:
    mechanism: Mechanism
    scope: Scope
    given: frozenset[str]

    @cached_property
    def _bodies(self) -> dict[str, Body]:
        return {body.name: body for body in self.mechanism.bodies}

    @cached_property
    def _tree(self) -> SpanningTree:
        return self.mechanism.spanning_tree()

    def strut_on(self, near: Body) -> Strut | None:
        """The strut whose first body this is."""
        pivot = self._tree.joints[near.name]
        if pivot.parent.body != GROUND or pivot.type not in CENTRES:
            return None
        if not self.given.isdisjoint(pivot.coordinates):
            return None
        chain = self._chain(pivot, near)
        if not any(self._has_mass(body) for body in chain.bodies):
            return None
        for axis in range(3):
            for own, other in self._ends(chain):
                if self._is_line(axis, chain, own):
                    back, ahead = (self.scope.value(frame.at[axis]) for frame in (pivot.child, own))
                    return Strut(chain, other, axis, back, ahead)
        return None

    def _chain(self, pivot: Joint, near: Body) -> Chain:
        carried = [joint for joint in self._tree.joints.values() if joint.parent.body == near.name]
        slide = carried[0] if len(carried) == 1 and carried[0].type == "prismatic" else None
        return Chain(pivot, near, slide, None if slide is None else self._bodies[slide.child.body])

    def _has_mass(self, body: Body) -> bool:
        return self.scope.value(body.mass).constant != 0 or not inertia_of(self.scope, body).is_zero

    def _ends(self, chain: Chain) -> Iterator[tuple[Frame, Frame]]:
        """Points of the last body that a loop ties to a body not carried by the chain, and their like on that."""
        for joint in self.mechanism.joints:
            if not (joint.closes and joint.type in CENTRES and chain.last.name in joint.bodies):
                continue
            own, other = joint.parent, joint.child
            if own.body != chain.last.name:
                own, other = other, own
            if other.body != GROUND and chain.near.name not in self._carriers(other.body):
                yield own, other

    def _carriers(self, body: str) -> set[str]:
        return {joint.child.body for joint in self._tree.path(body)}

    def _is_line(self, axis: int, chain: Chain, end: Frame) -> bool:
        """Whether everything lies on an axis of the bodies, about which these are symmetric."""
        places = [chain.pivot.child.at, end.at, *(body.center_of_mass for body in chain.bodies)]
        if chain.slide is not None:
            frames = (chain.slide.parent, chain.slide.child)
            if abs(chain.slide.axis[axis]) != 1 or any(frame.rotation != Rotation() for frame in frames):
                return False
            places += [frame.at for frame in frames]
        return all(self._is_on_axis(axis, place) for place in places) and all(
            _is_symmetric(inertia_of(self.scope, body), axis) for body in chain.bodies
        )

    def _is_on_axis(self, axis: int, place: Sequence[Expression]) -> bool:
        return all(self.scope.value(part).constant == 0 for k, part in enumerate(place) if k != axis)


def _is_symmetric(inertia: Inertia, axis: int) -> bool:
    across = inertia.moment((axis + 1) % 3), inertia.moment((axis + 2) % 3)
    return not inertia.has_products and across[0] == across[1]


@dataclass(frozen=True, slots=True)
class _Moments:
    """Masses and moments of a strut in a pose. x is how far from the pivot a centre of mass is, L the length."""

    inverse: Value  # 1 / L
    apparent: Value  # A = I / L^2
    first: Value  # sum of m x / L
    sliding: Value  # m of what slides
    sliding_first: Value  # m x / L of what slides
    ahead: Value  # m (L - x) of what slides
    spin: Value  # J


@dataclass(frozen=True)
class MovingStruts:
    """A mechanism in motion, and the forms that its struts add to."""

    mechanism: Mechanism
    scope: Scope
    pose: BodyPose
    motion: BodyMotion
    bias: BodyAcceleration  # at independent accelerations of zero
    into: Projection

    def add(self, strut: Strut) -> None:
        """Inertia and weight of a strut: forces along the far point's velocity, and along the slide."""
        moments = self._moments(strut)
        gap = Vector(*self.pose.point(strut.tip)) - Vector(*self.pose.point(strut.chain.pivot.parent))
        velocity = Vector(*self.motion.point_velocity(strut.tip))
        remaining = Vector(*self.bias.point_acceleration(strut.tip))
        gravity = Vector(*(self.scope.value(part) for part in self.mechanism.gravity))
        force = gravity.scaled(moments.first) - remaining.scaled(moments.apparent)
        if strut.chain.slide is not None:
            along = gap.scaled(moments.inverse)
            rate = self.motion.rate(strut.chain.slide.coordinates[0]) * strut.chain.slide.axis[strut.axis]
            change = 2 * (moments.sliding_first - moments.apparent) * moments.inverse * rate  # A'
            rest = moments.sliding - moments.apparent
            turning = (velocity.squared() - rate * rate) * (moments.inverse * moments.inverse)
            own = change * rate - rest * along.dot(remaining) - moments.ahead * turning
            self.into.add_mass(rate, rest)
            self.into.add_force(rate, own + (moments.sliding - moments.first) * along.dot(gravity))
            force = force - velocity.scaled(change)
        if moments.spin.constant != 0:
            force = force - self._spin(strut, moments, gap, velocity)
        for part, pull in zip(velocity.parts(), force.parts(), strict=True):
            self.into.add_mass(part, moments.apparent)
            self.into.add_force(part, pull)

    def _moments(self, strut: Strut) -> _Moments:
        value, axis, zero = self.scope.value, strut.axis, self.scope.builder.real(0)
        inertias = [inertia_of(self.scope, body) for body in strut.chain.bodies]
        spin, across = (sum((each.moment((axis + k) % 3) for each in inertias), zero) for k in (0, 1))
        origin = zero - strut.back
        mass, place = value(strut.chain.near.mass), origin + value(strut.chain.near.center_of_mass[axis])
        first, across = mass * place, across + mass * (place * place)
        if strut.chain.far is None or strut.chain.slide is None:
            inverse = 1 / self._guarded(origin + strut.ahead)
            return _Moments(inverse, across * (inverse * inverse), first * inverse, zero, zero, zero, spin)
        origin = origin + self._slid(strut.chain.slide, axis)
        sliding, arm = value(strut.chain.far.mass), value(strut.chain.far.center_of_mass[axis])
        inverse = 1 / self._guarded(origin + strut.ahead)
        part = (origin + arm) * inverse
        share = sliding * part
        apparent = across * (inverse * inverse) + share * part
        ahead = sliding * (strut.ahead - arm)
        return _Moments(inverse, apparent, first * inverse + share, sliding, share, ahead, spin)

    def _slid(self, slide: Joint, axis: int) -> Value:
        """From the near body's origin to that of the one that slides."""
        start, end = (self.scope.value(frame.at[axis]) for frame in (slide.parent, slide.child))
        return self.pose.displacement(slide.coordinates[0]) * slide.axis[axis] + (start - end)

    def _guarded(self, length: Value) -> Value:
        """The length of a strut, for dividing by."""
        builder = self.scope.builder
        return signed_pivot(builder, length, length_of(self.mechanism) * PIVOT_THRESHOLD[builder.precision], FOLDED)

    def _spin(self, strut: Strut, moments: _Moments, gap: Vector, velocity: Vector) -> Vector:
        """Add J times the spin squared; gives the inertia force of its turning line, J spin (v x n) / L^2."""
        frame = Frame(strut.chain.near.name, strut.chain.near.center_of_mass)
        twist, change = self.motion.twist(frame), self.bias.twist_rate(frame)
        along = gap.scaled(moments.inverse)
        spin, remaining = (
            each.angular_velocity.parts()[strut.axis] if each.in_body_axes else along.dot(each.angular_velocity)
            for each in (twist, change)
        )
        self.into.add_mass(spin, moments.spin)
        self.into.add_force(spin, -(moments.spin * remaining))
        square = moments.inverse * moments.inverse
        return velocity.cross(along).scaled(moments.spin * spin * square)


def add_struts(
    mechanism: Mechanism,
    scope: Scope,
    pose: BodyPose,
    motion: BodyMotion,
    bias: BodyAcceleration,
    into: Projection,
    given: Collection[str],
) -> frozenset[str]:
    """Inertia and weight of all struts of what these coordinates move; gives the names of their bodies."""
    moving, found = MovingStruts(mechanism, scope, pose, motion, bias, into), struts_of(mechanism, scope, given)
    for strut in counted("mass of", found, lambda each: each.chain.near.name):
        names = ", ".join(body.name for body in strut.chain.bodies)
        with scope.builder.part(
            strut.chain.near.name, f"weight and inertia forces of {names} along the velocity of its end"
        ):
            moving.add(strut)
    return frozenset(body.name for strut in found for body in strut.chain.bodies)
