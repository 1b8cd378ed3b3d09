"""The whole turns of angles that are known by sine and cosine, where couplings tell them.

In: a skeleton and coordinates. Out: the same with whole turns. Angles that loops tell
count within half a turn of the design pose, and so the couplings that read them give their followers.
"""

from collections.abc import Collection

import numpy as np

from sil.reference.rotations import Array
from sil.reference.skeleton import Skeleton


def unwound(skeleton: Skeleton, rows: Array, told_as_they_are: Collection[int] = ()) -> Array:
    """Rows (n, c) whose angles that couplings tell have the whole turns that these give them.

    `told_as_they_are` are columns of angles that an export tells itself, and not by sine and cosine: what they lack of
    whole turns is a fault, and stays.
    """
    columns, order = list(rows.T), (*skeleton.following, *skeleton.following_loops)
    known = {*skeleton.independent, *(column for column, _ in order)}
    read = {column for _, tie in skeleton.following_loops for column, _ in tie.factors}
    for column in sorted(read - known):
        if skeleton.angles[column]:
            columns[column] = _nearest(columns[column], np.asarray(skeleton.design_value(column)))
    for column, tie in order:
        if skeleton.angles[column] and column not in told_as_they_are:
            columns[column] = _nearest(columns[column], tie.rest(column, columns))
    return np.ascontiguousarray(np.stack(columns, axis=-1))


def _nearest(angles: Array, to: Array) -> Array:
    """Angles by whole turns, as near as they come."""
    return np.asarray(angles + 2 * np.pi * np.round((to - angles) / (2 * np.pi)))
