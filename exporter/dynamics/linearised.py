"""Equations of motion linearised at rest: d(q, u)/dt = A (q, u), and the part of A that an implicit step knows.

In: a solved mechanism. Out: for values of the independent coordinates the matrices A by central differences, at nominal
parameters and inputs, and those of stiffness and damping of the elements.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exporter.dynamics.accelerated_pose import AcceleratedPose
from exporter.dynamics.equations import equations_of_motion
from exporter.dynamics.implicit_step import stiffness_and_damping
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Solution
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal

Array = NDArray[np.float64]
DIFFERENCE = 1e-6  # of a range and of the bound of a rate, for central differences


@dataclass(frozen=True, slots=True)
class Linearised:
    """A and its known part, (rows, 2 f, 2 f) each, at poses at rest."""

    whole: Array
    known: Array


def linearised(solved: Solution, places: Array) -> Linearised:
    """The matrices at values of the independent coordinates, (rows, f); NaN where a pose is not reached."""
    sequence = _sequence(solved)
    count = places.shape[1]
    state = np.hstack([places, np.zeros_like(places)])
    slopes = [_slope(solved, sequence, state, column) for column in range(2 * count)]
    whole = _with_rates(np.stack(slopes, axis=-1))
    found = interpret(sequence, state).outputs[:, count:]
    if not found.shape[1]:
        return Linearised(whole, np.full_like(whole, np.nan))
    mass, stiffness, damping = (part.reshape(-1, count, count) for part in np.split(found, 3, axis=1))
    reached = np.isfinite(found).all(axis=1)
    known = np.full((len(places), count, 2 * count), np.nan)
    known[reached] = -np.linalg.solve(mass[reached], np.concatenate([stiffness, damping], axis=2)[reached])
    return Linearised(whole, _with_rates(known))


def _with_rates(below: Array) -> Array:
    """q' = u above the rows of the accelerations."""
    rows, count, width = below.shape
    above = np.broadcast_to(np.eye(count, width, count), (rows, count, width))
    return np.concatenate([above, below], axis=1)


def _slope(solved: Solution, sequence: OperationSequence, state: Array, column: int) -> Array:
    """Derivatives of the accelerations by one coordinate or rate, (rows, f)."""
    count = state.shape[1] // 2
    limits = solved.mechanism.ranges[solved.mechanism.independent[column % count]]
    size = min(limits.maximum - limits.minimum, Fraction(1)) if column < count else limits.rate or Fraction(1)
    step = np.zeros(state.shape[1])
    step[column] = DIFFERENCE * float(size)
    ahead, behind = (interpret(sequence, state + sign * step).outputs[:, :count] for sign in (1, -1))
    return np.asarray((ahead - behind) / (2 * step[column]))


def _sequence(solved: Solution) -> OperationSequence:
    """From coordinates and rates to accelerations and, where they are known, M, K, C row by row."""
    mechanism = solved.mechanism
    builder = Builder("linearised", "float64", contract=False)
    scope = Scope(builder, mechanism, nominal=True)
    for given in mechanism.inputs:
        scope.define(given.name, builder.real(given.nominal))
    names = mechanism.independent
    coordinates = {name: builder.input(Signal(name, mechanism.unit_of(name))) for name in names}
    rates = {name: builder.input(Signal(f"{name}.rate", f"{mechanism.unit_of(name)}/s")) for name in names}
    now = equations_of_motion(solved, builder, scope, coordinates, rates)
    values = [*now.accelerations.values(), *_matrices(now, rates)]
    for number, value in enumerate(values):
        builder.output(Signal(f"v{number}", "1", group=Group.OUTPUT), value)
    return builder.finish()


def _matrices(now: AcceleratedPose, rates: dict[str, Value]) -> list[Value]:
    if now.equations is None:
        return []
    stiffness, damping = stiffness_and_damping(now, rates)
    return [entry for matrix in (now.equations.matrix, stiffness, damping) for row in matrix for entry in row]
