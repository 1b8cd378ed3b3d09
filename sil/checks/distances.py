"""Distances of points that are outputs: against the reference's own tree of bodies.

Let places of size L be wrong by e L, velocities by e L R, accelerations by e L A; R and A are the row's largest rate
and acceleration, or those of the two points over L. With d the distance and w = |r'| / d, a = |r''| / d of the way r
between the points, the distance is wrong by e L, its rate by e L (R + w), its acceleration by
e L (A + a + 2 w (R + w)).
"""

import numpy as np

from exporter.model.mechanism import Distance
from sil.check_names import Check
from sil.checks.condition_scaling import Judgement, judge_errors, scale_floor
from sil.checks.mechanism_case import Case
from sil.checks.rates import acceleration_scale, rate_scale
from sil.reference.points import PointMotion, point_motion
from sil.reference.rotations import Array, dot


def check_distances(case: Case) -> Judgement:
    """Distances, rates and accelerations over the sizes of what they come from."""
    mechanism = case.reference.skeleton.mechanism
    asked = [(name, mechanism.distances[s]) for name, s in mechanism.outputs.items() if s in mechanism.distances]
    if not asked:
        return [], []
    rates, second = case.moving, case.driven
    scales = np.maximum(rate_scale(case), scale_floor()), np.maximum(acceleration_scale(case, second), scale_floor())
    errors = [error for name, wanted in asked for error in _errors(case, name, wanted, rates, second, scales)]
    if not errors:
        return [], []
    detail = "against the tree of bodies at the reference's pose"
    return judge_errors(case, Check.DISTANCES, np.stack(errors, axis=1), case.evidence.limits.relative, detail)


def _errors(
    case: Case, name: str, wanted: Distance, rates: Array, second: Array, scales: tuple[Array, Array]
) -> list[Array]:
    skeleton, given = case.reference.skeleton, case.outputs.others
    start, end = (point_motion(skeleton, frame, case.at, rates, second) for frame in (wanted.start, wanted.end))
    right, size = _right_values(start, end), np.maximum(skeleton.length, _largest(start.place, end.place, len(rates)))
    rate = np.maximum(scales[0], _largest(start.velocity, end.velocity, len(rates)) / size)
    acceleration = np.maximum(scales[1], _largest(start.acceleration, end.acceleration, len(rates)) / size)
    turning = np.linalg.norm(end.velocity - start.velocity, axis=-1) / right[""]
    bending = np.linalg.norm(end.acceleration - start.acceleration, axis=-1) / right[""]
    first = rate + turning
    sizes = {"": size, ".rate": size * first, ".acceleration": size * (acceleration + bending + 2 * turning * first)}
    return [
        np.abs(case.output(given[f"{name}{suffix}"]) - right[suffix]) / scale
        for suffix, scale in sizes.items()
        if f"{name}{suffix}" in given
    ]


def _right_values(start: PointMotion, end: PointMotion) -> dict[str, Array]:
    """Distance, rate and acceleration, (rows,) each."""
    way, moving = end.place - start.place, end.velocity - start.velocity
    distance = np.linalg.norm(way, axis=-1)
    rate = dot(way, moving) / distance
    drawn = dot(way, end.acceleration - start.acceleration)
    return {"": distance, ".rate": rate, ".acceleration": (dot(moving, moving) + drawn - rate**2) / distance}


def _largest(one: Array, other: Array, rows: int) -> Array:
    sizes = [np.linalg.norm(vector, axis=-1) for vector in (one, other)]  # that of a point of the ground is a number
    return np.asarray(np.broadcast_to(np.maximum(*sizes), rows))
