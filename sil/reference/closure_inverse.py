"""Phi_d^-1 at many rows, found once per configuration: all rates, accelerations and their sizes there are made with it.

In: closures, those that determine the dependent coordinates, and a configuration. Out: `ClosureInverse`, which the
configuration keeps, and which goes with it.
"""

from dataclasses import dataclass

import numpy as np

from sil.reference.closures import Closures, chosen_closures
from sil.reference.linear import Inverse, System, inverse_of
from sil.reference.motion import Configuration
from sil.reference.rotations import Array


@dataclass(frozen=True, slots=True)
class ClosureInverse:
    """Phi_d^-1, and (rows, n, f), the rates of dependent coordinates per unit rate of each independent one."""

    inverse: Inverse
    motions: Array


def closure_inverse(closures: Closures, rows: tuple[int, ...], at: Configuration) -> ClosureInverse:
    """The inverse of the rows of Phi_d that determine the dependent coordinates."""
    systems = chosen_closures(closures, rows).loops
    numbers = sum(len(system.equations) ** 2 for system in systems) + len(closures.equations) * at.values.shape[1]
    return at.keep((closures, rows), numbers, lambda: _invert_closures(closures, systems, rows, at))


def _invert_closures(
    closures: Closures, systems: tuple[System, ...], rows: tuple[int, ...], at: Configuration
) -> ClosureInverse:
    skeleton = closures.skeleton
    jacobian = np.moveaxis(closures.residual_and_jacobian(at)[1], 0, -1)
    inverse = inverse_of(jacobian, tuple(system.among(rows, skeleton.dependent) for system in systems))
    motions = -inverse.solve(jacobian[:, list(skeleton.independent)])[list(skeleton.dependent)]
    return ClosureInverse(inverse, np.moveaxis(motions, -1, 0))
