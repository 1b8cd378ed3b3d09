"""Splits errors into regular vectors and the rest, where the condition number of the closure loosens the limit."""

import numpy as np

from sil.checks.mechanism_case import Case
from sil.evidence import Series
from sil.reference.rotations import Array
from sil.verdict import Verdict

Judgement = tuple[list[Verdict], list[Series]]


def judged(case: Case, check: str, errors: Array, limit: float, detail: str) -> Judgement:
    """Relative errors (rows, k): against the limit where regular, over the condition number elsewhere."""
    worst = errors if errors.ndim == 1 else errors.max(axis=1, initial=0.0)
    regular = case.regular
    threshold = case.evidence.limits.regular
    with np.errstate(invalid="ignore"):
        over_condition = worst / np.where(regular, 1.0, np.maximum(case.conditions, 1.0))
    verdicts = []
    for where, name in ((regular, ""), (~regular, ", near singular, over the condition number")):
        if where.any():
            verdicts.append(
                case.evidence.verdict(
                    f"{check}{name}",
                    over_condition[where],
                    case.rows[where],
                    limit,
                    "1",
                    f"{detail}; margin {'above' if name == '' else 'at most'} {threshold:g}",
                )
            )
    name = case.evidence.function.name
    return verdicts, [Series(check, name, limit, "1", case.rows, np.asarray(over_condition, dtype=np.float64))]


def tiny() -> float:
    """A floor under scales, so that 0 / 0 is 0: subnormal float32 rates stay above their own rounding."""
    return 1e-30
