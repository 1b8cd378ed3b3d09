"""Three points that span a body: those that are well off a line, for places lose digits by the sine between them.

In: names of points of a body in the order in which they were found, and where they are on it. Out: three of them.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import sqrt

from exporter.kinematics.protocol.frames import Vector3, cross, difference, dot

COLLINEAR_SINE = 1e-9  # of the angle at the first point, below which three lie on a line
NARROW_SINE = 0.1  # below which a body that they span loses a digit and more


def three_centers(names: Sequence[str], places: Mapping[str, Vector3]) -> tuple[str, ...]:
    """The first three that are well off a line, or those that are farthest off one; none where all lie on one."""
    widest, most = tuple[str, ...](), COLLINEAR_SINE
    for numbers in sorted(combinations(range(len(names)), 3), key=lambda each: each[::-1]):
        three = tuple(names[number] for number in numbers)
        sine = spread(three, places)
        if sine > most:
            widest, most = three, sine
        if most > NARROW_SINE:
            break
    return widest


def spread(three: Sequence[str], places: Mapping[str, Vector3]) -> float:
    """The sine of the angle at the first of three points."""
    first, second, third = (places[name] for name in three)
    one, two = difference(second, first), difference(third, first)
    normal, size = cross(one, two), dot(one, one) * dot(two, two)
    return sqrt(dot(normal, normal) / size) if size else 0.0
