"""Rows in chunks: temporary arrays of a chunk stay in a processor's cache, those of a million rows are paged in anew.

Every row is computed by itself; its last bits may depend on how many rows are computed with it, for numpy's loops take
several at once.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from sil.reference.motion import Configuration
from sil.reference.rotations import Array
from sil.shares import one_by_one

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

CHUNK = 4088
"""Not a power of two: columns that lie such a distance apart take one another's places in the cache."""


def row_slices(rows: int) -> Iterator[slice]:
    """Slices of at most `CHUNK` rows, one where there are none; how far they are is told."""
    return one_by_one([slice(first, first + CHUNK) for first in range(0, max(rows, 1), CHUNK)])


def joined(parts: Iterable[Array], axis: int = 0) -> Array:
    """Arrays of chunks as one, along the axis of rows."""
    found: Sequence[Array] = tuple(parts)
    return found[0] if len(found) == 1 else np.concatenate(found, axis=axis)


Arrays = TypeVar("Arrays", bound="DataclassInstance")


def joined_fields(parts: Iterable[Arrays]) -> Arrays:
    """Dataclasses whose fields are arrays of chunks as one."""
    found = tuple(parts)
    if len(found) == 1:
        return found[0]
    return type(found[0])(*(joined(getattr(part, field.name) for part in found) for field in fields(found[0])))


Method = TypeVar("Method", bound=Callable[..., Array])


def in_chunks(method: Method) -> Method:
    """A method of many rows that is called for one chunk after the other: what a chunk needs twice is then kept."""

    @wraps(method)
    def whole(self: object, at: Configuration, *others: object) -> Array:
        rows = len(at.values)
        if rows <= CHUNK:
            return method(self, at, *others)
        parts = (
            method(self, at.of_rows(some), *(of_rows(each, some, rows) for each in others)) for some in row_slices(rows)
        )
        return joined(parts)

    return cast("Method", whole)


def of_rows(value: object, some: slice, rows: int) -> object:
    """Some of the rows of an array (rows, ...), or of every array or number of a mapping; else the value itself."""
    if isinstance(value, Mapping):
        return {name: np.broadcast_to(each, rows)[some] for name, each in value.items()}
    return value[some] if isinstance(value, np.ndarray) else value
