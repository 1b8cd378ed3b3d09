"""What a chart shows: curves, bars and points over one axis, in panels below each other, with bands and marks.

In: whoever has numbers to show. Used by: `exporter.drawing.charts.svg`. All places are values of the axes.
"""

from collections.abc import Sequence
from typing import Literal

from exporter.drawing.charts.scale import Scale
from exporter.records import dataclass

Look = Literal["limit", "found", "pale"]


@dataclass(frozen=True, slots=True)
class Curve:
    """A quantity over the axis; interrupted where its value is not finite."""

    name: str
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle, cut off at the ends of the axes; what is thinner than can be seen is drawn a little thicker."""

    start: float
    end: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Point:
    """A dot that stands out."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Band:
    """From one value of the axis to another."""

    start: float
    end: float
    text: str
    color: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A line across at a value of one axis: a limit, what was found, or something less important."""

    at: float
    text: str
    axis: Literal["x", "y"] = "x"
    look: Look = "limit"
    is_written: bool = False  # beside the line; else it is shown by viewers that have a pointer


@dataclass(frozen=True, slots=True)
class Panel:
    """What has one scale upwards: `y`, or one that fits the curves."""

    label: str
    curves: tuple[Curve, ...] = ()
    bars: tuple[Bar, ...] = ()
    points: tuple[Point, ...] = ()
    marks: tuple[Mark, ...] = ()
    y: Scale | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture. The scale along the axis is `scale`, or one that fits `x`."""

    title: str
    caption: str  # a sentence for those who do not see the picture, too
    x_label: str
    x: Sequence[float]  # of the values of all curves
    panels: tuple[Panel, ...]
    bands: tuple[Band, ...] = ()  # across all panels
    marks: tuple[Mark, ...] = ()  # across all panels
    scale: Scale | None = None
