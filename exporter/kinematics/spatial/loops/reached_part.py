"""The table of a loop system over the part of its ranges that is reached from the design pose.

In: a `Follower`. Out: a `LoopTable` with its `ReachedPart`, or None where the part is too small or its table too large.
Places count as reached where they are followed to in small stages while the determinant of the loops stays clear of
zero. The series are fitted at these alone, and more Newton steps follow than over ranges that are reached wholly: at
the end of what is reached the unknowns bend like roots, which no series follows.
"""

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np

from exporter.errors import RangesRefused
from exporter.kinematics.seeded.part_in_words import LEAST_SHARE
from exporter.kinematics.seeded.seed import Box, corners, spread
from exporter.kinematics.spatial.loops.basis import Basis, ridge_squares
from exporter.kinematics.spatial.loops.border import Border, Depths, border_of, depth_beyond
from exporter.kinematics.spatial.loops.constraint import Array
from exporter.kinematics.spatial.loops.fitting import (
    FEWEST_PLACES,
    MOST_CORNERS,
    PLACES_PER_COEFFICIENT,
    SEED,
    Fitting,
    Matched,
    thinned_coefficients,
)
from exporter.kinematics.spatial.loops.following import Follower
from exporter.kinematics.spatial.loops.places import Places, box_within_a_turn
from exporter.kinematics.spatial.loops.same_assembly import on_same_assembly
from exporter.kinematics.spatial.loops.table import LoopTable, ReachedPart
from exporter.records import dataclass

STEPS = 4  # of Newton's method
STAGES = 48  # from the design pose to a place
LEAST_DETERMINANT = Fraction(1, 20)  # of the loops over that at the design pose: what is less is flagged
SURE, LARGEST_SURE = 0.1, 0.3  # determinants above which all places must close: what is wanted, and the worst
NEIGHBOURHOOD = 0.05  # of the ranges to either side of the design pose, that must be reached
TRIAL_PLACES = 1500  # random places over the ranges
LEAST_DEPTH = 1e-9  # below zero, of what is not reached
LARGEST_OPENING = 1.2e-4  # of all equations, that is not flagged in float32
SETTLING_STEPS = 5  # of Newton's method, from what float32 takes for closed
GRID = 20  # parts of a half range: to these the box of what is reached is rounded


def table_of_part(follower: Follower) -> LoopTable | None:
    """The table of the smallest degree from which all places close that are not next to a singular pose."""
    part = _Part(follower)
    return part.table() if part.is_of_use() else None


@dataclass(frozen=True)
class _Reached:
    """Points of the cube that were tried, those of them that are reached, and the determinants of the loops there."""

    cube: Array  # (m, f)
    depth: Array  # (m,), the determinant, at most 1; below zero where a point is not reached
    places: Places  # (n,)
    determinants: Array  # (n,)

    @property
    def mask(self) -> Array:
        """Which points are reached, (m,)."""
        return np.asarray(self.depth > 0)

    def joined(self, other: "_Reached") -> "_Reached":
        """All points: these, then the others."""
        return _Reached(
            np.vstack([self.cube, other.cube]),
            np.concatenate([self.depth, other.depth]),
            self.places.joined(other.places),
            np.concatenate([self.determinants, other.determinants]),
        )


