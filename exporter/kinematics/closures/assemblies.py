"""Assemblies by Newton's method on the original closures: what stands behind a pose where no block offers its roots.

In: a Mechanism, the values of its independent coordinates at the design pose. Out: assemblies, told apart by
where their bodies are. Starts are the pose and seeded random places, so that the same file gives the same assemblies;
that there are no others is not proven.
"""

import numpy as np

from exporter.errors import NotAssembled, SeveralAssemblies
from exporter.kinematics.closures.closing import Array, Closures, close_rows
from exporter.kinematics.closures.numeric import Poses, poses_of
from exporter.kinematics.closures.passive_spins import closures_of
from exporter.kinematics.closures.pose_row import pose_row
from exporter.kinematics.protocol.closest import closest, gap
from exporter.kinematics.protocol.solution import Assembly
from exporter.model.joints import GROUND
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass

RANDOM_STARTS = 256  # random starts
SEED = 20110831
ROUGH_POSE_GAP = 0.3  # rad or lengths from what a pose gives: farther, it may mean another assembly
PLACES_BESIDE, BESIDE = 64, 0.3  # starts beside a pose that does not close, within so many rad or lengths
START_RANGE = 2  # displacements start within this many lengths, about their pose
SAME_ASSEMBLY_DISTANCE = (
    1e-6  # of places over the length, and of directions: bodies further apart belong to two assemblies
)
ASSEMBLED_POSE_GAP = (
    0.01  # rad or lengths: a pose that gives all dependent coordinates as closely as this has been assembled
)


@dataclass(frozen=True, slots=True)
class _Everything:
    """All dependent coordinates, as one block whose roots are numbered."""

    coordinates: tuple[str, ...]


def assemble(mechanism: Mechanism) -> Assembly:
    """The assembly that the design pose picks.

    Raises:
        SeveralAssemblies: the pose does not tell them apart.
        ModelError: none was found.
    """
    found, unclear = pick_assembly(mechanism)
    if unclear is not None:
        raise unclear
    return found


def pick_assembly(mechanism: Mechanism) -> tuple[Assembly, SeveralAssemblies | None]:
    """The assembly that the design pose picks; where it picks none, some assembly and what is to be said of the pose.

    Raises:
        ModelError: none was found.
    """
    near = near_pose(mechanism)
    if near is not None and _is_drawn(mechanism, near):
        return near, None
    found = assemblies_at_design(mechanism)
    if not found:
        where = ", ".join(f"{name} = {float(mechanism.pose[name]):.6g}" for name in mechanism.independent)
        raise NotAssembled(
            f"{mechanism.name}: Newton's method finds no assembly at {where}, neither from the pose nor from "
            f"{RANDOM_STARTS} other places; check the lengths, or change the pose"
        )
    try:
        return closest(mechanism, [_Everything(_dependent(mechanism))], found), None
    except SeveralAssemblies as error:
        return found[0], error


def near_pose(mechanism: Mechanism, rest: Array | None = None) -> Assembly | None:
    """Where Newton's method ends that starts at the pose; `rest`, (c,), has what it does not give.

    A pose that draws links straight on may be singular. Where it does not close, or ends far from what the pose gives,
    the rest is first fitted to that, from there and from places beside it; what ends nearest is taken. None where
    nothing closes.
    """
    names = mechanism.coordinates()
    start = pose_row(mechanism) if rest is None else np.array(rest, dtype=float)
    for position, name in enumerate(names):
        start[position] = float(mechanism.pose.get(name, start[position]))
    closures, given = closures_of(mechanism), np.array([name in mechanism.pose for name in names])

    def ended(rows: Array) -> tuple[Array, Array]:
        rows, closes = close_rows(closures, rows, mechanism.independent)
        far = np.abs((rows - start) / closures.units)[:, given].max(axis=1, initial=0.0)
        return rows, np.where(closes, far, np.inf)

    rows, far = ended(start[None])
    if far[0] > ROUGH_POSE_GAP:
        held = (*mechanism.independent, *(name for name in names if name in mechanism.pose))
        others, gaps = ended(close_rows(closures, _beside(closures, start, ~given), held)[0])
        rows, far = np.vstack([rows, others]), np.concatenate([far, gaps])
    best = int(np.argmin(far))
    return assembly_of_row(mechanism, rows[best]) if np.isfinite(far[best]) else None


