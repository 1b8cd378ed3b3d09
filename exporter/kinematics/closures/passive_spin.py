"""A link between two balls that may spin about its own line, and the convention that holds its spin.

In: poses of all bodies. Out: how far the spins are from their convention.
"""

from collections.abc import Sequence

import numpy as np

from exporter.kinematics.closures.numeric import Array, Numbers, poses_of
from exporter.kinematics.protocol.frames import Vector3
from exporter.model.mechanism import Joint
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class PassiveSpin:
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


def spin_residuals(links: Sequence[PassiveSpin], numbers: Numbers, coordinates: Array) -> Array:
    """t.r over the length of t, (rows, links): 0 where the convention holds."""
    poses = poses_of(numbers, coordinates, [link.body for link in links])
    found = []
    for link in links:
        start, end = (numbers.place[joint.frame_on(link.body)] for joint in link.joints)
        axis = np.cross([float(part) for part in link.inside], end - start)
        ground = np.array([float(part) for part in link.ground])
        found.append(np.einsum("i,...ij,j->...", ground, poses.turn[link.body], axis / np.linalg.norm(axis)))
    return np.stack(found, axis=-1)
