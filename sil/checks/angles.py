"""Angles of directions (toe, camber, caster): against the reference's own tree of bodies.

Errors are weighted by the part of the direction that the angle is seen by: an angle about the direction itself has no
value.
"""

import numpy as np

from sil.check_names import Check
from sil.checks.judged import Judgement, judged, tiny
from sil.checks.mechanism_case import Case
from sil.checks.points import accelerations_of
from sil.checks.rates import acceleration_scale, rate_scale
from sil.compare import angle_difference
from sil.reference.angles import AngleMotion, angle_motion
from sil.reference.rotations import Array


def check_angles(case: Case) -> Judgement:
    """Angles modulo a turn; rates and accelerations over the row's largest rate or acceleration, or their own."""
    skeleton, wanted = case.reference.skeleton, case.reference.skeleton.mechanism.angles
    if not wanted:
        return [], []
    rates = np.zeros_like(case.at.values) if case.rates is None else case.rates
    second = accelerations_of(case, rates)
    scales = np.maximum(rate_scale(case), tiny()), np.maximum(acceleration_scale(case, second), tiny())
    errors = []
    for name, angle in wanted.items():
        errors += _errors(case, name, angle_motion(skeleton, angle, case.at, rates, second), scales)
    if not errors:
        return [], []
    detail = "against the tree of bodies at the reference's pose"
    return judged(case, Check.ANGLES, np.stack(errors, axis=1), case.evidence.limits.relative, detail)


def _errors(case: Case, name: str, right: AngleMotion, scales: tuple[Array, Array]) -> list[Array]:
    """Weighted differences of what the function gives."""
    given, (rate, acceleration) = case.outputs.others, scales
    errors = []
    if name in given:
        errors.append(np.abs(angle_difference(case.made(given[name]), right.angle)) * right.share)
    if f"{name}.rate" in given:
        difference = np.abs(case.made(given[f"{name}.rate"]) - right.rate)
        errors.append(difference / np.maximum(rate, np.abs(right.rate)) * right.share**2)
    if f"{name}.acceleration" in given:
        difference = np.abs(case.made(given[f"{name}.acceleration"]) - right.acceleration)
        errors.append(difference / np.maximum(acceleration, np.abs(right.acceleration)) * right.share**3)
    return errors
