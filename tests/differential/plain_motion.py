"""Rates, accelerations and dynamics at a pose: constraints by their Jacobian, forces with multipliers.

In: a `Driven` mechanism, coordinates (rows, n), rates or accelerations of the independent ones, inputs. Goes
out: rates and accelerations of all coordinates. With U the unit-scaled Jacobian's row space of the known rank,

  [ M  U^T ] [ q''    ]   [ Q - h    ]
  [ U  0   ] [ lambda ] = [ -U-part of Phi_q' q' ]

is regular also where closing joints repeat each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from continuation import Driven, inverse_of
from plain_closures import dot
from plain_forces import Applied, applied_forces
from plain_mechanism import Plain
from plain_rotations import Array
from plain_state import state_of
from tree_motion import Moving, cross, moving_bodies


def all_rates(driven: Driven, at: Array, given: Array) -> Array:
    """Rates of all coordinates from those of the independent ones (rows, k)."""
    return _completed(driven, driven.closures(at).jacobian, given, 0.0)


def all_accelerations(driven: Driven, at: Array, rates: Array, given: Array) -> Array:
    """Accelerations of all coordinates from those of the independent ones (rows, k)."""
    found = driven.closures(at, rates)
    return _completed(driven, found.jacobian, given, found.bias)


def _completed(driven: Driven, jacobian: Array, given: Array, bias: Array | float) -> Array:
    """Phi_q x + bias = 0 with some x given."""
    units, known, free = driven.plain.units(), driven.given, driven.free
    whole = np.zeros((len(given), len(units)))
    whole[:, known] = given
    if free:
        side = np.einsum("nmk,nk->nm", jacobian[:, :, known], given) + bias
        inverse, _ = inverse_of(jacobian[:, :, free] * units[free], driven.rank)
        whole[:, free] = -np.einsum("ncm,nm->nc", inverse, side) * units[free]
    return whole


@dataclass(frozen=True)
class Forced:
    """Accelerations of all coordinates (rows, n), the reduced mass matrix and its condition, their size, the forces."""

    accelerations: Array
    condition: Array
    size: Array  # what each acceleration (over its unit) would be if nothing that it is a sum of cancelled
    applied: Sequence[Applied]
    moves: Array  # of all coordinates by the independent ones, (rows, n, k)
    mass: Array  # of the independent coordinates, (rows, k, k)


def forced(driven: Driven, at: Array, rates: Array, inputs: Mapping[str, Array]) -> Forced:
    """The equations of motion, (rows, n) each."""
    plain, units = driven.plain, driven.plain.units()
    bodies = moving_bodies(plain, at, rates)
    applied = applied_forces(driven, bodies, state_of(driven, bodies, at, rates, inputs))
    mass, force, effort = inertia_and_forces(plain, bodies, applied)
    mass, force, effort = mass * units[:, None] * units, force * units, effort * units
    constraint, drift = _independent_rows(driven, at, rates)
    count, rank = len(units), driven.rank
    system = np.zeros((len(at), count + rank, count + rank))
    scale = np.einsum("nii->n", mass)[:, None, None] / count
    system[:, :count, :count] = mass
    system[:, count:, :count] = constraint * scale
    system[:, :count, count:] = np.swapaxes(constraint, 1, 2) * scale
    side = np.concatenate([force, drift * scale[:, :, 0]], axis=1)
    found = np.linalg.solve(system, side[:, :, None])[:, :count, 0]
    moves = _moves(driven, at)
    reduced = np.einsum("nij,nia,njb->nab", mass, moves, moves)
    condition, size = _judged(reduced, _summed(driven, at), effort)
    own = units[driven.given]
    return Forced(found * units, condition, size, applied, units[:, None] * moves / own, reduced / own[:, None] / own)


def _independent_rows(driven: Driven, at: Array, rates: Array) -> tuple[Array, Array]:
    """An orthonormal basis of the rows of the Jacobian over the units, (rows, r, n), and its right side (rows, r)."""
    found = driven.closures(at, rates)
    units, rank = driven.plain.units(), driven.rank
    if not rank:
        return np.zeros((len(at), 0, len(units))), np.zeros((len(at), 0))
    u, s, vt = np.linalg.svd(found.jacobian * units, full_matrices=False)
    drift = -np.einsum("nmk,nm->nk", u[:, :, :rank], found.bias) / s[:, :rank]
    return vt[:, :rank], drift


def inertia_and_forces(
    plain: Plain, bodies: Mapping[str, Moving], applied: Sequence[Applied]
) -> tuple[Array, Array, Array]:
    """Mass matrix, Q - h, and the sum of the magnitudes of all forces."""
    first = next(iter(bodies.values()))
    rows, count = first.spins.shape[:2]
    mass, force, effort = np.zeros((rows, count, count)), np.zeros((rows, count)), np.zeros((rows, count))
    for each in plain.masses:
        center = bodies[each.body].carried(each.center)
        inertia = center.turn @ each.inertia @ np.swapaxes(center.turn, 1, 2)
        mass += each.mass * np.einsum("nia,nja->nij", center.speeds, center.speeds)
        mass += np.einsum("nia,nab,njb->nij", center.spins, inertia, center.spins)
        turning = np.einsum("nab,nb->na", inertia, center.spin)
        moment = np.einsum("nab,nb->na", inertia, center.spin_bias) + cross(center.spin, turning)
        for jacobian, wrench in (
            (center.speeds, np.broadcast_to(each.mass * plain.gravity, center.bias.shape)),
            (center.speeds, -each.mass * center.bias),
            (center.spins, -moment),
        ):
            part = dot(jacobian, wrench[:, None, :])
            force, effort = force + part, effort + np.abs(part)
    for each in applied:
        force, effort = force + each.part, effort + each.effort
    return mass, force, effort


def _moves(driven: Driven, at: Array) -> Array:
    """How all coordinates move with the independent ones, over the units of both, (rows, n, k)."""
    units, given, rows = driven.plain.units(), driven.given, len(at)
    return np.stack(
        [all_rates(driven, at, np.tile(units[given] * row, (rows, 1))) / units for row in np.eye(len(given))], axis=2
    )


def _summed(driven: Driven, at: Array) -> Array:
    """What these motions are sums of, by magnitudes, (rows, n, k): where the terms cancel, a coordinate rests."""
    units, known, free = driven.plain.units(), driven.given, driven.free
    found = np.zeros((len(at), len(units), len(known)))
    found[:, known] = np.eye(len(known))
    if free:
        jacobian = driven.closures(at).jacobian * units
        inverse, _ = inverse_of(jacobian[:, :, free], driven.rank)
        found[:, free] = np.abs(inverse) @ np.abs(jacobian[:, :, known])
    return found


def _judged(reduced: Array, summed: Array, effort: Array) -> tuple[Array, Array]:
    """Condition of the mass matrix of the independent coordinates, each over its own diagonal, and sizes."""
    diagonal = np.sqrt(np.maximum(np.einsum("naa->na", reduced), 1e-300))
    even = reduced / diagonal[:, :, None] / diagonal[:, None, :]
    values = np.maximum(np.linalg.eigvalsh(even), 1e-18)
    pulled = np.einsum("nia,ni->na", summed, effort) / diagonal
    with np.errstate(over="ignore"):  # a coordinate that moves no mass is not judged
        size = np.einsum("na,n->na", 1 / diagonal, np.linalg.norm(pulled, axis=1)).max(axis=1)
    return values[:, -1] / values[:, 0], size
