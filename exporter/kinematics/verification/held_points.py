"""Refuses an angle of a line that has no length, because joints hold its two points together in every pose.

In: a Mechanism. Out: nothing, or a refusal. Judged by the original closures at the design pose and at
random places of the ranges, at nominal parameters and at other values of tunable ones.
"""

import numpy as np

from exporter.errors import ModelError
from exporter.kinematics.closures.closing import Array, close_rows
from exporter.kinematics.closures.numeric import Poses, poses_of
from exporter.kinematics.closures.passive_spins import closures_of
from exporter.kinematics.closures.pose_row import pose_row
from exporter.kinematics.verification.ranges import ranges_of
from exporter.model.mechanism import AngleOutput, Frame, Mechanism
from exporter.model.parameter_sets import parameter_sets
from exporter.model.size import nominal_place

RANDOM_WAYS = 4  # to random places of the ranges
WAY_SHARES = (1.0, 0.3, 0.1, 0.03, 0.01)  # of a way: what does not close at its end may close nearer to the design pose
COINCIDENCE_DISTANCE = 1e-9  # of the mechanism's length: points so near in all poses are held together


def check_lines(mechanism: Mechanism) -> None:
    """Refuse lines between two bodies that are nothing in every pose.

    Raises:
        ModelError: the output, its points, and what to ask for instead.
    """
    lines = {name: each for name, each in mechanism.angles.items() if each.start.body != each.end.body}
    for name, line in lines.items():
        if _held_together(mechanism, line):
            raise ModelError(
                f"{mechanism.name}: the line of '{name}' has no length: joints hold {line.start.name} and "
                f"{line.end.name} together in every pose; name two points that lie apart in outputs.{name}.line"
            )


def _held_together(mechanism: Mechanism, line: AngleOutput) -> bool:
    """Whether the ends of a line are one point in all poses that close, of which there are two at least."""
    closing = 0
    for values in parameter_sets(mechanism):
        lengths = _lengths(mechanism.at_values(values), line)
        if (lengths > COINCIDENCE_DISTANCE).any():
            return False
        closing += lengths.size
    return closing > 1


def _lengths(mechanism: Mechanism, line: AngleOutput) -> Array:
    """Lengths of a line over that of the mechanism, in the poses that close at nominal parameters."""
    closures = closures_of(mechanism)
    rows, closes = close_rows(closures, _rows(mechanism), mechanism.independent)
    between = _between(mechanism, poses_of(closures.numbers, rows[closes]), line)
    return np.asarray(np.linalg.norm(between, axis=-1) / closures.length)


def _rows(mechanism: Mechanism) -> Array:
    """The design pose, then others of the independent coordinates, (n, c)."""
    ranges, count = ranges_of(mechanism), len(mechanism.independent)
    ways = ranges.random(RANDOM_WAYS)[:, :count] - ranges.design[:count]
    rows = np.tile(pose_row(mechanism), (1 + RANDOM_WAYS * len(WAY_SHARES), 1))
    columns = [mechanism.coordinates().index(name) for name in ranges.names[:count]]
    rows[1:, columns] += np.vstack([share * ways for share in WAY_SHARES])
    return rows


def _between(mechanism: Mechanism, poses: Poses, line: AngleOutput) -> Array:
    return _place(mechanism, poses, line.end) - _place(mechanism, poses, line.start)


def _place(mechanism: Mechanism, poses: Poses, frame: Frame) -> Array:
    inside = np.array(nominal_place(mechanism, frame), dtype=float)
    return np.asarray(poses.origin[frame.body] + poses.turn[frame.body] @ inside)
