"""False alarms: a pose that the reference reaches with ease must not be flagged.

Without this check, a mistake that flags everything would leave nothing to be judged.
"""

import numpy as np

from sil.checks.judged import Judgement
from sil.checks.mechanism_case import Case

GEOMETRIC = ("OUT_OF_WORKSPACE", "NEAR_SINGULAR", "RESIDUAL_HIGH")
EASY = 30.0
"""Condition number of the closure below which a pose is far from every fold: a margin of about 1e-3 and more."""


def check_false_alarms(case: Case) -> Judgement:
    """Vectors with good arguments that are flagged for their pose, although the reference finds it well-conditioned."""
    evidence = case.evidence
    known = [name for name in GEOMETRIC if name in evidence.function.conditions]
    if not known:
        return [], []
    alarmed = np.any([evidence.status_bit(name) for name in known], axis=0)
    accepted = np.flatnonzero(evidence.domain.holds(evidence.vectors.rows))
    rows = accepted[alarmed[accepted]]
    false = np.zeros(len(accepted))
    if len(rows):
        coordinates = case.reference.positions(case.given(case.inputs.value, rows))
        reached = np.isfinite(coordinates).all(axis=1)
        easy = np.zeros(len(rows), dtype=np.bool_)
        easy[reached] = case.reference.conditions(coordinates[reached]) < EASY
        false[alarmed[accepted]] = easy
    detail = f"{', '.join(known)} where the closure has a condition number below {EASY:g}"
    return [evidence.verdict("false alarms", false, accepted, 0, "1", detail)], []
