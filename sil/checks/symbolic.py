"""Outputs of a symbolic model against mpmath, each within what rounding may do to it (running error bounds)."""

import numpy as np

from sil.checks.judged import Judgement
from sil.evidence import Evidence, Series
from sil.reference.symbolic import SymbolicReference

MOST_ROWS = 300
SLACK = 2.0
"""The bounds count first-order errors of the model's own association; a product written otherwise may cost a little."""


def check_symbolic(evidence: Evidence, reference: SymbolicReference) -> Judgement:
    """The error over its bound, on up to 300 vectors without a flag, spread over all kinds."""
    names = {output.name: number for number, output in enumerate(evidence.function.row_outputs)}
    if not any(output.name in names for output in reference.model.outputs):
        return [], []
    unflagged = evidence.unflagged
    rows = unflagged[:: max(1, len(unflagged) // MOST_ROWS)][:MOST_ROWS]
    inputs = evidence.doubles(evidence.vectors.rows)
    outputs = evidence.doubles(evidence.ran.outputs)
    errors = np.zeros(len(rows))
    for place, row in enumerate(rows):
        given = dict(zip(evidence.vectors.names, inputs[row].tolist(), strict=True))
        right = reference.evaluate(given, evidence.limits.unit)
        errors[place] = max(
            _over_bound(outputs[row, names[name]], answer.value, answer.error, evidence.limits.unit)
            for name, answer in right.items()
            if name in names
        )
    detail = "error over its rounding bound, against mpmath with 40 digits, vectors unflagged"
    verdict = evidence.verdict("outputs", errors, rows, SLACK, "bounds", detail)
    return [verdict], [Series("outputs", evidence.function.name, SLACK, "bounds", rows, errors)]


def _over_bound(made: float, right: object, error: object, unit: float) -> float:
    value, bound = float(right), float(error)  # type: ignore[arg-type]
    if not np.isfinite(bound):
        return 0.0  # rounding decides: not judged
    smallest = 1e-300 if unit < 1e-10 else 1e-37
    return abs(made - value) / (bound + unit * abs(value) + smallest)
