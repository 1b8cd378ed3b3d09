"""Places for names beside what they name, where they cover no other name, symbol of a joint, or edge of the picture.

In: boxes that are taken, in pixels, y downwards. Out: the lower left corner of a text of 13 pixels.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from exporter.drawing.hull import Point
from exporter.records import dataclass

CAPITAL, SMALL = 9.6, 7.2  # pixels of a character
ASCENT, DESCENT = 11.0, 4.0  # pixels above and below the line that a text stands on
DIRECTIONS = 16
STEP = 8.0  # pixels of a line that one box covers
REACHES = range(4, 150, 4)  # pixels


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Whether they have pixels in common."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def within(self, other: "Box") -> bool:
        """Whether no part of it is outside the other."""
        return (
            other.left <= self.left
            and self.right <= other.right
            and other.top <= self.top
            and self.bottom <= other.bottom
        )


def box_of(text: str, at: Point) -> Box:
    """What a text takes that stands at a point."""
    width = sum(CAPITAL if each.isupper() else SMALL for each in text)
    return Box(at[0], at[1] - ASCENT, at[0] + width, at[1] + DESCENT)


def around(at: Point, reach: float) -> Box:
    """A square about a point."""
    return Box(at[0] - reach, at[1] - reach, at[0] + reach, at[1] + reach)


def extent(points: Iterable[Point]) -> Box:
    """The smallest box around points."""
    xs, ys = zip(*points, strict=True)
    return Box(min(xs), min(ys), max(xs), max(ys))


def along_line(points: Sequence[Point]) -> Iterator[Box]:
    """Small boxes that cover a line."""
    for (x, y), (to_x, to_y) in pairwise(points):
        count = max(1, math.ceil(math.hypot(to_x - x, to_y - y) / STEP))
        for k in range(count + 1):
            yield around((x + (to_x - x) * k / count, y + (to_y - y) * k / count), STEP / 2)


def label_place(text: str, own: Box, names: Sequence[Box], lines: Sequence[Box], paper: Box) -> Point:
    """Where a text stands as near as can be to the symbol that it names, on no other name.

    On no line either, where there is such a place; right of the symbol where there is no room at all.
    """
    inside = [(at, box) for at in _candidates(text, own) if (box := box_of(text, at)).within(paper)]
    clear = [(at, box) for at, box in inside if not any(box.meets(other) for other in names)]
    free = (at for at, box in clear if not any(box.meets(other) for other in lines))
    return next(free, next((at for at, _ in clear), (round(own.right + 4, 3), round(own.bottom, 3))))


def _candidates(text: str, own: Box) -> Iterator[Point]:
    """Right of the symbol, then all around, nearest first."""
    width = box_of(text, (0, 0)).right
    x, y = (own.left + own.right) / 2, (own.top + own.bottom) / 2
    for reach in REACHES:
        for k in range(DIRECTIONS):
            c, s = math.cos(math.tau * k / DIRECTIONS), math.sin(math.tau * k / DIRECTIONS)
            middle_x = x + c * (reach + (own.right - own.left + width) / 2)
            middle_y = y + s * (reach + (own.bottom - own.top) / 2 + 8)
            yield round(middle_x - width / 2, 3), round(middle_y + (ASCENT - DESCENT) / 2, 3)
