"""Outputs of a symbolic model against mpmath, each within what rounding may do to it (running error bounds)."""

import numpy as np
from numpy.typing import NDArray

from sil.check_names import Check
from sil.checks.condition_scaling import Judgement
from sil.evidence import Evidence, Series
from sil.reference.symbolic import SymbolicReference
from sil.shares import one_by_one

MOST_ROWS, FEWEST_ROWS = 300, 10  # of all parameter sets together, and of one
UNDECIDED_ERROR = -1.0  # stands for an error where rounding decides
NO_ERRORS = (np.empty(0), np.empty(0, dtype=np.int64))
ALLOWED_BOUNDS = 2.0
"""The bounds count first-order errors of the model's own association; a product written otherwise may cost a little."""


def check_symbolic(evidence: Evidence, reference: SymbolicReference) -> Judgement:
    """The error over its bound, on up to 300 vectors without a flag, spread over all kinds."""
    names = {output.name: number for number, output in enumerate(evidence.function.row_outputs)}
    if not any(output.name in names for output in reference.model.outputs):
        return [], []
    rows = compared_rows(evidence)
    inputs = evidence.doubles(evidence.vectors.rows)
    outputs = evidence.doubles(evidence.ran.outputs)
    known = [output.name for output in reference.model.outputs if output.name in names]
    errors = np.full((len(rows), len(known)), UNDECIDED_ERROR)
    for place, row in enumerate(one_by_one(rows.tolist())):
        given = dict(zip(evidence.vectors.names, inputs[row].tolist(), strict=True))
        right = reference.evaluate(given, evidence.limits.unit)
        for column, name in enumerate(known):
            answer = right[name]
            errors[place, column] = over_bound(
                outputs[row, names[name]], answer.value, answer.error, evidence.limits.unit
            )
    detail = "error over its rounding bound, against mpmath with 40 digits, vectors unflagged"
    decided = errors != UNDECIDED_ERROR
    some = decided.any(axis=1)
    worst = errors.max(axis=1, initial=UNDECIDED_ERROR)[some]  # NaN is kept, and fails
    verdicts = [evidence.verdict(Check.OUTPUTS, worst, rows[some], ALLOWED_BOUNDS, "bounds", detail)]
    for name in np.array(known)[~decided.any(axis=0)] if some.any() else ():
        said = f"{name} alone, where rounding decides on every vector; {detail}"
        verdicts.append(evidence.verdict(f"{Check.OUTPUTS}, {name}", *NO_ERRORS, ALLOWED_BOUNDS, "bounds", said))
    return verdicts, [Series(Check.OUTPUTS, evidence.function.name, ALLOWED_BOUNDS, "bounds", rows[some], worst)]


def compared_rows(evidence: Evidence) -> NDArray[np.int64]:
    """Up to 300 vectors without a flag, spread over all kinds."""
    unflagged = evidence.unflagged
    most = max(FEWEST_ROWS, round(MOST_ROWS * evidence.share))
    return unflagged[:: max(1, len(unflagged) // most)][:most]


def over_bound(made: float, right: object, error: object, unit: float) -> float:
    """An error over what rounding may do; UNDECIDED_ERROR where it decides."""
    value, bound = float(right), float(error)  # type: ignore[arg-type]
    if not np.isfinite(bound):
        return UNDECIDED_ERROR
    smallest = 1e-300 if unit < 1e-10 else 1e-37
    return abs(made - value) / (bound + unit * abs(value) + smallest)
