"""The linearly implicit step of order two in float64, around the reference's dynamics: what `dostep` is held against.

ROS2 (Verwer, Spee, Blom and Hundsdorfer 1999) for y' = f(y), y = (q, u), with the matrix A written out in full:

    (1 - g h A) k1 = f(y),   (1 - g h A) k2 = f(y + h k1) - 2 k1,   y + h (3 k1 + k2) / 2,   g = 1 - 1/sqrt(2)

A = [0 1; -M^-1 K, -M^-1 C] at the state of each stage, where K and C sum k n n^T and c n n^T over the elements that
count, M is the mass matrix of the independent coordinates, and slopes below zero count as zero.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sil.reference.dynamics import mass_and_bias
from sil.reference.expressions import Real
from sil.reference.integrators import Derivative, integrate_step
from sil.reference.linear import solve_rows
from sil.reference.loads import Line, element_slopes, lines_of, state_values
from sil.reference.mechanism import Reference
from sil.reference.motion import configuration
from sil.reference.rotations import Array

GAMMA = 1 - np.sqrt(0.5)


def integrate_state(
    reference: Reference,
    positions: Array,
    rates: Array,
    inputs: Mapping[str, Real],
    derivative: Derivative,
    beside: float = 0.0,
) -> tuple[Array, Array]:
    """Coordinates and rates (rows, f) one period later, by the method of the mechanism; inputs (rows,) are held.

    `derivative` gives the accelerations of the independent coordinates at coordinates and rates. Slopes of elements are
    taken `beside` the state, by so much of what they read: at a kink of a law there are two.
    """
    step = reference.skeleton.mechanism.step
    if step.method == "linearly_implicit":
        return _step_implicitly(reference, positions, rates, inputs, derivative, beside)
    return integrate_step(step.method, float(step.period), positions, rates, derivative)


def _step_implicitly(
    reference: Reference,
    positions: Array,
    rates: Array,
    inputs: Mapping[str, Real],
    derivative: Derivative,
    beside: float,
) -> tuple[Array, Array]:
    h = float(reference.skeleton.mechanism.step.period)
    count = positions.shape[1]
    state = np.hstack([positions, rates])

    def moving(at: Array) -> Array:
        q, u = at[:, :count], at[:, count:]
        return np.hstack([u, derivative(q, u)])

    k1 = _solve(_jacobian(reference, state, inputs, beside), h, moving(state))
    moved = state + h * k1
    k2 = _solve(_jacobian(reference, moved, inputs, beside), h, moving(moved) - 2 * k1)
    later = state + h * (3 * k1 + k2) / 2
    return later[:, :count], later[:, count:]


def _solve(jacobian: Array, h: float, right: Array) -> Array:
    """(1 - g h A)^-1 right, (rows, 2 f); NaN where the reference does not reach."""
    matrix = np.eye(right.shape[1]) - GAMMA * h * jacobian
    known = np.isfinite(matrix).all(axis=(1, 2)) & np.isfinite(right).all(axis=1)
    found = np.full_like(right, np.nan)
    found[known] = np.linalg.solve(matrix[known], right[known][..., None])[..., 0]
    return found


def _jacobian(reference: Reference, state: Array, inputs: Mapping[str, Real], beside: float) -> Array:
    """A, (rows, 2 f, 2 f)."""
    skeleton, count = reference.skeleton, state.shape[1] // 2
    at = configuration(reference.positions(state[:, :count]))
    basis = reference.unit_motions(at)
    speeds = reference.velocities(at, state[:, count:])
    matrix, _ = mass_and_bias(skeleton, at, speeds)
    mass = np.swapaxes(basis, 1, 2) @ matrix @ basis
    lines = lines_of(skeleton, at, speeds)
    lines = {name: _beside(line, beside * skeleton.length, beside) for name, line in lines.items()}
    values = {**skeleton.values, **inputs, **state_values(lines)}
    stiffness, damping = np.zeros_like(mass), np.zeros_like(mass)
    named = skeleton.mechanism.step.implicit
    for element in skeleton.mechanism.elements:
        if element.name in named or (not named and element.type != "actuator"):
            line = lines[element.along]
            along = np.einsum("nc,ncf->nf", line.columns, basis)
            square = along[:, :, None] * along[:, None, :]
            k, c = (np.maximum(slope, 0.0)[:, None, None] for slope in element_slopes(element, line, values))
            stiffness, damping = stiffness + k * square, damping + c * square
    columns = [solve_rows(mass, np.broadcast_to(unit, mass.shape[:2])) for unit in np.eye(count)]
    compliance = np.stack(columns, axis=-1)
    whole = np.zeros((len(state), 2 * count, 2 * count))
    whole[:, :count, count:] = np.eye(count)
    whole[:, count:, :count], whole[:, count:, count:] = -compliance @ stiffness, -compliance @ damping
    return whole


def _beside(line: Line, size: float, part: float) -> Line:
    """A little farther along a line, and a little faster: by a size (m, m/s), and by a part of what there is."""
    ahead, faster = (size + part * np.abs(each) for each in (line.value, line.rate))
    return replace(line, value=line.value + ahead, rate=line.rate + faster)