@dataclass(frozen=True)
class _Part:
    follower: Follower

    def is_of_use(self) -> bool:
        """Whether enough of the ranges is reached, and everything next to the design pose."""
        return bool(self._trial.mask.mean() >= LEAST_SHARE and self._reached(self._around).mask.all())

    def table(self) -> LoopTable | None:
        """None where no table of bounded size closes all places that are not next to a singular pose."""
        variables = self._fitting.variables(self._first.places)
        cranks, winding = self._cranks(variables)
        best: tuple[float, Matched, Array] | None = None
        found = self._first
        for basis in self._fitting.bases(variables, cranks):
            found = self._enough(found, len(basis.terms))
            tried = Matched(self._fitting, basis, winding, found.places)
            weights = found.determinants[:, None]
            coefficients = ridge_squares(tried.matrix * weights, tried.values * weights)
            sure = max(self._sure(basis, winding, each, coefficients) for each in (found, self._trial))
            if best is None or sure < best[0]:
                best = sure, tried, coefficients
            if sure <= SURE:
                break
        if best is None or best[0] > LARGEST_SURE:
            return None
        return self._thinned(*best, found)

    def _thinned(self, sure: float, tried: Matched, coefficients: Array, found: _Reached) -> LoopTable | None:
        """With few coefficients of few decimals, from which the places that are clear of singular poses still close."""
        clear = max(sure, SURE)
        own, other = (
            replace(tried, places=each.places.only(each.determinants > clear)) for each in (found, self._trial)
        )
        thin = thinned_coefficients(coefficients, own, other)
        if thin is None:
            return None
        table = own.table(thin)
        border, every = None, found.joined(self._trial)
        if not every.mask.all():
            astray = self._astray(table, own, thin, every)
            border = self._border(every, astray, tried.basis)
            if border is None:
                return None
        side = 1 if self.follower.design_determinant > 0 else -1
        return replace(table, part=ReachedPart(side, LEAST_DETERMINANT, border))

    def _border(self, every: _Reached, astray: Array, basis: Basis) -> Border | None:
        """In the coordinates that the unknowns depend on: a motor before a gear is none of them."""
        names, cranks = self.follower.mechanism.independent, basis.turning
        bounded = [k for k, name in enumerate(names) if name in basis.bounded]
        box = Box(tuple(self._box.middle[k] for k in bounded), tuple(self._box.half[k] for k in bounded))
        values = dict(zip(names, self._box.place(every.cube).T, strict=True))
        return border_of(Depths(values, every.depth, astray), cranks, tuple(names[k] for k in bounded), box)

    def _astray(self, table: LoopTable, matched: Matched, thin: Array, every: _Reached) -> Array:
        """Points that are not reached, from whose seeds the steps close the loops on another assembly all the same.

        Where the loops depend on what other loops give this is not known here; all points that are not reached count.
        """
        astray, follower = ~every.mask, self.follower
        if not follower.system.depends <= {*follower.system.unknowns, *follower.mechanism.independent}:
            return astray
        lost = np.flatnonzero(astray)
        targets = self._box.place(every.cube[lost])
        rows = np.repeat(follower.start[None], len(lost), axis=0)
        rows[:, self._given] = targets
        there = replace(matched, places=Places(targets, rows))
        limits = np.array([float(seed.longest_step) for seed in table.seeds]) / self._fitting.units
        rows = self._fitting.stepped(rows, there.seeds(thin), limits)
        closed = np.abs(follower.loop.residuals(rows)).sum(axis=1) < LARGEST_OPENING
        closed &= follower.determinants(rows) > float(LEAST_DETERMINANT)
        astray[:] = False
        astray[lost[closed]] = ~self._on_the_sheet(targets[closed], rows[closed])
        return astray

    def _on_the_sheet(self, targets: Array, rows: Array) -> Array:
        """Which of poses that close nearly are reached after all, by way of the nearest that are; they are settled."""
        settled = replace(self._fitting, steps=SETTLING_STEPS).stepped(rows, rows[:, self.follower.columns])
        places = Places(targets, settled)
        return on_same_assembly(self.follower, self._box, places, STAGES, self._trial.places)

    def _sure(self, basis: Basis, winding: Array, found: _Reached, coefficients: Array) -> float:
        """The largest determinant of a place that does not close."""
        matched = Matched(self._fitting, basis, winding, found.places)
        closed = self._fitting.closed(found.places, matched.seeds(coefficients))
        return float(found.determinants[~closed].max(initial=0.0))

    def _enough(self, found: _Reached, size: int) -> _Reached:
        """With so many places that a series of this size is told."""
        if len(found.places.rows) >= PLACES_PER_COEFFICIENT * size:
            return found
        share = max(float(self._first.mask.mean()), LEAST_SHARE)
        count = ceil(2 * PLACES_PER_COEFFICIENT * size / share)
        return self._first.joined(self._reached(self._in_inner_box(spread(self._count, count))))

    def _cranks(self, variables: tuple[str, ...]) -> tuple[tuple[str, ...], Array]:
        """Coordinates that turn fully, and the turns of the unknowns; none where a turn is not reached wholly."""
        cranks = tuple(name for name in variables if self._fitting.turns_fully(name))
        try:
            return cranks, self._fitting.winding(cranks)
        except RangesRefused:
            return (), self._fitting.winding(())

    # -- places ------------------------------------------------------------------------------------------------------

    def _reached(self, cube: Array) -> _Reached:
        targets = self._box.place(cube)
        rows, mask = self.follower.follow(targets, STAGES)
        determinants = np.where(mask, self.follower.determinants(rows), 0.0)
        mask &= determinants > float(LEAST_DETERMINANT)
        ends = self._in_cube(rows[:, self._given])
        depth = np.where(mask, np.minimum(determinants, 1.0), depth_beyond(cube, ends) - LEAST_DEPTH)
        return _Reached(cube, depth, Places(targets[mask], rows[mask]), determinants[mask])

    def _in_cube(self, values: Array) -> Array:
        middle, half = (np.array([float(each) for each in part]) for part in (self._box.middle, self._box.half))
        return np.asarray((values - middle) / half)

    @property
    def _given(self) -> list[int]:
        mechanism = self.follower.mechanism
        return [mechanism.coordinates().index(name) for name in mechanism.independent]

    @cached_property
    def _box(self) -> Box:
        return box_within_a_turn(self.follower.mechanism)

    @property
    def _count(self) -> int:
        return len(self.follower.mechanism.independent)

    @cached_property
    def _trial(self) -> _Reached:
        generator = np.random.Generator(np.random.Philox(SEED))
        return self._reached(generator.uniform(-1, 1, (TRIAL_PLACES, self._count)))

    @cached_property
    def _first(self) -> _Reached:
        return self._reached(np.vstack([corners(self._count)[:MOST_CORNERS], spread(self._count, FEWEST_PLACES)]))

    @property
    def _around(self) -> Array:
        """Corners of a small box about the design pose."""
        design = self._in_cube(self.follower.start[self._given])
        return np.clip(design + 2 * NEIGHBOURHOOD * corners(self._count)[:MOST_CORNERS], -1.0, 1.0)

    @cached_property
    def _ends(self) -> tuple[Array, Array]:
        """The smallest box of the cube that holds what is reached, (f,) each, on a grid."""
        cube = np.vstack([each.cube[each.mask] for each in (self._trial, self._first)])
        low, high = np.floor(GRID * cube.min(axis=0)) / GRID, np.ceil(GRID * cube.max(axis=0)) / GRID
        return np.maximum(low, -1.0), np.minimum(high, 1.0)

    def _in_inner_box(self, cube: Array) -> Array:
        low, high = self._ends
        return np.asarray((low + high) / 2 + cube * (high - low) / 2)

    @cached_property
    def _fitting(self) -> Fitting:
        low, high = ([Fraction(round(GRID * each), GRID) for each in ends.tolist()] for ends in self._ends)
        middle = tuple(
            m + h * (a + b) / 2 for m, h, a, b in zip(self._box.middle, self._box.half, low, high, strict=True)
        )
        half = tuple(h * (b - a) / 2 for h, a, b in zip(self._box.half, low, high, strict=True))
        return Fitting(self.follower, Box(middle, half), STEPS)
