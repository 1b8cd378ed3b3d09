"""A loop as one round of motions and constant transformations, whichever way its joints lead.

In: a joint that closes a loop and the tree joints of both its sides. Out: items from the base along the first side,
through the closing joint, and back along the second; their product is the identity.
"""

from collections.abc import Sequence
from dataclasses import replace

from exporter.kinematics.protocol.motions import ElementaryMotion, freedom_of, motions_of
from exporter.model.mechanism import Frame, Joint
from exporter.records import dataclass

BALLS = ("spherical", "free")
"""Joints whose turns go about axes of convention, which no relation is made of."""


@dataclass(frozen=True, slots=True)
class FrameItem:
    """A constant transformation: out of a frame into the axes of its body, or from these into the frame."""

    frame: Frame
    out_of: bool


@dataclass(frozen=True, slots=True)
class BaseItem:
    """From the axes of one placed body, `far`, to those of another, `near`."""

    near: str
    far: str


CycleItem = FrameItem | BaseItem | ElementaryMotion


@dataclass(frozen=True, slots=True)
class Sides:
    """The tree joints from placed bodies, or from one body that carries both, to the two bodies of a closing joint."""

    joint: Joint
    parent: tuple[Joint, ...]
    child: tuple[Joint, ...]


def items_of(sides: Sides) -> tuple[CycleItem, ...]:
    """The round: every item maps vectors from the axes behind it to those before it.

    A motion that is passed against its joint's direction has the opposite axis and the same coordinate.
    """
    joint = sides.joint
    outwards = chain_of(sides.parent)
    closing: list[CycleItem] = [
        FrameItem(joint.parent, out_of=True),
        *motions_of(joint),
        FrameItem(joint.child, out_of=False),
    ]
    inwards: list[CycleItem] = [item for each in reversed(sides.child) for item in _backwards(each)]
    first, last = _base(sides.parent, joint.parent), _base(sides.child, joint.child)
    base: list[CycleItem] = [BaseItem(last, first)] if first != last else []
    return (*outwards, *closing, *inwards, *base)


def coordinates_of_round(sides: Sides) -> list[str]:
    """The coordinates of the round's motions in their order, empty texts in a joint that closes a loop."""
    outwards = [name for joint in (*sides.parent, sides.joint) for name in _coordinates(joint)]
    return [*outwards, *(name for joint in reversed(sides.child) for name in reversed(_coordinates(joint)))]


def _coordinates(joint: Joint) -> tuple[str, ...]:
    return joint.coordinates or ("",) * freedom_of(joint)


def ball_motions(sides: Sides) -> list[str]:
    """The name of the joint of each motion of the round where this is a ball, else an empty text."""
    joints = (*sides.parent, sides.joint, *reversed(sides.child))
    return [joint.name if joint.type in BALLS else "" for joint in joints for _ in motions_of(joint)]


def chain_of(path: Sequence[Joint]) -> list[CycleItem]:
    """The items of tree joints, outwards."""
    return [item for joint in path for item in _forwards(joint)]


def _base(path: Sequence[Joint], end: Frame) -> str:
    return path[0].parent.body if path else end.body


def _forwards(joint: Joint) -> list[CycleItem]:
    return [FrameItem(joint.parent, out_of=True), *motions_of(joint), FrameItem(joint.child, out_of=False)]


def _backwards(joint: Joint) -> list[CycleItem]:
    motions = [_opposite(motion) for motion in reversed(motions_of(joint))]
    return [FrameItem(joint.child, out_of=True), *motions, FrameItem(joint.parent, out_of=False)]


def _opposite(motion: ElementaryMotion) -> ElementaryMotion:
    x, y, z = motion.axis
    return replace(motion, axis=(-x, -y, -z))
