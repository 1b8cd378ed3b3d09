"""Links between two balls: they may spin about their own line, and nothing else notices.

Comes in: a Mechanism. Goes out: its `IdleLink`s. The spin is held by a convention: with V from ball to ball and r a
direction fixed to ground, the link's own axis t stays along r x V, so that t.r = 0; at the design pose the link stands
as its pose says. r, and the direction in the link that it has there, are found at the nominal parameters and kept at
all others, while V follows these. Only the link's own angles, points off its line, and what mass lies off it, depend on
the spin.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exporter.kinematics.closures.numeric import (
    Array,
    Numbers,
    closing_jacobians,
    closing_residuals,
    numbers_of,
    point_of,
    pose_row,
    poses_of,
)
from exporter.kinematics.protocol.frames import IDENTITY, Vector3
from exporter.model.mechanism import Frame, Joint, Mechanism

ITERATIONS = 12  # of Gauss and Newton
RANK = 1e-8  # singular values below this, over the largest, are zero
STEEP = 0.1  # sine of the angle between r and the link below which another axis of the body is taken
DECIMALS = 12  # of a direction: less than its last bits, which differ between computers
ALIKE = 9  # decimals that parts of a line have in common which count as equal
ENDS = 2


@dataclass(frozen=True, slots=True)
class IdleLink:
    """A body that hangs on two balls and nothing else."""

    body: str
    joints: tuple[Joint, Joint]
    ground: Vector3  # r, an axis of ground across the link at the design pose
    inside: Vector3  # r in body axes at the design pose; t = inside x (second ball - first ball)

    @property
    def note(self) -> str:
        """What a user should know."""
        one, other = (f"'{joint.name}'" for joint in self.joints)
        return (
            f"link '{self.body}' may spin about the line between its balls {one} and {other}: its spin is held by a "
            "convention; only its own angles and points off that line depend on it"
        )


def idle_links(mechanism: Mechanism) -> tuple[IdleLink, ...]:
    """All idle links in the order of the bodies; none where the independent coordinates are to drive spins too."""
    held = {
        body.name: [joint for joint in mechanism.joints if joint.type != "free" and _holds(joint, body.name)]
        for body in mechanism.bodies
    }
    links = {
        body: (joints[0], joints[1])
        for body, joints in held.items()
        if len(joints) == ENDS and all(joint.type == "spherical" for joint in joints)
    }
    if not links or not any(joint.closes for joint in mechanism.joints):
        return ()
    numbers = numbers_of(mechanism)
    row = pose_row(mechanism)
    assembled = _assembled(numbers, row)
    if _freedom(numbers, assembled) <= len(mechanism.independent):
        return ()
    found = [_idle_link(numbers, row, assembled, body, joints) for body, joints in links.items()]
    return tuple(link for link in found if link is not None)


def _freedom(numbers: Numbers, row: Array) -> int:
    matrix = np.concatenate(list(closing_jacobians(numbers, row, 1.0).values()))
    values = np.linalg.svd(matrix, compute_uv=False)
    return len(row) - int((values > RANK * values[0]).sum()) if len(values) else len(row)


def spin_residuals(links: Sequence[IdleLink], numbers: Numbers, coordinates: Array) -> Array:
    """t.r over the length of t, (rows, links): 0 where the convention holds."""
    poses = poses_of(numbers, coordinates, [link.body for link in links])
    found = []
    for link in links:
        start, end = (numbers.place[_end_on(joint, link.body)] for joint in link.joints)
        axis = np.cross([float(part) for part in link.inside], end - start)
        ground = np.array([float(part) for part in link.ground])
        found.append(np.einsum("i,...ij,j->...", ground, poses.turn[link.body], axis / np.linalg.norm(axis)))
    return np.stack(found, axis=-1)


def _holds(joint: Joint, body: str) -> bool:
    return body in (joint.parent.body, joint.child.body)


def _idle_link(
    numbers: Numbers, row: Array, assembled: Array, body: str, joints: tuple[Joint, Joint]
) -> IdleLink | None:
    """r across the assembled link, and where it is in the link at the pose that the file gives."""
    start, end = (numbers.place[_end_on(joint, body)] for joint in joints)
    inner = end - start
    if not inner.any():
        return None
    axis = _across(_line(numbers, assembled, body, joints))
    turn = np.reshape(poses_of(numbers, row[None]).turn[body], (3, 3))
    inside = turn.T[:, axis]
    if np.linalg.norm(np.cross(inside, inner)) < np.linalg.norm(inner) * STEEP:  # far from the assembled pose
        inside = np.eye(3)[_across(inner)]
    x, y, z = (Fraction(f"{part:.{DECIMALS}f}") for part in inside)
    return IdleLink(body, joints, IDENTITY[axis], (x, y, z))


def _across(line: Array) -> int:
    """The first axis that is most across a line, rounding aside: the same on every computer."""
    return int(np.argmin(np.round(np.abs(line) / np.abs(line).max(), ALIKE)))


def _line(numbers: Numbers, row: Array, body: str, joints: Sequence[Joint]) -> Array:
    poses = poses_of(numbers, row[None])
    first, second = (point_of(numbers, poses, _other_end(joint, body)) for joint in joints)
    return np.ravel(second - first)


def _assembled(numbers: Numbers, row: Array) -> Array:
    """The pose after Gauss and Newton closed its loops, the independent coordinates kept."""
    mechanism = numbers.mechanism
    free = [k for k, name in enumerate(mechanism.coordinates()) if name not in mechanism.independent]
    for _ in range(ITERATIONS):
        open_by = np.concatenate([part[0] for part in closing_residuals(numbers, row[None], 1.0).values()])
        jacobian = np.concatenate(list(closing_jacobians(numbers, row, 1.0).values()))
        row = row.copy()
        row[free] -= np.linalg.lstsq(jacobian[:, free], open_by, rcond=RANK)[0]
    return row


def _end_on(joint: Joint, body: str) -> Frame:
    return joint.parent if joint.parent.body == body else joint.child


def _other_end(joint: Joint, body: str) -> Frame:
    return joint.child if joint.parent.body == body else joint.parent
