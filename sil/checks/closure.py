"""Closure residual: the original loop closures at the pose that the export's own outputs spell."""

import numpy as np

from sil.check_names import Check
from sil.checks.judged import Judgement
from sil.checks.mechanism_case import Case
from sil.evidence import Series
from sil.signals import output_configuration


def check_closure(case: Case) -> Judgement:
    """Largest closure over the length scale, and defect of s^2 + c^2 = 1, on every vector without a flag."""
    skeleton = case.reference.skeleton
    if not all(case.outputs.holds_pose_of(skeleton.coordinates[number]) for number in skeleton.dependent):
        return [], []
    rows = case.unflagged
    outputs = case.evidence.doubles(case.evidence.ran.outputs)[rows]
    pose = output_configuration(skeleton, case.given(case.inputs.value, rows), case.outputs, outputs)
    errors = case.reference.residual(pose)
    limit = case.evidence.limits.residual
    verdict = case.evidence.verdict(
        Check.CLOSURE, errors, rows, limit, "1", "original loop closures over the length scale, vectors unflagged"
    )
    name = case.evidence.function.name
    return [verdict], [Series(Check.CLOSURE, name, limit, "1", rows, np.asarray(errors))]
