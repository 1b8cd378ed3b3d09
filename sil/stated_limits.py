"""Numbers that a user states as limits: finite, and of a sign that lets something fail.

The one place for this: bench files, keywords and comparisons come here.
"""

import math
from collections.abc import Iterator
from typing import Any

from exporter.errors import KinefixError


def require_tolerance(value: float, what: str) -> float:
    """The number itself, if it may be a tolerance; 0 asks for the right value bit for bit.

    Raises:
        KinefixError: it is NaN, infinite or negative.
    """
    if not (math.isfinite(value) and value >= 0):
        raise KinefixError(f"{what} is {value}; a tolerance is finite and not negative, 0 where every bit must agree")
    return value


def not_finite(table: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, float]]:
    """Every NaN and infinity of nested tables and lists, with its key: ("tolerance.default.abs", inf)."""
    if isinstance(table, dict):
        for key, value in table.items():
            yield from not_finite(value, (*path, str(key)))
    elif isinstance(table, list):
        for place, value in enumerate(table):
            yield from not_finite(value, (*path, str(place)))
    elif isinstance(table, float) and not math.isfinite(table):
        yield ".".join(path), table
