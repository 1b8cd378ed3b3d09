"""Many numbers as a few bars: how many there are in each bin of an axis, or the greatest of each.

In: values along an axis. Out: `Bar`s over bins of equal width on its scale; empty bins have none.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from exporter.drawing.charts.chart import Bar
from exporter.drawing.charts.scale import Scale


def counts(values: ArrayLike, scale: Scale, bins: int, weights: ArrayLike | None = None) -> NDArray[np.int64]:
    """How many values are in each bin, (bins,), each as often as its weight says; those beyond an end at that end."""
    given = None if weights is None else np.asarray(weights, dtype=np.float64)
    return np.bincount(_numbers(values, scale, bins), given, minlength=bins).astype(np.int64)


def greatest(values: ArrayLike, heights: ArrayLike, scale: Scale, bins: int) -> NDArray[np.float64]:
    """The greatest height of the values in each bin, (bins,); minus infinity where there is none."""
    found = np.full(bins, -np.inf)
    np.maximum.at(found, _numbers(values, scale, bins), np.asarray(heights, dtype=np.float64))
    return found


def bars_up_to(heights: ArrayLike, scale: Scale, foot: float, gap: float = 0.0) -> tuple[Bar, ...]:
    """Bars from the foot of a panel up to heights, one a bin; a part `gap` of each bin stays free at its end."""
    tops = np.asarray(heights, dtype=np.float64).tolist()
    return tuple(
        Bar(scale.value(number / len(tops)), scale.value((number + 1 - gap) / len(tops)), foot, top)
        for number, top in enumerate(tops)
        if top > foot
    )


def _numbers(values: ArrayLike, scale: Scale, bins: int) -> NDArray[np.int64]:
    low, high = scale.ends()
    within = np.clip(np.asarray(values, dtype=np.float64), scale.low, scale.high)
    places = np.log10(within) if scale.logarithmic else within
    return ((places - low) / (high - low) * bins).astype(np.int64).clip(0, bins - 1)
