"""Whether a mechanism moves in parallel planes, for all values of its tunable parameters.

In: a Mechanism. Out: what keeps it from that, as words. It decides which engine solves it, the planar or the
spatial one.
"""

from exporter.errors import ModelError
from exporter.kinematics.planar.orientation import PARALLEL_SINE, Orientations
from exporter.kinematics.protocol.frames import Vector3, cross, dot
from exporter.model.mechanism import Mechanism

PLANAR_JOINT_TYPES = ("revolute", "prismatic", "planar", "fixed")


def why_spatial(mechanism: Mechanism) -> str:
    """What keeps a mechanism from being planar, as words; empty where it is planar.

    Planar are revolute, prismatic, planar and fixed joints whose turning axes are parallel, slides across them.
    """
    for joint in mechanism.joints:
        if joint.type not in PLANAR_JOINT_TYPES:
            return f"'{joint.name}' is {joint.type}"
    orientations = Orientations(mechanism)
    axes = {joint: orientations.axis(joint, joint.parent) for joint in mechanism.joints if joint.type != "fixed"}
    turning = [joint for joint in axes if joint.type != "prismatic"]
    if not turning:
        return "nothing turns"
    normal = axes[turning[0]]
    for joint, axis in axes.items():
        if joint.type != "prismatic" and any(abs(part) > PARALLEL_SINE for part in cross(normal, axis)):
            return f"the axis of '{joint.name}' is not parallel to that of '{turning[0].name}'"
        if joint.type == "prismatic" and abs(dot(normal, axis)) > PARALLEL_SINE:
            return f"'{joint.name}' slides out of the plane of motion"
    return _why_tilted(mechanism, normal)


def _why_tilted(mechanism: Mechanism, normal: Vector3) -> str:
    """Which tunable parameter turns a frame about another axis than the normal, as words; empty where none does."""
    try:
        orientations = Orientations(mechanism, normal)
        for joint in mechanism.joints:
            orientations.frame(joint.parent)
            orientations.frame(joint.child)
    except ModelError as error:
        return str(error)
    return ""


def is_planar(mechanism: Mechanism) -> bool:
    """Whether the planar engine can treat it."""
    return not why_spatial(mechanism)
