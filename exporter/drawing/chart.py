"""Curves over one axis, in panels below each other, with bands and marks across all of them.

Comes in: a `Chart` of numbers. Goes out: SVG text; the same numbers give the same bytes. A curve is interrupted where
its value is not finite.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from exporter.drawing.canvas import COLORS, color
from exporter.drawing.templating import render

WIDTH, LEFT, RIGHT, TOP, PANEL, GAP, BOTTOM = 860.0, 76.0, 690.0, 78.0, 190.0, 36.0, 48.0  # pixels
KEY_LINE = 17.0  # pixels between the names of two curves
TICKS = 6  # about so many on an axis


@dataclass(frozen=True, slots=True)
class Curve:
    """A quantity over the axis."""

    name: str
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves with one scale."""

    label: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class Band:
    """From one value of the axis to another."""

    start: float
    end: float
    text: str
    color: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A value of the axis."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture."""

    title: str
    caption: str
    x_label: str
    x: Sequence[float]
    panels: tuple[Panel, ...]
    bands: tuple[Band, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class _Axis:
    """Values to pixels."""

    low: float
    high: float
    first: float
    last: float

    def at(self, value: float) -> float:
        return round(self.first + (value - self.low) / (self.high - self.low) * (self.last - self.first), 2)

    def ticks(self) -> list[dict[str, object]]:
        return [{"at": self.at(value), "text": text} for value, text in _round_values(self.low, self.high)]


def chart_svg(chart: Chart) -> str:
    """The picture as SVG."""
    x = _axis(chart.x, LEFT, RIGHT, spare=0.0)
    panels, top = [], TOP
    for panel in chart.panels:
        height = max(PANEL, KEY_LINE * len(panel.curves))
        panels.append(_panel(chart, panel, x, top, height))
        top += height + GAP
    return render(
        "chart.svg.j2",
        title=chart.title,
        caption=chart.caption,
        x_label=chart.x_label,
        x_ticks=x.ticks(),
        panels=panels,
        width=round(WIDTH),
        height=round(top - GAP + BOTTOM),
        left=LEFT,
        right=RIGHT,
        bottom=top - GAP,
    )


def _panel(chart: Chart, panel: Panel, x: _Axis, top: float, height: float) -> dict[str, object]:
    y = _axis([value for curve in panel.curves for value in curve.values], top + height, top, spare=0.06)
    return {
        "label": panel.label,
        "top": top,
        "height": height,
        "y_ticks": y.ticks(),
        "curves": [_curve(chart.x, curve, number, (x, y), top) for number, curve in enumerate(panel.curves)],
        "bands": [
            {"x": x.at(b.start), "width": round(x.at(b.end) - x.at(b.start), 2), "text": b.text, "color": b.color}
            for b in chart.bands
        ],
        "marks": [{"at": x.at(mark.at), "text": mark.text} for mark in chart.marks],
    }


def _curve(xs: Sequence[float], curve: Curve, number: int, axes: tuple[_Axis, _Axis], top: float) -> dict[str, object]:
    return {
        "name": curve.name,
        "path": _path(xs, curve.values, axes),
        "color": color(number),
        "dashed": number >= len(COLORS),
        "key": top + KEY_LINE * (number + 0.5),
    }


def _path(xs: Sequence[float], values: Sequence[float], axes: tuple[_Axis, _Axis]) -> str:
    words, pen, before = [], "M", ""
    for x, value in zip(xs, values, strict=True):
        if not math.isfinite(value):
            pen = "M"
            continue
        place = f"{axes[0].at(x):g} {axes[1].at(value):g}"
        if pen == "M" or place != before:
            words.append(f"{pen}{place}")
        pen, before = "L", place
    return "".join(words)


def _axis(values: Sequence[float], first: float, last: float, spare: float) -> _Axis:
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    room = (high - low) * spare or (abs(high) * 0.05 or 1.0) * (high == low)
    return _Axis(low - room, high + room, first, last)


def _round_values(low: float, high: float) -> list[tuple[float, str]]:
    """Multiples of 1, 2 or 5 times a power of ten within, with their text."""
    raw = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return [
        (k * step, f"{k * step + 0.0:.{digits}f}" if digits < 6 else f"{k * step:g}") for k in range(first, last + 1)
    ]
