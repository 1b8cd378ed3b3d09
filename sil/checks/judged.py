"""Splits errors into regular vectors and the rest, where the condition number of the problem loosens the limit.

Near a fold a coordinate moves by cond(Phi_d) times what an input moves: that is its condition number. What follows from
the pose - rates, accelerations, powers - changes by cond(Phi_d) once more: its condition number is the square.
"""

import numpy as np

from sil.checks.mechanism_case import Case
from sil.evidence import Series
from sil.reference.rotations import Array
from sil.verdict import Verdict

Judgement = tuple[list[Verdict], list[Series]]


def judged(case: Case, check: str, errors: Array, limit: float, detail: str, *, order: int = 2) -> Judgement:
    """Relative errors (rows, k): against the limit where regular, over the condition number elsewhere.

    `order` is the power of cond(Phi_d) that makes the condition number: 1 for coordinates, 2 for what follows.
    """
    worst = errors if errors.ndim == 1 else errors.max(axis=1, initial=0.0)
    regular = case.regular
    threshold = case.evidence.limits.regular
    with np.errstate(invalid="ignore"):
        over_condition = worst / np.where(regular, 1.0, np.maximum(case.conditions, 1.0) ** order)
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
