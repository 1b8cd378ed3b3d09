"""Joints, the frames that they join, and the joint types.

Part of a `Mechanism`. A joint type says which coordinates a joint has, each an angle or a displacement, and whether it
has an axis.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

from exporter.model.expression import Expression, Vector
from exporter.model.units import ANGLE, LENGTH, Dimension
from exporter.records import dataclass

GROUND = "ground"  # the fixed body

JointType = Literal["revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "fixed", "free"]
Axis = tuple[Fraction, Fraction, Fraction]  # a unit vector (to 60 digits) in the joint's frame

X: Axis = (Fraction(1), Fraction(0), Fraction(0))
Y: Axis = (Fraction(0), Fraction(1), Fraction(0))
Z: Axis = (Fraction(0), Fraction(0), Fraction(1))

COORDINATES: dict[JointType, tuple[Dimension, ...]] = {
    "revolute": (ANGLE,),
    "prismatic": (LENGTH,),
    "cylindrical": (ANGLE, LENGTH),
    "universal": (ANGLE, ANGLE),
    "spherical": (ANGLE, ANGLE, ANGLE),
    "planar": (LENGTH, LENGTH, ANGLE),
    "fixed": (),
    "free": (LENGTH, LENGTH, LENGTH, ANGLE, ANGLE, ANGLE),
}
DEFAULT_AXIS: dict[JointType, Axis] = {"revolute": Z, "prismatic": X, "cylindrical": Z, "planar": Z}  # others have none
CENTERED_JOINT_TYPES = ("revolute", "universal", "spherical", "fixed")
"""Types of joints whose two frames share their origin."""


@dataclass(frozen=True, slots=True)
class Rotation:
    """A constant rotation: elementary turns applied in order about the *moving* axes (intrinsic)."""

    turns: tuple[tuple[Literal["x", "y", "z"], Expression], ...] = ()  # angles in rad


@dataclass(frozen=True, slots=True)
class Frame:
    """A place on a body: where it is and how it is turned, in body axes."""

    body: str  # "ground" for the fixed body
    at: Vector
    rotation: Rotation = Rotation()
    name: str = ""  # "crank.pin"; the body's name alone for its origin

    def __hash__(self) -> int:
        """By the names alone, which tell nearly all frames apart: formulas take long to hash."""
        return hash((self.body, self.name))


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint between two frames. Coordinates: angles in rad, displacements in m, of child relative to parent.

    Motions in order, each about or along an axis of the frame reached so far: revolute: turn about `axis`; prismatic:
    slide along `axis`; cylindrical: turn, then slide, along `axis`; universal: turns about x, then y; spherical: 3-2-1
    Euler angles, turns about z, y, x; planar: slides along x and y, turn about z; free: slides along x, y, z, then as
    spherical. A joint that closes a loop has no coordinate; the others form the tree (each child body once).
    """

    name: str
    type: JointType
    parent: Frame
    child: Frame
    axis: Axis
    coordinates: tuple[str, ...] = ()
    closes: bool = False

    @property
    def bodies(self) -> tuple[str, str]:
        """The parent's and the child's."""
        return self.parent.body, self.child.body

    def frame_on(self, body: str) -> Frame:
        """The frame on one of the two bodies."""
        return self.parent if self.parent.body == body else self.child

    def frame_beyond(self, body: str) -> Frame:
        """The frame on the other of the two bodies."""
        return self.child if self.parent.body == body else self.parent

    def dimensions(self) -> dict[str, Dimension]:
        """Angle or length, by coordinate."""
        return dict(zip(self.coordinates, COORDINATES[self.type], strict=False))  # the count is checked later


def dimensions_of(joints: Iterable[Joint]) -> dict[str, Dimension]:
    """Angle or length, by coordinate, in the order of the joints."""
    return {name: dimension for joint in joints for name, dimension in joint.dimensions().items()}
