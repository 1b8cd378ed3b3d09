"""All choices of independent coordinates, each judged: can it be solved, by which blocks, is it singular, at what cost.

In: a Mechanism, sampled configurations, and a function that counts operations. Out: `Choice`s. Whether a
choice is singular is read from the original closures: with N the orthonormal directions of motion and N_c their rows of
the chosen coordinates, det N_c is 0 where the choice cannot drive the mechanism. Displacements count in the mechanism's
length.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, islice
from math import comb

import numpy as np

from exporter.errors import ModelError, Unsolved
from exporter.kinematics.analysis.samples import Samples, worst_of
from exporter.kinematics.closures.closing import Array
from exporter.kinematics.degrees.planar_degree import JoinedLoops, joined_loops, product_of
from exporter.kinematics.degrees.solutions_modulo import LARGEST_ECHELON_FORM
from exporter.kinematics.degrees.spatial_degree import joined_bodies
from exporter.kinematics.engine import solved_mechanism, verified_solution
from exporter.kinematics.planar.planarity import is_planar
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.model.complete import with_independent
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.records import dataclass
from exporter.sequence.cost import Cost

SINGULAR_DRIVE_RATIO = 0.02  # |det N_c| over its median, below which a choice counts as singular
LEAST_DRIVE = 1e-8  # |det N_c| below which a choice drives nothing at all
SAME_BRANCH_DISTANCE = 1e-6  # rad or m: the branch of the samples is kept
RANGE_MARGIN_RATIO = 1e-3  # of a range beyond what was sampled
MOST_COMBINATIONS = 200_000  # combinations of which not even the determinant is formed for all

Count = Callable[[Mechanism, Solution], dict[str, Cost]]


@dataclass(frozen=True, slots=True)
class Singularities:
    """Where a choice cannot drive the mechanism, over the sampled configurations."""

    smallest: float  # |det N_c| over its median
    changes_sign: bool
    below: int  # samples at which it is less than SINGULAR_DRIVE_RATIO
    samples: int
    places: tuple[dict[str, float], ...]  # values of the chosen coordinates at singular places

    @property
    def free(self) -> bool:
        """None was found."""
        return not self.changes_sign and not self.below


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of independent coordinates, judged."""

    independent: tuple[str, ...]
    refusal: str  # the engine's words; empty where it can be solved
    systems: tuple[JoinedLoops, ...]  # blocks: what is solved together, with degrees
    degree: int | None  # assemblies in complex numbers; None where not known
    singularities: Singularities
    kept: int  # samples at which the solved form gives the same configuration without a flag
    costs: dict[str, Cost]  # by function, guards left out
    solved: Solution | None

    @property
    def solvable(self) -> bool:
        """The engine solves it."""
        return not self.refusal


def number_of_choices(mechanism: Mechanism, samples: Samples) -> int:
    """How many combinations there are."""
    return comb(len(mechanism.coordinates()), samples.freedom)


def candidates(mechanism: Mechanism, samples: Samples, limit: int) -> tuple[tuple[str, ...], ...]:
    """All combinations, or the `limit` best driving ones at the design pose; the mechanism's own choice first."""
    names = mechanism.coordinates()
    own = tuple(mechanism.independent)
    every: Iterator[tuple[int, ...]] = combinations(range(len(names)), samples.freedom)
    indices = list(islice(every, MOST_COMBINATIONS))
    if len(indices) > limit:
        drive = np.abs(np.linalg.det(samples.motions[0][np.array(indices)]))
        indices = [indices[k] for k in sorted(np.argsort(-drive, kind="stable")[:limit])]
    found = [tuple(names[k] for k in each) for each in indices]
    others = [each for each in found if set(each) != set(own)]
    return (own, *others[: limit - 1]) if len(own) == samples.freedom else tuple(others[:limit])


def judge_choice(
    mechanism: Mechanism,
    samples: Samples,
    independent: Sequence[str],
    count: Count,
    largest: int = LARGEST_ECHELON_FORM,
    tell: Callable[[str], None] = lambda _: None,
    *,
    as_in_file: bool = False,
) -> Choice:
    """One choice. Assemblies of a spatial one that no block solves are counted with up to `largest` monomials.

    With `as_in_file` the mechanism is driven by its own coordinates with the pose and ranges of its file.
    """
    driven = mechanism if as_in_file else driven_by(mechanism, samples, independent)
    refusal, solved = "", None
    try:
        solved = verified_solution(driven)
    except ModelError as error:
        refusal = str(error)
    systems = _systems(driven, solved, largest, tell)
    return Choice(
        tuple(independent),
        refusal,
        systems,
        product_of(system.degree for system in systems) if systems else (1 if solved else None),
        singularities(mechanism, samples, independent),
        0 if solved is None else _count_kept(solved, samples),
        {} if solved is None else count(driven, solved),
        solved,
    )


