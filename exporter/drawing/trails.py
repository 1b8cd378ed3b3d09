"""The paths of points while one independent coordinate goes through its range and the others stay where they are.

In: a Solution of the exported assembly, and a pose. Out: a `Trail` for each point and driver, in ground axes. Places
that an export would flag are left out, and so is what is far outside of the mechanism.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from exporter.drawing.placed import Placed
from exporter.kinematics.closures.closing import looped_coordinates
from exporter.kinematics.closures.numeric import Array, numbers_of, poses_of
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.model.couplings import following, ratio_values
from exporter.model.evaluate import evaluate
from exporter.model.joints import CENTERED_JOINT_TYPES, GROUND
from exporter.model.mechanism import Frame, Mechanism
from exporter.model.points_of_interest import points_of_interest
from exporter.records import dataclass

PLACES = 33  # of a point along the range of one coordinate
MOST_PATHS = 12  # of points that are no points of interest
FAR_RATIO = 1.0  # of the mechanism's size beyond it: what is further away is left out
LEAST_RATIO = 0.002  # of the mechanism's size: shorter paths are points


@dataclass(frozen=True, slots=True)
class Trail:
    """A piece of the path of one point."""

    point: str
    driver: str
    places: Array  # (n, 3), m


def trails_of(solved: Solution, coordinates: Mapping[str, float]) -> tuple[Trail, ...]:
    """The pieces of all paths; none of a mechanism without points of interest that has many joints and drivers."""
    mechanism = solved.mechanism
    points, drivers = followed_points(mechanism), mechanism.independent
    if not points or not drivers:
        return ()
    rows = np.concatenate([_rows(mechanism, coordinates, name) for name in drivers])
    found = solution_rows(solved, rows)
    numbers = numbers_of(mechanism)
    box = _box(Placed(mechanism, coordinates))
    trails = []
    for number, driver in enumerate(drivers):
        part = slice(number * PLACES, (number + 1) * PLACES)
        poses = poses_of(numbers, found.coordinates[part])
        for name, frame in points:
            local = np.array([float(evaluate(each, mechanism.nominal_values())) for each in frame.at])
            places = np.broadcast_to(poses.origin[frame.body] + poses.turn[frame.body] @ local, (PLACES, 3))
            trails += [Trail(name, driver, piece) for piece in _pieces(places, found.good[part], box)]
    return tuple(trails)


def followed_points(mechanism: Mechanism) -> tuple[tuple[str, Frame], ...]:
    """The points of interest; where there are none, points that no joint is at, or else joints of moving bodies."""
    points = tuple((name, frame) for name, frame in points_of_interest(mechanism) if frame.body != GROUND)
    joined = {frame for joint in mechanism.joints for frame in (joint.parent, joint.child)}
    others = tuple((each.name, each) for body in mechanism.bodies for each in body.frames if each not in joined)
    pins = tuple(
        (each.name, each.child)
        for each in mechanism.joints
        if each.type in CENTERED_JOINT_TYPES and GROUND not in each.bodies
    )
    few = MOST_PATHS / max(len(mechanism.independent), 1)
    return points or next((found for found in (others, pins) if 0 < len(found) <= few), ())


def _rows(mechanism: Mechanism, coordinates: Mapping[str, float], driver: str) -> Array:
    """Independent coordinates, (PLACES, f): those of the pose but for the driver's, over what shows all it moves."""
    rows = np.tile([float(coordinates[name]) for name in mechanism.independent], (PLACES, 1))
    low, high = (float(bound) for bound in (mechanism.ranges[driver].minimum, mechanism.ranges[driver].maximum))
    span = _span(mechanism, driver)
    if high - low > span:
        low = min(max(float(coordinates[driver]) - span / 2, low), high - span)
        high = low + span
    rows[:, mechanism.independent.index(driver)] = np.linspace(low, high, PLACES)
    return rows


def _span(mechanism: Mechanism, driver: str) -> float:
    """What of a range is enough: a turn of the fastest angle that it drives in loops, or of what follows by gears.

    What a screw moves does not come back: all of the range is.
    """
    if not mechanism.is_angle(driver):
        return math.inf
    slopes = {name: float(name == driver) for name in mechanism.independent}
    values = mechanism.nominal_values()
    for coupling in following(mechanism.couplings, mechanism.independent).order:
        ratios = ratio_values(coupling, values)
        slopes[coupling.follower] = sum(float(ratio) * slopes.get(name, 0.0) for name, ratio in ratios.items())
    moved, looped = [name for name, slope in slopes.items() if slope], looped_coordinates(mechanism)
    seen = [name for name in moved if name in looped] or [name for name in moved if name != driver] or [driver]
    turns = [abs(slopes[name]) for name in seen if mechanism.is_angle(name)]
    return math.tau / max(turns) if turns else math.inf


def _box(placed: Placed) -> tuple[Array, Array, float]:
    """The lower and the upper corner of where paths are drawn, and the mechanism's size."""
    frames = [frame for joint in placed.mechanism.joints for frame in (joint.parent, joint.child)]
    points = np.array([placed.frame(frame) for frame in frames])
    size = placed.size()
    return points.min(axis=0) - FAR_RATIO * size, points.max(axis=0) + FAR_RATIO * size, size


def _pieces(places: Array, good: Array, box: tuple[Array, Array, float]) -> Iterator[Array]:
    """Runs of places that are good and near, where they are more than a point."""
    low, high, size = box
    near = good & (places >= low).all(axis=1) & (places <= high).all(axis=1)
    ends = np.flatnonzero(np.diff(np.concatenate([[False], near, [False]])))
    for first, last in zip(ends[::2], ends[1::2], strict=True):
        piece = places[first:last]
        if len(piece) > 1 and np.ptp(piece, axis=0).max() > LEAST_RATIO * size:
            yield piece
