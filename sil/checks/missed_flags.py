"""Missed flags: where positions leave the workspace, every function of the same inputs must say so.

A function is judged where it sets no flag and the reference reaches the pose. Where the reference reaches none, only
closures would tell, and only functions that give positions can be put into them: a flag that another function has lost
would be seen by nobody. So each is held against the one that solves the positions. Next to the border, where rounding
decides, nothing is compared.
"""

import numpy as np

from sil.check_names import Check
from sil.checks.condition_scaling import Judgement
from sil.checks.mechanism_case import Case
from sil.margins import columns_of_companion, companion_of
from sil.switching import switches

CONDITION = "OUT_OF_WORKSPACE"
BORDER_EPS = 2.0**12
"""Smallest margin or pivot, in eps, below which rounding may decide whether a pose is reached."""


def check_missed_flags(case: Case) -> Judgement:
    """Vectors with good arguments at which positions leave the workspace, and this function does not say so.

    Where no vector leaves it there is nothing to miss, and no verdict; nor of a switching step, which may be by another
    choice or other roots than its companion.
    """
    evidence, telling = case.evidence, case.evidence.telling
    if switches(evidence.function):
        return [], []
    companion = companion_of(telling.manifest, evidence.function)
    if companion is None or companion == evidence.function or CONDITION not in companion.conditions:
        return [], []
    rows = evidence.vectors.rows
    ran = telling.call(companion.name, rows[:, columns_of_companion(evidence.function, companion)])
    left = ((ran.status >> np.uint32(telling.manifest.status[CONDITION])) & 1).astype(np.bool_)
    clear = evidence.margins > BORDER_EPS * np.finfo(rows.dtype).eps
    judged = np.flatnonzero(left & clear & evidence.domain.holds(rows))
    if not len(judged):
        return [], []
    missed = ~evidence.status_bit(CONDITION)[judged]
    detail = f"{CONDITION} where {companion.name} sets it, at the same inputs"
    return [evidence.verdict(Check.MISSED_FLAGS, missed.astype(np.float64), judged, 0, "1", detail)], []
