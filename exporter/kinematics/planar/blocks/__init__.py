"""The planar block library: each block solves one loop closure for two unknowns, exactly.

In: a Block and a Pose that knows everything else. Used by: the Pose (positions) and a `LinearSolve`, which
solves the same closure for rates and accelerations by the same pivot. One file per kind of block.
"""

from exporter.kinematics.planar.blocks.arms import LinearSolve, arms_of
from exporter.kinematics.planar.blocks.characteristic_pair import characteristic_pair
from exporter.kinematics.planar.blocks.circle_and_line import circle_and_line
from exporter.kinematics.planar.blocks.turning_slide import turning_slide
from exporter.kinematics.planar.blocks.two_circles import two_circles
from exporter.kinematics.planar.blocks.two_lines import two_lines
from exporter.kinematics.planar.form import Block, BlockKind
from exporter.kinematics.planar.position import Pose

__all__ = ["LinearSolve", "solve_block"]

SOLVERS = {
    BlockKind.TWO_CIRCLES: two_circles,
    BlockKind.CHARACTERISTIC_PAIR: characteristic_pair,
    BlockKind.CIRCLE_AND_LINE: circle_and_line,
    BlockKind.TURNING_SLIDE: turning_slide,
    BlockKind.TWO_LINES: two_lines,
}


def solve_block(block: Block, pose: Pose) -> LinearSolve:
    """Write a block's position solution; the pose then knows its unknowns."""
    about = f"known side, margin and pivot of loop '{block.closure.name}'"
    with pose.builder.step(block.id, about, part=True):
        return SOLVERS[block.kind](block, pose, arms_of(block, pose))
