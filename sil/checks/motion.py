"""Dynamics: accelerations against the augmented equations of motion, and the power balance that needs no second model.

Errors are relative to what the coordinate's acceleration is a sum of.

Power balance: d/dt of the kinetic energy, from the export's accelerations, equals the power of gravity and loads.
"""

import numpy as np

from sil.check_names import Check
from sil.checks.condition_scaling import Judgement, judge_errors, scale_floor
from sil.checks.mechanism_case import Case
from sil.checks.rates import rounding_share
from sil.reference.dynamics import power_balance


def applies(case: Case) -> bool:
    """Whether the function makes accelerations of the independent coordinates out of a state."""
    independent = case.reference.skeleton.mechanism.independent
    made = all(name in case.outputs.acceleration for name in independent)
    return made and case.rates is not None and not case.inputs.acceleration


def check_dynamics(case: Case) -> Judgement:
    """Every acceleration that the function gives, against Lagrange multipliers in tree coordinates."""
    if not applies(case) or case.rates is None:
        return [], []
    right = case.forced
    limit = case.evidence.limits.relative
    share = rounding_share(case.evidence.limits, limit)
    scale = case.reference.dynamics_sizes(case.at, case.rates, right, case.model_inputs(), share)
    errors = []
    for name, column in sorted(case.outputs.acceleration.items()):
        number = case.reference.coordinates.index(name)
        difference = np.abs(case.output(column) - right[:, number]) / case.reference.skeleton.units[number]
        errors.append(difference / np.maximum(scale[:, number], scale_floor()))
    detail = "against the augmented equations of motion with Lagrange multipliers"
    return judge_errors(case, Check.DYNAMICS, np.stack(errors, axis=1), limit, detail)


def check_power(case: Case) -> Judgement:
    """The balance of powers, over the sum of their magnitudes."""
    if not applies(case) or case.rates is None:
        return [], []
    skeleton = case.reference.skeleton
    independent = [case.output(case.outputs.acceleration[name]) for name in skeleton.mechanism.independent]
    given = np.stack(independent, axis=1)
    driven = case.reference.accelerations(case.at, np.zeros_like(case.rates), given)
    drifting = case.reference.accelerations(case.at, case.rates, np.zeros_like(given))
    balance = power_balance(skeleton, case.at, case.rates, (driven, drifting), case.model_inputs())
    errors = np.abs(balance.kinetic - balance.applied) / np.maximum(balance.size, scale_floor())
    detail = "change of kinetic energy against the power of gravity and loads"
    return judge_errors(case, Check.POWER, errors, case.evidence.limits.power, detail)
