"""Where dependent angles that forces or couplings read by value come to half a turn inside the ranges.

An angle that loops give is given within half a turn of zero, or of the design pose where a coupling reads it. Where it
passes that, its value jumps by a whole turn: a spring along it would push the other way, and a nut or a wheel that
follows it by a screw or a gear would stand elsewhere.

In: a `Probe`. Out: a refusal that names what reads the angle and the place. Looked at are straight ways from the design
pose to the ends and corners of the ranges and to some random places.
"""

import math
from collections.abc import Collection, Iterator
from math import pi

import numpy as np

from exporter.errors import RangesRefused
from exporter.kinematics.closures.closing import Array
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.protocol.solution_rows import followers_of
from exporter.kinematics.verification.probe import Probe
from exporter.kinematics.verification.ranges import Ranges
from exporter.model.angles_read import formulas_of_forces, read_by_value
from exporter.model.couplings import Coupling, coupling_text, ratio_values
from exporter.model.evaluate import names as names_of
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass

STAGES, MOST_STAGES = 24, 1200  # of a way
LONGEST_STAGE = 0.25  # rad or m
RANDOM_PLACES = 32
HALVINGS = 40  # of a stage
NEAR = 1e-6  # rad from half a turn: rounding and tolerances of a pose may take it to either side


def check_angles_read(probe: Probe) -> None:
    """Refuse a load, element or coupling that reads an angle which passes half a turn.

    Raises:
        RangesRefused: what reads it, the angle, and where.
    """
    mechanism = probe.solved.mechanism
    read = list(_angles_read(probe.solved))
    if not read:
        return
    ways = _ways(probe.ranges)
    flat = ways.reshape(-1, ways.shape[-1])
    angles = probe.coordinates(flat).reshape(*ways.shape[:2], -1)
    clear = probe.at(flat).clear.reshape(ways.shape[:2])
    design = probe.coordinates(probe.ranges.design[None])[0]
    for each in read:
        column = mechanism.coordinates().index(each.name)
        center = float(design[column]) if each.coupled else 0.0
        place = _passed(probe, column, ways, np.where(clear, _wrapped(angles[..., column] - center), np.nan), center)
        if place is not None:
            raise RangesRefused(f"{mechanism.name}: {each.refusal(probe.where(place))}")


def _ways(ranges: Ranges) -> Array:
    """Ways on which no driver takes more than `LONGEST_STAGE` rad or m at once, while `MOST_STAGES` allow it."""
    targets = np.vstack([ranges.ends(), ranges.corners(), ranges.random(RANDOM_PLACES)])
    longest = float(np.abs(targets - ranges.design).max(initial=0.0))
    return ranges.ways(targets, min(max(STAGES, math.ceil(longest / LONGEST_STAGE)), MOST_STAGES))


@dataclass(frozen=True, slots=True)
class _Read:
    """A dependent angle that is read by its value."""

    name: str
    by: str  # the formula, as "loads.motor.value", or the coupling
    coupled: bool = False  # read by a coupling, within half a turn of the design pose

    def refusal(self, where: str) -> str:
        if self.coupled:
            return (
                f"{self.name} passes half a turn from the design pose at {where}, where its value jumps by a whole "
                f"turn; {self.by}: narrow the ranges, or move the design pose to their middle"
            )
        return (
            f"{self.name} passes half a turn at {where}, where its value, given within half a turn of zero, jumps by a "
            f"whole turn; {self.by} reads it: write sin({self.name}), cos({self.name}), turn a frame of the joint so "
            f"that {self.name} stays away from half a turn, or narrow the ranges"
        )


def _angles_read(solved: Solution) -> Iterator[_Read]:
    """Dependent angles that are read by value, and what reads each."""
    mechanism, followers = solved.mechanism, followers_of(solved)
    given = {*mechanism.independent, *followers}
    for place, formula in formulas_of_forces(mechanism):
        for name in sorted(read_by_value(formula) & set(mechanism.coordinates())):
            if name in followers:
                told = _coupled_with(mechanism, name) - given
                by = f"{name} follows it by a coupling, and {place.key} reads {name}"
                yield from (_Read(each, by, coupled=True) for each in sorted(told) if mechanism.is_angle(each))
            elif name not in given and mechanism.is_angle(name):
                yield _Read(name, place.key)
    for coupling in _solved_in_turn(mechanism, followers):
        if _notices_whole_turns(mechanism, coupling):
            by = f"{coupling.follower} would jump by the coupling {coupling_text(coupling)}"
            read = _coupled_with(mechanism, coupling.follower) - given
            yield from (_Read(each, by, coupled=True) for each in sorted(read) if mechanism.is_angle(each))


def _solved_in_turn(mechanism: Mechanism, followers: Collection[str]) -> Iterator[Coupling]:
    """The couplings that give something by themselves, solved for it."""
    for coupling in mechanism.couplings:
        own = [name for name in coupling.coordinates if name in followers]
        if own:
            yield coupling.solved_for(own[0])


def _notices_whole_turns(mechanism: Mechanism, coupling: Coupling) -> bool:
    """Whether what follows stands elsewhere after whole turns of the angles: not so behind gears of whole ratios."""
    tunable = {*mechanism.tunable_names()}
    ratios = ratio_values(coupling, mechanism.nominal_values()).values()
    fixed = not any(names_of(ratio) & tunable for ratio in coupling.ratios.values())
    return mechanism.is_displacement(coupling.follower) or not (fixed and all(each.denominator == 1 for each in ratios))


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
    touches = np.abs(angles) > pi - NEAR
    if touches.any():
        return np.asarray(ways[tuple(np.argwhere(touches)[0])])
    stages, way = np.nonzero(np.abs(angles[1:] - angles[:-1]) > pi)
    near, far = ways[stages, way], ways[stages + 1, way]
    for _ in range(HALVINGS if len(near) else 0):
        middle = (near + far) / 2
        first, half = (np.sign(_wrapped(probe.coordinates(rows)[:, column] - center)) for rows in (near, middle))
        kept = (first == half)[:, None]
        near, far = np.where(kept, middle, near), np.where(kept, far, middle)
    places = near[np.abs(_wrapped(probe.coordinates(near)[:, column] - center)) > pi / 2] if len(near) else near
    return np.asarray(places[0]) if len(places) else None


def _wrapped(angles: Array) -> Array:
    """Within half a turn of zero."""
    return np.asarray(np.arctan2(np.sin(angles), np.cos(angles)))
