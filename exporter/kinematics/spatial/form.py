"""The triangular form of a spatial mechanism as data: the plan with its signs, sizes and notes.

In: `plan`. Used by: `pose` (which writes it), `triangular` (which sets the signs), show, `functions`.
"""

from dataclasses import replace
from fractions import Fraction

from exporter.kinematics.protocol.motions import motions_of
from exporter.kinematics.spatial.block import Block, Plan
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.kinematics.spatial.blocks.newton_table import ConstantDistance, NewtonTable, table_of
from exporter.kinematics.spatial.loops.system import LoopSearch, LoopSystem
from exporter.kinematics.spatial.loops.table import LoopTable
from exporter.kinematics.spatial.loops.tabulation import loop_table
from exporter.kinematics.spatial.plan import plan_solution
from exporter.model.mechanism import Mechanism
from exporter.model.size import length_of
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class SpatialForm:
    """A spatial mechanism whose unknowns can be solved one block after the other."""

    mechanism: Mechanism
    plan: Plan
    length: Fraction  # m, the largest distance of a joint's frame from its body's origin; 1 m where all are zero
    notes: tuple[str, ...] = ()  # what was found redundant or assumed
    tables: tuple[tuple[str, NewtonTable], ...] = ()  # of the seeded Newton blocks, by body
    loop_tables: tuple[tuple[LoopSystem, LoopTable], ...] = ()  # of the loop blocks
    beyond: frozenset[str] = frozenset()  # joints whose dependent middle Euler angle has a cosine below zero
    other_tree: Mechanism | None = None  # the mechanism with its loops opened where the plan needs it

    @property
    def tree(self) -> Mechanism:
        """What the plan's joints and bodies are of: the mechanism, its loops perhaps opened elsewhere."""
        return self.other_tree or self.mechanism

    @property
    def independent(self) -> tuple[str, ...]:
        """The chosen coordinates."""
        return self.mechanism.independent

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Blocks in solve order."""
        return self.plan.blocks

    def dependent(self) -> tuple[str, ...]:
        """Dependent coordinates in solve order; first those of bodies that are placed before any block."""
        own, solved = self.mechanism.coordinates(), [name for block in self.blocks for name in block.coordinates]
        early = [name for name in own if name in self.plan.read and name not in solved]
        return (*early, *(name for name in solved if name in own))

    def with_signs(self, signs: tuple[int, ...], branches: tuple[str, ...] | None = None) -> "SpatialForm":
        """The form with other root signs, one per block."""
        names = branches or tuple(block.branch for block in self.blocks)
        blocks = tuple(
            replace(block, sign=sign, branch=name) for block, sign, name in zip(self.blocks, signs, names, strict=True)
        )
        return replace(self, plan=replace(self.plan, blocks=blocks))


def unsigned_spatial_form(mechanism: Mechanism, loops: LoopSearch | None = None) -> SpatialForm:
    """The form before its branches are chosen; with `loops`, what no block solves is solved by Newton steps.

    Raises:
        ModelError: see `exporter.kinematics.spatial.plan`.
    """
    (plan, tree), length = plan_solution(mechanism, loops), length_of(mechanism)
    tables = tuple(
        (block.body, _table(mechanism, block, length))
        for block in plan.blocks
        if block.kind is SpatialKind.SEEDED_NEWTON
    )
    closed = [block.system for block in plan.blocks if block.system is not None]
    loop_tables = (
        tuple((system, loop_table(loops.mechanism, loops.design, system)) for system in closed) if loops else ()
    )
    other = None if tree is mechanism else tree
    return SpatialForm(mechanism, plan, length, tables=tables, loop_tables=loop_tables, other_tree=other)


def _table(mechanism: Mechanism, block: Block, length: Fraction) -> NewtonTable:
    joints = {joint.name: joint for joint in mechanism.joints}
    links = []
    for name, far in zip(block.centers[::2], block.centers[1::2], strict=True):
        sought, other = joints[name], joints[far]
        link = sought.frame_beyond(block.body).body
        anchor = other.frame_beyond(link)
        ends = (sought.frame_on(link), other.frame_on(link))
        links.append(ConstantDistance(sought, other, sought.frame_on(block.body), anchor, ends))
    unknowns = [motion.coordinate for motion in motions_of(joints[block.path[0]])]
    chosen = [name for name in unknowns if name not in mechanism.independent]
    return table_of(mechanism, block.body, chosen, links, float(length))
