"""Solves a triangular form inside a sequence: all blocks, in order."""

from collections.abc import Mapping

from exporter.kinematics.planar.blocks import LinearSolve, solve_block
from exporter.kinematics.planar.form import TriangularForm
from exporter.kinematics.planar.position import Pose, start_pose
from exporter.kinematics.protocol.scope import Scope
from exporter.sequence.builder import Builder, Value


def solve_pose(
    form: TriangularForm,
    builder: Builder,
    scope: Scope,
    coordinates: dict[str, Value],
    signs: Mapping[str, Value] | None = None,
) -> tuple[Pose, tuple[LinearSolve, ...]]:
    """The pose of all bodies, and what later solves each block for rates by the same pivot.

    `signs` has the roots, 1 or -1, of blocks by id where they are values.
    """
    pose = start_pose(form, builder, scope, coordinates)
    pose.sign.update(signs or {})
    return pose, tuple(solve_block(block, pose) for block in form.blocks)
