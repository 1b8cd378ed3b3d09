"""Phi_d^-1 at many rows, found once per configuration: all rates, accelerations and their sizes there are made with it.

In: closures, those that determine the dependent coordinates, and a configuration. Out: `ClosureInverse`, which the
configuration keeps, and which goes with it.
"""

from dataclasses import dataclass

from sil.reference.closures import Closures, chosen_closures
from sil.reference.linear import Inverse, inverse_of
from sil.reference.motion import Configuration
from sil.reference.rotations import Array


@dataclass(frozen=True, slots=True)
class ClosureInverse:
    """Phi_d^-1, and (rows, n, f), the rates of dependent coordinates per unit rate of each independent one."""

    inverse: Inverse
    motions: Array


def closure_inverse(closures: Closures, rows: tuple[int, ...], at: Configuration) -> ClosureInverse:
    """The inverse of the rows of Phi_d that determine the dependent coordinates."""
    numbers = sum(len(equations) ** 2 for equations, _ in chosen_closures(closures, rows).loops)
    return at.keep((closures, rows), numbers, lambda: _invert_closures(closures, rows, at))


def _invert_closures(closures: Closures, rows: tuple[int, ...], at: Configuration) -> ClosureInverse:
    skeleton = closures.skeleton
    jacobian = closures.residual_and_jacobian(at)[1][:, list(rows)]
    inverse = inverse_of(jacobian[:, :, list(skeleton.dependent)], chosen_closures(closures, rows).loops)
    return ClosureInverse(inverse, -inverse.solve(jacobian[:, :, list(skeleton.independent)]))
