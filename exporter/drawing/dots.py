"""Dotted lines as their dots, which both renderers draw alike."""

import math
from collections.abc import Sequence
from itertools import pairwise

from exporter.drawing.hull import Point

GAP = 6.0  # pixels from dot to dot


def dots_along(line: Sequence[Point]) -> tuple[Point, ...]:
    """Dots at equal distances along a line, from its first point on."""
    found, left = [], 0.0
    for (x, y), (to_x, to_y) in pairwise(line):
        length = math.hypot(to_x - x, to_y - y)
        while left < length:
            part = left / length
            found.append((round(x + (to_x - x) * part, 2), round(y + (to_y - y) * part, 2)))
            left += GAP
        left -= length
    return tuple(found)
