"""The table of a loop system: series of the smallest degree from which two Newton steps close the loops to rounding.

In: a loop system and its assembled design pose. Out: a `LoopTable` at nominal parameters. Whether a degree suffices is
tried at corners and random places of the ranges.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from exporter.errors import RangesRefused
from exporter.kinematics.seeded.seed import TRIED_DECIMALS, Box, box_of, corners, rounded, spread
from exporter.kinematics.spatial.loops.basis import Basis, Series, least_squares
from exporter.kinematics.spatial.loops.constraint import Array
from exporter.kinematics.spatial.loops.following import Follower
from exporter.kinematics.spatial.loops.system import LoopSystem
from exporter.kinematics.spatial.loops.wound import wound_angles
from exporter.model.mechanism import Mechanism
from exporter.progress import say

NEWTON_STEPS = 2  # always
LARGEST_TURN, LARGEST_SLIDE = Fraction(1, 2), Fraction(1, 2)  # of one step: rad, and over the mechanism's length
HIGHEST_DEGREE, HIGHEST_HARMONIC = 16, 40  # total degree that is tried, without and with full turns
MOST_COEFFICIENTS = 500  # coefficients of one series
PLACES_PER_COEFFICIENT = 3  # places of the fit per coefficient
FEWEST_PLACES = 60
TRIAL_PLACES = 400  # random places at which a degree is tried
MOST_CORNERS = 64
LARGEST_LEFT = 1e-15  # what two steps may leave of every equation, in units
ROUNDING_LEFT = 2  # times what is left where Newton's method has settled
LEAST_STEP_LIMIT = 1e-6  # units; a Newton step is not limited to less
ERROR_MARGIN = 4  # of the largest error of a fit, for places in between
LARGEST_OMITTED = 1 / 16  # units; coefficients below this, halved time and again, are left out
MOST_THINNINGS = 20
LEAST_SENSITIVITY = 1e-9  # of an unknown to an independent coordinate that it depends on
FULL_TURN = 1 - 1e-9  # of a turn: a range as wide is that of a crank
SEED = 20110831


@dataclass(frozen=True, slots=True)
class LoopSeed:
    """A constant, turns of the cranks, and a series; how far the series goes, and one step, rad or m."""

    middle: Fraction
    winding: tuple[int, ...]  # turns per turn of each coordinate that turns fully
    series: Series
    reach: Fraction
    longest_step: Fraction


@dataclass(frozen=True, slots=True)
class LoopTable:
    """Seeds of the unknowns of a loop system, in the order of elimination."""

    basis: Basis
    seeds: tuple[LoopSeed, ...]

    @property
    def variables(self) -> tuple[str, ...]:
        """The independent coordinates that seeds depend on."""
        return (*self.basis.turning, *self.basis.bounded)


def note_of(system: LoopSystem, table: LoopTable, *, tunable: bool) -> str:
    """What a user should know of a loop block."""
    names, by = ", ".join(system.unknowns), ", ".join(table.variables)
    nominal = "; the series are those of the nominal parameters" if tunable else ""
    verb = "is" if len(system.unknowns) == 1 else "are"
    return (
        f"{names} {verb} solved from the closures of {system.title} by series of "
        f"degree {table.basis.degree} in {by or 'nothing'} and {NEWTON_STEPS} Newton steps; what is left is an output, "
        f"and RESIDUAL_HIGH is set where it is above rounding{nominal}"
    )


def loop_table(mechanism: Mechanism, design: dict[str, float], system: LoopSystem) -> LoopTable:
    """The smallest table that suffices.

    Raises:
        RangesRefused: the ranges are not reached from the design pose, or need too large a table.
    """
    return _Fitting(Follower(mechanism, design, system)).table()


@dataclass(frozen=True)
class _Places:
    """Places of the ranges with all coordinates there."""

    targets: Array  # (n, f)
    rows: Array  # (n, c)


class _Fitting:
    """One table in the making."""

    def __init__(self, follower: Follower) -> None:
        self.follower = follower
        self.mechanism, self.system = follower.mechanism, follower.system
        self.names = self.mechanism.independent
        ranges = [self.mechanism.ranges[name] for name in self.names]
        self.box = _within_a_turn(self.mechanism, box_of(ranges))
        self.units = np.array([self._unit(name) for name in self.system.unknowns])

    def table(self) -> LoopTable:
        """The table of the smallest degree."""
        first = self._reached(
            np.vstack([corners(len(self.names))[:MOST_CORNERS], spread(len(self.names), FEWEST_PLACES)])
        )
        variables = self._variables(first)
        cranks = tuple(name for name in variables if self._turns_fully(name))
        winding = self._winding(cranks)
        trial = self._reached(
            np.random.Generator(np.random.Philox(SEED)).uniform(-1, 1, (TRIAL_PLACES, len(self.names)))
        )
        places = first
        for degree in range(1, (HIGHEST_HARMONIC if cranks else HIGHEST_DEGREE) + 1):
            basis = self._basis(variables, cranks, degree)
            size = len(basis.terms)
            if size > MOST_COEFFICIENTS:
                break
            say(f"table of degree {degree} for {', '.join(self.system.unknowns)}: {size} coefficients each")
            if len(places.rows) < PLACES_PER_COEFFICIENT * size:
                more = self._reached(spread(len(self.names), 2 * PLACES_PER_COEFFICIENT * size))
                places = _Places(
                    *(np.vstack(pair) for pair in ((first.targets, more.targets), (first.rows, more.rows)))
                )
            found = self._fitted(basis, winding, places, trial)
            if found is not None:
                return found
        raise RangesRefused(
            f"{self.mechanism.name}: no table of up to {MOST_COEFFICIENTS} coefficients seeds two Newton steps for "
            f"{', '.join(self.system.unknowns)} over the ranges of {', '.join(variables)}; narrow these ranges"
        )

    # -- places ------------------------------------------------------------------------------------------------------

    def _reached(self, cube: Array) -> _Places:
        targets = self.box.place(cube)
        rows, reached = self.follower.follow(targets)
        if not reached.all():
            raise RangesRefused(self._lost(targets, reached))
        return _Places(targets, rows)

    def _lost(self, targets: Array, reached: Array) -> str:
        start = np.array([self.follower.design[name] for name in self.names])
        spans = np.array([float(each) for each in self.box.half])
        lost = np.flatnonzero(~reached)
        nearest = min(lost, key=lambda row: float(np.abs((targets[row] - start) / spans).max()))
        where = ", ".join(f"{name} = {value:.6g}" for name, value in zip(self.names, targets[nearest], strict=True))
        return (
            f"{self.mechanism.name}: {', '.join(self.system.unknowns)} are solved together through a table, and they "
            f"do not follow from the design pose to {where} without passing a singular pose or the end of what is "
            f"reached ({len(lost)} of {len(targets)} tried places over the ranges are beyond); narrow the ranges of "
            f"{', '.join(self.names)}"
        )

    def _variables(self, places: _Places) -> tuple[str, ...]:
        found = self.follower.sensitivities(places.rows)
        parts = np.array([float(each) for each in self.box.half])
        moved = (np.abs(found) * parts / self.units[:, None]).max(axis=(0, 1))
        return tuple(name for name, part in zip(self.names, moved, strict=True) if part > LEAST_SENSITIVITY)

    def _turns_fully(self, name: str) -> bool:
        half = self.box.half[self.names.index(name)]
        turns = self.mechanism.is_angle(name) and name not in wound_angles(self.mechanism)
        return turns and float(half) >= np.pi * FULL_TURN

    def _winding(self, cranks: Sequence[str]) -> Array:
        """Turns (u, k) of the unknowns per turn of each crank.

        Raises:
            RangesRefused: after a turn the loops stand on another assembly.
        """
        found = np.zeros((len(self.system.unknowns), len(cranks)), dtype=int)
        for position, name in enumerate(cranks):
            cube = np.zeros((2, len(self.names)))
            cube[:, self.names.index(name)] = -1.0, 1.0
            low, high = self._reached(cube).rows[:, self.follower.columns]
            turns = (high - low) / (2 * np.pi)
            slides = [self.mechanism.is_displacement(each) for each in self.system.unknowns]
            whole = np.where(slides, 0.0, np.rint(turns))
            if np.abs((turns - whole) * 2 * np.pi / self.units).max() > 1e-9:
                raise RangesRefused(
                    f"{self.mechanism.name}: after a full turn of {name} the loops of {self.system.title} stand on "
                    f"another assembly; narrow its range below a turn"
                )
            found[:, position] = whole
        return found

    def _basis(self, variables: Sequence[str], cranks: tuple[str, ...], degree: int) -> Basis:
        bounded = tuple(name for name in variables if name not in cranks)
        chosen = [self.names.index(name) for name in bounded]
        box = Box(tuple(self.box.middle[k] for k in chosen), tuple(self.box.half[k] for k in chosen))
        return Basis(cranks, bounded, box, degree)

    # -- one degree --------------------------------------------------------------------------------------------------

    def _fitted(self, basis: Basis, winding: Array, places: _Places, trial: _Places) -> LoopTable | None:
        """The table of this degree with few coefficients of few decimals; None where two steps do not suffice."""
        matrix, other = basis.matrix(self._values(places)), basis.matrix(self._values(trial))
        turned, turned_there = self._turned(basis, winding, places), self._turned(basis, winding, trial)
        values = places.rows[:, self.follower.columns] - turned
        enough = max(FEWEST_PLACES, PLACES_PER_COEFFICIENT * len(basis.terms))
        coefficients = least_squares(matrix[:enough], values[:enough])
        if not self._reach(trial, other @ coefficients + turned_there):
            return None
        for tried in self._thinned(coefficients, trial, other, turned_there):
            if self._reach(places, matrix @ tried + turned) and self._reach(trial, other @ tried + turned_there):
                return self._table(basis, winding, tried, values, matrix @ tried)
        return None

    def _thinned(self, coefficients: Array, trial: _Places, matrix: Array, turned: Array) -> Iterator[Array]:
        """Coefficients from which two steps suffice, the fewest first, each with few decimals; then all of them."""
        for number in range(MOST_THINNINGS):
            kept = np.abs(coefficients) >= self.units * LARGEST_OMITTED / 2**number
            thin = np.where(kept, coefficients, 0.0)
            if self._reach(trial, matrix @ thin + turned):
                yield self._rounded(thin, trial, matrix, turned)
        yield self._rounded(coefficients, trial, matrix, turned)

    def _rounded(self, coefficients: Array, trial: _Places, matrix: Array, turned: Array) -> Array:
        """With one decimal more than the fewest from which two steps suffice: between the places more is left."""
        enough = (
            n
            for n in TRIED_DECIMALS
            if self._reach(trial, matrix @ rounded(coefficients, n, self.units.tolist()) + turned)
        )
        return rounded(coefficients, next(enough, TRIED_DECIMALS[-1]) + 1, self.units.tolist())

    def _reach(self, places: _Places, seeds: Array) -> bool:
        """Whether two steps from the seeds (n, u) close the loops, on the same assembly."""
        rows, columns = places.rows.copy(), self.follower.columns
        settled = np.abs(self.follower.loop.residuals(rows)).max(initial=0.0)
        rows[:, columns] = seeds
        for _ in range(NEWTON_STEPS):
            _, step = self.follower.steps(rows)
            rows[:, columns] -= np.clip(step, -float(LARGEST_TURN), float(LARGEST_TURN)) * self.units
        left = np.abs(self.follower.loop.residuals(rows)).max(initial=0.0)
        apart = (np.abs(rows - places.rows)[:, columns] / self.units).max(initial=0.0)
        return bool(left < max(LARGEST_LEFT, ROUNDING_LEFT * settled) and apart < 1e-9)

    def _table(self, basis: Basis, winding: Array, coefficients: Array, values: Array, fitted: Array) -> LoopTable:
        tunable = bool(self.mechanism.tunable_names())
        errors = np.maximum(ERROR_MARGIN * np.abs(fitted - values).max(axis=0), LEAST_STEP_LIMIT * self.units)
        seeds = []
        for number, name in enumerate(self.system.unknowns):
            middle, series = basis.series(coefficients[:, number])
            longest = (
                LARGEST_SLIDE * Fraction(self.follower.loop.length)
                if self.mechanism.is_displacement(name)
                else LARGEST_TURN
            )
            longest = longest if tunable else min(longest, Fraction(f"{float(errors[number]):.2g}"))
            reach = np.abs(values[:, number] - float(middle)).max() + float(errors[number])
            turns = tuple(int(each) for each in winding[number])
            seeds.append(LoopSeed(middle, turns, series, Fraction(f"{float(reach):.3g}") + longest, longest))
        return LoopTable(basis, tuple(seeds))

    def _values(self, places: _Places) -> dict[str, Array]:
        return dict(zip(self.names, places.targets.T, strict=True))

    def _turned(self, basis: Basis, winding: Array, places: _Places) -> Array:
        """What turns with the cranks, (n, u)."""
        if not basis.turning:
            return np.zeros((len(places.rows), len(self.units)))
        values = self._values(places)
        return np.stack([values[name] for name in basis.turning], axis=-1) @ winding.T

    def _unit(self, name: str) -> float:
        return self.follower.loop.length if self.mechanism.is_displacement(name) else 1.0


def _within_a_turn(mechanism: Mechanism, box: Box) -> Box:
    """Ranges of angles that are wider than a turn and bring the loops back, cut to a turn about their middle."""
    wound = wound_angles(mechanism)
    half = tuple(
        min(each, Fraction(float(np.pi))) if mechanism.is_angle(name) and name not in wound else each
        for name, each in zip(mechanism.independent, box.half, strict=True)
    )
    return Box(box.middle, half)
