"""How a mechanism in space stands in its pictures: up is where gravity comes from, in the choice of the view too.

In: a Mechanism. Out: rows that turn ground axes to the right, to the back and up, as views have them; the usual view.
"""

from itertools import combinations

import numpy as np

from exporter.drawing.placed import Placed
from exporter.drawing.views import NAMES, Name, seen, towards_eye
from exporter.kinematics.closures.numeric import Array
from exporter.model.evaluate import evaluate
from exporter.model.mechanism import Mechanism

ALONG = 0.999  # cosine: gravity is along an axis of the ground
NEAR_RATIO = 0.05  # of the picture: joints that are seen nearer to each other hide each other
APART_RATIO = 0.02  # of the mechanism: joints that are nearer to each other are at one place
MOST_HIDDEN = 2  # pairs that may be hidden from the usual side more than from another one
MOST_JOINTS = 60  # of more, no other view is tried
USUAL: Name = "iso"
TURNS = {
    "z": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "y": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "x": ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
    "-z": ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
    "-y": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "-x": ((0, 1, 0), (0, 0, -1), (-1, 0, 0)),
}
"""Rows to the right, to the back and up, by the axis that is up: right-handed all of them."""


def up_of(mechanism: Mechanism) -> str:
    """The axis that gravity is against, "z" or "-y"; empty where there is none or it is along no axis."""
    values = mechanism.nominal_values()
    gravity = np.array([float(evaluate(part, values)) for part in mechanism.gravity])
    size = float(np.linalg.norm(gravity))
    for name, rows in TURNS.items():
        if size > 0 and -float(np.array(rows[2]) @ gravity) > ALONG * size:
            return name
    return ""


def turn_of_view(mechanism: Mechanism) -> Array:
    """Rows (3, 3) to the right, to the back and up; z is up where gravity does not tell."""
    return np.array(TURNS[up_of(mechanism) or "z"], dtype=float)


def seen_from(mechanism: Mechanism, view: Name) -> str:
    """The axes of the ground that point to whoever looks, in words."""
    eye = turn_of_view(mechanism).T @ np.array(towards_eye(view))
    parts = [
        f"{'-' if part < 0 else '+'}{name}" for name, part in zip("xyz", eye, strict=True) if abs(part) > NEAR_RATIO
    ]
    return f"seen from {', '.join(parts)}"


def usual_view(placed: Placed) -> Name:
    """Iso, or the view from which fewer joints hide each other, where that makes more than a small difference."""
    joints = placed.mechanism.joints
    if len(joints) > MOST_JOINTS:
        return USUAL
    places = _apart([placed.joint(joint) for joint in joints], APART_RATIO * placed.size())
    turn = turn_of_view(placed.mechanism)
    hidden = {view: _hidden(view, [turn @ place for place in places]) for view in NAMES}
    best = min(NAMES, key=lambda view: (hidden[view], NAMES.index(view)))
    return USUAL if hidden[USUAL] <= hidden[best] + MOST_HIDDEN else best


def _apart(places: list[Array], least: float) -> list[Array]:
    """The places that are at no place of an earlier one."""
    found: list[Array] = []
    for place in places:
        if all(np.linalg.norm(place - other) > least for other in found):
            found.append(place)
    return found


def _hidden(view: Name, places: list[Array]) -> int:
    """Pairs of places that are seen near each other."""
    flat = np.array([seen(view, place.tolist()) for place in places])
    near = NEAR_RATIO * float(np.ptp(flat, axis=0).max())
    return sum(bool(np.hypot(*(one - other)) < near) for one, other in combinations(flat, 2))
