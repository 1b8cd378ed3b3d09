"""Charts of errors show every vector, and no error above the limit looks like one below it."""

import math

import numpy as np
import pytest

from exporter.drawing.charts.chart import Bar, Chart
from exporter.manifest import Field
from sil.evidence import Series
from sil.report.plots import along, histogram

ERRORS = np.array([0.0, 1e-9, 3e-7, 3e-7, 3e-7, math.inf, math.nan])
SERIES = Series("closure", "position", 1e-6, "m", np.arange(7), ERRORS)
ANGLES = np.array([0.1, 0.1, 1.95, 1.95, 1.95, 3.95 + 2 * math.pi, 3.95])
THETA = Field("theta_rad", "theta", "rad", "", "value", -10.0, 10.0, 0.0)


def bars_over(chart: Chart, at: float) -> list[Bar]:
    return [bar for bar in chart.panels[0].bars if bar.start <= at < bar.end]


def test_every_vector_is_counted_once() -> None:
    """What is zero at the low end, what is not finite above the limit."""
    chart = histogram(SERIES)
    bars, scale = chart.panels[0].bars, chart.scale
    assert scale is not None
    assert sum(bar.high for bar in bars) == len(ERRORS)
    assert bars[0].start == pytest.approx(scale.low)
    assert bars[0].high == 1
    assert [bar.high for bar in bars if bar.start > SERIES.limit] == [2]
    assert [bar.high for bar in bars_over(chart, 3e-7)] == [3]
    assert chart.panels[0].label == "vectors, 3 in the tallest bar"
    assert chart.caption == "7 vectors, 2 above the limit of 1e-06"


def test_the_worst_error_stands_over_its_input() -> None:
    """An angle is drawn modulo a turn: 3.95 rad and a turn more are one strip."""
    chart = along(SERIES, ANGLES, THETA)
    assert [bar.high for bar in bars_over(chart, 1.95)] == [3e-7]
    ((mark,), (worst,)) = chart.panels[0].marks, bars_over(chart, 3.95)
    assert (mark.at, mark.axis) == (1e-6, "y")
    assert worst.high > mark.at
