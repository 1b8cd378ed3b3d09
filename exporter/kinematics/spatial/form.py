"""The triangular form of a spatial mechanism as data: the plan with its signs, sizes and notes.

Comes from: `plan`. Goes to: `pose` (which writes it into a sequence), `branch` (which sets the signs), compose, show.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from exporter.kinematics.spatial.plan import Block, Plan, nominal_place, plan_of
from exporter.model.mechanism import Mechanism


@dataclass(frozen=True, slots=True)
class SpatialForm:
    """A spatial mechanism whose unknowns can be solved one block after the other."""

    mechanism: Mechanism
    plan: Plan
    length: Fraction  # m, the largest distance of a joint's frame from its body's origin; 1 m where all are zero
    notes: tuple[str, ...] = ()  # what was found redundant or assumed

    @property
    def independent(self) -> tuple[str, ...]:
        """The chosen coordinates."""
        return self.mechanism.independent

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Blocks in solve order."""
        return self.plan.blocks

    def dependent(self) -> tuple[str, ...]:
        """Dependent coordinates in solve order."""
        return tuple(name for block in self.blocks for name in block.coordinates)

    def with_signs(self, signs: tuple[int, ...], branches: tuple[str, ...] | None = None) -> "SpatialForm":
        """The same form with other root signs, one per block."""
        names = branches or tuple(block.branch for block in self.blocks)
        blocks = tuple(
            replace(block, sign=sign, branch=name) for block, sign, name in zip(self.blocks, signs, names, strict=True)
        )
        return replace(self, plan=replace(self.plan, blocks=blocks))


def unsigned_spatial_form(mechanism: Mechanism) -> SpatialForm:
    """The form before its branches are chosen.

    Raises:
        ModelError: see `exporter.kinematics.spatial.plan`.
    """
    return SpatialForm(mechanism, plan_of(mechanism), length_of(mechanism))


def length_of(mechanism: Mechanism) -> Fraction:
    """The mechanism's size, m."""
    frames = [frame for joint in mechanism.joints for frame in (joint.parent, joint.child)]
    sizes = [abs(part) for frame in frames for part in nominal_place(mechanism, frame)]
    return max(sizes, default=Fraction(1)) or Fraction(1)
