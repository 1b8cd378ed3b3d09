"""Augmented equations of motion: tree coordinates with Lagrange multipliers.

  [ M      Phi_q^T ] [ q''    ]   [ Q - h    ]
  [ Phi_q  0       ] [ lambda ] = [ -Phi_q' q' ]

M and h come from the bodies' Jacobians and drifts, Q from gravity and loads. The second row is solved first:
q'' = d + B a, with a of the independent coordinates, B the motions per unit of each, and d what is left where none
accelerates. Phi_q B = 0, so that B^T times the first row has no multiplier: B^T M B a = B^T (Q - h - M d).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sil.reference.body_columns import body_columns, into_body, out_of_body
from sil.reference.chunks import joined, joined_fields, row_slices
from sil.reference.drift import drift_of, speeds_of
from sil.reference.expressions import Real, evaluate
from sil.reference.linear import solve_rows
from sil.reference.loads import generalised_loads
from sil.reference.motion import Configuration, InPlace
from sil.reference.placing import ByIdentity, parts_of, place_bodies
from sil.reference.rotations import Array, cross_rows, products
from sil.reference.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class Wrench:
    """Generalised forces of everything applied, and what they act with: (rows, c)."""

    gravity: Array
    loads: Array


def mass_and_bias(skeleton: Skeleton, at: Configuration, rates: Array) -> tuple[Array, Array]:
    """Mass matrix (rows, c, c) and velocity-dependent forces h (rows, c)."""
    parts = [_mass_and_bias(skeleton, at.of_rows(rows), rates[rows]) for rows in row_slices(len(at.values))]
    return joined(matrix for matrix, _ in parts), joined(bias for _, bias in parts)


def _mass_and_bias(skeleton: Skeleton, at: Configuration, rates: Array) -> tuple[Array, Array]:
    """Sums over bodies, each of the coordinates on the way to it."""
    rows, count = at.values.shape
    drifting = drift_of(skeleton, at, rates)
    placed = drifting.placed
    matrix, bias = np.zeros((count, count, rows)), np.zeros((count, rows))
    for body in skeleton.masses:
        center = parts_of(body.center)
        columns, drift = body_columns(skeleton, placed, body.body, center), drifting.of_point(body.body, center)[1]
        turn, spin, gyration = placed.turns[body.body], drifting.spins[body.body], drifting.turning[body.body]
        inertial, momentum = (out_of_body(turn, body.inertia @ into_body(turn, each)) for each in (gyration, spin))
        moment = inertial + cross_rows(spin, momentum)
        turning = into_body(turn, columns.angular)
        inert = np.einsum("ij,kjn->kin", body.inertia, turning)
        block = body.mass * products(columns.linear, columns.linear) + products(turning, inert)
        matrix[np.ix_(columns.numbers, columns.numbers)] += block
        bias[columns.numbers] += (columns.linear * (body.mass * drift)).sum(axis=1)
        bias[columns.numbers] += (columns.angular * moment).sum(axis=1)
    return np.ascontiguousarray(np.moveaxis(matrix, -1, 0)), np.ascontiguousarray(bias.T)


def applied_forces(skeleton: Skeleton, at: Configuration, rates: Array, inputs: Mapping[str, Real]) -> Wrench:
    """Generalised forces of gravity and of loads and elements, at these rates (rows, c) and inputs (rows,)."""
    every = _full(inputs, len(at.values))
    return joined_fields(
        _applied_forces(skeleton, at.of_rows(rows), rates[rows], _of_rows(every, rows))
        for rows in row_slices(len(at.values))
    )


def _full(inputs: Mapping[str, Real], rows: int) -> dict[str, Array]:
    """Every input as a column of so many rows."""
    return {name: np.broadcast_to(value, rows) for name, value in inputs.items()}


def _of_rows(inputs: Mapping[str, Array], rows: slice) -> dict[str, Array]:
    return {name: value[rows] for name, value in inputs.items()}


def _applied_forces(skeleton: Skeleton, at: Configuration, rates: Array, inputs: Mapping[str, Real]) -> Wrench:
    placed, gravity = place_bodies(skeleton, at), np.zeros(at.values.T.shape)
    field = np.array([float(evaluate(part, skeleton.values)) for part in skeleton.mechanism.gravity])
    if field.any():
        for body in skeleton.masses:
            columns = body_columns(skeleton, placed, body.body, parts_of(body.center))
            gravity[columns.numbers] += np.einsum("kin,i->kn", columns.linear, body.mass * field)
    return Wrench(np.ascontiguousarray(gravity.T), generalised_loads(skeleton, at, rates, inputs))


def weight_of(skeleton: Skeleton) -> float:
    """The weight of all bodies, N."""
    field = np.linalg.norm([float(evaluate(part, skeleton.values)) for part in skeleton.mechanism.gravity])
    return float(field * sum(body.mass for body in skeleton.masses))


@dataclass(frozen=True, slots=True)
class Allowed:
    """All accelerations that closures allow: d, (rows, c), and B, (rows, c, f), times those of independent ones."""

    drift: Array
    basis: Array


@dataclass(frozen=True, slots=True)
class Projected:
    """B^T M B, (rows, f, f), and B^T (h + M d), (rows, f)."""

    mass: Array
    bias: Array


def projected(skeleton: Skeleton, at: Configuration, rates: Array, allowed: Allowed) -> Projected:
    """The equations of the independent coordinates; `allowed` at this pose and these rates, with which it is kept."""
    count = len(skeleton.independent)
    key = "projected", ByIdentity(skeleton), InPlace(rates)
    return at.keep(key, count * count + count, lambda: _projected(skeleton, at, rates, allowed))


def _projected(skeleton: Skeleton, at: Configuration, rates: Array, allowed: Allowed) -> Projected:
    matrix, bias = mass_and_bias(skeleton, at, rates)
    across = np.swapaxes(allowed.basis, 1, 2) @ matrix
    drifting = np.einsum("nfc,nc->nf", across, allowed.drift)
    return Projected(across @ allowed.basis, np.einsum("ncf,nc->nf", allowed.basis, bias) + drifting)


def accelerations(
    skeleton: Skeleton, at: Configuration, rates: Array, allowed: Allowed, inputs: Mapping[str, Real]
) -> Array:
    """All coordinates' accelerations, (rows, c); NaN at an exactly singular pose."""
    left, wrench = projected(skeleton, at, rates, allowed), applied_forces(skeleton, at, rates, inputs)
    side = np.einsum("ncf,nc->nf", allowed.basis, wrench.gravity + wrench.loads) - left.bias
    return np.asarray(allowed.drift + np.einsum("ncf,nf->nc", allowed.basis, solve_rows(left.mass, side)))