def _beside(closures: Closures, start: Array, moved: Array) -> Array:
    """A row (c,), then seeded random places about it in the coordinates that are `moved`, (c,)."""
    random = np.random.Generator(np.random.Philox(SEED)).uniform(-1, 1, (PLACES_BESIDE, len(start)))
    return np.vstack([start, start + BESIDE * closures.units * moved * random])


def assemblies_at_design(mechanism: Mechanism) -> list[Assembly]:
    """All that are found, that near the pose first; `signs` is their number."""
    closures = closures_of(mechanism)
    rows, closes = close_rows(closures, _starts(closures), mechanism.independent)
    rows = rows[closes]
    return [assembly_of_row(mechanism, rows[k], number) for number, k in enumerate(distinct(closures, rows))]


def distinct(closures: Closures, rows: Array) -> list[int]:
    """Rows (n, c) of different assemblies, the first of each."""
    places, found = body_places(closures, rows), list[int]()
    for number, place in enumerate(places):
        if all(np.abs(place - places[other]).max(initial=0.0) > SAME_ASSEMBLY_DISTANCE for other in found):
            found.append(number)
    return found


def body_places(closures: Closures, rows: Array, poses: Poses | None = None) -> Array:
    """Where all bodies are, (n, k): origins over the length, and directions; links that may spin are left out."""
    poses = poses or poses_of(closures.numbers, rows)
    spinning = {link.body for link in closures.spins}
    count, parts = len(rows), [np.zeros((len(rows), 0))]
    for body, turn in poses.turn.items():
        if body != GROUND and body not in spinning:
            parts.append(np.broadcast_to(poses.origin[body] / closures.length, (count, 3)))
            parts.append(np.broadcast_to(turn, (count, 3, 3)).reshape(count, 9))
    return np.concatenate(parts, axis=1)


def _starts(closures: Closures) -> Array:
    """The pose, then random places: angles anywhere, displacements about their pose."""
    mechanism, names = closures.mechanism, closures.mechanism.coordinates()
    pose = pose_row(mechanism)
    slides = np.isin(names, mechanism.displacements())
    length = max(closures.length, np.abs(pose[slides]).max(initial=0.0))
    reach = np.where(slides, START_RANGE * length, np.pi)
    reach[[names.index(name) for name in mechanism.independent]] = 0.0
    random = np.random.Generator(np.random.Philox(SEED)).uniform(-1, 1, (RANDOM_STARTS, len(names)))
    return np.vstack([pose, pose + reach * random])


def assembly_of_row(mechanism: Mechanism, row: Array, number: int = 0) -> Assembly:
    """The assembly at values of all coordinates, (c,); dependent angles within half a turn, but for coupled ones."""
    kept = {*mechanism.displacements(), *mechanism.independent, *mechanism.coupled()}
    values = {
        name: float(value) if name in kept else float(np.angle(np.exp(1j * value)))
        for name, value in zip(mechanism.coordinates(), row, strict=True)
    }
    return Assembly((number,), values, {}, {})


def _dependent(mechanism: Mechanism) -> tuple[str, ...]:
    return tuple(name for name in mechanism.coordinates() if name not in mechanism.independent)


def _is_drawn(mechanism: Mechanism, mode: Assembly) -> bool:
    """Whether the pose gives all dependent coordinates of this mode."""
    names = _dependent(mechanism)
    return set(names) <= set(mechanism.pose) and gap(mechanism, names, mode) < ASSEMBLED_POSE_GAP
