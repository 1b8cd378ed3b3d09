"""Joints as elementary motions: turns about, and slides along, axes of the frame reached so far.

In: a joint. Out: its motions in order, each with its coordinate. The convention, for all of
the exporter (`sil.reference.skeleton` has one of its own, on purpose): revolute and prismatic: one motion along the
axis; cylindrical: turn, then slide, same axis; universal: turn about x, then about the turned y; spherical: 3-2-1 Euler
angles, turns about z, the new y, the new x; planar: slides along x and y, turn about z; free: slides along x, y, z,
then the three turns of a spherical joint.
"""

from typing import Literal

from exporter.kinematics.protocol.frames import IDENTITY
from exporter.model.mechanism import Axis, Joint
from exporter.records import dataclass

X, Y, Z = IDENTITY
KINDS: dict[str, tuple[tuple[Literal["turn", "slide"], Axis | None], ...]] = {
    "revolute": (("turn", None),),
    "prismatic": (("slide", None),),
    "cylindrical": (("turn", None), ("slide", None)),
    "universal": (("turn", X), ("turn", Y)),
    "spherical": (("turn", Z), ("turn", Y), ("turn", X)),
    "planar": (("slide", X), ("slide", Y), ("turn", Z)),
    "fixed": (),
    "free": (("slide", X), ("slide", Y), ("slide", Z), ("turn", Z), ("turn", Y), ("turn", X)),
}
"""Kind and axis of the motions of each joint, in order; None is the axis of the joint."""


@dataclass(frozen=True, slots=True)
class ElementaryMotion:
    """One elementary motion. `coordinate` is empty in a joint that closes a loop."""

    kind: Literal["turn", "slide"]
    axis: Axis
    coordinate: str


def motions_of(joint: Joint) -> tuple[ElementaryMotion, ...]:
    """The elementary motions of a joint in order, parent to child."""
    steps = KINDS[joint.type]
    names = joint.coordinates or ("",) * len(steps)
    own = joint.axis
    return tuple([ElementaryMotion(kind, axis or own, name) for (kind, axis), name in zip(steps, names, strict=True)])


def freedom_of(joint: Joint) -> int:
    """How many elementary motions a joint has."""
    return len(KINDS[joint.type])
