"""Dynamics: accelerations against the augmented equations of motion, and the power balance that needs no second model.

Power balance: d/dt of the kinetic energy, from the export's accelerations, equals the power of gravity and loads.
"""

import numpy as np

from sil.checks.judged import Judgement, judged, tiny
from sil.checks.mechanism_case import Case
from sil.checks.rates import acceleration_scale
from sil.reference.dynamics import power_balance
from sil.reference.rotations import Array


def applies(case: Case) -> bool:
    """Whether the function makes accelerations of the independent coordinates out of a state."""
    independent = case.reference.skeleton.mechanism.independent
    made = all(name in case.outputs.acceleration for name in independent)
    return made and case.rates is not None and not case.inputs.acceleration and bool(len(case.rows))


def check_dynamics(case: Case) -> Judgement:
    """Every acceleration that the function gives, against Lagrange multipliers in tree coordinates."""
    if not applies(case) or case.rates is None:
        return [], []
    right = case.reference.forward_dynamics(case.at, case.rates, case.model_inputs())
    scale = np.maximum(acceleration_scale(case, right), at_rest_scale(case))
    errors = []
    for name, column in sorted(case.outputs.acceleration.items()):
        number = case.reference.coordinates.index(name)
        difference = np.abs(case.made(column) - right[:, number]) / case.scale(number)
        errors.append(difference / np.maximum(scale, tiny()))
    detail = "against the augmented equations of motion with Lagrange multipliers"
    return judged(case, "dynamics", np.stack(errors, axis=1), case.evidence.limits.relative, detail)


def at_rest_scale(case: Case) -> Array:
    """Size of the accelerations that the loads and gravity alone would give, in 1/s^2."""
    still = np.zeros((len(case.rows), len(case.reference.coordinates)))
    second = case.reference.forward_dynamics(case.at, still, case.model_inputs())
    return np.asarray(np.abs(second / case.scales()).max(axis=1))


def check_power(case: Case) -> Judgement:
    """The balance of powers, over the sum of their magnitudes."""
    if not applies(case) or case.rates is None:
        return [], []
    skeleton = case.reference.skeleton
    independent = [case.made(case.outputs.acceleration[name]) for name in skeleton.mechanism.independent]
    second = case.reference.accelerations(case.at, case.rates, np.stack(independent, axis=1))
    balance = power_balance(skeleton, case.at, case.rates, second, case.model_inputs())
    errors = np.abs(balance.kinetic - balance.applied) / np.maximum(balance.size, tiny())
    detail = "change of kinetic energy against the power of gravity and loads"
    return judged(case, "power balance", errors, case.evidence.limits.power, detail)
