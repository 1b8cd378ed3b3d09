"""Whether an exported pose continues the one before it: the reference follows the mechanism from row to row.

In: what the export gives along a path. Out: the jumps, each with how far a coordinate went and how far its rate takes
it. From every exported pose the reference predicts along the tangent and corrects by Newton on the original closures,
in steps so small that it stays on the branch; through a pose where two branches cross it goes straight on.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exporter.progress import say
from exporter.sequence.operations import EPSILON
from exporter.sequence.status import BITS
from sil.reference.closures import Closures, closures_of
from sil.reference.motion import configuration
from sil.reference.rotations import Array
from sil.reference.skeleton import skeleton_of
from sil.trace.evaluation import TracedPath

NO_POSE = ("OUT_OF_WORKSPACE", "GUARD_SMALL", "RESIDUAL_HIGH", "ARG_REJECTED")
"""Where one of these is set, the outputs are finite and no pose of the path."""
LONGEST_MOVE = 0.02
"""Rad or length scales that an independent coordinate moves in one step of the continuation."""
FEWEST_STEPS, MOST_STEPS = 4, 400  # of a continuation from one row to the next
CORRECTIONS = 40  # next to a fold every one halves the distance
SMALLEST_SINGULAR = 1e-9
"""Directions whose singular value is below this part of the largest are free: at a crossing of branches, the predictor
decides there."""
CLOSED_OPENING = 1e-6
"""A continuation whose closures stay open by more, over the length scale, was lost."""
COORDINATE_ROUNDINGS = 16
"""A coordinate may differ by this many roots of eps, rad or length scales: what rounding makes of it at a fold."""


@dataclass(frozen=True, slots=True)
class Jump:
    """Between two rows a coordinate went elsewhere than the mechanism takes it."""

    row: int  # the pose before
    coordinate: str
    moved: float  # rad, m
    expected: float  # by the reference; NaN where it cannot follow


def bit_of(name: str) -> int:
    """The status bit as a mask."""
    return 1 << BITS[name][0]


def assembled_rows(found: TracedPath) -> NDArray[np.bool_]:
    """Rows at which the mechanism can be."""
    mask = sum(bit_of(name) for name in NO_POSE)
    return np.asarray((found.place_status & np.uint32(mask)) == 0)


def rows_outside(found: TracedPath) -> NDArray[np.bool_]:
    """Rows beyond the ranges that the file declares, of which the export says nothing."""
    return np.asarray((found.place_status & np.uint32(bit_of("ARG_REJECTED"))) != 0)


def jumps_of(found: TracedPath) -> tuple[Jump, ...]:
    """Every row after which the exported pose leaves the branch; of each the coordinate that is farthest off."""
    skeleton = skeleton_of(found.mechanism)
    closures = closures_of(skeleton)
    there = assembled_rows(found)
    rows = np.flatnonzero(there[:-1] & there[1:])
    if not skeleton.dependent or not closures.equations or not len(rows):
        return ()
    continued = _continue_rows(closures, found.coordinates, rows)
    off = (continued - found.coordinates[rows + 1]) / skeleton.units
    angles = np.array(skeleton.angles)
    off[:, angles] -= 2 * np.pi * np.round(off[:, angles] / (2 * np.pi))
    allowed = COORDINATE_ROUNDINGS * float(EPSILON[found.precision]) ** 0.5
    worst = np.abs(np.where(np.isfinite(off), off, np.inf)).argmax(axis=1)
    size = np.abs(off[np.arange(len(rows)), worst])
    return tuple(
        Jump(
            int(rows[k]),
            skeleton.coordinates[worst[k]],
            _short_way(
                found.coordinates[rows[k] + 1, worst[k]] - found.coordinates[rows[k], worst[k]], angles[worst[k]]
            ),
            float(continued[k, worst[k]] - found.coordinates[rows[k], worst[k]]),
        )
        for k in np.flatnonzero(np.isnan(size) | (size > allowed))
    )


def _short_way(difference: float, is_angle: bool) -> float:
    """The short way round."""
    return float(difference - 2 * np.pi * np.round(difference / (2 * np.pi))) if is_angle else float(difference)


def _continue_rows(closures: Closures, coordinates: Array, rows: NDArray[np.int64]) -> Array:
    """All coordinates one row later, (rows, c), continued from the exported pose; NaN where that was lost."""
    skeleton = closures.skeleton
    columns = list(skeleton.independent)
    distance = coordinates[rows + 1][:, columns] - coordinates[rows][:, columns]
    moves = np.abs(distance / skeleton.units[columns]).max(initial=0.0)
    steps = int(np.clip(np.ceil(moves / LONGEST_MOVE), FEWEST_STEPS, MOST_STEPS))
    at = coordinates[rows].copy()
    before = at - _first_move(closures, coordinates, rows, distance / steps)
    for step in range(1, steps + 1):
        say("following the closures from pose to pose", step, steps)
        target = coordinates[rows][:, columns] + distance * (step / steps)
        ahead = 2 * at - before
        ahead[:, columns] = target
        before, at = at, _correct(closures, ahead)
    opening = np.abs(closures.residual(configuration(at))).max(axis=1)
    at[~(opening <= CLOSED_OPENING)] = np.nan
    return at


def _first_move(closures: Closures, coordinates: Array, rows: NDArray[np.int64], move: Array) -> Array:
    """How all coordinates move while the independent ones do `move`: along the tangent, or as in the row before.

    The latter where the tangent is not unique, that is at a crossing of branches.
    """
    skeleton = closures.skeleton
    free, bound = list(skeleton.independent), list(skeleton.dependent)
    jacobian = closures.residual_and_jacobian(configuration(coordinates[rows]))[1]
    first = np.zeros((len(rows), len(skeleton.coordinates)))
    first[:, free] = move
    side = -np.einsum("nij,nj->ni", jacobian[:, :, free], move)
    first[:, bound] = np.einsum("nij,nj->ni", _inverse(jacobian[:, :, bound]), side)
    values = np.linalg.svd(jacobian[:, :, bound] * skeleton.units[bound], compute_uv=False)
    crossing = (values[:, len(bound) - 1] < CLOSED_OPENING * values[:, 0]) & (rows > 0)
    earlier = coordinates[rows] - coordinates[np.maximum(rows - 1, 0)]
    pace = np.linalg.norm(move, axis=1) / np.maximum(np.linalg.norm(earlier[:, free], axis=1), np.finfo(float).tiny)
    return np.where(crossing[:, None], earlier * pace[:, None], first)


def _correct(closures: Closures, coordinates: Array) -> Array:
    """Newton on all closures, redundant ones included, over the dependent coordinates; the shortest step where free."""
    bound = list(closures.skeleton.dependent)
    units = closures.skeleton.units[bound]
    corrected = coordinates.copy()
    for _ in range(CORRECTIONS):
        residual, jacobian = closures.residual_and_jacobian(configuration(corrected))
        inverse = _inverse(jacobian[:, :, bound] * units)
        corrected[:, bound] -= np.einsum("nij,nj->ni", inverse, residual) * units
        if np.abs(residual).max() < CLOSED_OPENING**2:
            break
    return corrected


def _inverse(matrices: Array) -> Array:
    """Pseudo-inverses, (rows, n, m); of a matrix that is not finite, zero."""
    finite = np.asarray(np.isfinite(matrices).all(axis=(1, 2)))
    return np.asarray(np.linalg.pinv(np.where(finite[:, None, None], matrices, 0.0), rcond=SMALLEST_SINGULAR))
