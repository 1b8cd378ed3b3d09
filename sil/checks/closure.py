"""Closure residual: the original loop closures at the pose that the export's own outputs spell."""

import numpy as np
from numpy.typing import NDArray

from sil.check_names import Check
from sil.checks.condition_scaling import NEAR_SINGULAR_SUFFIX, Judgement
from sil.checks.mechanism_case import Case
from sil.evidence import Series
from sil.reference.rotations import Array
from sil.signals import output_configuration
from sil.warm_start import starts_from_previous

LARGE_PART = 0.5  # of the limit: a defect above it is looked at
CLOSURE_DETAIL = "original loop closures over the length scale, vectors unflagged"


def check_closure(case: Case) -> Judgement:
    """Largest closure over the length scale, and defect of s^2 + c^2 = 1, on every vector without a flag.

    Near singular poses both grow with what is divided by, as coordinates do, and count over the condition number. So
    does the defect everywhere: the pair of an angle that is told by places is off by their rounding over its lever.
    """
    skeleton = case.reference.skeleton
    if not all(case.outputs.holds_pose_of(skeleton.coordinates[number]) for number in skeleton.dependent):
        return [], []
    rows = case.unflagged
    outputs = case.evidence.doubles(case.evidence.ran.outputs[rows])
    pose = output_configuration(skeleton, case.independent(case.inputs.value, rows), case.outputs, outputs)
    errors, defects = case.reference.closure_residual(pose), case.reference.unit_defect(pose)
    large = defects > LARGE_PART * case.evidence.limits.residual  # of others nobody asks for the condition number
    defects[large] /= np.maximum(case.reference.conditions(pose.values[large]), 1.0)
    near = case.evidence.margins[rows] <= case.evidence.limits.regular
    if starts_from_previous(case.evidence.function):  # which tells no margins
        near[:] = False
    most = 1 / np.sqrt(case.evidence.limits.unit)  # at a fold a position is off by the root of the rounding unit
    errors[near] /= np.clip(case.reference.conditions(pose.values[near]), 1.0, most)
    return _split_verdicts(case, np.maximum(errors, defects), near)


def _split_verdicts(case: Case, errors: Array, near: NDArray[np.bool_]) -> Judgement:
    """One verdict for regular vectors, and one for those near singular poses where there are such."""
    evidence, rows, limit = case.evidence, case.unflagged, case.evidence.limits.residual
    verdicts = []
    if not near.all() or not near.size:
        verdicts.append(evidence.verdict(Check.CLOSURE, errors[~near], rows[~near], limit, "1", CLOSURE_DETAIL))
    if near.any():
        said = f"{CLOSURE_DETAIL}; margin at most {evidence.limits.regular:g}"
        verdicts.append(
            evidence.verdict(f"{Check.CLOSURE}{NEAR_SINGULAR_SUFFIX}", errors[near], rows[near], limit, "1", said)
        )
    return verdicts, [Series(Check.CLOSURE, evidence.function.name, limit, "1", rows, np.asarray(errors))]
