"""The joint types: which coordinates each has, whether it has an axis, and what this version can analyse.

In: a joint type, a mechanism. Out: facts about coordinates.
"""

from collections.abc import Sequence
from fractions import Fraction

from exporter.errors import ModelError
from exporter.model.mechanism import Axis, Joint, JointType, Mechanism
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
SUPPORTED: tuple[JointType, ...] = ("revolute", "prismatic", "planar", "fixed")


def dimensions_of_joints(joints: Sequence[Joint]) -> dict[str, Dimension]:
    """Angle or length of every coordinate, in the order of the joints."""
    return {
        name: dimension
        for joint in joints
        for name, dimension in zip(joint.coordinates, COORDINATES[joint.type], strict=False)
    }


def require_supported_joints(mechanism: Mechanism) -> None:
    """Refuse what can be described but not analysed yet.

    Raises:
        ModelError: a joint of a type that this version cannot treat.
    """
    for joint in mechanism.joints:
        if joint.type not in SUPPORTED:
            raise ModelError(
                f'joints.{joint.name}: type "{joint.type}" is not supported yet in this version; '
                f"build it from {', '.join(SUPPORTED)} joints and bodies without mass"
            )
