"""Loops and degrees of freedom of a mechanism.

In: a Mechanism and sampled configurations. Out: per closing joint the bodies of its loop, its equations and
how many of them the others imply, by the rank of the Jacobian at sampled configurations; and where assemblies meet.
"""

import numpy as np

from exporter.kinematics.analysis.samples import Samples, worst_of
from exporter.kinematics.closures.numeric import closing_jacobians
from exporter.kinematics.closures.passive_spins import closures_of
from exporter.kinematics.closures.rank import ranks
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass

EXAMINED_SAMPLES = 8  # sampled configurations at which ranks are taken
RANK_LOSS_RATIO = 0.05  # stiffness over its median below which the closures are about to lose rank


@dataclass(frozen=True, slots=True)
class Loop:
    """One closing joint."""

    joint: str
    type: str
    bodies: tuple[str, ...]  # around the loop
    equations: int  # scalar closure equations in space
    redundant: int  # of them, implied by the others and by the loops before


def loops_of(mechanism: Mechanism, samples: Samples) -> tuple[Loop, ...]:
    """The loops in the order of the file."""
    independent = _independent_equations(mechanism, samples)
    found = []
    for joint in mechanism.joints:
        if joint.closes:
            count, rank = independent[joint.name]
            bodies = around(mechanism, *joint.bodies)
            found.append(Loop(joint.name, joint.type, bodies, count, count - rank))
    return tuple(found)


def _independent_equations(mechanism: Mechanism, samples: Samples) -> dict[str, tuple[int, int]]:
    """Equations of every closing joint, and by how many the rank grows with it."""
    closures = closures_of(mechanism)
    step = max(1, len(samples.rows) // EXAMINED_SAMPLES)
    best: dict[str, tuple[int, int]] = {}
    total = -1
    for row in samples.rows[::step]:
        taken, before, grown = np.zeros((0, len(row))), 0, {}
        for joint, jacobian in closing_jacobians(closures.numbers, row, closures.length).items():
            taken = np.vstack([taken, jacobian])
            rank = int(ranks(taken[None])[0])
            grown[joint] = (len(jacobian), rank - before)
            before = rank
        if before > total:
            best, total = grown, before
    return best


def around(mechanism: Mechanism, one: str, other: str) -> tuple[str, ...]:
    """The bodies of a loop, from the parent of its closing joint through the tree to the child."""
    up, down = mechanism.spanning_tree().branches(one, other)
    return (one, *(joint.parent.body for joint in reversed(up)), *(joint.child.body for joint in down))


def meetings_of(mechanism: Mechanism, samples: Samples) -> tuple[dict[str, float], ...]:
    """Independent coordinates at which the closures lose rank: the mechanism may leave its assembly for another."""
    size = samples.stiffness / np.median(samples.stiffness)
    columns = {name: mechanism.coordinates().index(name) for name in mechanism.independent}
    found = worst_of(size, size < RANK_LOSS_RATIO, ordered=samples.ordered)
    return tuple({name: float(samples.rows[row, k]) for name, k in columns.items()} for row in found)
