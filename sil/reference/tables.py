"""Look-up tables of the reference: lines and cubics in Hermite's form, with PCHIP slopes by a formula of its own.

In: knots and values, as floats or as mpf. Out: values and slopes. Beyond an axis the end counts, and the slope is 0.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Real = NDArray[np.float64]


def pchip_slopes(x: Sequence[Any], y: Sequence[Any]) -> list[Any]:
    """Derivatives at the knots (Fritsch and Butland 1984; Moler, Numerical Computing with MATLAB, section 3.4)."""
    steps = [x[k + 1] - x[k] for k in range(len(x) - 1)]
    rises = [(y[k + 1] - y[k]) / steps[k] for k in range(len(steps))]
    if len(steps) == 1:
        return [rises[0]] * 2
    found = [_at_end(steps[0], steps[1], rises[0], rises[1])]
    for k in range(1, len(steps)):
        left, right = rises[k - 1], rises[k]
        if left * right <= 0:
            found.append(0 * left)
        else:
            share = (steps[k - 1] + 2 * steps[k]) / (3 * (steps[k - 1] + steps[k]))
            found.append(left * right / (share * right + (1 - share) * left))
    return [*found, _at_end(steps[-1], steps[-2], rises[-1], rises[-2])]


def _at_end(near: Any, far: Any, rise: Any, next_rise: Any) -> Any:
    slope = rise + near * (rise - next_rise) / (near + far)
    if slope * rise <= 0:
        return 0 * rise
    if rise * next_rise <= 0 and abs(slope) > 3 * abs(rise):
        return 3 * rise
    return slope


def at_one(knots: Sequence[Any], values: Sequence[Any], cubic: bool, argument: Any) -> tuple[Any, Any]:
    """Value and slope at one argument; of a long table only the knots beside it are looked at."""
    found = min(max(bisect_right(knots, argument) - 1, 0), len(knots) - 2)
    first = max(found - 1, 0)
    x, y, k = knots[first : found + 3], values[first : found + 3], found - first
    inside = x[0] <= argument <= x[-1]
    width = x[k + 1] - x[k]
    t = (min(max(argument, x[0]), x[-1]) - x[k]) / width
    rise = (y[k + 1] - y[k]) / width
    if not cubic:
        return (1 - t) * y[k] + t * y[k + 1], rise if inside else 0 * rise
    slopes = pchip_slopes(x, y)
    value = _hermite(t, width, (y[k], y[k + 1]), (slopes[k], slopes[k + 1]))
    slope = 6 * t * (1 - t) * rise + (1 - t) * (1 - 3 * t) * slopes[k] + t * (3 * t - 2) * slopes[k + 1]
    return value, slope if inside else 0 * slope


def _hermite(t: Any, width: Any, ends: tuple[Any, Any], slopes: tuple[Any, Any]) -> Any:
    """The cubic with these values and slopes at 0 and 1."""
    rest = 1 - t
    return (
        rest**2 * (1 + 2 * t) * ends[0]
        + t**2 * (3 - 2 * t) * ends[1]
        + width * t * rest * (rest * slopes[0] - t * slopes[1])
    )


def at_two(x: Sequence[Any], y: Sequence[Any], z: Sequence[Any], at: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    """Value and both slopes of a bilinear table: along y in each row, then along x."""
    rows = [at_one(y, z[k * len(y) : (k + 1) * len(y)], False, at[1]) for k in range(len(x))]
    value, slope = at_one(x, [row[0] for row in rows], False, at[0])
    return value, slope, at_one(x, [row[1] for row in rows], False, at[0])[0]


def at_rows(axes: Sequence[Real], values: Real, cubic: bool, arguments: Sequence[Real]) -> Real:
    """Values at rows of arguments, in float64, or complex with small imaginary parts for slopes."""
    if len(axes) > 1:
        rows = values.reshape(len(axes[0]), len(axes[1]))
        return _bilinear(axes, rows, arguments)
    (x,), (at,) = axes, arguments
    k, t = _weight(x, at)
    if not cubic:
        return np.asarray((1 - t) * values[k] + t * values[k + 1])
    slopes = np.array(pchip_slopes(list(x), list(values)))
    return np.asarray(_hermite(t, x[k + 1] - x[k], (values[k], values[k + 1]), (slopes[k], slopes[k + 1])))


def _bilinear(axes: Sequence[Real], rows: Real, arguments: Sequence[Real]) -> Real:
    """By the weights of the four corners."""
    first, second = np.broadcast_arrays(*arguments)
    i, s = _weight(axes[0], first)
    j, t = _weight(axes[1], second)
    near = (1 - t) * rows[i, j] + t * rows[i, j + 1]
    return np.asarray((1 - s) * near + s * ((1 - t) * rows[i + 1, j] + t * rows[i + 1, j + 1]))


def _weight(knots: Real, at: Real) -> tuple[Any, Real]:
    k = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(knots) - 2)
    return k, (np.clip(at, knots[0], knots[-1]) - knots[k]) / (knots[k + 1] - knots[k])
