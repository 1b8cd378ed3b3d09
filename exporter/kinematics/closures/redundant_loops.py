"""Closing joints that hold by themselves once the others hold, such as a guide of a scissor lift: they can be dropped.

Comes in: a Mechanism. Goes out: the mechanism without them, and a note on each. A joint is redundant where the other
loops alone leave as many degrees of freedom as coordinates are independent, and where it stays closed at poses around
the design pose at which only the others were closed, with tunable parameters at other values too: at ends of their
ranges and at random, for a joint may be redundant only where two lengths are equal. Each independent coordinate moves
by a part of its own: a joint that ties two of them together is not redundant.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from exporter.kinematics.closures.numeric import (
    Array,
    Numbers,
    closing_jacobians,
    closing_residuals,
    numbers_of,
    pose_row,
    units_of,
)
from exporter.kinematics.seeded.seed import spread
from exporter.model.mechanism import Mechanism
from exporter.model.parameter_sets import parameter_sets
from exporter.model.size import length_of

ITERATIONS = 20  # of Gauss and Newton
RANK = 1e-8  # singular values below this, over the largest, are zero
CLOSED = 1e-10  # residual over the length scale up to which a joint is closed
AROUND = 6  # poses in the neighbourhood that is looked at
NEIGHBOURHOOD = 0.1  # of the range of a displacement
TURN = 0.2  # rad, the same of an angle


@dataclass(frozen=True, slots=True)
class Fewer:
    """A mechanism without its redundant closing joints, and what to say of them."""

    mechanism: Mechanism
    notes: tuple[str, ...]


def without_redundant_loops(mechanism: Mechanism) -> Fewer | None:
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
    return Fewer(replace(mechanism, joints=kept), notes)


def _is_redundant(mechanism: Mechanism, name: str, dropped: Sequence[str]) -> bool:
    """At nominal parameters, and at no others is it open where the other loops close."""
    nominal, *others = parameter_sets(mechanism)
    if not _is_implied(mechanism.at_values(nominal), name, dropped):
        return False
    return not any(_is_implied(mechanism.at_values(values), name, dropped) is False for values in others)


def _is_implied(mechanism: Mechanism, name: str, dropped: Sequence[str]) -> bool | None:
    """None where the other loops do not close, so that nothing is told."""
    numbers, length = numbers_of(mechanism), float(length_of(mechanism))
    others = [j.name for j in mechanism.joints if j.closes and j.name != name and j.name not in dropped]
    names = mechanism.coordinates()
    row = pose_row(mechanism)
    driven = [names.index(each) for each in mechanism.independent]
    design = _closed(numbers, row, driven, others, length)
    if design is None:
        return None
    if _freedom(numbers, design, others, length) != len(driven):
        return False
    reach = np.array([_reach(mechanism, each) for each in mechanism.independent])
    for parts in spread(len(driven), AROUND):
        moved = design.copy()
        moved[driven] += parts * reach
        pose = _closed(numbers, moved, driven, others, length)
        if pose is None:
            return None
        if not _is_closed(closing_residuals(numbers, pose[None], length)[name]):
            return False
    return True


def _reach(mechanism: Mechanism, coordinate: str) -> float:
    limits = mechanism.ranges[coordinate]
    return NEIGHBOURHOOD * float(limits.maximum - limits.minimum) if mechanism.is_displacement(coordinate) else TURN


def _is_closed(residual: Array) -> bool:
    return bool(np.abs(residual).max(initial=0.0) <= CLOSED)


def _freedom(numbers: Numbers, row: Array, joints: Sequence[str], length: float) -> int:
    jacobians = closing_jacobians(numbers, row, length)
    if not joints:
        return len(row)
    values = np.linalg.svd(np.vstack([jacobians[name] for name in joints]), compute_uv=False)
    return len(row) - int((values > RANK * values[0]).sum())


def _closed(numbers: Numbers, row: Array, driven: Sequence[int], joints: Sequence[str], length: float) -> Array | None:
    """The nearest pose at which these joints are closed, the driven coordinates kept; None where Newton finds none."""
    free = [k for k in range(len(row)) if k not in driven]
    units = units_of(numbers.mechanism, length)
    row = np.array(row)
    for _ in range(ITERATIONS):
        residuals = closing_residuals(numbers, row[None], length)
        open_by = np.concatenate([residuals[name][0] for name in joints]) if joints else np.zeros(0)
        if _is_closed(open_by):
            return row
        jacobians = closing_jacobians(numbers, row, length)
        matrix = np.vstack([jacobians[name] for name in joints])[:, free]
        row[free] -= np.linalg.lstsq(matrix, open_by, rcond=RANK)[0] * units[free]
    return None
