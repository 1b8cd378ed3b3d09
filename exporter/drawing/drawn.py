"""What a panel holds, in pixels: both renderers draw it and nothing else."""

import math
from itertools import pairwise

from exporter.drawing.forces.placing import DrawnMark
from exporter.drawing.forces.strokes import Strokes
from exporter.drawing.hull import Point
from exporter.drawing.names import Name
from exporter.records import dataclass

HALF_HINGE, HALF_PIN = 13.0, 5.0  # pixels of a hinge along its axis and across


@dataclass(frozen=True, slots=True)
class DrawnLink:
    """A body in pixels."""

    name: str
    corners: tuple[Point, ...]
    center_of_mass: Point | None
    color: str

    @property
    def width(self) -> float:
        """Pixels of its outline: a bar is thick."""
        return 6.0 if len(self.corners) == 2 else 2.5


@dataclass(frozen=True, slots=True)
class DrawnPivot:
    """A pivot in pixels, with its place in metres; the axis of a hinge is as long as it is seen, 1 across the view."""

    name: str
    at: Point
    grounded: bool
    x_m: str
    y_m: str
    type: str
    symbol: str
    axis: Point = (0.0, 0.0)

    @property
    def corners(self) -> tuple[Point, ...]:
        """The corners of a hinge that is seen from its side, from the pivot."""
        size = math.hypot(*self.axis) or 1.0
        u, v = (self.axis[0] / size, self.axis[1] / size)
        a, b = HALF_HINGE * size, HALF_PIN
        return tuple(
            (round(u * i * a - v * j * b, 3), round(v * i * a + u * j * b, 3))
            for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        )

    @property
    def barrel(self) -> str:
        """What SVG calls these corners, from where the pivot is."""
        first, *others = self.corners
        steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise((first, *others))]
        return f"m{first[0]:g} {first[1]:g} " + " ".join(f"l{x:g} {y:g}" for x, y in steps) + " z"


@dataclass(frozen=True, slots=True)
class DrawnSlide:
    """A rail or a cylinder in pixels; the line of a joint in space from frame to frame."""

    name: str
    strokes: Strokes
    line: tuple[Point, Point] | None = None


@dataclass(frozen=True, slots=True)
class DrawnSpot:
    """A point of interest in pixels."""

    name: str
    at: Point


@dataclass(frozen=True, slots=True)
class DrawnPath:
    """A dotted path in pixels."""

    point: str
    driver: str
    corners: tuple[Point, ...]
    dots: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class DrawnAxis:
    """One of the ground's axes in pixels."""

    name: str
    start: Point
    end: Point
    label: Point


@dataclass(frozen=True, slots=True)
class Text:
    """A text on paper."""

    words: str
    at: Point


@dataclass(frozen=True, slots=True)
class Heading:
    """A title as it fits into the picture."""

    words: str
    size: int  # px


@dataclass(frozen=True, slots=True)
class Panel:
    """One scene on paper."""

    title: str
    heading: Heading
    caption: tuple[str, ...]
    links: tuple[DrawnLink, ...]
    pivots: tuple[DrawnPivot, ...]
    slides: tuple[DrawnSlide, ...]
    bar: str
    bar_px: float
    axes: tuple[DrawnAxis, ...]
    spots: tuple[DrawnSpot, ...] = ()
    marks: tuple[DrawnMark, ...] = ()
    names: tuple[Name, ...] = ()
    paths: tuple[DrawnPath, ...] = ()
    seen_from: Text | None = None
