"""Symbols of elements and torques that act about a joint, around the origin, in pixels, y downwards.

Used by: `placing`. A spring is a spiral, a damper a ring with a wing in it, an actuator an arc with two heads, a torque
one with one head, a driver part of a ring; an end stop is a hatched wall and friction a pair of rough lines, both
beside the joint.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from exporter.drawing.forces.along_lines import rough, stop
from exporter.drawing.forces.strokes import Stroke, Strokes, arc, head, line, placed
from exporter.drawing.hull import Point

FIRST_RADIUS, RING = 17.0, 10.0  # pixels: of the innermost ring, and from one ring to the next
BESIDE = ("end_stop", "friction")
PLACES = tuple(math.radians(degrees) for degrees in (180, 240, 125, 20))  # of those, clockwise from the right
FLATTEST, LEAST_TILT = 0.4, 1e-6  # of a ring that is seen from its side
HEAD = 6.0  # pixels that the head of an arrow reaches beyond its arc
GAP = math.radians(35)  # half of where a ring is open


def ring(kind: str, number: int, turning: int) -> Strokes:
    """The symbol on the number-th ring, which grows or acts counter-clockwise (+1) or clockwise (-1)."""
    strokes = RINGS[kind](FIRST_RADIUS + RING * number)
    return strokes if turning < 0 else _mirrored(strokes)


def tilted(strokes: Strokes, axis: Point) -> Strokes:
    """Strokes around an axis that is not along the view, of which so much is seen: flatter, but never a line."""
    size = math.hypot(*axis)
    if size < LEAST_TILT:
        return strokes
    (u, v), flat = (axis[0] / size, axis[1] / size), max(math.sqrt(max(1 - size * size, 0)), FLATTEST) - 1
    return tuple(
        replace(
            each,
            points=tuple(
                (round(x + flat * (x * u + y * v) * u, 3), round(y + flat * (x * u + y * v) * v, 3))
                for x, y in each.points
            ),
        )
        for each in strokes
    )


def beside(kind: str, number: int, radius: float) -> Strokes:
    """The number-th symbol that stands beside the joint, outside of a radius."""
    angle = PLACES[number % len(PLACES)]
    unit = (math.cos(angle), math.sin(angle))
    place = ((radius + 9) * unit[0], (radius + 9) * unit[1])
    if kind == "end_stop":
        return placed(stop(14), place, (-unit[0], -unit[1]))
    return placed(placed(rough(16), (-8, 0)), place, (-unit[1], unit[0]))


def _mirrored(strokes: Strokes) -> Strokes:
    """Strokes with up and down exchanged: clockwise becomes counter-clockwise."""
    return tuple(type(each)(tuple((x, -y) for x, y in each.points), each.fill, each.width) for each in strokes)


def _spiral(radius: float) -> Strokes:
    turns, count = 2.25, 72
    inner = radius - 9
    points = ((inner + 9 * k / count, math.tau * turns * k / count) for k in range(count + 1))
    curve = tuple((r * math.cos(angle), r * math.sin(angle)) for r, angle in points)
    return (line(*curve, (curve[-1][0] + 5, curve[-1][1]), width=1.5),)


def _rotary_damper(radius: float) -> Strokes:
    low, high = radius - 3, radius + 3
    return (
        line(*arc(high, -2.4, -0.9), *arc(low, -0.9, -2.4), width=1.5),
        line(*arc(radius, -1.6, 0.5)),
        line((low * math.cos(-1.6), low * math.sin(-1.6)), (high * math.cos(-1.6), high * math.sin(-1.6)), width=3),
    )


def _torque(radius: float) -> Strokes:
    end = math.tau - GAP
    return (line(*arc(radius, GAP, end), width=2.5), _head_beyond(radius, end, 1))


def _turn(radius: float) -> Strokes:
    end = math.tau * 0.62
    return (line(*arc(radius, 0, end), width=2.5), _head_beyond(radius, end, 1))


def _actuator(radius: float) -> Strokes:
    return (*_torque(radius), _head_beyond(radius, GAP, -1))


def _head_beyond(radius: float, angle: float, sense: int) -> Stroke:
    """The head of an arrow that goes on from an angle of an arc."""
    tip, middle = angle + sense * HEAD / radius, angle + sense * HEAD / 2 / radius
    return head((radius * math.cos(tip), radius * math.sin(tip)), middle + sense * math.pi / 2)


RINGS: Mapping[str, Callable[[float], Strokes]] = {
    "spring": _spiral,
    "gas_spring": _spiral,
    "damper": _rotary_damper,
    "actuator": _actuator,
    "torque": _torque,
    "turn": _turn,
}
