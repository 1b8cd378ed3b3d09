"""Scenes in pixels: what both renderers draw."""

import math
from dataclasses import dataclass

from exporter.drawing.canvas import CAPTION, HEIGHT, MARGIN, Canvas, canvas_for, color
from exporter.drawing.scene import Link, Pivot, Point, Rail, Scene

TOTAL_HEIGHT = HEIGHT + CAPTION + 24


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


@dataclass(frozen=True, slots=True)
class DrawnRail:
    """A rail in pixels; the slider's angle in degrees, clockwise."""

    name: str
    start: Point
    end: Point
    slider: Point
    angle: float


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


def panels_of(scenes: tuple[Scene, ...]) -> tuple[Panel, ...]:
    """The scenes side by side at one scale."""
    canvas = canvas_for(scenes)
    bar = 10 ** math.floor(math.log10((HEIGHT - 2 * MARGIN) / canvas.scale))
    return tuple(
        Panel(
            scene.title,
            tuple(scene.caption.splitlines()),
            tuple(_link(canvas, number, link) for number, link in enumerate(scene.links)),
            tuple(_pivot(canvas, pivot) for pivot in scene.pivots),
            tuple(_rail(canvas, rail) for rail in scene.rails),
            f"{bar:g}",
            round(bar * canvas.scale, 3),
        )
        for scene in scenes
    )


def _link(canvas: Canvas, number: int, link: Link) -> DrawnLink:
    corners = tuple(canvas.place(corner) for corner in link.corners)
    middle = (
        sum(x for x, _ in corners) / max(len(corners), 1),
        sum(y for _, y in corners) / max(len(corners), 1),
    )
    centre = None if link.center_of_mass is None else canvas.place(link.center_of_mass)
    return DrawnLink(link.name, corners, centre, (round(middle[0] + 8, 3), round(middle[1] + 20, 3)), color(number))


def _pivot(canvas: Canvas, pivot: Pivot) -> DrawnPivot:
    return DrawnPivot(pivot.name, canvas.place(pivot.at), pivot.grounded, f"{pivot.at[0]:.9g}", f"{pivot.at[1]:.9g}")


def _rail(canvas: Canvas, rail: Rail) -> DrawnRail:
    start, end = canvas.place(rail.start), canvas.place(rail.end)
    angle = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
    return DrawnRail(rail.name, start, end, canvas.place(rail.slider), round(angle, 3))
