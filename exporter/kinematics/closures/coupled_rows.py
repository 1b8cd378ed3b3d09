"""What couplings leave open at rows of all coordinates, vectorised in float64.

In: a mechanism, values of its parameters, rows (n, c) of its coordinates. Out: residuals, rad or lengths.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.closures.numeric import evaluate_rows
from exporter.model.couplings import Coupling
from exporter.model.mechanism import Mechanism

Array = NDArray[Any]
Values = Mapping[str, Array]


def nominal_rows(mechanism: Mechanism) -> dict[str, Array]:
    """The nominal parameters as rows of one."""
    return {name: np.array([float(value)]) for name, value in mechanism.nominal_values().items()}


def coupling_residuals(mechanism: Mechanism, values: Values, rows: Array, length: float) -> Array:
    """Follower less what the others give it, (n, couplings): rad, displacements over the length."""
    columns = dict(zip(mechanism.coordinates(), rows.T, strict=True))
    found = np.zeros((len(rows), len(mechanism.couplings)), dtype=rows.dtype)
    for number, coupling in enumerate(mechanism.couplings):
        unit = length if mechanism.is_displacement(coupling.follower) else 1.0
        found[:, number] = (columns[coupling.follower] - follower_rows(coupling, values, columns)) / unit
    return found


def coupling_jacobian(mechanism: Mechanism, values: Values, length: float) -> Array:
    """Derivatives (couplings, c) of the residuals by the coordinates, rad and lengths: couplings are linear."""
    names = mechanism.coordinates()
    units = np.diag([length if mechanism.is_displacement(name) else 1.0 for name in names])
    resting = coupling_residuals(mechanism, values, np.zeros((1, len(names))), length)
    return np.asarray((coupling_residuals(mechanism, values, units, length) - resting).T)


def within_half_turns(mechanism: Mechanism, residuals: Array) -> Array:
    """Residuals of couplings, of angles but for whole turns: a pose tells no more of them."""
    turning = [mechanism.is_angle(coupling.follower) for coupling in mechanism.couplings]
    return np.where(turning, residuals - 2 * np.pi * np.round(residuals / (2 * np.pi)), residuals)


def follower_rows(coupling: Coupling, values: Values, columns: Mapping[str, Array]) -> Array:
    """What a coupling makes of the others, (n,), rad or m."""
    total = evaluate_rows(coupling.offset, values)
    for name, ratio in coupling.ratios.items():
        total = total + evaluate_rows(ratio, values) * columns[name]
    return np.asarray(total)
