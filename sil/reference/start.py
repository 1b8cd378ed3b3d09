"""Where the reference begins, where the model's pose is no drawing of the assembly: at the pose that the export states.

In: a mechanism and that pose. Out: all coordinates to begin at. What is stated is not believed: Newton's method closes
the original closures there, and from many other places. Where it ends at another assembly that lies clearly nearer to
what the model's pose does give, that one is meant, and an export that follows the stated one is wrong.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from exporter.errors import Unsolved
from exporter.model.mechanism import Mechanism
from sil.reference.assembly import CLOSED_OPENING, FINAL_GOAL, LONGEST_STEP, Design, design_of
from sil.reference.closures import Closures, chosen_closures, closures_of
from sil.reference.couplings import followed
from sil.reference.loop_newton import newton_of
from sil.reference.placing import place_coordinates
from sil.reference.rotations import Array
from sil.reference.skeleton import Skeleton, skeleton_of

RANDOM_STARTS = 128  # of Newton's method, in search of other assemblies
SEED = 1992
SAME = 1e-6
"""Bodies nearer to each other than this, in rad and length scales, stand in one assembly."""
CLEAR_PART = 0.5
"""An assembly is meant instead where it is this part as far from the model's pose as the stated one, or less."""


def start_of(mechanism: Mechanism, stated: Mapping[str, float]) -> Array | None:
    """All coordinates, (c,), to begin at; None for the model's own pose, where nothing is stated or it does not close.

    Raises:
        ModelError: a joint type is not known to the reference.
    """
    if not stated:
        return None
    closures = closures_of(skeleton_of(mechanism))
    pose = _model_pose(closures.skeleton)
    start = np.array([stated.get(name, pose[k]) for k, name in enumerate(closures.skeleton.coordinates)])
    try:
        design = design_of(closures, start)
    except (Unsolved, np.linalg.LinAlgError):
        return None
    others = _other_assemblies(closures, design)
    gaps = [_gaps(closures.skeleton, design.coordinates, other) for other in others]
    meant = [(far, k) for k, (far, own) in enumerate(gaps) if far <= CLEAR_PART * own and own > SAME]
    return others[min(meant)[1]] if meant else start


def _model_pose(skeleton: Skeleton) -> Array:
    """The model's pose, (c,), 0 where it gives nothing."""
    return np.array([float(skeleton.mechanism.pose.get(name, 0)) for name in skeleton.coordinates])


def _other_assemblies(closures: Closures, design: Design) -> list[Array]:
    """Assemblies at the same independent coordinates that Newton's method finds, the stated one left out."""
    skeleton = closures.skeleton
    if not skeleton.dependent:
        return []
    columns = np.ascontiguousarray(_starts(skeleton, design.coordinates).T)
    with np.errstate(all="ignore"):
        found, _ = newton_of(chosen_closures(closures, design.rows), LONGEST_STEP).run(columns, FINAL_GOAL)
        closed = closures.opening(found) <= CLOSED_OPENING
    found = found[:, closed]
    bodies = _places(skeleton, found)
    same = np.abs(bodies - _places(skeleton, design.coordinates[:, None])).max(axis=0, initial=0.0) <= SAME
    return list(found[:, ~same].T)


def _starts(skeleton: Skeleton, design: Array) -> Array:
    """The model's pose, then random places, (starts, c), at the design pose's independent coordinates."""
    columns, units = list(skeleton.dependent), skeleton.units[list(skeleton.dependent)]
    rows = np.broadcast_to(design, (RANDOM_STARTS + 1, len(design))).copy()
    random = np.random.Generator(np.random.Philox(SEED)).uniform(-1, 1, (RANDOM_STARTS, len(columns)))
    turning = np.array(skeleton.angles)[columns]
    rows[0, columns] = _model_pose(skeleton)[columns]
    rows[1:, columns] = np.where(turning, 0.0, design[columns]) + random * np.where(turning, np.pi, 2 * units)
    return followed(skeleton.ties, list(skeleton.independent), rows)


def _places(skeleton: Skeleton, columns: Array) -> Array:
    """Where all bodies stand, (k, rows): origins over the length scale, and directions."""
    placed, rows = place_coordinates(skeleton, columns), columns.shape[1]
    origins = [np.broadcast_to(each / skeleton.length, (3, rows)) for each in placed.origins]
    turns = [np.broadcast_to(each, (3, 3, rows)).reshape(9, rows) for each in placed.turns]
    return np.concatenate(origins + turns)


def _gaps(skeleton: Skeleton, stated: Array, other: Array) -> tuple[float, float]:
    """How far another assembly and the stated one are from what the model's pose gives, where they differ."""
    pose, units = _model_pose(skeleton), skeleton.units
    own, others = (_differences(skeleton, row, pose) / units for row in (stated, other))
    given = [k for k in skeleton.dependent if skeleton.coordinates[k] in skeleton.mechanism.pose]
    apart = [k for k in given if abs(own[k] - others[k]) > SAME]
    return float(np.abs(others[apart]).max(initial=0.0)), float(np.abs(own[apart]).max(initial=0.0))


def _differences(skeleton: Skeleton, row: Array, pose: Array) -> Array:
    """Coordinates less those of the pose, angles modulo a turn, attitudes in the spelling that lies nearer to it."""
    angles = np.array(skeleton.angles)
    found = np.where(angles, np.remainder(row - pose + np.pi, 2 * np.pi) - np.pi, row - pose)
    for triple in _attitudes(skeleton):
        first, middle, last = row[triple]
        twin = np.array([first + np.pi, np.pi - middle, last + np.pi]) - pose[triple]
        twin = np.remainder(twin + np.pi, 2 * np.pi) - np.pi
        if np.abs(twin).max() < np.abs(found[triple]).max():
            found[triple] = twin
    return found


def _attitudes(skeleton: Skeleton) -> Iterator[list[int]]:
    """The three dependent angles of every joint that turns freely, which two triples of values spell alike."""
    for link in skeleton.links:
        turns = [motion.coordinate for motion in link.motions if motion.kind == "turn"]
        if len(turns) == 3 and not set(turns) & set(skeleton.independent):
            yield turns
