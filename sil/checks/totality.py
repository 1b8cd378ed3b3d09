"""Every function is total: finite outputs on every vector, bad arguments flagged and replaced, calls repeatable."""

import numpy as np

from sil.check_names import Check
from sil.compare import different_bits
from sil.evidence import Evidence
from sil.switching import relevant_rows
from sil.verdict import Verdict

REJECTED_CONDITION = "ARG_REJECTED"


def check_totality(evidence: Evidence) -> list[Verdict]:
    """Finite outputs, rejection exactly where an input is bad, nominal replacement bit for bit, repeatability."""
    everything = np.arange(len(evidence.vectors.rows))
    finite = np.isfinite(evidence.ran.outputs)
    verdicts = [evidence.verdict(Check.FINITE, (~finite).sum(axis=1), everything, 0, "outputs", "worst vector's count")]
    again = evidence.call(evidence.function.name, evidence.vectors.rows)
    changed = different_bits(evidence.ran.outputs, again.outputs).any(axis=1) | (evidence.ran.status != again.status)
    verdicts.append(
        evidence.verdict(Check.REPEATED, changed.astype(np.float64), everything, 0, "1", "bits of a second run")
    )
    if evidence.domain.names and REJECTED_CONDITION in evidence.function.conditions:
        verdicts += _rejection(evidence)
    return verdicts


def _rejection(evidence: Evidence) -> list[Verdict]:
    everything = np.arange(len(evidence.vectors.rows))
    invalid = ~evidence.domain.holds(relevant_rows(evidence))
    flagged = evidence.status_bit(REJECTED_CONDITION)
    bad = np.flatnonzero(invalid)
    replaced = evidence.call(evidence.function.name, evidence.domain.with_nominal(evidence.vectors.rows[bad]))
    bit = np.uint32(1 << evidence.export.manifest.status[REJECTED_CONDITION])
    same_status = (evidence.ran.status[bad] & ~bit) == (replaced.status & ~bit)
    differs = different_bits(evidence.ran.outputs[bad], replaced.outputs).any(axis=1) | ~same_status
    return [
        evidence.verdict(
            Check.REJECTED,
            (invalid != flagged).astype(np.float64),
            everything,
            0,
            "1",
            f"{REJECTED_CONDITION} is set where an input is not finite or out of range, and nowhere else",
        ),
        evidence.verdict(
            Check.REPLACED,
            differs.astype(np.float64),
            bad,
            0,
            "1",
            "outputs equal those of the nominal value, bit for bit",
        ),
    ]
