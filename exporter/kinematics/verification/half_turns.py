"""Where dependent angles that forces read by value come to half a turn inside the ranges.

An angle that loops give is given within half a turn of zero, or of the design pose where a coupling reads it. Where it
passes that, its value jumps by a whole turn, and a spring along it, or along what it drives by a gear, would push the
other way.

In: a `Probe`. Out: a refusal that names the formula and the place. Looked at are straight ways from the design pose to
the ends and corners of the ranges and to some random places.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import pi

import numpy as np

from exporter.errors import RangesRefused
from exporter.kinematics.closures.closing import Array
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.protocol.solution_rows import followers_of
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
    read = list(_angles_read(probe.solved))
    if not read:
        return
    targets = np.vstack([probe.ranges.ends(), probe.ranges.corners(), probe.ranges.random(RANDOM_PLACES)])
    ways = probe.ranges.ways(targets, STAGES)
    flat = ways.reshape(-1, ways.shape[-1])
    angles = probe.coordinates(flat).reshape(*ways.shape[:2], -1)
    clear = probe.at(flat).clear.reshape(ways.shape[:2])
    design = probe.coordinates(probe.ranges.design[None])[0]
    for each in read:
        column = mechanism.coordinates().index(each.name)
        center = 0.0 if each.follower is None else float(design[column])
        place = _passed(probe, column, ways, np.where(clear, _wrapped(angles[..., column] - center), np.nan), center)
        if place is not None:
            raise RangesRefused(f"{mechanism.name}: {_refusal(each, probe.where(place))}")


@dataclass(frozen=True, slots=True)
class _Read:
    """A dependent angle that a force reads by its value, by itself or through couplings."""

    name: str
    by: str  # the formula, as "loads.motor.value"
    follower: str | None = None  # what the force reads, where couplings give that from the angle


def _refusal(read: _Read, where: str) -> str:
    if read.follower is None:
        return (
            f"{read.name} passes half a turn at {where}, where its value, given within half a turn of zero, jumps by a "
            f"whole turn; {read.by} reads it: write sin({read.name}), cos({read.name}), turn a frame of the joint so "
            f"that {read.name} stays away from half a turn, or narrow the ranges"
        )
    return (
        f"{read.name} passes half a turn from the design pose at {where}, where its value jumps by a whole turn; "
        f"{read.follower} follows it by a coupling, and {read.by} reads {read.follower}: narrow the ranges, or move "
        "the design pose to their middle"
    )


def _angles_read(solved: Solution) -> Iterator[_Read]:
    """Dependent angles that are read by value, and what reads each."""
    mechanism, followers = solved.mechanism, followers_of(solved)
    given = {*mechanism.independent, *followers}
    for place, formula in formulas_of_forces(mechanism):
        for name in sorted(read_by_value(formula) & set(mechanism.coordinates())):
            if name in followers:
                told = _coupled_with(mechanism, name) - given
                yield from (_Read(each, place.key, name) for each in sorted(told) if mechanism.is_angle(each))
            elif name not in given and mechanism.is_angle(name):
                yield _Read(name, place.key)


def _coupled_with(mechanism: Mechanism, name: str) -> set[str]:
    """The coordinates that couplings tie to one, over others too."""
    found = {name}
    for _ in mechanism.couplings:
        found |= {one for each in mechanism.couplings if found & set(each.coordinates) for one in each.coordinates}
    return found


def _passed(probe: Probe, column: int, ways: Array, angles: Array, center: float) -> Array | None:
    """The first place on ways (stages, n, q) where an angle, NaN where it is flagged, is half a turn from a center.

    `angles` (stages, n) are from the center on.
    """
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
        first = np.sign(_wrapped(probe.coordinates(np.stack([near, middle]))[:, column] - center))
        near, far = (near, middle) if first[0] != first[1] else (middle, far)
    return np.asarray(near)


def _wrapped(angles: Array) -> Array:
    """Within half a turn of zero."""
    return np.asarray(np.arctan2(np.sin(angles), np.cos(angles)))
