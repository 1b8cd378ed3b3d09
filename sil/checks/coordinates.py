"""Dependent coordinates against Newton on the original closures, continued from the design pose: the right branch."""

import numpy as np

from sil.check_names import Check
from sil.checks.condition_scaling import Judgement, judge_errors
from sil.checks.mechanism_case import Case
from sil.compare import angle_difference


def check_coordinates(case: Case) -> Judgement:
    """Sines, cosines, angles modulo a turn, and displacements over the length scale."""
    skeleton = case.reference.skeleton
    errors = []
    for number in skeleton.dependent:
        name = skeleton.coordinates[number]
        if name in case.outputs.sine:
            errors.append(case.output(case.outputs.sine[name]) - case.at.sines[:, number])
        if name in case.outputs.cosine:
            errors.append(case.output(case.outputs.cosine[name]) - case.at.cosines[:, number])
        if name in case.outputs.value:
            made, right = case.output(case.outputs.value[name]), case.at.values[:, number]
            angle = skeleton.angles[number]
            errors.append(angle_difference(made, right) if angle else (made - right) / skeleton.length)
    if not errors:
        return [], []
    detail = "against Newton on the original closures, continued from the design pose"
    errors_per_row = np.abs(np.stack(errors, axis=1))
    return judge_errors(case, Check.COORDINATES, errors_per_row, case.evidence.limits.relative, detail, order=1)
