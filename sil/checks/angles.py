"""Angles of directions (toe, camber, caster): against the reference's own tree of bodies.

An error is allowed what the rounding of the direction makes of it. Let places of size L be wrong by e L, velocities by
e L R, accelerations by e L A; R and A are the row's largest rate and acceleration, or those of the line's ends over L.
With z the part of the direction that is seen, s = |z| / L, w = |z'| / |z| and a = |z''| / |z|, the angle is wrong by
e / s, its rate Im(z'/z) by (R + w) e / s, its acceleration Im(z''/z - (z'/z)^2) by (A + a + 2 w (R + w)) e / s. So a
rate is judged by what it is a quotient of, however short the line. An elevation is told from the whole line.
"""

import numpy as np

from exporter.model.mechanism import AngleOutput
from sil.check_names import Check
from sil.checks.condition_scaling import Judgement, judge_errors, scale_floor
from sil.checks.mechanism_case import Case
from sil.checks.rates import acceleration_scale, rate_scale
from sil.compare import angle_difference
from sil.reference.angles import AngleMotion, angle_motion, is_elevation
from sil.reference.rotations import Array


def check_angles(case: Case) -> Judgement:
    """Angles modulo a turn; rates and accelerations over the sizes of what they come from."""
    skeleton, wanted = case.reference.skeleton, case.reference.skeleton.mechanism.angles
    if not wanted:
        return [], []
    rates, second = case.moving, case.driven
    scales = np.maximum(rate_scale(case), scale_floor()), np.maximum(acceleration_scale(case, second), scale_floor())
    errors = []
    for name, angle in wanted.items():
        errors += _errors(case, (name, angle), angle_motion(skeleton, angle, case.at, rates, second), scales)
    if not errors:
        return [], []
    detail = "against the tree of bodies at the reference's pose"
    return judge_errors(case, Check.ANGLES, np.stack(errors, axis=1), case.evidence.limits.relative, detail)


def _errors(case: Case, asked: tuple[str, AngleOutput], right: AngleMotion, scales: tuple[Array, Array]) -> list[Array]:
    """Weighted differences of what the function gives; where nothing is seen of a line, there is nothing to judge."""
    (name, wanted), given, (first, second) = asked, case.outputs.others, _sizes(right, scales)
    errors = []
    if name in given:
        difference = np.abs(angle_difference(case.output(given[name]), right.angle))
        errors.append(difference * (right.line if is_elevation(wanted) else right.visible) / right.size)
    if f"{name}.rate" in given:
        errors.append(np.abs(case.output(given[f"{name}.rate"]) - right.rate) / first * right.share)
    if f"{name}.acceleration" in given:
        errors.append(np.abs(case.output(given[f"{name}.acceleration"]) - right.acceleration) / second * right.share)
    return [np.where(right.visible > 0, error, 0.0) for error in errors]


def _sizes(right: AngleMotion, scales: tuple[Array, Array]) -> tuple[Array, Array]:
    """R + w in 1/s and A + a + 2 w (R + w) in 1/s^2."""
    rate, acceleration = np.maximum(scales[0], right.speed), np.maximum(scales[1], right.push)
    first = rate + right.turning
    return first, acceleration + right.bending + 2 * right.turning * first
