"""How joints that slide are drawn, in pixels: a block on a rail of the ground, or a rod in a cylinder between bodies.

In: the ends of the line that the joint slides along. Out: strokes, back to front. Used by: `panels`.
"""

import math

from exporter.drawing.forces.strokes import Strokes, area, line, placed
from exporter.drawing.hull import Point

BARREL, HALF_BARREL, HALF_ROD = 0.58, 8.0, 2.5  # of the length; pixels
SHORTEST_CYLINDER = 30.0  # pixels: what is shorter is a block on a piece of rail
HATCH, TOOTH = 14.0, 7.0  # pixels from one line of the hatching to the next, and its depth
BLOCK = (13.0, 9.0)  # pixels: half of a block


def cylinder(start: Point, end: Point) -> Strokes:
    """A barrel from the start, and the rod that leaves it towards the end; nothing where both are too near."""
    along, length = direction(start, end)
    if length < SHORTEST_CYLINDER:
        return ()
    mouth = length * BARREL
    rod = area((mouth, -HALF_ROD), (length, -HALF_ROD), (length, HALF_ROD), (mouth, HALF_ROD))
    barrel = area((0, -HALF_BARREL), (mouth, -HALF_BARREL), (mouth, HALF_BARREL), (0, HALF_BARREL))
    piston = line((mouth * 0.82, -HALF_BARREL + 2), (mouth * 0.82, HALF_BARREL - 2), width=4)
    stem = line((mouth * 0.82, 0), (mouth, 0), width=2)
    return placed((rod, barrel, piston, stem), start, along)


def rail(start: Point, end: Point, slider: Point, *, grounded: bool) -> Strokes:
    """A line with a block on it; hatched where it stands on the ground."""
    along, length = direction(start, end)
    ticks = range(1, int(length / HATCH)) if grounded else ()
    low = BLOCK[1] + 1 if grounded else 0.0
    bed = placed(
        (
            line((0, low), (length, low), width=2),
            *(line((HATCH * k, low), (HATCH * k - TOOTH, low + TOOTH), width=1) for k in ticks),
        ),
        start,
        along,
    )
    a, b = BLOCK
    return (*bed, *placed((area((-a, -b), (a, -b), (a, b), (-a, b)),), slider, along))


def direction(start: Point, end: Point) -> tuple[Point, float]:
    """The unit vector from one point to another, and how far that is."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy)
    return ((dx / length, dy / length), length) if length > 1e-9 else ((1.0, 0.0), 0.0)
