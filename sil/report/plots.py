"""Charts of errors: the worst error along an input, and a histogram of errors, both on a logarithmic error axis.

In: an error series and its vectors; out: `Chart`s with the limit marked.
"""

import math

import numpy as np
from numpy.typing import NDArray

from exporter.drawing.charts.bins import bars_up_to, counts, greatest
from exporter.drawing.charts.chart import Chart, Mark, Panel
from exporter.drawing.charts.scale import Scale, linear
from exporter.manifest import Field
from sil.campaign import Campaign
from sil.evidence import Series

BINS = 72  # of a chart
BAR_GAP = 0.15  # of a bin, between two bars
DECADES_BELOW = 8
"""An error axis starts this many decades below the limit, or at the smallest error if that is higher."""
TURN = 2 * np.pi


def plots_of(campaign: Campaign, series: Series) -> tuple[Chart, ...]:
    """Error along the function's first input, and the histogram; none for an empty series."""
    if not len(series.errors):
        return ()
    tested = next(each for each in campaign.tested if each.function == series.function)
    field = next(each for each in campaign.manifest.functions if each.name == series.function).row_inputs[0]
    values = tested.vectors.rows[series.rows, 0].astype(np.float64)
    return along(series, values, field), histogram(series)


def along(series: Series, values: NDArray[np.float64], field: Field) -> Chart:
    """The worst error in each of many strips of the first input; an angle is taken modulo a turn."""
    name, unit = field.name, field.unit
    across = linear(float(values.min()), float(values.max()))
    if unit == "rad":
        values, across, name = np.remainder(values, TURN), Scale(0.0, TURN), f"{name} modulo a turn"
    errors, up = _drawable(series), _error_scale(series)
    bars = bars_up_to(greatest(values, errors, across, BINS), across, up.low, BAR_GAP)
    limit = Mark(series.limit, f"limit {series.limit:.3g}", axis="y", is_written=True)
    panel = Panel("error" if series.unit == "1" else f"error in {series.unit}", bars=bars, marks=(limit,), y=up)
    title = f"{series.check}: worst error along {name}"
    return Chart(title, _caption(series), f"{name} in {unit}" if unit != "1" else name, (), (panel,), scale=across)


def histogram(series: Series) -> Chart:
    """How many vectors have an error of each size; errors below the axis count in its first bar."""
    across = _error_scale(series)
    found = counts(_drawable(series), across, BINS)
    tallest = int(found.max())
    limit = Mark(series.limit, f"limit {series.limit:.3g}", is_written=True)
    panel = Panel(
        f"vectors, {tallest:,} in the tallest bar",
        bars=bars_up_to(found, across, 0.0, BAR_GAP),
        marks=(limit,),
        y=linear(0.0, float(tallest), whole=True),
    )
    title = f"{series.check}: {len(series.errors):,} vectors by error"
    label = "error" if series.unit == "1" else f"error in {series.unit}"
    return Chart(title, _caption(series), label, (), (panel,), scale=across)


def _caption(series: Series) -> str:
    above = int((~(series.errors <= series.limit)).sum())
    return f"{len(series.errors):,} vectors, {above:,} above the limit of {series.limit:.3g}"


def _drawable(series: Series) -> NDArray[np.float64]:
    """Errors above zero: zero is drawn far below the limit, what is not finite far above."""
    finite = np.where(np.isfinite(series.errors), series.errors, series.limit * 10.0**DECADES_BELOW)
    return np.asarray(np.maximum(finite, series.limit * 10.0 ** -(2 * DECADES_BELOW)))


def _error_scale(series: Series) -> Scale:
    """Whole decades from below the errors to above the errors and the limit."""
    exponents, limit = np.log10(_drawable(series)), math.log10(series.limit)
    top = max(float(exponents.max()), limit)
    bottom = max(float(exponents.min()), limit - DECADES_BELOW)
    return Scale(10.0 ** math.floor(min(bottom, top - 1)), 10.0 ** (math.floor(top) + 1), logarithmic=True)
