"""The joint types: which coordinates each has, and whether it has an axis.

In: joint types, joints. Out: facts about coordinates.
"""

from collections.abc import Sequence
from fractions import Fraction

from exporter.model.mechanism import Axis, Joint, JointType
from exporter.model.units import ANGLE, LENGTH, Dimension

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


def dimensions_of_joints(joints: Sequence[Joint]) -> dict[str, Dimension]:
    """Angle or length of every coordinate, in the order of the joints."""
    return {
        name: dimension
        for joint in joints
        for name, dimension in zip(joint.coordinates, COORDINATES[joint.type], strict=False)
    }
