"""Tables of the symbolic reference, each with a bound of what rounding may do to it.

In: a `LookUp` node and its arguments with their errors. Out: value and error, as mpf.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import mpmath

from sil.reference.tables import at_one, at_two

mp: Any = mpmath  # it is untyped
Pair = tuple[Any, Any]  # a number and a bound of its error
ROUNDINGS = 32
"""Rounding units of the largest term that a polynomial of a table may be off by."""
CLASSES = ("LookUp", "LookUpSlope")


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What a node holds: knots of each axis, values, and their sizes."""

    axes: tuple[tuple[Any, ...], ...]
    values: tuple[Any, ...]
    cubic: bool
    reach: tuple[Any, ...]  # largest knot of each axis
    closest: tuple[Any, ...]  # knots of each axis
    size: Any  # largest value


def _parts(node: Any) -> tuple[Any, ...]:
    """Number of axes, arguments, method, sizes, knots, values."""
    parts: tuple[Any, ...] = node.args[1:] if type(node).__name__ == "LookUpSlope" else node.args
    return parts


def table_arguments(node: Any) -> tuple[Any, ...]:
    """The expressions that a table is asked for."""
    parts = _parts(node)
    return tuple(parts[1 : 1 + int(parts[0])])


@lru_cache(maxsize=64)
def _numbers(node: Any) -> _Numbers:
    parts = _parts(node)
    count = int(parts[0])
    method, *rest = parts[1 + count :]
    numbers = tuple(mp.mpf(int(part.p)) / int(part.q) for part in rest[count:])
    axes = []
    for size in map(int, rest[:count]):
        axes.append(numbers[:size])
        numbers = numbers[size:]
    return _Numbers(
        tuple(axes),
        numbers,
        int(method) == 1,
        tuple(max(map(abs, knots)) for knots in axes),
        tuple(min(right - left for left, right in pairwise(knots)) for knots in axes),
        max(map(abs, numbers)),
    )


def table_value(node: Any, arguments: list[Pair], unit: float) -> Pair:
    """The value of a table, or its slope along an axis.

    At both ends of what the arguments may be it is asked again; a slope may jump there, a value may not.
    """
    table = _numbers(node)
    count, slope = len(arguments), type(node).__name__ == "LookUpSlope"
    axis = int(node.args[0]) if slope else 0

    def at(shifts: list[Any]) -> Any:
        points = [value + shift for (value, _), shift in zip(arguments, shifts, strict=True)]
        if count > 1:
            return at_two(table.axes[0], table.axes[1], table.values, (points[0], points[1]))[axis + slope]
        return at_one(table.axes[0], table.values, table.cubic, points[0])[slope]

    room = [error + 2 * unit * reach for (_, error), reach in zip(arguments, table.reach, strict=True)]
    value = at([0] * count)
    moved = sum(
        max(abs(at([sign * shift if k == number else 0 for k in range(count)]) - value) for sign in (1, -1))
        for number, shift in enumerate(room)
    )
    return value, moved + ROUNDINGS * unit * (4 * table.size / table.closest[axis] if slope else table.size)
