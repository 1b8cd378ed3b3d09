"""The table of a loop system: series of the smallest degree from which Newton steps close the loops to rounding.

In: a loop system and its assembled design pose. Out: a `LoopTable` at nominal parameters. Whether a degree suffices is
tried at corners and random places of the ranges.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from exporter.errors import RangesRefused
from exporter.kinematics.seeded.seed import TRIED_DECIMALS, Box, corners, rounded, rounded_up, spread
from exporter.kinematics.spatial.loops.basis import Basis, least_squares
from exporter.kinematics.spatial.loops.constraint import Array
from exporter.kinematics.spatial.loops.following import Follower
from exporter.kinematics.spatial.loops.places import Places, box_within_a_turn, reached_places
from exporter.kinematics.spatial.loops.table import NEWTON_STEPS, LoopSeed, LoopTable
from exporter.kinematics.spatial.loops.wound import wound_angles
from exporter.progress import say
from exporter.records import dataclass

LARGEST_TURN, LARGEST_SLIDE = Fraction(1, 2), Fraction(1, 2)  # of one step: rad, and over the mechanism's length
HIGHEST_DEGREE, HIGHEST_HARMONIC = 16, 40  # total degree that is tried, without and with full turns
MOST_COEFFICIENTS = 500  # coefficients of one series
PLACES_PER_COEFFICIENT = 3  # places of the fit per coefficient
FEWEST_PLACES = 60
TRIAL_PLACES = 400  # random places at which a degree is tried
MOST_CORNERS = 64
LARGEST_LEFT = 1e-15  # what the steps may leave of every equation, in units
ROUNDING_LEFT = 2  # times what is left where Newton's method has settled
LARGEST_APART = 1e-9  # units, from the place on the same assembly
LEAST_STEP_LIMIT = 1e-6  # units; a Newton step is not limited to less
ERROR_MARGIN = 4  # of the largest step that is taken, for places in between
REACH_MARGIN = 1.02  # of how far a seed goes from its middle, for places in between
LARGEST_OMITTED = 1 / 16  # units; coefficients below this, halved time and again, are left out
MOST_THINNINGS = 20
LEAST_SENSITIVITY = 1e-9  # of an unknown to an independent coordinate that it depends on
FULL_TURN = 1 - 1e-9  # of a turn: a range as wide is that of a crank
SEED = 20110831


def whole_table(follower: Follower) -> LoopTable:
    """The smallest table over the whole ranges.

    Raises:
        RangesRefused: the ranges are not reached from the design pose, or need too large a table.
    """
    fitting = Fitting(follower, box_within_a_turn(follower.mechanism))
    count = len(follower.mechanism.independent)
    first = reached_places(
        follower, fitting.box, np.vstack([corners(count)[:MOST_CORNERS], spread(count, FEWEST_PLACES)])
    )
    variables = fitting.variables(first)
    cranks = tuple(name for name in variables if fitting.turns_fully(name))
    winding = fitting.winding(cranks)
    uniform = np.random.Generator(np.random.Philox(SEED)).uniform(-1, 1, (TRIAL_PLACES, count))
    trial = reached_places(follower, fitting.box, uniform)
    places = first
    for basis in fitting.bases(variables, cranks):
        size = len(basis.terms)
        if len(places.rows) < PLACES_PER_COEFFICIENT * size:
            more = reached_places(follower, fitting.box, spread(count, 2 * PLACES_PER_COEFFICIENT * size))
            places = first.joined(more)
        found = _fitted(fitting, basis, winding, places, trial)
        if found is not None:
            return found
    raise RangesRefused(
        f"{follower.mechanism.name}: no table of up to {MOST_COEFFICIENTS} coefficients seeds {NEWTON_STEPS} Newton "
        f"steps for {', '.join(follower.system.unknowns)} over the ranges of {', '.join(variables)}; narrow these "
        "ranges"
    )


def _fitted(fitting: "Fitting", basis: Basis, winding: Array, places: Places, trial: Places) -> LoopTable | None:
    """The table of this degree with few coefficients of few decimals; None where the steps do not suffice."""
    tried, other = Matched(fitting, basis, winding, places), Matched(fitting, basis, winding, trial)
    enough = max(FEWEST_PLACES, PLACES_PER_COEFFICIENT * len(basis.terms))
    say(f"fitting {len(basis.terms)} coefficients to {enough:,} places")
    coefficients = least_squares(tried.matrix[:enough], tried.values[:enough])
    thin = thinned_coefficients(coefficients, tried, other) if other.closes(coefficients) else None
    return None if thin is None else tried.table(thin)


def thinned_coefficients(coefficients: Array, tried: "Matched", other: "Matched") -> Array | None:
    """Few coefficients of few decimals from which all places close; None where there are none."""
    return next((thin for thin in _thinned(coefficients, other) if tried.closes(thin) and other.closes(thin)), None)


def _thinned(coefficients: Array, other: "Matched") -> Iterator[Array]:
    """Coefficients from which the steps suffice, the fewest first, each with few decimals; then all of them."""
    units = other.fitting.units
    for number in range(MOST_THINNINGS):
        say("leaving out small coefficients", number + 1, MOST_THINNINGS)
        thin = np.where(np.abs(coefficients) >= units * LARGEST_OMITTED / 2**number, coefficients, 0.0)
        if other.closes(thin):
            yield _rounded(thin, other)
    yield _rounded(coefficients, other)


def _rounded(coefficients: Array, other: "Matched") -> Array:
    """With one decimal more than the fewest from which the steps suffice: between the places more is left."""
    units = other.fitting.units.tolist()
    enough = (n for n in TRIED_DECIMALS if other.closes(rounded(coefficients, n, units)))
    return rounded(coefficients, next(enough, TRIED_DECIMALS[-1]) + 1, units)


@dataclass(frozen=True)
class Fitting:
    """A loop system that is followed over a box, and how many steps follow its series."""

    follower: Follower
    box: Box
    steps: int = NEWTON_STEPS

    @cached_property
    def units(self) -> Array:
        """What counts as one of each unknown, (u,)."""
        mechanism, length = self.follower.mechanism, self.follower.loop.length
        return np.array([length if mechanism.is_displacement(each) else 1.0 for each in self.follower.system.unknowns])

    def variables(self, places: Places) -> tuple[str, ...]:
        """The independent coordinates that the unknowns depend on."""
        found = self.follower.sensitivities(places.rows)
        parts = np.array([float(each) for each in self.box.half])
        moved = (np.abs(found) * parts / self.units[:, None]).max(axis=(0, 1))
        names = self.follower.mechanism.independent
        return tuple(name for name, part in zip(names, moved, strict=True) if part > LEAST_SENSITIVITY)

    def turns_fully(self, name: str) -> bool:
        """Whether a coordinate is an angle whose range is a full turn."""
        mechanism = self.follower.mechanism
        half = self.box.half[mechanism.independent.index(name)]
        turns = mechanism.is_angle(name) and name not in wound_angles(mechanism)
        return turns and float(half) >= np.pi * FULL_TURN

    def winding(self, cranks: Sequence[str]) -> Array:
        """Turns (u, k) of the unknowns per turn of each crank.

        Raises:
            RangesRefused: after a turn the loops stand on another assembly.
        """
        mechanism, system = self.follower.mechanism, self.follower.system
        found = np.zeros((len(system.unknowns), len(cranks)), dtype=int)
        for position, name in enumerate(cranks):
            cube = np.zeros((2, len(mechanism.independent)))
            cube[:, mechanism.independent.index(name)] = -1.0, 1.0
            low, high = reached_places(self.follower, self.box, cube).rows[:, self.follower.columns]
            turns = (high - low) / (2 * np.pi)
            slides = [mechanism.is_displacement(each) for each in system.unknowns]
            whole = np.where(slides, 0.0, np.rint(turns))
            if np.abs((turns - whole) * 2 * np.pi / self.units).max() > LARGEST_APART:
                raise RangesRefused(
                    f"{mechanism.name}: after a full turn of {name} the loops of {system.title} stand on "
                    f"another assembly; narrow its range below a turn"
                )
            found[:, position] = whole
        return found

    def bases(self, variables: Sequence[str], cranks: tuple[str, ...]) -> Iterator[Basis]:
        """Series of all degrees with a bounded number of coefficients."""
        for degree in range(1, (HIGHEST_HARMONIC if cranks else HIGHEST_DEGREE) + 1):
            basis = self._basis(variables, cranks, degree)
            if len(basis.terms) > MOST_COEFFICIENTS:
                return
            names = ", ".join(self.follower.system.unknowns)
            say(f"table of degree {degree} for {names}: {len(basis.terms)} coefficients each")
            yield basis

    def _basis(self, variables: Sequence[str], cranks: tuple[str, ...], degree: int) -> Basis:
        bounded = tuple(name for name in variables if name not in cranks)
        chosen = [self.follower.mechanism.independent.index(name) for name in bounded]
        box = Box(tuple(self.box.middle[k] for k in chosen), tuple(self.box.half[k] for k in chosen))
        return Basis(cranks, bounded, box, degree)

    @cached_property
    def longest_steps(self) -> Array:
        """What a step may be long at most, units, (u,)."""
        mechanism = self.follower.mechanism
        return np.array(
            [
                float(LARGEST_SLIDE if mechanism.is_displacement(n) else LARGEST_TURN)
                for n in self.follower.system.unknowns
            ]
        )

    def stepped(self, rows: Array, seeds: Array, limits: Array | None = None) -> Array:
        """Rows (n, c) after the steps from seeds (n, u), each of them limited, in units."""
        found, columns = rows.copy(), self.follower.columns
        found[:, columns] = seeds
        longest = self.longest_steps if limits is None else limits
        for _ in range(self.steps):
            _, step = self.follower.steps(found)
            found[:, columns] -= np.clip(step, -longest, longest) * self.units
        return found

    def largest_steps(self, rows: Array, seeds: Array) -> Array:
        """The largest step of each unknown from seeds (n, u), (u,): errors of others may lead the first one astray."""
        found, columns, largest = rows.copy(), self.follower.columns, np.zeros(len(self.units))
        found[:, columns] = seeds
        for _ in range(self.steps):
            step = np.clip(self.follower.steps(found)[1], -self.longest_steps, self.longest_steps) * self.units
            found[:, columns] -= step
            largest = np.maximum(largest, np.abs(step).max(axis=0))
        return largest

    def closed(self, places: Places, seeds: Array, limits: Array | None = None) -> Array:
        """Whether the steps from seeds (n, u) close the loops on the same assembly, (n,)."""
        columns, residuals = self.follower.columns, self.follower.loop.residuals
        settled = np.abs(residuals(places.rows)).max(initial=0.0)
        rows = self.stepped(places.rows, seeds, limits)
        left = np.abs(residuals(rows)).max(axis=1, initial=0.0)
        apart = (np.abs(rows - places.rows)[:, columns] / self.units).max(axis=1, initial=0.0)
        return np.asarray((left < max(LARGEST_LEFT, ROUNDING_LEFT * settled)) & (apart < LARGEST_APART))


@dataclass(frozen=True)
class Matched:
    """Places, and the terms of a series there."""

    fitting: Fitting
    basis: Basis
    winding: Array  # (u, k)
    places: Places

    @cached_property
    def matrix(self) -> Array:
        """The terms, (n, k)."""
        return self.basis.matrix(self._values)

    @cached_property
    def values(self) -> Array:
        """What the series is to give, (n, u)."""
        return np.asarray(self.places.rows[:, self.fitting.follower.columns] - self._turned)

    def seeds(self, coefficients: Array) -> Array:
        """Seeds of the unknowns, (n, u)."""
        return np.asarray(self.matrix @ coefficients + self._turned)

    def closes(self, coefficients: Array) -> bool:
        """Whether the steps close all places."""
        return bool(self.fitting.closed(self.places, self.seeds(coefficients)).all())

    def table(self, coefficients: Array) -> LoopTable:
        """The table with these coefficients, its steps limited by those that are taken from the places."""
        follower, values = self.fitting.follower, self.values
        units = self.fitting.units
        tunable = bool(follower.mechanism.tunable_names())
        steps = self.fitting.largest_steps(self.places.rows, self.seeds(coefficients))
        errors = np.maximum(ERROR_MARGIN * steps, LEAST_STEP_LIMIT * units)
        seeds = []
        for number, name in enumerate(follower.system.unknowns):
            middle, series = self.basis.series(coefficients[:, number])
            slides = follower.mechanism.is_displacement(name)
            longest = LARGEST_SLIDE * Fraction(follower.loop.length) if slides else LARGEST_TURN
            longest = longest if tunable else min(longest, rounded_up(float(errors[number]), 2))
            reach = REACH_MARGIN * float(np.abs(values[:, number] - float(middle)).max() + errors[number])
            turns = tuple(int(each) for each in self.winding[number])
            seeds.append(LoopSeed(middle, turns, series, rounded_up(reach, 3) + longest, longest))
        return LoopTable(self.basis, tuple(seeds), self.fitting.steps)

    @cached_property
    def _values(self) -> dict[str, Array]:
        return dict(zip(self.fitting.follower.mechanism.independent, self.places.targets.T, strict=True))

    @cached_property
    def _turned(self) -> Array:
        """What turns with the cranks, (n, u)."""
        if not self.basis.turning:
            return np.zeros((len(self.places.rows), len(self.fitting.units)))
        return np.asarray(np.stack([self._values[name] for name in self.basis.turning], axis=-1) @ self.winding.T)
