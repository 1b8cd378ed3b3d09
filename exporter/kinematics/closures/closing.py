"""The original closures at many configurations at once: residuals, Jacobians, directions of motion.

Comes in: a Mechanism and rows of all its coordinates. Goes out: arrays. Displacements are measured in the mechanism's
length, so that turns and slides compare. No block, no branch: this judges every choice of coordinates alike.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.closures.idle import IdleLink, idle_links, spin_residuals
from exporter.kinematics.closures.numeric import Numbers, closing_residuals, complex_steps, numbers_of, units_of
from exporter.model.mechanism import Mechanism
from exporter.model.size import length_of

Array = NDArray[Any]
ZERO = 1e-8  # singular values below this, over the largest, are zero
CLOSED = 1e-11  # residual over the length scale up to which a row counts as closed
ITERATIONS = 30  # of Gauss-Newton
LONGEST = 0.3  # rad or lengths; Newton's steps are cut there, so that the nearest assembly is found


@dataclass(frozen=True, slots=True)
class Closures:
    """A mechanism's closures, ready for evaluation."""

    mechanism: Mechanism
    numbers: Numbers
    length: float  # m
    units: Array  # (c,), one unit of every coordinate: 1 rad, or the length in m
    idle: tuple[IdleLink, ...]  # whose spins are held


def closures_of(mechanism: Mechanism) -> Closures:
    """At nominal parameters."""
    length = float(length_of(mechanism))
    return Closures(mechanism, numbers_of(mechanism), length, units_of(mechanism, length), idle_links(mechanism))


def residuals(closures: Closures, rows: Array) -> Array:
    """(n, m) from (n, c), held spins included; no column where no joint closes a loop."""
    found = [*closing_residuals(closures.numbers, rows, closures.length).values()]
    found += [spin_residuals(closures.idle, closures.numbers, rows)] if closures.idle else []
    parts = [np.broadcast_to(part, (len(rows), part.shape[-1])) for part in found]
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(rows), 0), dtype=rows.dtype)


def jacobians(closures: Closures, rows: Array) -> Array:
    """(n, m, c), by complex steps; columns per unit of a coordinate."""
    return complex_steps(partial(residuals, closures), rows, closures.units)


def ranks(jacobian: Array) -> Array:
    """The rank of every matrix, (n,)."""
    if not jacobian.shape[1]:
        return np.zeros(len(jacobian), dtype=int)
    values = np.linalg.svd(jacobian, compute_uv=False)
    return np.asarray((values > ZERO * values[:, :1]).sum(axis=1))


def motions(jacobian: Array, freedom: int) -> Array:
    """Orthonormal directions in which the closures stay closed, (n, c, freedom)."""
    if not jacobian.shape[1]:
        return np.broadcast_to(np.eye(jacobian.shape[2]), (len(jacobian), *jacobian.shape[2:] * 2))
    _, _, rows = np.linalg.svd(jacobian, full_matrices=True)
    return np.swapaxes(rows[:, rows.shape[1] - freedom :], 1, 2)


def closed(closures: Closures, rows: Array, fixed: tuple[str, ...] = ()) -> tuple[Array, Array]:
    """The nearest configurations that close, and which of them do, (n,). Coordinates named `fixed` stay.

    Gauss-Newton with the smallest step; redundant closures do no harm.
    """
    free = [k for k, name in enumerate(closures.mechanism.coordinates()) if name not in fixed]
    scale = closures.units[free]
    rows = np.array(rows, dtype=float)
    waiting = np.arange(len(rows))
    for _ in range(ITERATIONS):
        open_by = residuals(closures, rows[waiting])
        still = np.abs(open_by).max(axis=1, initial=0.0) >= CLOSED
        waiting, open_by = waiting[still], open_by[still]
        if not len(waiting):
            break
        pseudo = np.linalg.pinv(jacobians(closures, rows[waiting])[:, :, free], rcond=ZERO)
        step = -np.einsum("nij,nj->ni", pseudo, open_by)
        size = np.abs(step).max(axis=1, keepdims=True)
        rows[np.ix_(waiting, free)] += step * np.minimum(1.0, LONGEST / np.maximum(size, LONGEST)) * scale
    return rows, np.abs(residuals(closures, rows)).max(axis=1, initial=0.0) < CLOSED
