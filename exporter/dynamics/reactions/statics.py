"""Coefficients of the equilibrium of what is cut off, by vectors that may be values of a sequence or numbers.

In: cuts, components and a `Geometry`, which gives vectors as `Vector`s of values, or of arrays with a row per pose.
Out: what a component adds to the wrench across a cut, and to the equation of a free motion.
"""

from typing import Protocol

from exporter.dynamics.reactions.components import Component, Direction, FreeMotion
from exporter.dynamics.reactions.cuts import Cut
from exporter.kinematics.protocol.vectors import Vector
from exporter.model.joints import Frame, Joint
from exporter.records import dataclass
from exporter.sequence.builder import Value


class Geometry(Protocol):
    """Where joints are and where directions point, in the axes that forces are summed in."""

    def arm(self, start: Joint, end: Joint | Frame) -> Vector:
        """From the origin of a joint's frame on its child to that of another joint, or of a frame, m."""

    def direction(self, direction: Direction) -> Vector:
        """A direction."""

    def zero(self) -> Vector:
        """The vector 0."""


@dataclass(frozen=True, slots=True)
class Wrench:
    """A force (N), and a torque (N*m) about a point that both sides know."""

    force: Vector
    torque: Vector

    def __add__(self, other: "Wrench") -> "Wrench":
        return Wrench(self.force + other.force, self.torque + other.torque)

    def __sub__(self, other: "Wrench") -> "Wrench":
        return Wrench(self.force - other.force, self.torque - other.torque)

    def __neg__(self) -> "Wrench":
        return Wrench(-self.force, -self.torque)

    def moved(self, arm: Vector) -> "Wrench":
        """About a point from which the force is `arm` away."""
        return Wrench(self.force, self.torque + arm.cross(self.force))

    def scaled(self, factor: Value) -> "Wrench":
        """Times a number."""
        return Wrench(self.force.scaled(factor), self.torque.scaled(factor))

    def along(self, motion: FreeMotion, direction: Vector) -> Value:
        """The part along a motion: what has power in it."""
        return direction.dot(self.torque if motion.kind == "turn" else self.force)


def unit_wrench(geometry: Geometry, component: Component) -> Wrench:
    """What one unit of a component does to the child, about the origin of its frame."""
    direction = geometry.direction(component.direction)
    if component.part == "force":
        return Wrench(direction, geometry.zero())
    return Wrench(geometry.zero(), direction)


def across_cut(geometry: Geometry, cut: Cut, component: Component) -> Wrench | None:
    """What one unit of a component does to what is cut off, about the cut's joint; None where nothing."""
    side = cut.side_of(component.joint)
    if not side:
        return None
    wrench = unit_wrench(geometry, component).moved(geometry.arm(cut.joint, component.joint))
    return wrench if side > 0 else -wrench


def coefficient(geometry: Geometry, cut: Cut, motion: FreeMotion, component: Component) -> Value | None:
    """The part of a component along a free motion of the cut's joint; None where it has none."""
    wrench = across_cut(geometry, cut, component)
    return None if wrench is None else wrench.along(motion, geometry.direction(motion.direction))
