"""The widest box about a point in which something holds everywhere: grown between the points where it does not.

In: a point of the cube [-1, 1]^f and a test of points. Out: the lower and the upper ends of a box. What lies between
the points that were tried is not proven.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.seeded.seed import corners

Array = NDArray[Any]
ROUNDS = 12  # in which a box is tried and made smaller
PLACES = 300  # random places of a box that are tried in a round
MOST_CORNERS = 64
SHRINKING = 0.97  # of the way from the point to what does not hold
LAST_SHRINKING = 0.9  # where the rounds are over
SEED = 4711


def widest_box(start: Array, holds: Callable[[Array], Array], failed: Array) -> tuple[Array, Array]:
    """Ends, (f,) each, of a box about the start (f,) in which no place failed; `failed`, (n, f), have been tried."""
    generator = np.random.Generator(np.random.Philox(SEED))
    low, high = _grown(start, failed)
    for _ in range(ROUNDS):
        unit = np.vstack([corners(len(start))[:MOST_CORNERS], generator.uniform(-1, 1, (PLACES, len(start)))])
        tried = (low + high) / 2 + unit * (high - low) / 2
        lost = ~holds(tried)
        if not lost.any():
            return low, high
        failed = np.vstack([failed, tried[lost]])
        low, high = _grown(start, failed)
    return start + LAST_SHRINKING * (low - start), start + LAST_SHRINKING * (high - start)


def _grown(start: Array, failed: Array) -> tuple[Array, Array]:
    """As large as it can be on all sides alike, then one side after the other as far as nothing failed inside."""
    low, high = np.minimum(start, -1.0), np.maximum(start, 1.0)
    room = np.where(failed > start, high - start, start - low)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.abs(failed - start) / room
    part = SHRINKING * np.nan_to_num(parts, nan=0.0).max(axis=1).min(initial=1 / SHRINKING)
    low, high = start + part * (low - start), start + part * (high - start)
    for axis in range(len(start)):
        for end, side in ((low, -1.0), (high, 1.0)):
            between = np.delete((failed >= low) & (failed <= high), axis, axis=1).all(axis=1)
            beyond = side * (failed[between, axis] - start[axis])
            reach = SHRINKING * beyond[beyond > 0].min(initial=np.inf)
            end[axis] = start[axis] + side * max(side * (end[axis] - start[axis]), min(reach, abs(side - start[axis])))
    return low, high
