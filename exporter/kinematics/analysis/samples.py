"""Configurations over the range of the mechanism's own coordinates: what every choice of coordinates is judged by.

In: a Mechanism, and its triangular form where it has one. Out: `Samples`. Without a triangular form the
original closures are followed from the design pose by Newton.
"""

import numpy as np

from exporter.kinematics.closures.assemblies import assemble
from exporter.kinematics.closures.closing import Array, Closures, close_rows, jacobians
from exporter.kinematics.closures.passive_spins import closures_of
from exporter.kinematics.closures.rank import motions, ranks_of, singular_values
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.model.mechanism import Mechanism
from exporter.model.reach import reach_of
from exporter.progress import counted, unnamed
from exporter.records import dataclass

RANGE_SAMPLES = 181  # samples along the range of one coordinate
RANDOM_SAMPLES = 200  # random samples over the ranges of several
SEED = 20110831
LISTED_PLACES = 6  # singular places that are listed
LARGEST_PORTION = 2**18  # entries of matrices that are decomposed at a time
STAGES = 12  # in which Newton follows the closures from the design pose to the end of a range


@dataclass(frozen=True, slots=True)
class Samples:
    """Configurations on the branch of the design pose; the first row is the design pose."""

    rows: Array  # (n, c), all coordinates, rad and m
    motions: Array  # (n, c, f), orthonormal directions of motion
    stiffness: Array  # (n,), smallest singular value of the closures that is not always 0, over the largest
    freedom: int
    asked: int  # configurations that were tried
    ordered: bool  # rows after the first follow one coordinate over its range

    @property
    def design(self) -> Array:
        """The assembled design pose, (c,)."""
        return np.asarray(self.rows[0])


def sampled(mechanism: Mechanism, solved: Solution | None) -> Samples:
    """Samples over the ranges.

    Raises:
        ModelError: the closures do not close near the design pose.
    """
    closures, wanted = closures_of(mechanism), _sample_rows(mechanism)
    if solved is not None:
        found = solution_rows(solved, wanted)
        good = found.good
        rows = found.coordinates[good] if good[0] else _follow_rows(closures, wanted)
    else:
        rows = _follow_rows(closures, wanted)
    portions = _portions(jacobians(closures, rows))
    told = counted("sampling configurations: rank", portions, unnamed)
    values = np.concatenate([singular_values(each) for each in told])
    rank = int(ranks_of(values).max())
    freedom = rows.shape[1] - rank
    told = counted("sampling configurations: directions of motion", portions, unnamed)
    directions = np.concatenate([motions(each, freedom) for each in told])
    stiffness = values[:, rank - 1] / values[:, 0] if rank else np.ones(len(rows))
    return Samples(rows, directions, stiffness, freedom, len(wanted), len(mechanism.independent) == 1)


def _portions(jacobian: Array) -> list[Array]:
    """Matrices (n, m, c), a few at a time, so that between them a command can tell how far it is, and be stopped."""
    count = max(1, LARGEST_PORTION // max(1, jacobian[0].size))
    return [jacobian[first : first + count] for first in range(0, len(jacobian), count)]


def _sample_rows(mechanism: Mechanism) -> Array:
    """Rows of the independent coordinates, the design pose first."""
    design = np.array([float(mechanism.pose[name]) for name in mechanism.independent])
    ends = np.array([reach_of(mechanism, name) for name in mechanism.independent])
    if len(design) == 1:
        rows = np.linspace(ends[0, 0], ends[0, 1], RANGE_SAMPLES)[:, None]
    else:
        generator = np.random.Generator(np.random.Philox(SEED))
        rows = generator.uniform(ends[:, 0], ends[:, 1], (RANDOM_SAMPLES, len(design)))
    return np.vstack([design, rows])


def _follow_rows(closures: Closures, wanted: Array) -> Array:
    """Configurations by Newton, in stages from the design pose; those that it reaches."""
    mechanism = closures.mechanism
    names = mechanism.coordinates()
    driven = [names.index(name) for name in mechanism.independent]
    found = assemble(mechanism).coordinates
    design = np.array([[found[name] for name in names]])
    rows, reached = np.repeat(design, len(wanted), axis=0), np.ones(len(wanted), dtype=bool)
    for stage in counted("sampling configurations: stage", range(1, STAGES + 1), unnamed):
        aims = rows.copy()
        aims[:, driven] = wanted[0] + (wanted - wanted[0]) * (stage / STAGES)
        moved, closes = close_rows(closures, aims[reached], mechanism.independent)
        still = np.flatnonzero(reached)
        rows[still] = moved
        reached[still[~closes]] = False
    return np.asarray(rows[reached])


def worst_of(size: Array, singular: Array, *, ordered: bool) -> list[int]:
    """The most singular sample of every run of singular ones; without an order, the most singular ones."""
    found = [int(k) for k in np.flatnonzero(singular)]
    if not ordered:
        return sorted(found, key=lambda k: float(size[k]))[:LISTED_PLACES]
    runs: list[list[int]] = []
    for index in found:
        if runs and index - runs[-1][-1] == 1 and index > 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return [min(run, key=lambda k: float(size[k])) for run in runs][:LISTED_PLACES]
