"""Splits errors into regular vectors and the rest, where the condition number of the problem loosens the limit.

Near a fold a coordinate moves by cond(Phi_d) times what an input moves: that is its condition number. What follows from
the pose - rates, accelerations, powers - changes by cond(Phi_d) once more: its condition number is the square.
"""

import numpy as np
from numpy.typing import NDArray

from sil.checks.mechanism_case import Case
from sil.evidence import Series
from sil.reference.rotations import Array
from sil.verdict import Verdict, not_judged
from sil.warm_start import starts_from_previous

Judgement = tuple[list[Verdict], list[Series]]
NEAR_SINGULAR_SUFFIX = ", near singular, over the condition number"
NONE_REGULAR = "the vectors near singular poses are judged apart, and no other has a margin above"


def judge_errors(
    case: Case,
    check: str,
    errors: Array,
    limit: float,
    detail: str,
    *,
    order: int = 2,
    kept: NDArray[np.bool_] | None = None,
) -> Judgement:
    """Relative errors (rows, k): against the limit where regular, over the condition number elsewhere.

    Args:
        case: the rows of the errors.
        check: its name.
        errors: one or several per row.
        limit: of the errors of regular rows.
        detail: what was compared.
        order: the power of cond(Phi_d) that makes the condition number: 1 for coordinates, 2 for what follows.
        kept: rows that can be judged; None: all of them.
    """
    evidence, chosen = case.evidence, np.ones(len(case.rows), dtype=np.bool_) if kept is None else kept
    worst = (errors if errors.ndim == 1 else errors.max(axis=1, initial=0.0))[chosen]
    rows, regular = case.rows[chosen], case.regular[chosen]
    with np.errstate(invalid="ignore"):
        over_condition = worst / np.where(regular, 1.0, np.maximum(case.conditions[chosen], 1.0) ** order)
    iterates = starts_from_previous(evidence.function)
    said = f"{detail}; margin above {evidence.limits.regular:g}"
    verdicts = [evidence.verdict(check, over_condition[regular], rows[regular], limit, "1", said)]
    if not regular.all():
        near, said = f"{check}{NEAR_SINGULAR_SUFFIX}", f"{detail}; margin at most {evidence.limits.regular:g}"
        verdicts.append(evidence.verdict(near, over_condition[~regular], rows[~regular], limit, "1", said))
        if not regular.any():  # of iterative methods, which tell no margins, all may have a condition number
            reason = f"{NONE_REGULAR} {evidence.limits.regular:g}"
            verdicts[:1] = [] if iterates else [not_judged(check, evidence.function.name, reason, said)]
    series = Series(check, evidence.function.name, limit, "1", rows, np.asarray(over_condition, dtype=np.float64))
    return verdicts, [series]


def scale_floor() -> float:
    """A floor under scales, so that 0 / 0 is 0: subnormal float32 rates stay above their own rounding."""
    return 1e-30
