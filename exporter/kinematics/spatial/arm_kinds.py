"""Which block of the library takes a chain of unknown motions to a known point.

In: tree joints from a placed body outwards and their unknown motions. Out: a kind, None where there is none.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from exporter.kinematics.closures.numeric import Array, numbers_of, point_of, poses_of
from exporter.kinematics.protocol.motions import ElementaryMotion, motions_of
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.model.mechanism import Joint, Mechanism

LEAST_EQUATIONS_SINE = 0.1  # sine between two equations below which they are taken for one
LEAST_EQUATION_SIZE = 1e-6  # of their sizes, lengths over the length: less is nothing
ARM_TURNS = 2


def arm_kind(path: Sequence[Joint], unknown: Sequence[ElementaryMotion]) -> SpatialKind | None:
    """The kind by the unknown motions, in order from the placed body outwards."""
    kinds = tuple(motion.kind for motion in unknown)
    axes = tuple(motion.axis for motion in unknown)
    if kinds == ("turn",):
        return SpatialKind.ONE_TURN
    if kinds == ("slide",):
        return SpatialKind.ONE_SLIDE
    if kinds == ("turn", "slide") and axes[0] == axes[1]:
        return SpatialKind.TURN_AND_SLIDE
    if kinds == ("turn", "turn"):
        return SpatialKind.TWO_TURNS
    if kinds == ("turn", "turn", "slide") and _meet(path, unknown[0], unknown[1]):
        return SpatialKind.LENGTH_OF_ARM
    return None


def _meet(path: Sequence[Joint], first: ElementaryMotion, second: ElementaryMotion) -> bool:
    """Whether the second turn's centre stays on the first's: joints at one place of the body between, no slide."""
    motions = [(joint, motion) for joint in path for motion in motions_of(joint)]
    one, other = ([motion for _, motion in motions].index(turn) for turn in (first, second))
    between = motions[one : other + 1]
    joints = list(dict.fromkeys(joint.name for joint, _ in between))
    chain = [joint for joint in path if joint.name in joints]
    rigid = all(before.child.at == after.parent.at for before, after in pairwise(chain))
    return rigid and all(motion.kind == "turn" for _, motion in between)


def is_aligned(mechanism: Mechanism, path: Sequence[Joint], hinge: Joint) -> bool:
    """Whether a path of two hinges ends in a third one whose point and axis tell the second turn without a root.

    Both have known parts along the first axis, each a sum of the second turn's cosine and sine. Judged at nominal
    parameters.
    """
    if [joint.type for joint in path] != ["revolute"] * ARM_TURNS or hinge.type != "revolute":
        return False
    sizes = _equations(mechanism, path, hinge)
    norms = np.linalg.norm(sizes, axis=1)
    return bool(norms.min() > LEAST_EQUATION_SIZE and abs(np.linalg.det(sizes)) > LEAST_EQUATIONS_SINE * norms.prod())


def _equations(mechanism: Mechanism, path: Sequence[Joint], hinge: Joint) -> Array:
    """((a, b), (a', b')), lengths over the largest coordinate of the hinge."""
    numbers, names = numbers_of(mechanism), mechanism.coordinates()
    rows = np.zeros((3, len(names)))
    rows[1, names.index(path[1].coordinates[0])] = np.pi / 2
    rows[2, names.index(path[1].coordinates[0])] = np.pi
    poses, frame = poses_of(numbers, rows), hinge.frame_on(path[1].child.body)
    normal = _axis(poses.turn[path[0].parent.body], numbers.turn[path[0].parent], path[0])
    points = np.einsum("...i,...i->...", np.broadcast_to(normal, (3, 3)), point_of(numbers, poses, frame))
    axes = np.einsum("...i,...i->...", normal, _axis(poses.turn[frame.body], numbers.turn[frame], hinge))
    length = np.abs(numbers.place[frame]).max() or 1.0
    return np.array([[(f[0] - f[2]) / 2, f[1] - (f[0] + f[2]) / 2] for f in (points / length, axes)])


def _axis(body: Array, frame: Array, joint: Joint) -> Array:
    return np.asarray(body @ frame @ np.array([float(part) for part in joint.axis]))
