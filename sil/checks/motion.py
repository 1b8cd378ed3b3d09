"""Dynamics: accelerations against the augmented equations of motion, and the power balance that needs no second model.

Errors are relative to what the coordinate's acceleration is a sum of.

Power balance: d/dt of the kinetic energy, from the export's accelerations, equals the power of gravity and loads.
"""

import numpy as np

from sil.check_names import Check
from sil.checks.condition_scaling import Judgement, judge_errors, scale_floor
from sil.checks.mechanism_case import Case
from sil.reference.dynamics import power_balance


def applies(case: Case) -> bool:
    """Whether the function makes accelerations of the independent coordinates out of a state, given or left out."""
    made = {*case.outputs.acceleration, *case.left_out.acceleration}
    of_forces = case.rates is not None and not case.inputs.acceleration
    return of_forces and made.issuperset(case.reference.skeleton.mechanism.independent)


def check_dynamics(case: Case) -> Judgement:
    """Every acceleration that the function gives, against Lagrange multipliers in tree coordinates."""
    if not case.outputs.acceleration or not applies(case) or case.rates is None:
        return [], []
    right = case.forced
    limit = case.evidence.limits.relative
    scale = case.judged_sizes
    errors = []
    for name, column in sorted(case.outputs.acceleration.items()):
        number = case.reference.coordinates.index(name)
        difference = np.abs(case.output(column) - right[:, number]) / case.reference.skeleton.units[number]
        errors.append(difference / np.maximum(scale[:, number], scale_floor()))
    detail = "against the augmented equations of motion with Lagrange multipliers"
    return judge_errors(case, Check.DYNAMICS, np.stack(errors, axis=1), limit, detail)


def check_power(case: Case) -> Judgement:
    """The balance of powers, over the sum of their magnitudes."""
    skeleton, made = case.reference.skeleton, case.outputs.acceleration
    if not applies(case) or case.rates is None or not set(made).issuperset(skeleton.mechanism.independent):
        return [], []
    given = np.stack([case.output(made[name]) for name in skeleton.mechanism.independent], axis=1)
    driven = case.reference.velocities(case.at, given)  # without rates accelerations are solved for as rates are
    balance = power_balance(skeleton, case.at, case.rates, (driven, case.drift), case.model_inputs())
    errors = np.abs(balance.kinetic - balance.applied) / np.maximum(balance.size, scale_floor())
    detail = "change of kinetic energy against the power of gravity and loads"
    return judge_errors(case, Check.POWER, errors, case.evidence.limits.power, detail)
