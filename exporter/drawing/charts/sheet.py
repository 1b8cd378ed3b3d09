"""A chart in pixels: every place of the axes on a sheet of paper.

In: a `Chart` and the `Sheet` that it is drawn on. Out: numbers that the template prints, rounded so that the
same chart gives the same bytes everywhere.
"""

import math
from collections.abc import Sequence

from exporter.drawing.charts.chart import Bar, Chart, Curve, Look, Mark, Panel
from exporter.drawing.charts.scale import Scale, fit_scale
from exporter.drawing.colors import COLORS, color
from exporter.records import dataclass

KEY_LINE = 17.0  # pixels between the names of two curves
TEXT_LINE = 15.0  # pixels between the texts of two marks
PANEL_MARGIN_RATIO = 0.06  # of a panel's height, above and below its curves
CHARACTER_WIDTH_RATIO = 0.56  # width of a character over its height, on average
LEAST_BAR_SIZE = (0.8, 2.0)  # pixels of a bar: width, height


@dataclass(frozen=True, slots=True)
class Sheet:
    """Where panels are on the paper, pixels."""

    width: float
    left: float
    right: float  # of the panels; the names of curves stand to the right of it
    top: float
    panel: float  # height of one
    gap: float
    bottom: float
    font: float
    is_page: bool  # a file of its own, with title and caption; else a part of an HTML page that has them


@dataclass(frozen=True, slots=True)
class Ruler:
    """A scale from one pixel to another."""

    scale: Scale
    first: float
    last: float

    def at(self, value: float) -> float:
        """Pixel of a value."""
        return round(self.first + self.scale.part(value) * (self.last - self.first), 2)

    def within(self, value: float) -> float:
        """Pixel of a value, of the nearer end for what lies beyond."""
        part = min(max(self.scale.part(value), 0.0), 1.0)
        return round(self.first + part * (self.last - self.first), 2)

    def ticks(self) -> list[dict[str, object]]:
        """Pixels and texts of round values."""
        return [{"at": self.at(tick.value), "text": tick.text} for tick in self.scale.ticks()]


@dataclass(frozen=True, slots=True)
class Line:
    """How a mark is drawn."""

    color: str
    width: float
    dashes: str


LINES: dict[Look, Line] = {
    "limit": Line("#b3261e", 1.5, "6 3"),
    "found": Line("#222222", 1.0, ""),
    "pale": Line("#e2a29e", 1.0, ""),
}


def draw_chart(chart: Chart, sheet: Sheet) -> dict[str, object]:
    """Panels, ticks and the height of the picture."""
    x = Ruler(chart.scale or fit_scale(chart.x), sheet.left, sheet.right)
    panels, top = [], sheet.top
    for panel in chart.panels:
        height = max(sheet.panel, KEY_LINE * len(panel.curves))
        panels.append(_panel(chart, panel, x, (top, height), sheet.font))
        top += height + sheet.gap
    return {
        "x_ticks": x.ticks(),
        "panels": panels,
        "height": round(top - sheet.gap + sheet.bottom),
        "bottom": top - sheet.gap,
    }


def _panel(chart: Chart, panel: Panel, x: Ruler, place: tuple[float, float], font: float) -> dict[str, object]:
    top, height = place
    marks = (*chart.marks, *panel.marks)
    free = TEXT_LINE * sum(mark.is_written for mark in marks)  # above what is drawn, for the words of marks
    values = [value for curve in panel.curves for value in curve.values]
    y = Ruler(panel.y or fit_scale(values, PANEL_MARGIN_RATIO), top + height, top + free)
    return {
        "label": panel.label,
        "top": top,
        "height": height,
        "y_ticks": y.ticks(),
        "curves": [_curve(chart.x, curve, number, (x, y)) for number, curve in enumerate(panel.curves)],
        "bars": [_bar(bar, x, y) for bar in panel.bars],
        "points": [{"x": x.within(point.x), "y": y.within(point.y)} for point in panel.points],
        "bands": [
            {"x": x.at(b.start), "width": round(x.at(b.end) - x.at(b.start), 2), "text": b.text, "color": b.color}
            for b in chart.bands
        ],
        "marks": _marks(marks, max((bar.high for bar in panel.bars), default=-math.inf), (x, y, top), font),
    }


def _curve(xs: Sequence[float], curve: Curve, number: int, axes: tuple[Ruler, Ruler]) -> dict[str, object]:
    return {
        "name": curve.name,
        "path": _path(xs, curve.values, axes),
        "color": color(number),
        "is_dashed": number >= len(COLORS),
        "key": axes[1].last + KEY_LINE * (number + 0.5),
    }


def _path(xs: Sequence[float], values: Sequence[float], axes: tuple[Ruler, Ruler]) -> str:
    words, pen, before = [], "M", ""
    for x, value in zip(xs, values, strict=True):
        if not math.isfinite(axes[1].scale.part(value)):
            pen = "M"
            continue
        place = f"{axes[0].at(x):g} {axes[1].at(value):g}"
        if pen == "M" or place != before:
            words.append(f"{pen}{place}")
        pen, before = "L", place
    return "".join(words)


def _bar(bar: Bar, x: Ruler, y: Ruler) -> dict[str, float]:
    """Thickened about its middle, and not beyond the foot of the panel."""
    left, right, top, foot = x.within(bar.start), x.within(bar.end), y.within(bar.high), y.within(bar.low)
    width, height = max(right - left, LEAST_BAR_SIZE[0]), max(foot - top, LEAST_BAR_SIZE[1])
    foot = min((foot + top + height) / 2, y.first)
    return {"x": left, "y": round(foot - height, 2), "width": round(width, 2), "height": round(height, 2)}


def _marks(
    marks: Sequence[Mark], tallest: float, place: tuple[Ruler, Ruler, float], font: float
) -> list[dict[str, object]]:
    """All marks of a panel, a line of text for each that is written."""
    written = [mark for mark in marks if mark.is_written]
    return [_mark(mark, written.index(mark) if mark.is_written else 0, tallest, place, font) for mark in marks]


def _mark(mark: Mark, number: int, tallest: float, place: tuple[Ruler, Ruler, float], font: float) -> dict[str, object]:
    """A line from one edge of the panel to the other, its text where no bar is: above all, or above its own line."""
    x, y, top = place
    length = round(CHARACTER_WIDTH_RATIO * font * len(mark.text), 1)
    found: dict[str, object] = {"mark": mark, "line": LINES[mark.look], "length": length}
    if mark.axis == "y":
        at = y.at(mark.at)
        words = _words(x.last, length, is_left=True) | {
            "y": top + 13 + TEXT_LINE * number if tallest > mark.at else at - 5
        }
        return found | words | {"x1": x.first, "x2": x.last, "y1": at, "y2": at}
    at = x.at(mark.at)
    words = _words(at, length, is_left=at > (x.first + x.last) / 2) | {"y": top + 13 + TEXT_LINE * number}
    return found | words | {"x1": at, "x2": at, "y1": top, "y2": y.first}


def _words(at: float, length: float, *, is_left: bool) -> dict[str, object]:
    """Where words begin or end that stand to the left or right of a place, and the paper under them."""
    if is_left:
        return {"x": round(at - 5, 2), "anchor": "end", "paper": round(at - 5 - length, 2)}
    return {"x": round(at + 5, 2), "anchor": "start", "paper": round(at + 5, 2)}
