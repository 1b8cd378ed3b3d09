"""Scenes in pixels: what both renderers draw."""

import math
from dataclasses import dataclass, replace

from exporter.drawing.canvas import CAPTION, HEIGHT, MARGIN, WIDTH, Canvas, canvas_for
from exporter.drawing.colors import color
from exporter.drawing.forces.labels import Box, along_line, around, box_of
from exporter.drawing.forces.marks import Mark
from exporter.drawing.forces.placing import DrawnMark, draw_marks
from exporter.drawing.hull import Point
from exporter.drawing.scene import Guide, Link, Pivot, Rail, Scene

TOTAL_HEIGHT = HEIGHT + CAPTION + 24
TRIAD, CORNER = 34, (WIDTH - 60, TOTAL_HEIGHT - 50)  # pixels: length of the ground's axes, and where they start
SYMBOLS = {
    "": "circle",
    "revolute": "circle",
    "prismatic": "square",
    "cylindrical": "boxed circle",
    "spherical": "disc",
    "universal": "diamond",
    "planar": "square",
    "fixed": "plate",
    "free": "cross",
}
"""How a joint is drawn, by its type."""


@dataclass(frozen=True, slots=True)
class DrawnLink:
    """A body in pixels."""

    name: str
    corners: tuple[Point, ...]
    center_of_mass: Point | None
    label: Point
    color: str


@dataclass(frozen=True, slots=True)
class DrawnPivot:
    """A pivot in pixels, with its place in metres."""

    name: str
    at: Point
    grounded: bool
    x_m: str
    y_m: str
    type: str
    symbol: str
    label: str


@dataclass(frozen=True, slots=True)
class DrawnRail:
    """A rail in pixels; the slider's angle in degrees, clockwise."""

    name: str
    start: Point
    end: Point
    slider: Point
    angle: float


@dataclass(frozen=True, slots=True)
class DrawnGuide:
    """A guide in pixels."""

    name: str
    start: Point
    end: Point


@dataclass(frozen=True, slots=True)
class DrawnAxis:
    """One of the ground's axes in pixels."""

    name: str
    start: Point
    end: Point
    label: Point


@dataclass(frozen=True, slots=True)
class Panel:
    """One scene on paper."""

    title: str
    caption: tuple[str, ...]
    links: tuple[DrawnLink, ...]
    pivots: tuple[DrawnPivot, ...]
    rails: tuple[DrawnRail, ...]
    bar_m: str
    bar_px: float
    guides: tuple[DrawnGuide, ...]
    axes: tuple[DrawnAxis, ...]
    marks: tuple[DrawnMark, ...] = ()


def panels_of(scenes: tuple[Scene, ...]) -> tuple[Panel, ...]:
    """The scenes side by side at one scale."""
    canvas = canvas_for(scenes)
    bar = 10 ** math.floor(math.log10((HEIGHT - 2 * MARGIN) / canvas.scale))
    return tuple(_with_marks(_panel(canvas, scene, bar), canvas, scene.marks) for scene in scenes)


def _panel(canvas: Canvas, scene: Scene, bar: float) -> Panel:
    return Panel(
        scene.title,
        tuple(scene.caption.splitlines()),
        tuple(_link(canvas, number, link) for number, link in enumerate(scene.links)),
        tuple(_pivot(canvas, pivot) for pivot in scene.pivots),
        tuple(_rail(canvas, rail) for rail in scene.rails),
        f"{bar:g}",
        round(bar * canvas.scale, 3),
        tuple(_guide(canvas, guide) for guide in scene.guides),
        tuple(_axis(name, unit) for name, unit in scene.axes if unit != (0, 0)),
    )


def _with_marks(panel: Panel, canvas: Canvas, marks: tuple[Mark, ...]) -> Panel:
    """The panel with loads and elements, whose names keep clear of those that are there."""
    paper = Box(4, CAPTION - 8, WIDTH - 4, TOTAL_HEIGHT - 34)
    return replace(panel, marks=draw_marks(marks, canvas.place, names_of(panel), _lines_of(panel), paper))


def names_of(panel: Panel) -> list[Box]:
    """What names take, those of marks left out."""
    return [
        *(box_of(link.name, link.label) for link in panel.links if len(link.corners) > 1),
        *(box_of(pivot.label, (pivot.at[0] + 10, pivot.at[1] - 9)) for pivot in panel.pivots),
        *(box_of(rail.name, (rail.slider[0] + 14, rail.slider[1] + 26)) for rail in panel.rails),
        *(box_of(axis.name, axis.label) for axis in panel.axes),
    ]


def _lines_of(panel: Panel) -> list[Box]:
    """What bodies, joints and rails take, more or less."""
    rings = [[*link.corners, *link.corners[:1]] for link in panel.links]
    rings += [[guide.start, guide.end] for guide in panel.guides]
    return [
        *(box for ring in rings for box in along_line(ring)),
        *(around(pivot.at, 8) for pivot in panel.pivots),
        *(around((pivot.at[0], pivot.at[1] + 10), 12) for pivot in panel.pivots if pivot.grounded),
        *(around(rail.slider, 12) for rail in panel.rails),
    ]


def _link(canvas: Canvas, number: int, link: Link) -> DrawnLink:
    corners = tuple(canvas.place(corner) for corner in link.corners)
    middle = (
        sum(x for x, _ in corners) / max(len(corners), 1),
        sum(y for _, y in corners) / max(len(corners), 1),
    )
    centre = None if link.center_of_mass is None else canvas.place(link.center_of_mass)
    return DrawnLink(link.name, corners, centre, (round(middle[0] + 8, 3), round(middle[1] + 20, 3)), color(number))


def _pivot(canvas: Canvas, pivot: Pivot) -> DrawnPivot:
    label = pivot.name if pivot.label is None else pivot.label
    x, y = (f"{part:.9g}" for part in pivot.at)
    return DrawnPivot(pivot.name, canvas.place(pivot.at), pivot.grounded, x, y, pivot.type, SYMBOLS[pivot.type], label)


def _guide(canvas: Canvas, guide: Guide) -> DrawnGuide:
    return DrawnGuide(guide.name, canvas.place(guide.start), canvas.place(guide.end))


def _axis(name: str, unit: Point) -> DrawnAxis:
    x, y = CORNER
    end = (round(x + TRIAD * unit[0], 3), round(y - TRIAD * unit[1], 3))
    label = (round(x + (TRIAD + 10) * unit[0] - 4, 3), round(y - (TRIAD + 10) * unit[1] + 4, 3))
    return DrawnAxis(name, (x, y), end, label)


def _rail(canvas: Canvas, rail: Rail) -> DrawnRail:
    start, end = canvas.place(rail.start), canvas.place(rail.end)
    angle = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
    return DrawnRail(rail.name, start, end, canvas.place(rail.slider), round(angle, 3))
