"""Ranks, null spaces and Newton steps of Jacobians.

In: matrices whose columns are per unit of a coordinate. Out: numbers and orthonormal directions.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.closures.tolerances import ZERO_SINGULAR_VALUE

Array = NDArray[Any]


def rank(matrix: Array) -> int:
    """The rank of one matrix, (m, c); 0 of an empty one."""
    return int(ranks(matrix[None])[0])


def ranks(jacobian: Array) -> Array:
    """The rank of every matrix, (n,), from (n, m, c)."""
    return ranks_of(singular_values(jacobian))


def singular_values(jacobian: Array) -> Array:
    """The singular values of every matrix, (n, min(m, c)), the largest first, from (n, m, c)."""
    if 0 in jacobian.shape[1:]:
        return np.zeros((len(jacobian), 0))
    return np.asarray(np.linalg.svd(jacobian, compute_uv=False))


def ranks_of(values: Array) -> Array:
    """The rank of every matrix, (n,), from its singular values, (n, k)."""
    return np.asarray((values > ZERO_SINGULAR_VALUE * values[:, :1]).sum(axis=1, dtype=int))


def motions(jacobian: Array, freedom: int) -> Array:
    """Orthonormal directions in which the closures stay closed, (n, c, freedom), from (n, m, c)."""
    if not jacobian.shape[1]:
        return np.broadcast_to(np.eye(jacobian.shape[2]), (len(jacobian), *jacobian.shape[2:] * 2))
    _, _, rows = np.linalg.svd(jacobian, full_matrices=True)
    return np.swapaxes(rows[:, rows.shape[1] - freedom :], 1, 2)


def newton_steps(jacobian: Array, residual: Array) -> Array:
    """Solutions (n, c) of jacobian (n, c, c) * step = residual (n, c); no step where the Jacobian is singular."""
    regular = np.abs(np.linalg.det(jacobian)) > 0
    safe = np.where(regular[:, None, None], jacobian, np.eye(jacobian.shape[1]))
    return np.asarray(np.linalg.solve(safe, np.where(regular[:, None], residual, 0.0)[:, :, None])[:, :, 0])
