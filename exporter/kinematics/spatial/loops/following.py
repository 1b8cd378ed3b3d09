"""All coordinates at many values of the independent ones, offline: continuation from the design pose.

In: a mechanism with its assembled design pose. Out: rows of all coordinates, and which of them were reached without a
jump, on the same side of every singular pose of a loop system. Every stage is a step along the tangent and a correction
by Newton's method on the closures that are independent at the design pose.
"""

from fractions import Fraction
from functools import cached_property

import numpy as np

from exporter.kinematics.closures.rank import newton_steps, rank
from exporter.kinematics.seeded.ordered_elimination import elimination_order
from exporter.kinematics.spatial.loops.constraint import Array, LoopNumbers, closing_constraints, coupling_constraints
from exporter.kinematics.spatial.loops.system import LoopSystem
from exporter.model.mechanism import Mechanism
from exporter.progress import say
from exporter.records import dataclass

STAGES = 12  # from the design pose to a place
FINAL_ITERATIONS = 8  # of Newton at a place
SETTLED_STEP = 1e-13  # in units of the coordinates
LONGEST_CORRECTION = 0.3  # units; more is a jump to another branch
OPEN_RESIDUAL = 1e-11  # of all closures; more is not reached
LEAST_DETERMINANT = 1e-3  # of a loop system over that at the design pose, at places that are used


