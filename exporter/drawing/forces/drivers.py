"""The independent coordinates of a mechanism at one pose: what drives it, along or about what, and by how much.

In: a mechanism in place, and how places look. Out: a `Mark` for each, with its value in degrees, mm or m.
"""

import numpy as np

from exporter.drawing.forces.marks import Look, Mark, turn_of
from exporter.drawing.placed import SLIDING_JOINT_TYPES, Placed
from exporter.drawing.quantities import angle_text, length_text
from exporter.kinematics.closures.numeric import Array, poses_of

STEP = 0.1  # rad of the turn that an axis is taken from: any will do, its sine is divided by


def driver_marks(placed: Placed, look: Look) -> tuple[Mark, ...]:
    """Every independent coordinate, in the order of the file."""
    return tuple(_driver(placed, look, name) for name in placed.mechanism.independent)


def _driver(placed: Placed, look: Look, name: str) -> Mark:
    place, value = look(placed.joint(placed.joint_of(name))), placed.coordinates[name]
    if placed.mechanism.is_angle(name):
        axis = axis_of(placed, name)
        turning, text = turn_of(look, axis), angle_text(value)
        about = "independent angle"
        return Mark(name, "driver", "turn", about, place, place, (0.0, 0.0), turning, value=text, axis=look(axis))
    text, along = length_text(value, placed.size()), look(placed.slide(name))
    beside = placed.joint_of(name).type in SLIDING_JOINT_TYPES
    return Mark(name, "driver", "slide", "independent displacement", place, place, along, value=text, beside=beside)


def axis_of(placed: Placed, name: str) -> Array:
    """The axis (3,) that a coordinate turns its joint's child about, in ground axes."""
    mechanism = placed.mechanism
    row = np.array([placed.coordinates[each] for each in mechanism.coordinates()])
    rows = np.array([row, row])
    rows[1, mechanism.coordinates().index(name)] += STEP
    body = placed.joint_of(name).child.body
    before, after = np.broadcast_to(poses_of(placed.numbers, rows, (body,)).turn[body], (2, 3, 3))
    turn = after @ before.T
    skew = (turn - turn.T) / (2 * np.sin(STEP))
    return np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
