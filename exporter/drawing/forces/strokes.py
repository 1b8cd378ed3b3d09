"""Lines and areas that symbols are made of, in pixels, and how they are moved, turned and made smaller."""

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from exporter.drawing.hull import Point
from exporter.records import dataclass

Strokes = tuple["Stroke", ...]


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points; a closed area where it is filled."""

    points: tuple[Point, ...]
    fill: Literal["", "paper", "ink"] = ""
    width: float = 1.8

    @property
    def path(self) -> str:
        """What SVG calls the line."""
        text = " L".join(f"{x:g} {y:g}" for x, y in self.points)
        return f"M{text} Z" if self.fill else f"M{text}"


def line(*points: Point, width: float = 1.8) -> Stroke:
    """An open line."""
    return Stroke(points, width=width)


def area(*points: Point, fill: Literal["paper", "ink"] = "paper") -> Stroke:
    """A closed area."""
    return Stroke(points, fill)


def scaled(strokes: Iterable[Stroke], factor: float) -> Strokes:
    """Strokes made larger or smaller about the origin."""
    return tuple(replace(each, points=tuple((x * factor, y * factor) for x, y in each.points)) for each in strokes)


def placed(strokes: Iterable[Stroke], origin: Point, unit: Point = (1.0, 0.0)) -> Strokes:
    """Strokes that are drawn along x, from an origin along a unit vector; what was at y > 0 is a quarter turn on."""
    return tuple(replace(each, points=tuple(_place(point, origin, unit) for point in each.points)) for each in strokes)


def _place(point: Point, origin: Point, unit: Point) -> Point:
    (x, y), (c, s) = point, unit
    return round(origin[0] + x * c - y * s, 3) + 0.0, round(origin[1] + x * s + y * c, 3) + 0.0


def arc(radius: float, start: float, end: float, center: Point = (0.0, 0.0)) -> tuple[Point, ...]:
    """Points on a circle from one angle to another, rad, one every tenth of a rad or so."""
    count = max(2, math.ceil(abs(end - start) * 10))
    angles = (start + (end - start) * k / count for k in range(count + 1))
    return tuple((center[0] + radius * math.cos(angle), center[1] + radius * math.sin(angle)) for angle in angles)


def head(tip: Point, direction: float, size: float = 9.0) -> Stroke:
    """The head of an arrow that points along an angle, rad."""
    corners = ((0.0, 0.0), (-size, size * 0.42), (-size, -size * 0.42))
    return placed((area(*corners, fill="ink"),), tip, (math.cos(direction), math.sin(direction)))[0]
