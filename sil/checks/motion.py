"""Dynamics: accelerations against the augmented equations of motion, and the power balance that needs no second model.

Power balance: d/dt of the kinetic energy, from the export's accelerations, equals the power of gravity and loads.
"""

import numpy as np

from sil.check_names import Check
from sil.checks.judged import Judgement, judged, tiny
from sil.checks.mechanism_case import Case
from sil.checks.rates import acceleration_scale
from sil.reference.dynamics import applied, mass_and_bias, power_balance
from sil.reference.mechanism import Reference
from sil.reference.motion import Configuration
from sil.reference.rotations import Array


def applies(case: Case) -> bool:
    """Whether the function makes accelerations of the independent coordinates out of a state."""
    independent = case.reference.skeleton.mechanism.independent
    made = all(name in case.outputs.acceleration for name in independent)
    return made and case.rates is not None and not case.inputs.acceleration


def check_dynamics(case: Case) -> Judgement:
    """Every acceleration that the function gives, against Lagrange multipliers in tree coordinates."""
    if not applies(case) or case.rates is None:
        return [], []
    right = case.reference.forward_dynamics(case.at, case.rates, case.model_inputs())
    scale = np.maximum(acceleration_scale(case, right), force_scale(case))
    errors = []
    for name, column in sorted(case.outputs.acceleration.items()):
        number = case.reference.coordinates.index(name)
        difference = np.abs(case.made(column) - right[:, number]) / case.reference.skeleton.units[number]
        errors.append(difference / np.maximum(scale, tiny()))
    detail = "against the augmented equations of motion with Lagrange multipliers"
    return judged(case, Check.DYNAMICS, np.stack(errors, axis=1), case.evidence.limits.relative, detail)


def force_scale(case: Case) -> Array:
    """Accelerations of the size that all generalised forces would give if none cancelled another, in 1/s^2.

    The sum of their magnitudes over the smallest projected inertia: a load that a dead centre cancels still leaves the
    rounding of what it is the difference of.
    """
    skeleton = case.reference.skeleton
    rates = np.zeros_like(case.at.values) if case.rates is None else case.rates
    matrix, bias = mass_and_bias(skeleton, case.at, rates)
    wrench = applied(skeleton, case.at, case.model_inputs())
    forces = (np.abs(wrench.gravity) + np.abs(wrench.loads) + np.abs(bias)) * skeleton.units
    with np.errstate(divide="ignore", invalid="ignore"):  # without any inertia nothing can be judged
        return np.asarray(forces.sum(axis=1) / smallest_inertia(case.reference, case.at, matrix))


def smallest_inertia(reference: Reference, at: Configuration, matrix: Array) -> Array:
    """Smallest eigenvalue of the mass matrix (rows, c, c) as the independent coordinates feel it, (rows,)."""
    skeleton = reference.skeleton
    basis = reference.unit_motions(at) * skeleton.units[list(skeleton.independent)]
    return np.asarray(np.linalg.eigvalsh(np.swapaxes(basis, 1, 2) @ matrix @ basis)[:, 0])


def check_power(case: Case) -> Judgement:
    """The balance of powers, over the sum of their magnitudes."""
    if not applies(case) or case.rates is None:
        return [], []
    skeleton = case.reference.skeleton
    independent = [case.made(case.outputs.acceleration[name]) for name in skeleton.mechanism.independent]
    given = np.stack(independent, axis=1)
    driven = case.reference.accelerations(case.at, np.zeros_like(case.rates), given)
    drifting = case.reference.accelerations(case.at, case.rates, np.zeros_like(given))
    balance = power_balance(skeleton, case.at, case.rates, (driven, drifting), case.model_inputs())
    errors = np.abs(balance.kinetic - balance.applied) / np.maximum(balance.size, tiny())
    detail = "change of kinetic energy against the power of gravity and loads"
    return judged(case, Check.POWER, errors, case.evidence.limits.power, detail)