def driven_choice(choice: Choice, driven: Mechanism, samples: Samples, count: Count) -> Choice:
    """A choice that gives no triangular form, with its coordinates exchanged; refused if it cannot be."""
    try:
        solved = solved_mechanism(driven)
    except ModelError as error:
        return replace(choice, refusal=str(error))
    return replace(choice, refusal="", kept=_count_kept(solved, samples), costs=count(driven, solved), solved=solved)


def driven_by(mechanism: Mechanism, samples: Samples, independent: Sequence[str]) -> Mechanism:
    """The mechanism with another choice, its design pose assembled, ranges as sampled where the file gives none."""
    pose = {name: Fraction(float(v)) for name, v in zip(mechanism.coordinates(), samples.design, strict=True)}
    pose.update({name: mechanism.pose[name] for name in mechanism.independent if name in mechanism.pose})
    ranges = {name: _range(mechanism, samples, name, pose) for name in independent}
    return with_independent(mechanism, independent, pose, ranges)


def _range(mechanism: Mechanism, samples: Samples, name: str, pose: Mapping[str, Fraction]) -> CoordinateRange:
    given = mechanism.ranges.get(name)
    values = samples.rows[:, mechanism.coordinates().index(name)]
    low, high = float(values.min()), float(values.max())
    spare = RANGE_MARGIN_RATIO * max(high - low, 1.0)
    bounds = given or CoordinateRange(Fraction(low - spare), Fraction(high + spare))
    bounds = replace(bounds, minimum=min(bounds.minimum, pose[name]), maximum=max(bounds.maximum, pose[name]))
    return replace(bounds, rate=bounds.rate or Fraction(1))


def _systems(
    driven: Mechanism, solved: Solution | None, largest: int, tell: Callable[[str], None]
) -> tuple[JoinedLoops, ...]:
    if solved is not None and all(block.kind != SpatialKind.SEEDED_NEWTON for block in solved.block_facts()):
        return tuple(JoinedLoops((block.id,), block.unknowns, block.degree) for block in solved.block_facts())
    try:
        return joined_loops(driven) if is_planar(driven) else joined_bodies(driven, largest, tell)
    except Unsolved:
        return ()


def singularities(mechanism: Mechanism, samples: Samples, independent: Sequence[str]) -> Singularities:
    """Over all sampled configurations. The sign is relative to the mechanism's own choice, which is regular there."""
    drive = _drive(mechanism, samples, independent)
    size = np.abs(drive) / max(float(np.median(np.abs(drive))), LEAST_DRIVE)
    own = _drive(mechanism, samples, mechanism.independent)
    sign = np.sign(drive * own)
    near = size < SINGULAR_DRIVE_RATIO
    crossed = np.zeros(len(drive), dtype=bool)
    if samples.ordered:
        crossed[2:] = sign[2:] * sign[1:-1] < 0
    columns = [mechanism.coordinates().index(name) for name in independent]
    places = tuple(
        {name: float(samples.rows[row, k]) for name, k in zip(independent, columns, strict=True)}
        for row in worst_of(size, near | crossed, ordered=samples.ordered)
    )
    changes = bool((sign > 0).any() and (sign < 0).any())
    return Singularities(float(size.min()), changes, int(near.sum()), len(drive), places)


def _drive(mechanism: Mechanism, samples: Samples, independent: Sequence[str]) -> Array:
    """det N_c of every sample; 0 where the number of coordinates is not that of the freedom."""
    if len(independent) != samples.freedom:
        return np.zeros(len(samples.rows))
    columns = [mechanism.coordinates().index(name) for name in independent]
    return np.asarray(np.linalg.det(samples.motions[:, columns, :]))


def _count_kept(solved: Solution, samples: Samples) -> int:
    """Samples that the form gives back without a flag."""
    mechanism = solved.mechanism
    columns = [mechanism.coordinates().index(name) for name in mechanism.independent]
    found = solution_rows(solved, samples.rows[:, columns])
    gap = np.abs(np.exp(1j * found.coordinates) - np.exp(1j * samples.rows)).max(axis=1)
    return int((found.good & (gap < SAME_BRANCH_DISTANCE)).sum())


def sizes_of(choice: Choice) -> tuple[int, ...]:
    """Unknowns of each block."""
    return tuple(len(system.unknowns) for system in choice.systems)
