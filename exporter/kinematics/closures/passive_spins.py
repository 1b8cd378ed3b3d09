"""Links between two balls: they may spin about their own line, and nothing else notices.

In: a Mechanism. Out: its `PassiveSpin`s. The spin is held by a convention: with V from ball to ball and r a
direction fixed to ground, the link's own axis t stays along r x V, so that t.r = 0; at the design pose the link stands
as its pose says. r, and the direction in the link that it has there, are found at the nominal parameters and kept at
all others, while V follows these. Only the link's own angles, points off its line, and what mass lies off it, depend on
the spin.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from exporter.kinematics.closures.closing import Closures, close_rows, jacobians, joint_closures
from exporter.kinematics.closures.numeric import Array, Numbers, point_of, poses_of
from exporter.kinematics.closures.passive_spin import PassiveSpin
from exporter.kinematics.closures.pose_row import pose_row
from exporter.kinematics.closures.rank import rank
from exporter.kinematics.protocol.frames import IDENTITY
from exporter.model.mechanism import Joint, Mechanism

LEAST_AXIS_SINE = 0.1  # sine of the angle between r and the link below which another axis of the body is taken
DECIMALS = 12  # of a direction: less than its last bits, which differ between computers
COMPARED_DECIMALS = 9  # decimals that parts of a line have in common which count as equal
LINK_ENDS = 2


def closures_of(mechanism: Mechanism) -> Closures:
    """All closures at nominal parameters, passive spins held."""
    return replace(joint_closures(mechanism), spins=passive_spins(mechanism))


def passive_spins(mechanism: Mechanism) -> tuple[PassiveSpin, ...]:
    """All passive spins in the order of the bodies; none where the independent coordinates are to drive spins too."""
    held = {
        body.name: [joint for joint in mechanism.joints if joint.type != "free" and _holds(joint, body.name)]
        for body in mechanism.bodies
    }
    links = {
        body: (joints[0], joints[1])
        for body, joints in held.items()
        if len(joints) == LINK_ENDS and all(joint.type == "spherical" for joint in joints)
    }
    if not links or not any(joint.closes for joint in mechanism.joints):
        return ()
    closures, row = joint_closures(mechanism), pose_row(mechanism)
    assembled = close_rows(closures, row[None], mechanism.independent)[0]
    if len(row) - rank(jacobians(closures, assembled)[0]) <= len(mechanism.independent):
        return ()
    found = [_idle_link(closures.numbers, row, assembled[0], body, joints) for body, joints in links.items()]
    return tuple(link for link in found if link is not None)


def _holds(joint: Joint, body: str) -> bool:
    return body in joint.bodies


def _idle_link(
    numbers: Numbers, row: Array, assembled: Array, body: str, joints: tuple[Joint, Joint]
) -> PassiveSpin | None:
    """r across the assembled link, and where it is in the link at the pose that the file gives."""
    start, end = (numbers.place[joint.frame_on(body)] for joint in joints)
    inner = end - start
    if not inner.any():
        return None
    axis = _across(_line(numbers, assembled, body, joints))
    turn = np.reshape(poses_of(numbers, row[None]).turn[body], (3, 3))
    inside = turn.T[:, axis]
    if np.linalg.norm(np.cross(inside, inner)) < np.linalg.norm(inner) * LEAST_AXIS_SINE:  # far from the assembled pose
        inside = np.eye(3)[_across(inner)]
    x, y, z = (Fraction(f"{part:.{DECIMALS}f}") for part in inside)
    return PassiveSpin(body, joints, IDENTITY[axis], (x, y, z))


def _across(line: Array) -> int:
    """The first axis that is most across a line, rounding aside: the same on every computer."""
    return int(np.argmin(np.round(np.abs(line) / np.abs(line).max(), COMPARED_DECIMALS)))


def _line(numbers: Numbers, row: Array, body: str, joints: Sequence[Joint]) -> Array:
    poses = poses_of(numbers, row[None])
    first, second = (point_of(numbers, poses, joint.frame_beyond(body)) for joint in joints)
    return np.ravel(second - first)