def projected_inertia(skeleton: Skeleton, at: Configuration, basis: Array) -> tuple[Array, Array]:
    """Mass matrix of the independent coordinates (rows, f, f), and the size of what its diagonal is a sum of (rows, f).

    `basis` (rows, c, f) holds all rates per unit rate of each independent coordinate; the size is the sum of their
    squares times the diagonal of the mass matrix in tree coordinates, which cancels nothing.
    """
    matrix, _ = mass_and_bias(skeleton, at, np.zeros_like(at.values))
    sizes = np.einsum("nk,nkf->nf", np.diagonal(matrix, axis1=1, axis2=2), basis**2)
    return np.asarray(np.swapaxes(basis, 1, 2) @ matrix @ basis), np.asarray(sizes)


@dataclass(frozen=True, slots=True)
class PowerBalance:
    """dT/dt against the power of gravity and loads, in W, (rows,).

    `size` is what rounding is measured by: every force and inertial force times the row's largest speed, since a speed
    that vanishes by cancellation keeps the rounding of what it is the difference of. So it is with the lever of a
    weight that hangs straight down.
    """

    kinetic: Array
    applied: Array
    size: Array


def power_balance(
    skeleton: Skeleton, at: Configuration, rates: Array, second: Sequence[Array], inputs: Mapping[str, Real]
) -> PowerBalance:
    """From accelerations of all coordinates, given as parts (rows, c) that add up, wherever they come from."""
    every = _full(inputs, len(at.values))
    return joined_fields(
        _power_balance(skeleton, at.of_rows(rows), rates[rows], [part[rows] for part in second], _of_rows(every, rows))
        for rows in row_slices(len(at.values))
    )


def _power_balance(
    skeleton: Skeleton, at: Configuration, rates: Array, second: Sequence[Array], inputs: Mapping[str, Real]
) -> PowerBalance:
    now, parts = drift_of(skeleton, at, rates), [speeds_of(skeleton, at, part) for part in second]
    pace = np.abs(rates / skeleton.units).max(axis=1)
    kinetic, size = np.zeros(len(at.values)), np.zeros(len(at.values))
    for body in skeleton.masses:
        center, turn = parts_of(body.center), now.placed.turns[body.body]
        velocity, drift = now.of_point(body.body, center)
        spin = now.spins[body.body]
        linear = [drift, *(part.of_point(body.body, center) for part in parts)]
        angular = [now.turning[body.body], *(part.spins[body.body] for part in parts)]
        for a, alpha in zip(linear, angular, strict=True):
            force, moment = body.mass * a, out_of_body(turn, body.inertia @ into_body(turn, alpha))
            kinetic = kinetic + (velocity * force).sum(axis=0) + (spin * moment).sum(axis=0)
            size = size + pace * (skeleton.length * np.abs(force).sum(axis=0) + np.abs(moment).sum(axis=0))
    wrench = applied_forces(skeleton, at, rates, inputs)
    forces = wrench.gravity + wrench.loads
    size = size + pace * (skeleton.length * weight_of(skeleton) + (np.abs(wrench.loads) * skeleton.units).sum(axis=1))
    return PowerBalance(kinetic, (forces * rates).sum(axis=1), size)
