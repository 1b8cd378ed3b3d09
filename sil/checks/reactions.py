"""Joint reactions: forces and torques against least squares on Newton's and Euler's equations of all bodies.

Errors are relative to what a reaction is a sum of: masses times what their accelerations are sums of, weights and
loads, as the equilibrium passes them to the joint. What is statically indeterminate is not compared.
"""

import numpy as np

from sil.check_names import Check
from sil.checks.condition_scaling import Judgement, judge_errors, scale_floor
from sil.checks.mechanism_case import Case
from sil.checks.motion import applies
from sil.reference.reactions import Reaction
from sil.reference.rotations import Array

AXES = ("x", "y", "z")
LOOSE = 1e-6  # of a reaction per unit of forces that balance among themselves: below, it is rounding


def check_reactions(case: Case) -> Judgement:
    """Every force and torque of a joint that the function gives."""
    asked = case.reference.skeleton.mechanism.reactions
    given = [name for name in asked if any(f"{name}.{axis}" in case.outputs.others for axis in AXES)]
    if not given or not applies(case) or case.rates is None:
        return [], []
    second = case.forced
    right = case.reference.reactions(case.at, case.rates, second, case.model_inputs())
    errors = np.stack([_errors(case, name, right[name]) for name in given], axis=1)
    detail = "against least squares on the equations of all bodies"
    return judge_errors(case, Check.REACTIONS, errors, case.evidence.limits.relative, detail)


def _errors(case: Case, name: str, right: Reaction) -> Array:
    """The largest difference of the components given over the size, (rows,); none where it is indeterminate."""
    columns = {k: case.outputs.others.get(f"{name}.{axis}") for k, axis in enumerate(AXES)}
    found = [np.abs(case.output(n) - right.value[:, k]) for k, n in columns.items() if n is not None]
    difference = np.maximum.reduce(found) / np.maximum(right.size, scale_floor())
    return np.where(right.loose > LOOSE, 0.0, difference)
