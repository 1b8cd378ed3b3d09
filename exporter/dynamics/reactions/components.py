"""What a joint can transmit and what it leaves free, component by component.

In: a joint, and whether the mechanism is planar. Out: `Component`s of the wrench of the parent on the child, which act
at the origin of the child's frame, and `FreeMotion`s, along which the joint transmits no more than a load on its
coordinate. In the plane only what lies in it counts: forces in the plane, torques about its normal.
"""

from collections.abc import Collection
from fractions import Fraction
from typing import Literal

from exporter.kinematics.protocol.frames import triad
from exporter.kinematics.protocol.motions import X, Y, Z, motions_of
from exporter.model.expression import ZERO
from exporter.model.joints import GROUND, Axis, Frame, Joint
from exporter.records import dataclass

Part = Literal["force", "torque"]


@dataclass(frozen=True, slots=True)
class FixedAxis:
    """An axis of the axes that forces are summed in: of the ground, or of the plane and its normal."""

    number: int


@dataclass(frozen=True, slots=True)
class FrameAxis:
    """A direction that is fixed in a frame, in the frame's own axes."""

    frame: Frame
    axis: Axis


@dataclass(frozen=True, slots=True)
class Across:
    """The vector product of two unit vectors that are normal to each other."""

    one: "FrameAxis | FixedAxis"
    other: "FrameAxis | FixedAxis"


@dataclass(frozen=True, slots=True)
class AlongLink:
    """From one point of a link to another: a force along it is measured in N per metre of the link."""

    start: Frame
    end: Frame


Direction = FixedAxis | FrameAxis | Across | AlongLink
BALLS = ("spherical", "free")
"""Joints that leave three turns free: 3-2-1 Euler angles."""
GROUND_AXES = (FixedAxis(0), FixedAxis(1), FixedAxis(2))
IN_PLANE, NORMAL = GROUND_AXES[:2], GROUND_AXES[2]


@dataclass(frozen=True, slots=True)
class Component:
    """One component of a joint's wrench, along a direction."""

    joint: Joint
    part: Part
    direction: Direction


@dataclass(frozen=True, slots=True)
class FreeMotion:
    """A turn about, or a slide along, a direction that a joint leaves free; the turn about its child's origin."""

    joint: Joint
    kind: Literal["turn", "slide"]
    direction: Direction
    coordinate: str = ""  # empty where no coordinate of the file has this direction


def free_motions(joint: Joint, driving: Collection[str], *, planar: bool) -> tuple[FreeMotion, ...]:
    """What the joint leaves free, in the order of its motions.

    The three turns of a ball are taken about fixed axes, as its angles can stand so that their axes span a plane only:
    but where some of the angles are among those that drive the mechanism.
    """
    if joint.type == "free" and planar:  # a body that nothing else carries
        return (*(FreeMotion(joint, "slide", axis) for axis in IN_PLANE), FreeMotion(joint, "turn", NORMAL))
    if joint.type in BALLS and not joint.coordinates:
        slides = GROUND_AXES if joint.type == "free" else ()
        return tuple(FreeMotion(joint, "slide", axis) for axis in slides) + _about_fixed_axes(joint)
    named = tuple(
        FreeMotion(joint, motion.kind, direction, motion.coordinate)
        for motion, direction in zip(motions_of(joint), _directions(joint), strict=True)
    )
    turns = {motion.coordinate for motion in named if motion.kind == "turn"}
    if joint.type in BALLS and not turns & set(driving):
        return tuple(motion for motion in named if motion.kind == "slide") + _about_fixed_axes(joint)
    return named


def _about_fixed_axes(joint: Joint) -> tuple[FreeMotion, ...]:
    return tuple(FreeMotion(joint, "turn", axis) for axis in GROUND_AXES)


def _directions(joint: Joint) -> tuple[Direction, ...]:
    """Directions of the joint's motions: each is fixed in the parent, in the child, or across its neighbours'."""
    motions = motions_of(joint)
    on_parent = tuple(FrameAxis(joint.parent, motion.axis) for motion in motions)
    if joint.type == "universal":
        return on_parent[0], FrameAxis(joint.child, Y)
    if joint.type in BALLS:
        first, last = FrameAxis(joint.parent, Z), FrameAxis(joint.child, X)
        return (*on_parent[:-3], first, Across(first, last), last)
    return on_parent


def components_of(joint: Joint, *, planar: bool, along: str = GROUND) -> tuple[Component, ...]:
    """What the joint transmits; forces first. In space, forces that no axis of the joint orders are along a body's."""
    forces, torques = _in_plane(joint) if planar else _in_space(joint, body_axes(along))
    return (
        *(Component(joint, "force", direction) for direction in forces),
        *(Component(joint, "torque", direction) for direction in torques),
    )


Directions = tuple[Direction, ...]


def body_axes(body: str) -> Directions:
    """The axes of a body."""
    frame = Frame(body, (ZERO, ZERO, ZERO), name=body)
    return GROUND_AXES if body == GROUND else tuple(FrameAxis(frame, axis) for axis in (X, Y, Z))


def _in_plane(joint: Joint) -> tuple[Directions, Directions]:
    match joint.type:
        case "revolute":
            return IN_PLANE, ()
        case "prismatic":
            return (Across(NORMAL, FrameAxis(joint.parent, joint.axis)),), (NORMAL,)
        case "fixed":
            return IN_PLANE, (NORMAL,)
    return (), ()


def _in_space(joint: Joint, axes: Directions) -> tuple[Directions, Directions]:
    across = tuple(FrameAxis(joint.parent, each) for each in triad(joint.axis))
    x, y, z = (FrameAxis(joint.parent, axis) for axis in (X, Y, Z))
    known: dict[str, tuple[Directions, Directions]] = {
        "revolute": (axes, across),
        "prismatic": (across, GROUND_AXES),
        "cylindrical": (across, across),
        "universal": (axes, (Across(x, FrameAxis(joint.child, Y)),)),
        "spherical": (axes, ()),
        "planar": ((z,), (x, y)),
        "fixed": (axes, GROUND_AXES),
        "free": ((), ()),
    }
    return known[joint.type]


FREEDOM: dict[str, int] = {
    "fixed": 0,
    "revolute": 1,
    "prismatic": 1,
    "cylindrical": 2,
    "universal": 2,
    "spherical": 3,
    "planar": 3,
    "free": 6,
}
"""How many motions a joint of each type leaves free in space."""

ZERO_AXIS: Axis = (Fraction(0), Fraction(0), Fraction(1))
