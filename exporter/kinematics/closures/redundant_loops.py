"""Closing joints that hold by themselves once the others hold, such as a guide of a scissor lift: they can be dropped.

In: a Mechanism. Out: the mechanism without them, and a note on each. A joint is redundant where the other
loops alone leave as many degrees of freedom as coordinates are independent, and where it stays closed at poses around
the design pose at which only the others were closed, with tunable parameters at other values too: at ends of their
ranges and at random, for a joint may be redundant only where two lengths are equal. Each independent coordinate moves
by a part of its own: a joint that ties two of them together is not redundant.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from exporter.kinematics.closures.closing import Array, close_rows, jacobians, joint_closures, openings
from exporter.kinematics.closures.pose_row import pose_row
from exporter.kinematics.closures.rank import rank
from exporter.kinematics.closures.tolerances import SOLUTION_RESIDUAL
from exporter.kinematics.seeded.seed import spread
from exporter.model.mechanism import Mechanism
from exporter.model.parameter_sets import parameter_sets
from exporter.records import dataclass

NEIGHBOURHOOD_POSES = 6  # poses in the neighbourhood that is looked at
NEIGHBOURHOOD_RATIO = 0.1  # of the range of a displacement
NEIGHBOURHOOD_ANGLE = 0.2  # rad, the same of an angle


@dataclass(frozen=True, slots=True)
class ReducedMechanism:
    """A mechanism without its redundant closing joints, and what to say of them."""

    mechanism: Mechanism
    notes: tuple[str, ...]


def without_redundant_loops(mechanism: Mechanism) -> ReducedMechanism | None:
    """The mechanism without them; None where there are none. The last joints of the file go first."""
    dropped: list[str] = []
    for joint in reversed(mechanism.joints):
        if joint.closes and _is_redundant(mechanism, joint.name, dropped):
            dropped.append(joint.name)
    if not dropped:
        return None
    kept = tuple(joint for joint in mechanism.joints if joint.name not in dropped)
    notes = tuple(
        f"loop '{name}': the other loops imply all of its closure equations; it is redundant and was dropped"
        for name in reversed(dropped)
    )
    return ReducedMechanism(replace(mechanism, joints=kept), notes)


def _is_redundant(mechanism: Mechanism, name: str, dropped: Sequence[str]) -> bool:
    """At nominal parameters, and at no others is it open where the other loops close."""
    nominal, *others = parameter_sets(mechanism)
    if not _is_implied(mechanism.at_values(nominal), name, dropped):
        return False
    return not any(_is_implied(mechanism.at_values(values), name, dropped) is False for values in others)


def _is_implied(mechanism: Mechanism, name: str, dropped: Sequence[str]) -> bool | None:
    """None where the other loops do not close, so that nothing is told."""
    kept = [joint.name for joint in mechanism.joints if joint.closes and joint.name not in dropped]
    others, names = joint_closures(mechanism, set(kept) - {name}), mechanism.coordinates()
    design, closes = close_rows(others, pose_row(mechanism)[None], mechanism.independent)
    if not closes[0]:
        return None
    if len(names) - rank(jacobians(others, design)[0]) != len(mechanism.independent):
        return False
    parts = np.array(list(spread(len(mechanism.independent), NEIGHBOURHOOD_POSES)))
    moved = np.repeat(design, len(parts), axis=0)
    moved[:, [names.index(each) for each in mechanism.independent]] += parts * _reach(mechanism)
    poses, closes = close_rows(others, moved, mechanism.independent)
    opened = openings(joint_closures(mechanism, {name}), poses) > SOLUTION_RESIDUAL
    first = int(np.argmax(opened | ~closes))
    if closes[first] and opened[first]:
        return False
    return True if closes.all() else None


def _reach(mechanism: Mechanism) -> Array:
    """How far each independent coordinate moves, (q,)."""
    ranges = [mechanism.ranges[name] for name in mechanism.independent]
    return np.array(
        [
            NEIGHBOURHOOD_RATIO * float(limits.maximum - limits.minimum)
            if mechanism.is_displacement(name)
            else NEIGHBOURHOOD_ANGLE
            for name, limits in zip(mechanism.independent, ranges, strict=True)
        ]
    )
