"""The closures of a spatial mechanism modulo a prime, and how many solutions they have.

In: a mechanism and the bodies that must be solved together. Out: equations in a ring of their unknown
motions. A leg is no unknown: what it holds its ball to is an equation of the bodies that it joins.
"""

from collections.abc import Collection, Sequence
from fractions import Fraction

from exporter.kinematics.closures.passive_spin import PassiveSpin
from exporter.kinematics.closures.passive_spins import passive_spins
from exporter.kinematics.degrees.legs import BODY_FREEDOMS, Leg, is_line
from exporter.kinematics.degrees.linear_elimination import PRIME, Polynomial
from exporter.kinematics.degrees.poses_modulo import PosesModulo, modulo, square_of
from exporter.kinematics.protocol.frames import IDENTITY, cross, triad
from exporter.model.mechanism import Joint
from exporter.model.size import nominal_place


class ClosuresModulo(PosesModulo):
    """The equations of a system."""

    def all_equations(self, closing: Collection[str] = ()) -> list[Polynomial]:
        """Equations of all closing joints and legs of the system, or of the named closing joints alone."""
        for body in self.together:
            self.pose(body)
        for leg in self.legs:
            self._leg(leg)
        for link in passive_spins(self.mechanism):
            if link.body in self.together:
                self._hold(link)
        legs = {body for leg in self.legs for body in leg.bodies}
        for joint in self.mechanism.joints:
            ends = set(joint.bodies)
            inside = joint.closes and ends & set(self.together) and not ends & legs
            if inside and (not closing or joint.name in closing):
                self._joint(joint)
        return [equation for equation in self.equations if equation]

    def _joint(self, joint: Joint) -> None:
        at, parent = self.frame(joint.parent)
        to, child = self.frame(joint.child)
        points, pairs = _joint_directions(joint)
        gap = self.plus(to, at, -1)
        self.equations += [self.dot(self.applied(parent, self.fixed(u)), gap) for u in points]
        self.equations += [
            self.dot(self.applied(parent, self.fixed(u)), self.applied(child, self.fixed(w))) for u, w in pairs
        ]

    def _leg(self, leg: Leg) -> None:
        """What a leg holds its ball to; nothing, where it has six motions."""
        if leg.unknown(self.mechanism.independent) >= BODY_FREEDOMS and not is_line(leg):
            return
        (ball, near), (other, far) = sorted(
            ((leg.joints[0], leg.bodies[0]), (leg.joints[-1], leg.bodies[-1])),
            key=lambda end: end[0].type != "spherical",
        )
        center, _ = self.frame(ball.frame_beyond(near))
        at, base = self.frame(other.frame_beyond(far))
        size = self.random.randrange(2, PRIME)
        gap = self.plus(center, at, -1)
        kind = other.type
        if kind in ("spherical", "universal", "revolute"):
            if kind != "revolute" and len(leg.bodies) == 1:
                one, two = (nominal_place(self.mechanism, joint.frame_on(near)) for joint in (ball, other))
                size = -modulo(sum(((a - b) ** 2 for a, b in zip(one, two, strict=True)), Fraction(0)))
            self.equations.append(self.add(self.dot(gap, gap), self.ring.constant(size)))
        first, second = triad(other.axis)
        axis = self.applied(base, self.fixed(other.axis))
        along = self.dot(axis, gap)
        if kind == "revolute":
            self.equations.append(self.add(along, self.ring.constant(self.random.randrange(PRIME))))
        if kind == "cylindrical":
            square = self.add(self.scaled(self.dot(gap, gap), square_of(other.axis)), self.ring.constant(size))
            self.equations.append(self.add(square, self.scaled(self.ring.times(along, along), -1)))
        if kind == "prismatic":
            for across in (first, second):
                part = self.dot(self.applied(base, self.fixed(across)), gap)
                self.equations.append(self.add(part, self.ring.constant(self.random.randrange(PRIME))))

    def _hold(self, link: PassiveSpin) -> None:
        """What holds the spin of a link between two balls."""
        start, end = (nominal_place(self.mechanism, joint.frame_on(link.body)) for joint in link.joints)
        line = (end[0] - start[0], end[1] - start[1], end[2] - start[2])
        _, matrix = self.pose(link.body)
        across = self.applied(matrix, self.fixed(cross(link.inside, line)))
        self.equations.append(self.dot(across, self.fixed(link.ground)))


def _joint_directions(
    joint: Joint,
) -> tuple[list[Sequence[Fraction]], list[tuple[Sequence[Fraction], Sequence[Fraction]]]]:
    """Directions along which the origins coincide, and pairs of directions that are normal to each other."""
    n = joint.axis
    first, second = triad(n)
    x, y, _ = IDENTITY
    along, upright = [(first, n), (second, n)], [(first, second), (second, n), (n, first)]
    spelled: dict[str, tuple[Collection[Sequence[Fraction]], Collection[tuple[Sequence[Fraction], Sequence[Fraction]]]]]
    spelled = {
        "revolute": (IDENTITY, along),
        "prismatic": ((first, second), upright),
        "cylindrical": ((first, second), along),
        "universal": (IDENTITY, [(x, y)]),
        "spherical": (IDENTITY, []),
        "planar": ((n,), along),
        "fixed": (IDENTITY, upright),
        "free": ((), ()),
    }
    points, pairs = spelled[joint.type]
    return list(points), list(pairs)
