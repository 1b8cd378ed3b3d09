"""Look-up tables of a mechanism file, for the reference of the differential test.

In: the TOML of [tables]. Out: by name, functions of arrays. Cubics are Hermite's, with the slopes of PCHIP: weighted
harmonic means of the secants beside a knot, zero at an extremum, a limited parabola at the ends. Arguments may carry an
imaginary part, along which a derivative is taken; their real part finds the interval.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from plain_numbers import number_of
from plain_rotations import Array

Lookup = Callable[..., Array]


def tables_of(document: Mapping[str, Any]) -> dict[str, Lookup]:
    """Every table by its name."""
    return {name: _table(entry) for name, entry in document.get("tables", {}).items()}


def _table(entry: Mapping[str, Any]) -> Lookup:
    x, y = (np.array([number_of(text, {}) for text in entry[key]]) for key in "xy")
    if "z" in entry:
        z = np.array([[number_of(text, {}) for text in row] for row in entry["z"]])
        return lambda a, b: _of_two(x, y, z, a, b)
    slopes = pchip_slopes(x, y) if entry.get("method") == "monotone_cubic" else None
    return lambda a: _of_one(x, y, slopes, a)


def _placed(knots: Array, argument: Array) -> tuple[Array, Array]:
    """The interval of an argument that is brought onto the axis, and the part of the interval before it."""
    real = np.real(argument)
    inside = np.where(real < knots[0], knots[0], np.where(real > knots[-1], knots[-1], argument))
    number = np.clip(np.searchsorted(knots, np.real(inside), side="right") - 1, 0, len(knots) - 2)
    return number, (inside - knots[number]) / (knots[number + 1] - knots[number])


def _of_one(x: Array, y: Array, slopes: Array | None, argument: Array) -> Array:
    k, t = _placed(x, argument)
    if slopes is None:
        return y[k] * (1 - t) + y[k + 1] * t
    width = x[k + 1] - x[k]
    ends = (1 + 2 * t) * (1 - t) ** 2 * y[k] + t**2 * (3 - 2 * t) * y[k + 1]
    return np.asarray(ends + width * t * (1 - t) * ((1 - t) * slopes[k] - t * slopes[k + 1]))


def _of_two(x: Array, y: Array, z: Array, a: Array, b: Array) -> Array:
    i, s = _placed(x, a)
    j, t = _placed(y, b)
    near = z[i, j] * (1 - t) + z[i, j + 1] * t
    return np.asarray(near * (1 - s) + (z[i + 1, j] * (1 - t) + z[i + 1, j + 1] * t) * s)


def pchip_slopes(x: Array, y: Array) -> Array:
    """The slope at every knot."""
    h, d = np.diff(x), np.diff(y) / np.diff(x)
    if len(d) == 1:
        return np.array([d[0], d[0]])
    slopes = [_end_slope(h[0], h[1], d[0], d[1])]
    for k in range(1, len(d)):
        one, two = 2 * h[k] + h[k - 1], h[k] + 2 * h[k - 1]
        slopes.append(0.0 if d[k - 1] * d[k] <= 0 else (one + two) / (one / d[k - 1] + two / d[k]))
    return np.array([*slopes, _end_slope(h[-1], h[-2], d[-1], d[-2])])


def _end_slope(h: float, next_h: float, d: float, next_d: float) -> float:
    slope = ((2 * h + next_h) * d - h * next_d) / (h + next_h)
    if slope * d <= 0:
        return 0.0
    return 3 * d if d * next_d < 0 and abs(slope) > 3 * abs(d) else slope
