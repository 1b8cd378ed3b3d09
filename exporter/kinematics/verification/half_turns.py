"""Where dependent angles that forces read by value come to half a turn inside the ranges.

An angle that follows from others is given within half a turn of zero. Where it passes that, its value jumps by a whole
turn, and a spring along it would push the other way.

In: a `Probe`. Out: a refusal that names the formula and the place. Looked at are straight ways from the design pose to
the ends and corners of the ranges and to some random places.
"""

from collections.abc import Iterator
from math import pi

import numpy as np

from exporter.errors import RangesRefused
from exporter.kinematics.closures.closing import Array
from exporter.kinematics.verification.probe import Probe
from exporter.model.angles_read import formulas_of_forces, read_by_value
from exporter.model.mechanism import Mechanism

STAGES = 24  # of a way
RANDOM_PLACES = 32
HALVINGS = 40  # of a stage
NEAR = 1e-6  # rad from half a turn: rounding and tolerances of a pose may take it to either side


def check_angles_read(probe: Probe) -> None:
    """Refuse a load or element that reads an angle which passes half a turn.

    Raises:
        RangesRefused: the formula, the angle, and where.
    """
    mechanism = probe.solved.mechanism
    read = dict(_angles_read(mechanism))
    if not read:
        return
    targets = np.vstack([probe.ranges.ends(), probe.ranges.corners(), probe.ranges.random(RANDOM_PLACES)])
    ways = probe.ranges.ways(targets, STAGES)
    flat = ways.reshape(-1, ways.shape[-1])
    angles = probe.coordinates(flat).reshape(*ways.shape[:2], -1)
    clear = probe.at(flat).clear.reshape(ways.shape[:2])
    for name, what in read.items():
        column = mechanism.coordinates().index(name)
        place = _passed(probe, column, ways, np.where(clear, _wrapped(angles[..., column]), np.nan))
        if place is not None:
            raise RangesRefused(
                f"{mechanism.name}: {name} passes half a turn at {probe.where(place)}, where its value, given within "
                f"half a turn of zero, jumps by a whole turn; {what} reads it: write sin({name}), cos({name}), turn a "
                f"frame of the joint so that {name} stays away from half a turn, or narrow the ranges"
            )


def _angles_read(mechanism: Mechanism) -> Iterator[tuple[str, str]]:
    """Dependent angles that are read by value, and what reads each."""
    known = (*mechanism.independent, *mechanism.following().names)
    dependent = [name for name in mechanism.coordinates() if name not in known]
    for place, formula in formulas_of_forces(mechanism):
        for name in dependent:
            if mechanism.is_angle(name) and name in read_by_value(formula):
                yield name, place.key


def _passed(probe: Probe, column: int, ways: Array, angles: Array) -> Array | None:
    """The first place on ways (stages, n, q) where an angle, NaN where it is flagged, comes to half a turn."""
    jumps = np.abs(angles[1:] - angles[:-1]) > pi
    touches = np.abs(angles) > pi - NEAR
    if touches.any():
        return np.asarray(ways[tuple(np.argwhere(touches)[0])])
    if not jumps.any():
        return None
    stage, way = np.argwhere(jumps)[0]
    near, far = ways[stage, way], ways[stage + 1, way]
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        first = np.sign(_wrapped(probe.coordinates(np.stack([near, middle]))[:, column]))
        near, far = (near, middle) if first[0] != first[1] else (middle, far)
    return np.asarray(near)


def _wrapped(angles: Array) -> Array:
    """Within half a turn of zero."""
    return np.asarray(np.arctan2(np.sin(angles), np.cos(angles)))
