"""Rows in chunks: temporary arrays of a chunk stay in a processor's cache, those of a million rows are paged in anew.

No result depends on it: every row is computed by itself.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from sil.reference.rotations import Array

CHUNK = 4096


def row_slices(rows: int) -> tuple[slice, ...]:
    """Slices of at most `CHUNK` rows; one where there are none."""
    return tuple(slice(first, first + CHUNK) for first in range(0, max(rows, 1), CHUNK))


def joined(parts: Iterable[Array], axis: int = 0) -> Array:
    """Arrays of chunks as one, along the axis of rows."""
    found: Sequence[Array] = tuple(parts)
    return found[0] if len(found) == 1 else np.concatenate(found, axis=axis)
