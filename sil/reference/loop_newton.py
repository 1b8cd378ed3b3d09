"""Newton's method on loops that share no unknown, each by itself, over many rows.

In: the closures that determine the dependent coordinates, and starts; out: coordinates, and the sign of det(Phi_d) of
every loop where a row arrived. Rows stand last, (coordinates, rows), so that one number of all rows is one piece of
memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sil.reference.closure_jacobian import Group
from sil.reference.closures import Closures
from sil.reference.elimination import Reads
from sil.reference.linear import System, solve_columns
from sil.reference.placing import Placed, place_coordinates
from sil.reference.rotations import Array
from sil.reference.skeleton import Skeleton

FORETOLD = 1e-4
"""A step that is told to be so much shorter than it may be is not taken: what tells it may err by powers of ten."""
SQUARED = 0.1
"""Steps that are longer, in rad or over their coordinates, say nothing of the next ones."""
MOST_CURVED = 1e4
"""A first step s leaves at most so many times s^2: it starts next to the pose, or far from a fold."""


@dataclass(frozen=True, slots=True)
class Loop:
    """Equations that share dependent coordinates, and these; equations are numbered among the loop's own."""

    groups: tuple[Group, ...]
    unknowns: list[int]  # coordinates
    reads: Reads  # by equation, as places among `unknowns`

    def step(self, placed: Placed) -> tuple[Array, Array]:
        """Newton's step, (unknowns, rows), and the determinant of the loop's Jacobian, (rows,).

        Lengths are not divided by the length scale: neither the step nor the sign of a determinant changes.
        """
        rows = placed.origins[0].shape[-1]
        if len(self.reads) != len(self.unknowns):
            return np.full((len(self.unknowns), rows), np.nan), np.full(rows, np.nan)
        residual = np.zeros((len(self.reads), rows))
        jacobian = np.zeros((len(self.reads), len(self.unknowns), rows))
        for group in self.groups:
            group.evaluate(placed, residual, jacobian)
        return solve_columns(jacobian, -residual, self.reads)


@dataclass(frozen=True, slots=True)
class NewtonGoal:
    """How far Newton goes: a row ends where its step, over 1 + |coordinate|, is not longer than `settled`.

    It ends a step sooner where the next one would be next to nothing beside `settled` and `closed`.
    """

    iterations: int
    settled: float
    closed: float

    @property
    def beyond_doubt(self) -> float:
        """A step that is told to be so short is not taken."""
        return FORETOLD * min(self.settled, self.closed)


@dataclass(frozen=True, eq=False)
class LoopNewton:
    """The loops of a mechanism, ready for many rows."""

    skeleton: Skeleton
    loops: tuple[Loop, ...]
    unknowns: list[int]  # of all loops, one after the other
    longest: float  # no coordinate moves farther in one step, in rad or length scales

    def run(self, coordinates: Array, goal: NewtonGoal) -> tuple[Array, Array]:
        """Coordinates, (c, rows), from starts, and the signs of the loops' determinants, (loops, rows).

        Signs of a row that settled are those of its last place but one, which is as far from the last as it settled.
        """
        found, signs = coordinates.copy(), np.full((len(self.loops), coordinates.shape[1]), np.nan)
        moving, here = np.arange(coordinates.shape[1]), coordinates.copy()
        before = np.full(len(moving), np.nan)
        for _ in range(goal.iterations):
            step, sides = self._step(here)
            here[self.unknowns] = moved = here[self.unknowns] + step
            length = (np.abs(step) / (1.0 + np.abs(moved))).max(axis=0)
            moves = (length > goal.settled) & ~(_next_length(before, length) <= goal.beyond_doubt)
            ended = moving[~moves]
            found[:, ended], signs[:, ended] = here[:, ~moves], sides[:, ~moves]
            moving, here, before = moving[moves], here[:, moves], length[moves]
            if not len(moving):
                return found, signs
        found[:, moving], signs[:, moving] = here, self.sides(here)
        return found, signs

    def sides(self, coordinates: Array) -> Array:
        """On which side of its folds every loop is at these coordinates, (c, rows): 1 or -1, (loops, rows)."""
        return self._step(coordinates)[1]

    def _step(self, coordinates: Array) -> tuple[Array, Array]:
        """The step of all unknowns, (unknowns, rows), cut where it is too long, and its sides of folds."""
        placed = place_coordinates(self.skeleton, coordinates)
        found = [loop.step(placed) for loop in self.loops]
        step = np.concatenate([one for one, _ in found])
        size = np.abs(step / self.skeleton.units[self.unknowns, None]).max(axis=0)
        step *= np.minimum(1.0, self.longest / np.maximum(size, self.longest))
        return step, np.sign([determinant for _, determinant in found])


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def _next_length(before: Array, now: Array) -> Array:
    """How long the next step is, (rows,): lengths shrink as squares, and next to a double root by halves.

    With s' = C s^2 the one after s and s' is C s'^2 = s'^3 / s^2. Where there is no step before, C is the largest.
    """
    told = np.where(np.isnan(before), MOST_CURVED * now**2, now * (now / before) ** 2)
    return np.asarray(np.where(now <= SQUARED, told, np.inf))


@lru_cache(maxsize=16)
def newton_of(chosen: Closures, longest: float) -> LoopNewton:
    """Newton's method on closures that determine the dependent coordinates."""
    skeleton = chosen.skeleton
    loops = tuple(_loop(chosen.groups, system, skeleton.dependent) for system in chosen.loops)
    unknowns = [k for loop in loops for k in loop.unknowns]
    return LoopNewton(skeleton, loops, unknowns, longest)


def _loop(groups: Sequence[Group], system: System, dependent: Sequence[int]) -> Loop:
    """One loop; its equations are numbered in the order of all."""
    own, unknowns = [], [dependent[place] for place in system.unknowns]
    for group in groups:
        if group.rows.start in system.equations:
            first = system.equations.index(group.rows.start)
            own.append(group.among(unknowns, slice(first, first + group.rows.stop - group.rows.start)))
    return Loop(tuple(own), unknowns, system.reads)
