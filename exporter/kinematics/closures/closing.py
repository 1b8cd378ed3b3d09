"""The original closures at many configurations at once: residuals, Jacobians, directions of motion.

In: a Mechanism and rows of all its coordinates. Out: arrays. Displacements are measured in the mechanism's
length, so that turns and slides compare. No block, no branch: this judges every choice of coordinates alike.
"""

from collections.abc import Collection
from dataclasses import field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.closures.coupled_rows import Values, coupling_residuals, nominal_rows, within_half_turns
from exporter.kinematics.closures.numeric import Numbers, Poses, closing_residuals, complex_steps, numbers_of, units_of
from exporter.kinematics.closures.passive_spin import PassiveSpin, spin_residuals
from exporter.kinematics.closures.tolerances import CLOSING_RESIDUAL, ZERO_SINGULAR_VALUE
from exporter.model.mechanism import Mechanism
from exporter.model.size import length_of
from exporter.records import dataclass

Array = NDArray[Any]
ITERATIONS = 30  # of Gauss-Newton
LONGEST_STEP = 0.3  # rad or lengths; Newton's steps are cut there, so that the nearest assembly is found


@dataclass(frozen=True, slots=True)
class Closures:
    """A mechanism's closures, ready for evaluation."""

    mechanism: Mechanism
    joints: tuple[str, ...]  # that close
    numbers: Numbers
    length: float  # m
    units: Array  # (c,), one unit of every coordinate: 1 rad, or the length in m
    spins: tuple[PassiveSpin, ...] = ()  # whose spins are held
    values: Values = field(default_factory=dict)  # of the parameters, which ratios of couplings are made of
    coupled: bool = False  # couplings are closures too


def joint_closures(mechanism: Mechanism, joints: Collection[str] | None = None) -> Closures:
    """The closures of some closing joints, or of all with the couplings, at nominal parameters; no spin is held."""
    length = float(length_of(mechanism))
    names = tuple(each.name for each in mechanism.joints if each.closes and (joints is None or each.name in joints))
    coupled = joints is None and bool(mechanism.couplings)
    values = nominal_rows(mechanism) if coupled else {}
    units = units_of(mechanism, length)
    return Closures(mechanism, names, numbers_of(mechanism), length, units, values=values, coupled=coupled)


def residuals(closures: Closures, rows: Array, poses: Poses | None = None, *, within: bool = False) -> Array:
    """(n, m) from (n, c), couplings and held spins included; no column where no joint closes a loop.

    `poses` are those of the rows, where they are known. `within`: couplings of angles count but for whole turns.
    """
    by_joint = closing_residuals(closures.numbers, rows, closures.length, poses)
    found = [by_joint[name] for name in closures.joints]
    found += [spin_residuals(closures.spins, closures.numbers, rows)] if closures.spins else []
    if closures.coupled:
        tied = coupling_residuals(closures.mechanism, closures.values, rows, closures.length)
        found.append(within_half_turns(closures.mechanism, tied) if within else tied)
    parts = [np.broadcast_to(part, (len(rows), part.shape[-1])) for part in found]
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(rows), 0), dtype=rows.dtype)


def jacobians(closures: Closures, rows: Array) -> Array:
    """(n, m, c), by complex steps; columns per unit of a coordinate."""
    return complex_steps(partial(residuals, closures), rows, closures.units)[1]


def openings(closures: Closures, rows: Array, poses: Poses | None = None) -> Array:
    """The largest residual of every row, (n,); couplings of angles count but for whole turns."""
    return np.asarray(np.abs(residuals(closures, rows, poses, within=True)).max(axis=1, initial=0.0))


def close_rows(closures: Closures, rows: Array, fixed: tuple[str, ...] = ()) -> tuple[Array, Array]:
    """The nearest configurations that close, and which of them do, (n,). Coordinates named `fixed` stay.

    Gauss-Newton with the smallest step; redundant closures do no harm. Steps are cut by what moves loops: what only
    couplings move, as a rotor behind a gear, goes as far as they say.
    """
    free = [k for k, name in enumerate(closures.mechanism.coordinates()) if name not in fixed]
    scale, cutting = closures.units[free], _in_loops(closures)[free]
    rows = np.array(rows, dtype=float)
    waiting = np.arange(len(rows))
    for _ in range(ITERATIONS):
        open_by = residuals(closures, rows[waiting])
        still = np.abs(open_by).max(axis=1, initial=0.0) >= CLOSING_RESIDUAL
        waiting, open_by = waiting[still], open_by[still]
        if not len(waiting):
            break
        pseudo = np.linalg.pinv(jacobians(closures, rows[waiting])[:, :, free], rcond=ZERO_SINGULAR_VALUE)
        step = -np.einsum("nij,nj->ni", pseudo, open_by)
        size = np.abs(step[:, cutting]).max(axis=1, keepdims=True, initial=0.0)
        rows[np.ix_(waiting, free)] += step * np.minimum(1.0, LONGEST_STEP / np.maximum(size, LONGEST_STEP)) * scale
    return rows, openings(closures, rows) < CLOSING_RESIDUAL


def looped_coordinates(mechanism: Mechanism) -> frozenset[str]:
    """The coordinates of joints between the two ends of a closing joint: what loops hold together."""
    tree = mechanism.spanning_tree()
    ends = [(joint.parent.body, joint.child.body) for joint in mechanism.joints if joint.closes]
    between = [joint for pair in ends for side in tree.branches(*pair) for joint in side]
    return frozenset(name for joint in between for name in joint.coordinates)


def _in_loops(closures: Closures) -> Array:
    """Which coordinates loops hold, (c,); all where nothing is coupled."""
    if not closures.coupled:
        return np.ones(len(closures.units), dtype=bool)
    held = looped_coordinates(closures.mechanism)
    return np.array([name in held for name in closures.mechanism.coordinates()])
