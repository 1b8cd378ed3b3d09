"""The assembled design pose, where the file's pose leaves it open: what an export says of its own beginning.

In: a `Probe`. Out: all coordinates by name, or none where the file gives every one of them near its assembled value. A
second opinion on the export begins there, instead of at zero for what the file leaves out.
"""

from exporter.kinematics.verification.at_pose import NEAR_POSE_GAP
from exporter.kinematics.verification.probe import Probe
from exporter.model.mechanism import Mechanism

DECIMALS = 12
"""Of coordinates: enough to lie at one assembly, and the same on every computer."""


def open_design_pose(probe: Probe) -> tuple[tuple[str, float], ...]:
    """The assembled coordinates in the file's order, rad and m; empty where the file's pose is near."""
    mechanism = probe.solved.mechanism
    if probe.solved.iterated_solution() is not None or not (mechanism.couplings or _has_loops(mechanism)):
        return ()
    row = probe.coordinates(probe.ranges.design[None])[0]
    found = {name: round(float(value), DECIMALS) for name, value in zip(mechanism.coordinates(), row, strict=True)}
    return () if _is_spelled(mechanism, found) else tuple(found.items())


def _has_loops(mechanism: Mechanism) -> bool:
    return any(joint.closes for joint in mechanism.joints)


def _is_spelled(mechanism: Mechanism, found: dict[str, float]) -> bool:
    """Whether the file gives every coordinate near its assembled value."""
    pose = mechanism.pose
    return all(
        name in pose and abs(mechanism.difference(name, value, float(pose[name]))) < NEAR_POSE_GAP
        for name, value in found.items()
    )
