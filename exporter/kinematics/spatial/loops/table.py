"""The table of a loop system as data: series that seed Newton steps, and what a user should know of them.

Made by: `fitting`, over the whole ranges or (`reached_part`) the part of them that is reached. Used by: the loop block.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from exporter.kinematics.seeded.nominal import nominal_note
from exporter.kinematics.spatial.loops.basis import Array, Basis, Series
from exporter.kinematics.spatial.loops.border import Border
from exporter.kinematics.spatial.loops.system import LoopSystem
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass

NEWTON_STEPS = 2  # over ranges that are reached wholly
SMALL_DETERMINANT = "the determinant of the loops is next to zero, or on the other side of it than at the design pose"


@dataclass(frozen=True, slots=True)
class LoopSeed:
    """A constant, turns of the cranks, and a series; how far the series goes, and one step, rad or m."""

    middle: Fraction
    winding: tuple[int, ...]  # turns per turn of each coordinate that turns fully
    series: Series
    reach: Fraction
    longest_step: Fraction


@dataclass(frozen=True, slots=True)
class ReachedPart:
    """How it is seen at a place that it belongs to the part of the ranges that is reached from the design pose."""

    side: int  # sign of the determinant of the loops in the order of elimination, at the design pose
    least: Fraction  # of that determinant over the pivots of the design pose; less is flagged
    border: Border | None  # beyond it places are flagged; None where all places that were tried are reached

    def excluding(self, values: Mapping[str, Array]) -> "ReachedPart":
        """With the border drawn tighter, so that places at these values (n,) are beyond it."""
        return self if self.border is None else replace(self, border=self.border.excluding(values))


@dataclass(frozen=True, slots=True)
class LoopTable:
    """Seeds of the unknowns of a loop system, in the order of elimination."""

    basis: Basis
    seeds: tuple[LoopSeed, ...]
    steps: int = NEWTON_STEPS
    part: ReachedPart | None = None  # None: the ranges are reached wholly

    @property
    def variables(self) -> tuple[str, ...]:
        """The independent coordinates that seeds depend on."""
        return (*self.basis.turning, *self.basis.bounded)


def note_of(mechanism: Mechanism, system: LoopSystem, table: LoopTable) -> str:
    """What a user should know of a loop block."""
    names, by = ", ".join(system.unknowns), ", ".join(table.variables)
    verb = "is" if len(system.unknowns) == 1 else "are"
    singular = f"; NEAR_SINGULAR where {SMALL_DETERMINANT}" if table.part else ""
    return (
        f"{names} {verb} solved from the closures of {system.title} by series of "
        f"degree {table.basis.degree} in {by or 'nothing'} and {table.steps} Newton steps; what is left is an output, "
        f"and RESIDUAL_HIGH is set where it is above rounding{singular}{nominal_note(mechanism)}"
    )
