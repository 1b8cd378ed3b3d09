"""Places of the ranges with all coordinates there.

In: a `Follower` and points of the cube [-1, 1]^f. Out: `Places` that were reached, or a refusal that names the nearest
place that was not.
"""

from fractions import Fraction

import numpy as np

from exporter.errors import RangesRefused
from exporter.kinematics.seeded.seed import Box, box_of
from exporter.kinematics.spatial.loops.constraint import Array
from exporter.kinematics.spatial.loops.following import Follower
from exporter.kinematics.spatial.loops.wound import wound_angles
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass


@dataclass(frozen=True)
class Places:
    """Values of the independent coordinates, and of all."""

    targets: Array  # (n, f)
    rows: Array  # (n, c)

    def only(self, chosen: Array) -> "Places":
        """Places that are chosen, by a mask or by numbers."""
        return Places(self.targets[chosen], self.rows[chosen])

    def joined(self, other: "Places") -> "Places":
        """All places: these, then the others."""
        return Places(np.vstack([self.targets, other.targets]), np.vstack([self.rows, other.rows]))


def box_within_a_turn(mechanism: Mechanism) -> Box:
    """The ranges; those of angles that are wider than a turn and bring the loops back are cut to a turn."""
    wound = wound_angles(mechanism)
    box = box_of([mechanism.ranges[name] for name in mechanism.independent])
    half = tuple(
        min(each, Fraction(float(np.pi))) if mechanism.is_angle(name) and name not in wound else each
        for name, each in zip(mechanism.independent, box.half, strict=True)
    )
    return Box(box.middle, half)


def reached_places(follower: Follower, box: Box, cube: Array) -> Places:
    """Places at points (n, f) of the cube.

    Raises:
        RangesRefused: one of them is not reached from the design pose.
    """
    targets = box.place(cube)
    rows, reached = follower.follow(targets)
    if not reached.all():
        raise RangesRefused(lost_in_words(follower, box, targets, reached))
    return Places(targets, rows)


def lost_in_words(follower: Follower, box: Box, targets: Array, reached: Array) -> str:
    """Which of the targets (n, f) that are not reached is the nearest to the design pose."""
    mechanism, names = follower.mechanism, follower.mechanism.independent
    start = np.array([follower.design[name] for name in names])
    spans = np.array([float(each) for each in box.half])
    lost = np.flatnonzero(~reached)
    nearest = min(lost, key=lambda row: float(np.abs((targets[row] - start) / spans).max()))
    where = ", ".join(f"{name} = {value:.6g}" for name, value in zip(names, targets[nearest], strict=True))
    return (
        f"{mechanism.name}: {', '.join(follower.system.unknowns)} are solved together through a table, and they "
        f"do not follow from the design pose to {where} without passing a singular pose or the end of what is "
        f"reached ({len(lost)} of {len(targets)} tried places over the ranges are beyond); narrow the ranges of "
        f"{', '.join(names)}"
    )
