"""Looks over the ranges for a place where an export would be wrong without a flag.

In: a `Probe`. Out: a `WrongPlace`, or None. Looked at are: the ends of every range, corners, the ways there
from the design pose, random places, and the smallest margins that a search from all of these finds. Positions must
satisfy the original closures. Along a way without flags the bodies must not jump: what is bisected until the way is
nothing and still is apart belongs to two branches.
"""

import numpy as np

from exporter.kinematics.closures.closing import Array
from exporter.kinematics.verification.probe import Probe, ProbedRows
from exporter.kinematics.verification.ranges import Ranges
from exporter.records import dataclass

STAGES = 12  # of a way
RANDOM_PLACES = 100  # places
SMALL_MARGIN = 0.3  # margins and pivots that nowhere get below it are not followed
ROUNDS = 10  # of the search for the smallest margins; its steps halve
BODY_JUMP = 0.05  # of places over the length, and of directions: less is motion
HALVINGS = 48  # of a stage that may hold a jump


@dataclass(frozen=True, slots=True)
class WrongPlace:
    """A place (q,) that is wrong: its loops are open, or bodies jump there."""

    place: Array
    residual: float  # over the length; 0 of a jump


def first_fault(probe: Probe) -> WrongPlace | None:
    """The first that is found, of open loops the widest."""
    ranges = probe.ranges
    ways = ranges.ways(np.vstack([ranges.ends(), ranges.corners()]), STAGES)
    rows = np.vstack([ways.reshape(-1, len(ranges.names)), ranges.random(RANDOM_PLACES)])
    seen = probe.at(rows)
    return _open(rows, seen) or _at_smallest_margins(probe, ranges, rows, seen) or _jump(probe, ways, seen)


def _open(rows: Array, seen: ProbedRows) -> WrongPlace | None:
    if not seen.wrong.any():
        return None
    worst = int(np.argmax(np.where(seen.wrong, seen.residual, -1.0)))
    return WrongPlace(rows[worst], float(seen.residual[worst]))


def _at_smallest_margins(probe: Probe, ranges: Ranges, rows: Array, seen: ProbedRows) -> WrongPlace | None:
    """From the places of the smallest margins, and of every local minimum along a way, downhill in all quantities."""
    names = [name for name, values in seen.margins.items() if np.where(seen.clear, values, np.inf).min() < SMALL_MARGIN]
    starts = [(name, rows[k]) for name in names for k in _lowest(seen.margins[name], seen.clear, len(ranges.ends()))]
    if not starts:
        return None
    best = np.array([row for _, row in starts])
    step, span = 1.0 / STAGES, ranges.high - ranges.low
    sides = np.vstack([np.zeros(len(span)), np.diag(span), -np.diag(span)])
    for _ in range(ROUNDS):
        around = np.clip(best[:, None, :] + step * sides, ranges.low, ranges.high)
        flat = around.reshape(-1, len(span))
        found = probe.at(flat)
        fault = _open(flat, found)
        if fault is not None:
            return fault
        heights = {name: found.margins[name].reshape(len(best), len(sides)) for name in names}
        lowest = [int(np.argmin(heights[name][k])) for k, (name, _) in enumerate(starts)]
        best = around[range(len(best)), lowest]
        step /= 2
    return None


def _lowest(values: Array, clear: Array, ways: int) -> list[int]:
    """The smallest of all, and the local minima inside the first `ways` ways, along which one quantity moves."""
    values = np.where(clear, values, np.inf)
    along = values[: len(values) - RANDOM_PLACES].reshape(STAGES + 1, -1)[:, :ways]
    inner = (along[1:-1] <= along[:-2]) & (along[1:-1] <= along[2:]) & np.isfinite(along[1:-1])
    width = (len(values) - RANDOM_PLACES) // (STAGES + 1)
    stages, columns = np.nonzero(inner)
    return [int(np.argmin(values)), *((stages + 1) * width + columns).tolist()]


def _jump(probe: Probe, ways: Array, seen: ProbedRows) -> WrongPlace | None:
    """A stage over which bodies jump."""
    stages, count = ways.shape[:2]
    places = seen.places[: stages * count].reshape(stages, count, -1)
    clear = seen.clear[: stages * count].reshape(stages, count)
    apart = np.abs(np.diff(places, axis=0)).max(axis=-1, initial=0.0)
    at = np.nonzero((apart > BODY_JUMP) & clear[1:] & clear[:-1])
    near, far, one, other = ways[:-1][at], ways[1:][at], places[:-1][at], places[1:][at]
    for _ in range(HALVINGS):
        if not len(near):
            return None
        middle = (near + far) / 2
        found = probe.at(middle)
        before, behind = (np.abs(found.places - side).max(axis=-1, initial=0.0) for side in (one, other))
        first = before > behind
        near, far = np.where(first[:, None], near, middle), np.where(first[:, None], middle, far)
        one, other = np.where(first[:, None], one, found.places), np.where(first[:, None], found.places, other)
        kept = found.clear & (np.maximum(before, behind) > BODY_JUMP)
        near, far, one, other = (part[kept] for part in (near, far, one, other))
    return WrongPlace(near[0], 0.0) if len(near) else None
