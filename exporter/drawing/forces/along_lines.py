"""Symbols of elements and forces that act along a line: drawn along x from 0 to a length in pixels.

Used by: `placing`. A spring is a zigzag, a damper a dashpot, a gas spring a cylinder with a rod, an actuator such a
cylinder with a double arrow beside it, friction a pair of rough lines. A symbol that would not fit is made smaller.
"""

import math
from collections.abc import Callable, Mapping

from exporter.drawing.forces.strokes import Stroke, Strokes, area, head, line, placed, scaled
from exporter.drawing.hull import Point

SHORTEST = 36.0  # pixels: symbols of shorter ones are made smaller
LONGEST_DASHPOT, REACH, PAIR = 46.0, 7.0, 9.0  # pixels; PAIR: spring and damper beside the line between them
ARROW = 46.0  # pixels of a force across the view
LEAST_ARROW = 12.0  # pixels: a force along the view is a ring with a dot


def symbol(kind: str, length: float, *, damped: bool = False) -> Strokes:
    """The symbol of an element from (0, 0) to (length, 0)."""
    factor = min(1.0, length / SHORTEST)
    draw = _spring_and_damper if damped else SYMBOLS[kind]
    return scaled(draw(length / factor), factor)


def half_width(kind: str, *, damped: bool = False) -> float:
    """Pixels to both sides that a symbol takes."""
    if damped:
        return PAIR + REACH
    return REACH + 8 if kind == "actuator" else REACH


def _spring(length: float) -> Strokes:
    lead = max(6.0, length * 0.16)
    turns = max(3, min(9, round((length - 2 * lead) / 9)))
    step = (length - 2 * lead) / (2 * turns)
    corners = [(lead + step * (2 * k + 0.5 + j), REACH * (1 - 2 * j)) for k in range(turns) for j in (0, 1)]
    return (line((0, 0), (lead, 0), *corners, (length - lead, 0), (length, 0)),)


def _damper(length: float) -> Strokes:
    body = min(length * 0.5, LONGEST_DASHPOT)
    a, b = (length - body) / 2, (length + body) / 2
    middle = a + body * 0.55
    return (
        line((0, 0), (a, 0)),
        line((b, REACH), (a, REACH), (a, -REACH), (b, -REACH)),
        line((middle, REACH - 2), (middle, 2 - REACH), width=3),
        line((middle, 0), (length, 0)),
    )


def _spring_and_damper(length: float) -> Strokes:
    lead = length * 0.1
    inner = length - 2 * lead
    return (
        line((0, 0), (lead, 0)),
        line((lead, PAIR), (lead, -PAIR)),
        *placed(_spring(inner), (lead, -PAIR)),
        *placed(_damper(inner), (lead, PAIR)),
        line((length - lead, PAIR), (length - lead, -PAIR)),
        line((length - lead, 0), (length, 0)),
    )


def _gas_spring(length: float) -> Strokes:
    a, b = length * 0.08, length * 0.6
    return (
        line((0, 0), (a, 0)),
        area((a, REACH), (b, REACH), (b, -REACH), (a, -REACH)),
        line((b - 5, REACH - 2), (b - 5, 2 - REACH), width=3),
        line((b - 5, 0), (length, 0), width=3),
    )


def _actuator(length: float) -> Strokes:
    side = -REACH - 6
    return (
        *_gas_spring(length),
        line((length * 0.3, side), (length * 0.7, side)),
        head((length * 0.3 - 6, side), math.pi, 8),
        head((length * 0.7 + 6, side), 0, 8),
    )


def _friction(length: float) -> Strokes:
    half, middle = min(length * 0.3, 20.0), length / 2
    return (
        line((0, 0), (middle - half, 0)),
        *placed(rough(2 * half), (middle - half, 0)),
        line((middle + half, 0), (length, 0)),
    )


def rough(length: float) -> Strokes:
    """Two rough lines on each other, from (0, 0) to (length, 0)."""
    count = max(4, round(length / 4))
    return tuple(
        line(*((length * k / count, gap + (1.5 if k % 2 else -1.5)) for k in range(count + 1))) for gap in (-3, 3)
    )


def stop(width: float = 18.0) -> Strokes:
    """A wall across x at 0, hatched on the side of x < 0."""
    marks = [width * (k / 4 - 0.5) for k in range(5)]
    return (
        line((0, -width / 2), (0, width / 2), width=2.5),
        *(line((0, y), (-6, y + 5), width=1) for y in marks),
    )


SYMBOLS: Mapping[str, Callable[[float], Strokes]] = {
    "spring": _spring,
    "damper": _damper,
    "gas_spring": _gas_spring,
    "actuator": _actuator,
    "friction": _friction,
}


def force(along: Point) -> Strokes:
    """An arrow from the origin along a vector on paper, whose length is 1 across the view."""
    length = math.hypot(*along) * ARROW
    if length < LEAST_ARROW:
        return along_the_view()
    tip = (along[0] * ARROW, along[1] * ARROW)
    neck = tuple(part * (1 - 6 / length) for part in tip)
    return (line((0, 0), (neck[0], neck[1]), width=2.5), head(tip, math.atan2(tip[1], tip[0])))


def along_the_view() -> Strokes:
    """A ring with a dot: what acts towards who looks at it, or away."""
    ring = tuple((9 * math.cos(k * math.pi / 8), 9 * math.sin(k * math.pi / 8)) for k in range(16))
    dot = tuple((2.5 * math.cos(k * math.pi / 4), 2.5 * math.sin(k * math.pi / 4)) for k in range(8))
    return Stroke(ring, "paper"), Stroke(dot, "ink")