@dataclass(frozen=True)
class Follower:
    """A mechanism that is followed from its design pose, and the loop system whose side is watched."""

    mechanism: Mechanism
    design: dict[str, float]
    system: LoopSystem

    def follow(self, targets: Array, stages: int = STAGES, starts: Array | None = None) -> tuple[Array, Array]:
        """Rows (n, c) at targets (n, f) of the independent coordinates, and which were reached, (n,).

        The ways begin at the design pose, or at `starts`, (n, c). Rows that are lost stay where that happened.
        """
        rows = np.repeat(self.start[None], len(targets), axis=0) if starts is None else starts.copy()
        begin, alive = rows[:, self._given], np.arange(len(targets))
        jacobian = self.closures.at(rows[:1])[1].repeat(len(rows), axis=0)
        if starts is not None:
            jacobian = self.closures.at(rows)[1]
        for stage in range(1, stages + 1):
            say(f"following {len(targets):,} places from the design pose: stage", stage, stages)
            aims = begin[alive] + (targets[alive] - begin[alive]) * (stage / stages)
            moving, jacobian, kept = self._advanced(rows[alive], aims, jacobian, last=stage == stages)
            rows[alive] = moving
            alive, jacobian = alive[kept], jacobian[kept]
            if not len(alive):
                break
        reached = np.zeros(len(targets), dtype=bool)
        closed = np.abs(self.closures.residuals(rows[alive])).max(axis=1, initial=0.0) < OPEN_RESIDUAL
        reached[alive[closed]] = True
        return rows, reached

    def _advanced(self, rows: Array, aims: Array, jacobian: Array, *, last: bool) -> tuple[Array, Array, Array]:
        """Rows (n, c) one stage further, the Jacobians there, and which rows were not lost, (n,)."""
        units = self.closures.units
        moved = (aims - rows[:, self._given]) / units[self._given]
        side = np.einsum("nij,nj->ni", jacobian[:, self._rows][:, :, self._given], moved)
        tangent = newton_steps(jacobian[:, self._rows][:, :, self._sought], side)
        rows[:, self._given] = aims
        rows[:, self._sought] -= np.clip(tangent, -1.0, 1.0) * units[self._sought]
        jacobian, first = self._corrected(rows, FINAL_ITERATIONS if last else 1)
        return rows, jacobian, (first < LONGEST_CORRECTION) & (self.determinants(rows) > LEAST_DETERMINANT)

    def sensitivities(self, rows: Array) -> Array:
        """Derivatives (n, u, f) of the system's unknowns by the independent coordinates, in m and rad."""
        jacobian = self.closures.at(rows)[1][:, self._rows]
        square, given = jacobian[:, :, self._sought], jacobian[:, :, self._given]
        found = -np.linalg.solve(square, given)
        units = self.closures.units
        positions = [self._sought.index(self.mechanism.coordinates().index(name)) for name in self.system.unknowns]
        return np.asarray((found * units[self._sought][:, None] / units[self._given])[:, positions])

    def determinants(self, rows: Array) -> Array:
        """The determinant of the loop system over that at the design pose, (n,)."""
        return np.asarray(self._determinant(rows) / self._determinant(self.start[None]))

    @property
    def design_determinant(self) -> float:
        """The determinant of the loop system at the design pose, its rows and columns in the order of elimination."""
        return float(self._determinant(self.start[None])[0])

    def steps(self, rows: Array) -> tuple[Array, Array]:
        """What the equations of the system leave open, (n, m), and Newton steps of its unknowns, (n, u), in units."""
        residual, jacobian = self.loop.at(rows)
        chosen = residual[:, self._chosen]
        return residual, newton_steps(jacobian[:, self._chosen][:, :, self.columns], chosen)

    @cached_property
    def columns(self) -> list[int]:
        """Places of the unknowns among all coordinates."""
        return [self.mechanism.coordinates().index(name) for name in self.system.unknowns]

    @cached_property
    def closures(self) -> LoopNumbers:
        """All closing joints and couplings."""
        tied = coupling_constraints(self.mechanism.couplings)
        return LoopNumbers(self.mechanism, (*closing_constraints(self.mechanism), *tied))

    @cached_property
    def loop(self) -> LoopNumbers:
        """The constraints of the system."""
        return LoopNumbers(self.mechanism, self.system.constraints)

    @cached_property
    def start(self) -> Array:
        """All coordinates at the design pose, (c,)."""
        return np.array([self.design[name] for name in self.mechanism.coordinates()])

    def _determinant(self, rows: Array) -> Array:
        return np.asarray(np.linalg.det(self.loop.at(rows)[1][:, self._chosen][:, :, self.columns]))

    def _corrected(self, rows: Array, iterations: int) -> tuple[Array, Array]:
        """Correct rows in place; the Jacobians before the last correction, and the size of the first one, (n,)."""
        first = np.zeros(len(rows))
        for number in range(iterations):
            residual, jacobian = self.closures.at(rows)
            step = newton_steps(jacobian[:, self._rows][:, :, self._sought], residual[:, self._rows])
            size = np.abs(step).max(axis=1, initial=0.0)
            first = size if number == 0 else first
            rows[:, self._sought] -= np.clip(step, -1.0, 1.0) * self.closures.units[self._sought]
            if size.max(initial=0.0) < SETTLED_STEP:
                break
        return jacobian, first

    @cached_property
    def _chosen(self) -> list[int]:
        patterns = [(pattern[0], pattern[1]) for pattern in self.loop.patterns]
        return [patterns.index(each) for each in self.system.equations]

    @cached_property
    def _given(self) -> list[int]:
        return [self.mechanism.coordinates().index(name) for name in self.mechanism.independent]

    @cached_property
    def _pivots(self) -> tuple[list[int], list[int]]:
        """Closures and dependent coordinates that determine one another at the design pose; spins stay."""
        names = self.mechanism.coordinates()
        dependent = [k for k, name in enumerate(names) if name not in self.mechanism.independent]
        matrix = self.closures.at(self.start[None])[1][0][:, dependent]
        columns = _independent(matrix.T)
        one = [Fraction(1)]
        order = elimination_order(matrix[:, columns], one * len(matrix), one * len(columns))
        return list(order.rows), [dependent[columns[k]] for k in order.columns]

    @property
    def _rows(self) -> list[int]:
        return self._pivots[0]

    @property
    def _sought(self) -> list[int]:
        return self._pivots[1]


def _independent(rows: Array) -> list[int]:
    """The first rows of a matrix that are independent of those before them."""
    chosen: list[int] = []
    for number in range(len(rows)):
        if rank(rows[[*chosen, number]]) > len(chosen):
            chosen.append(number)
    return chosen
