"""Dependent coordinates against Newton on the original closures, continued from the design pose: the right branch."""

import numpy as np

from sil.check_names import Check
from sil.checks.condition_scaling import Judgement, judge_errors
from sil.checks.mechanism_case import Case
from sil.compare import angle_difference
from sil.reference.couplings import told_sizes


def check_coordinates(case: Case) -> Judgement:
    """Sines, cosines, angles modulo a turn, and displacements over the length scale; sizes of what couplings tell."""
    skeleton = case.reference.skeleton
    errors = []
    sizes = told_sizes((*skeleton.following, *skeleton.following_loops), skeleton.units, case.at.values)
    for number in skeleton.dependent:
        name = skeleton.coordinates[number]
        if name in case.outputs.sine:
            errors.append((case.output(case.outputs.sine[name]) - case.at.sines[:, number]) / sizes[:, number])
        if name in case.outputs.cosine:
            errors.append((case.output(case.outputs.cosine[name]) - case.at.cosines[:, number]) / sizes[:, number])
        if name in case.outputs.value:
            made, right = case.output(case.outputs.value[name]), case.at.values[:, number]
            angle = skeleton.angles[number]
            difference = angle_difference(made, right) if angle else (made - right) / skeleton.length
            errors.append(difference / sizes[:, number])
    if not errors:
        return [], []
    detail = "against Newton on the original closures, continued from the design pose"
    errors_per_row = np.abs(np.stack(errors, axis=1))
    return judge_errors(case, Check.COORDINATES, errors_per_row, case.evidence.limits.relative, detail, order=1)
