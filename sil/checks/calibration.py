"""Parameters that recalibrate must reject: its status says so, and functions run as if they were nominal.

In: a runner, a function that takes derived constants, and some of its vectors. Out: two verdicts.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sil.check_names import Check
from sil.checks.totality import REJECTED_CONDITION
from sil.compare import different_bits
from sil.domain import Domain, Rows
from sil.evidence import Evidence
from sil.figures import count_text
from sil.runners.runner import Runner, RunResult
from sil.vectors import invalid_rows
from sil.verdict import Verdict

SETS_PER_PARAMETER, MOST_SETS = 4, 40  # of bad values
VECTORS_PER_SET = 20  # the first of a function
STREAM = 9200  # of the generator, so that no other vectors draw the same numbers


def check_calibration(evidence: Evidence, runner: Runner, domain: Domain) -> list[Verdict]:
    """Parameters that are not finite or out of range, alone and together: flagged, and replaced bit for bit."""
    count = min(SETS_PER_PARAMETER * len(domain.names), MOST_SETS)
    bad = invalid_rows(domain, evidence.vectors.seed, STREAM, count)
    rows = evidence.vectors.rows[:VECTORS_PER_SET]
    name, flag = evidence.function.name, np.uint32(1 << evidence.export.manifest.status[REJECTED_CONDITION])
    unflagged, kept = np.zeros(len(bad)), np.zeros(len(bad))
    for number, values in enumerate(bad):
        given = runner.run(name, rows, _parameter_values(domain, values))
        right = runner.run(name, rows, _parameter_values(domain, domain.with_nominal(values)))
        unflagged[number] = given.start_status != (right.start_status | int(flag))
        kept[number] = _differ(given, right).sum()
    at = np.zeros(len(bad), dtype=np.int64)
    sets = f"{count_text(len(bad), 'set')} of parameters with bad values"
    return [
        _plain(evidence.verdict(Check.PARAMETERS_REJECTED, unflagged, at, 0, "1", f"status of recalibrate at {sets}")),
        _plain(
            evidence.verdict(
                Check.PARAMETERS_REPLACED, kept, at, 0, "vectors", f"outputs equal those of nominal ones, at {sets}"
            )
        ),
    ]


def _parameter_values(domain: Domain, values: Rows) -> dict[str, float]:
    return dict(zip(domain.names, values.astype(np.float64).tolist(), strict=True))


def _differ(given: RunResult, right: RunResult) -> NDArray[np.bool_]:
    return np.asarray(different_bits(given.outputs, right.outputs).any(axis=1) | (given.status != right.status))


def _plain(verdict: Verdict) -> Verdict:
    """No worst vector: what is wrong is a set of parameters, not a vector."""
    return replace(verdict, worst=None, inputs={}, replay="", parameters={})
