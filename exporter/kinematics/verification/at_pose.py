"""The exported assembly at the design pose against the one that Newton's method finds from the file's pose.

In: a `Probe`. Out: nothing, or a refusal. What the pose does not give starts at the exported values, so that
only a pose that lies at another assembly is told.
"""

import numpy as np

from exporter.errors import NoForm, Unsolved
from exporter.kinematics.closures.assemblies import (
    SAME_ASSEMBLY_DISTANCE,
    assemble,
    assembly_of_row,
    body_places,
    near_pose,
)
from exporter.kinematics.closures.closing import Array
from exporter.kinematics.closures.passive_spins import closures_of
from exporter.kinematics.protocol.closest import gap, in_words
from exporter.kinematics.protocol.solution import Assembly
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.kinematics.verification.probe import Probe

NEAR_POSE_GAP = 0.1  # rad or m: an assembly so near to the pose is the one that the pose means


def check_pose(probe: Probe) -> None:
    """Newton's method from the pose must end where the export is, if it ends nearby.

    Raises:
        NoForm: it ends at another assembly, which lies nearer to the pose.
        SeveralAssemblies: a table starts at the pose, which does not tell them apart.
    """
    mechanism = probe.solved.mechanism
    if any(block.kind == SpatialKind.SEEDED_NEWTON for block in probe.solved.block_facts()):
        _check_start(probe)
        return
    given = [name for name in mechanism.coordinates() if name in mechanism.pose and name not in mechanism.independent]
    row = probe.coordinates(probe.ranges.design[None])
    meant = near_pose(mechanism, row[0]) if given else None
    if meant is None or gap(mechanism, given, meant) > NEAR_POSE_GAP:
        return
    if _are_apart(probe, row, meant) and gap(mechanism, given, assembly_of_row(mechanism, row[0])) > gap(
        mechanism, given, meant
    ):
        raise NoForm(
            f"{mechanism.name}: the pose lies at the assembly {in_words(mechanism, meant)}, which the blocks driven by "
            f"{', '.join(mechanism.independent)} do not offer"
        )


def _check_start(probe: Probe) -> None:
    """A table follows the assembly that Newton's method reaches from the pose; it must be the one that is picked."""
    mechanism, meant = probe.solved.mechanism, assemble(probe.solved.mechanism)
    if _are_apart(probe, probe.coordinates(probe.ranges.design[None]), meant):
        raise Unsolved(
            f"{mechanism.name}: the table follows another assembly than the one that the pose picks, "
            f"{in_words(mechanism, meant)}; give these values under [coordinates] pose"
        )


def _are_apart(probe: Probe, row: Array, meant: Assembly) -> bool:
    """Whether bodies stand elsewhere at the coordinates (1, c) than in an assembly."""
    closures = closures_of(probe.solved.mechanism)
    other = np.array([[meant.coordinates[name] for name in probe.solved.mechanism.coordinates()]])
    return bool(
        np.abs(body_places(closures, row) - body_places(closures, other)).max(initial=0.0) > SAME_ASSEMBLY_DISTANCE
    )
