"""Error plots as geometry: worst error along an input, and a histogram of errors, both on a logarithmic error axis.

In: an error series and its vectors; out: numbers in SVG user units that the template prints.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exporter.manifest import Field
from sil.campaign import Campaign
from sil.evidence import Series

WIDTH, HEIGHT = 420.0, 210.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 12.0, 16.0, 34.0
BINS = 72
DECADES_BELOW = 8
"""An error axis starts this many decades below the limit, or at the smallest error if that is higher."""
TURN = 2 * np.pi


@dataclass(frozen=True, slots=True)
class Mark:
    """A tick: where, and what is written there."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Plot:
    """One picture. `limit` is a height where the error runs upwards, else a position along x."""

    caption: str
    x_label: str
    y_label: str
    x_marks: tuple[Mark, ...]
    y_marks: tuple[Mark, ...]
    bars: tuple[Bar, ...]
    limit: float
    limit_text: str
    limit_is_height: bool


def plots_of(campaign: Campaign, series: Series) -> tuple[Plot, ...]:
    """Error along the function's first input, and the histogram; none for an empty series."""
    if not len(series.errors):
        return ()
    tested = next(each for each in campaign.tested if each.function == series.function)
    exponents = _exponents(series)
    span = _span(exponents, series.limit)
    field = _first_input(campaign, series.function)
    values = tested.vectors.rows[series.rows, 0].astype(np.float64)
    return _along(series, exponents, values, field, span), _histogram(series, exponents, span)


def _first_input(campaign: Campaign, function: str) -> Field:
    return next(each for each in campaign.manifest.functions if each.name == function).row_inputs[0]


def _exponents(series: Series) -> NDArray[np.float64]:
    """log10 of the errors; zero counts as far below, what is not finite as far above."""
    smallest = series.limit * 10.0 ** -(2 * DECADES_BELOW)
    errors = np.where(np.isfinite(series.errors), series.errors, series.limit * 10.0**DECADES_BELOW)
    return np.asarray(np.log10(np.maximum(errors, smallest)))


def _span(exponents: NDArray[np.float64], limit: float) -> tuple[int, int]:
    """Whole decades from below the errors to above the errors and the limit."""
    top = max(float(exponents.max()), float(np.log10(limit)))
    bottom = max(float(exponents.min()), float(np.log10(limit)) - DECADES_BELOW)
    return int(np.floor(min(bottom, top - 1))), int(np.floor(top)) + 1


def _along(
    series: Series, exponents: NDArray[np.float64], values: NDArray[np.float64], field: Field, span: tuple[int, int]
) -> Plot:
    """The worst error in each of many strips of the first input; an angle is taken modulo a turn."""
    name, unit = field.name, field.unit
    if unit == "rad":
        values = np.remainder(values, TURN)
        left, right, name = 0.0, TURN, f"{name} modulo a turn"
    else:
        left, right = float(values.min()), float(values.max())
        right = right if right > left else left + 1.0
    strips = np.minimum(((values - left) / (right - left) * BINS).astype(np.int64), BINS - 1)
    worst = np.full(BINS, -np.inf)
    np.maximum.at(worst, strips, exponents)
    width = (WIDTH - LEFT - RIGHT) / BINS
    floor = HEIGHT - BOTTOM
    bars = tuple(
        Bar(_round(LEFT + strip * width), _round(top), _round(width * 0.85), _round(floor - top))
        for strip, exponent in enumerate(worst.tolist())
        if (top := _height(exponent, span)) < floor
    )
    return Plot(
        caption=f"{series.check}: worst error along {name}",
        x_label=f"{name} in {unit}" if unit != "1" else name,
        y_label="error" if series.unit == "1" else f"error in {series.unit}",
        x_marks=tuple(
            Mark(_round(LEFT + part * (WIDTH - LEFT - RIGHT)), f"{left + part * (right - left):.3g}")
            for part in (0.0, 0.25, 0.5, 0.75, 1.0)
        ),
        y_marks=tuple(Mark(_round(_height(decade, span)), f"1e{decade}") for decade in _decades(span)),
        bars=bars,
        limit=_round(_height(float(np.log10(series.limit)), span)),
        limit_text=f"limit {series.limit:.3g}",
        limit_is_height=True,
    )


def _histogram(series: Series, exponents: NDArray[np.float64], span: tuple[int, int]) -> Plot:
    """How many vectors have an error of each size; errors below the axis count in its first bar."""
    low, high = span
    counts, _ = np.histogram(np.clip(exponents, low, high), bins=BINS, range=(low, high))
    tallest = max(int(counts.max()), 1)
    width = (WIDTH - LEFT - RIGHT) / BINS
    floor, room = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP
    bars = tuple(
        Bar(
            _round(LEFT + number * width),
            _round(floor - room * count / tallest),
            _round(width * 0.85),
            _round(room * count / tallest),
        )
        for number, count in enumerate(counts.tolist())
        if count
    )
    per_decade = (WIDTH - LEFT - RIGHT) / (high - low)
    return Plot(
        caption=f"{series.check}: {len(series.errors):,} vectors by error",
        x_label="error" if series.unit == "1" else f"error in {series.unit}",
        y_label="vectors",
        x_marks=tuple(Mark(_round(LEFT + (d - low) * per_decade), f"1e{d}") for d in _decades(span)),
        y_marks=(Mark(floor, "0"), Mark(TOP, f"{tallest:,}")),
        bars=bars,
        limit=_round(LEFT + (float(np.log10(series.limit)) - low) * per_decade),
        limit_text=f"limit {series.limit:.3g}",
        limit_is_height=False,
    )


def _height(exponent: float, span: tuple[int, int]) -> float:
    low, high = span
    part = (exponent - low) / (high - low)
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * min(max(part, 0.0), 1.0)


def _decades(span: tuple[int, int]) -> range:
    low, high = span
    return range(low, high + 1, max(1, (high - low) // 5))


def _round(number: float) -> float:
    """A tenth of a user unit is finer than anyone sees."""
    return round(number, 1)
