"""What accelerations under forces are sums of: the sizes that their rounding is measured by, one per coordinate.

The independent accelerations solve M x = f. Rounding of a force's terms and of M's, each a sum over the bodies, passes
to an acceleration by |M^-1| (Higham 2002, section 7.2): a light part that hangs on nothing else is measured by its own
forces alone.
"""

from collections.abc import Mapping

import numpy as np

from sil.reference.expressions import Real, evaluate
from sil.reference.linear import inverse_of
from sil.reference.load_sizes import State, load_sizes
from sil.reference.motion import Configuration
from sil.reference.rotations import Array
from sil.reference.sizes import SpeedBounds, first_order, second_order, speed_size
from sil.reference.skeleton import BodyMass, Place, Skeleton


def independent_sizes(skeleton: Skeleton, state: State, inputs: Mapping[str, Real]) -> Array:
    """Sizes of the independent accelerations, (rows, f), in 1/s^2 over the units."""
    return inverse_of(np.moveaxis(state.mass, 0, -1)).rounding_sizes(_force_sizes(skeleton, state, inputs).T).T


def _force_sizes(skeleton: Skeleton, state: State, inputs: Mapping[str, Real]) -> Array:
    """Magnitudes of gravity, loads, inertial forces and moments, by independent coordinate: (rows, f)."""
    units = [first_order(skeleton, state.at, state.basis[:, :, k]) for k in range(state.basis.shape[2])]
    drifting = second_order(skeleton, state.at, state.rates, state.drift)
    own = np.abs(state.second / skeleton.units)[:, list(skeleton.independent)]
    total = np.zeros(own.shape)
    for mass in skeleton.masses:
        total += _of_mass(skeleton, mass, state.at, units, drifting, own)
    return total + load_sizes(skeleton, state, units, inputs)


def _of_mass(
    skeleton: Skeleton, mass: BodyMass, at: Configuration, units: list[SpeedBounds], drifting: SpeedBounds, own: Array
) -> Array:
    """Weight and inertia of one body: its speeds per unit motion, times what it is pulled by."""
    center = Place(mass.body, mass.center, np.eye(3))
    field = np.linalg.norm([float(evaluate(part, skeleton.values)) for part in skeleton.mechanism.gravity])
    speeds = np.stack([speed_size(skeleton, center, at, unit) for unit in units], axis=1)
    spins = np.stack([unit.spins[mass.body] for unit in units], axis=1)
    pull = field + speed_size(skeleton, center, at, drifting) + (speeds * own).sum(axis=1)
    turn = drifting.spins[mass.body] + (spins * own).sum(axis=1)
    inertia = np.linalg.norm(mass.inertia, 2)
    return np.asarray(mass.mass * speeds * pull[:, None] + inertia * spins * turn[:, None])
