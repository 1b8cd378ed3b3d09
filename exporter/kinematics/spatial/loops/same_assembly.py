"""Whether poses stand on the assembly of the design pose: they are followed to from there.

In: a `Follower` and poses that close the loops. Out: which of them are reached without a singular pose on the way,
straight or by way of the nearest pose that is.
"""

import numpy as np

from exporter.kinematics.seeded.seed import Box
from exporter.kinematics.spatial.loops.constraint import Array
from exporter.kinematics.spatial.loops.following import Follower
from exporter.kinematics.spatial.loops.places import Places

NEIGHBOURS = 4  # from which a pose is followed to that is not reached straight
SAME = 1e-6  # rad and lengths, of unknowns that are those of one assembly


def on_same_assembly(follower: Follower, box: Box, poses: Places, stages: int, known: Places | None = None) -> Array:
    """Which of the poses are followed to, (n,); `known` are others that are."""
    rows, reached = follower.follow(poses.targets, stages)
    right = reached & _same(follower, rows, poses.rows)
    for nearness in range(NEIGHBOURS):
        lost, found = np.flatnonzero(~right), poses.only(right)
        found = found if known is None else found.joined(known)
        if not len(lost) or len(found.rows) <= nearness:
            break
        targets = poses.targets[lost]
        around, also = follower.follow(targets, stages, found.rows[_nearest(box, targets, found.targets, nearness)])
        right[lost] = also & _same(follower, around, poses.rows[lost])
    return right


def _nearest(box: Box, targets: Array, known: Array, nearness: int) -> Array:
    """For each target the number of the nearest known one but so many, in half ranges."""
    half = np.array([float(each) for each in box.half])
    return np.array([np.argsort(np.abs((known - target) / half).max(axis=1))[nearness] for target in targets])


def _same(follower: Follower, rows: Array, poses: Array) -> Array:
    gaps = (rows - poses)[:, follower.columns] / follower.closures.units[follower.columns]
    turns = [not follower.mechanism.is_displacement(name) for name in follower.system.unknowns]
    gaps[:, turns] = np.remainder(gaps[:, turns] + np.pi, 2 * np.pi) - np.pi
    return np.asarray(np.abs(gaps).max(axis=1, initial=0.0) < SAME)
