"""Joins what one function's checks found at several sets of parameters: one verdict and one series per check.

In: verdicts and series by set. Out: the worst of each check, on all vectors that were compared; its detail says on how
many, and at how many sets.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from sil.check_names import Check
from sil.checks.condition_scaling import NEAR_SINGULAR_SUFFIX
from sil.evidence import Series
from sil.figures import count_text
from sil.verdict import Outcome, Verdict

OUTCOME_ORDER = (Outcome.FAILED, Outcome.PASSED, Outcome.NOT_JUDGED, Outcome.NOTHING_COMPARED)
"""Whose verdict speaks for all sets, first one first: a set where nothing was compared is made good by another."""

UNREACHED_DETAIL = "held against closures and finite differences at most"
"""What is judged of a vector that the reference does not reach."""


def merged_verdicts(by_set: Iterable[Sequence[Verdict]]) -> list[Verdict]:
    """One verdict per check, in the order in which the checks were made.

    A check that compared nothing at some sets and was no check of its own at the others has been made there as part of
    another one, and is left out.
    """
    found: dict[str, list[Verdict]] = {}
    sets = beyond = 0
    for sets, verdicts in enumerate(by_set, start=1):  # noqa: B007 - the last number is their count
        beyond += max((verdict.beyond for verdict in verdicts), default=0)
        for verdict in verdicts:
            found.setdefault(verdict.check, []).append(verdict)
    joined = [(_join_verdicts(verdicts, beyond), len(verdicts)) for verdicts in found.values()]
    return [each for each, at in joined if at == sets or each.outcome is not Outcome.NOTHING_COMPARED]


def _join_verdicts(verdicts: list[Verdict], beyond: int) -> Verdict:
    held = any(each.beyond for each in verdicts)  # of the checks that need the reference
    worst = _with_reach(min(verdicts, key=rank), beyond if held else 0)
    if not worst.measured:
        return worst
    compared = [each for each in verdicts if each.measured]
    total = sum(each.compared or 0 for each in compared)
    at = f" at {len(compared):,} parameter sets" if len(compared) > 1 else ""
    joined = replace(worst, compared=total, detail=f"{worst.detail}; {count_text(total, 'vector')}{at}")
    if worst.check.startswith(Check.AGREEMENT):
        return replace(joined, value=sum(each.value for each in compared))
    return _spread(joined, compared) if worst.check == Check.SPREAD else joined


def _with_reach(verdict: Verdict, beyond: int) -> Verdict:
    """With the vectors beyond the reference's reach at all sets, which the check of the coordinates tells in words."""
    tells = verdict.check.startswith(Check.COORDINATES) and NEAR_SINGULAR_SUFFIX not in verdict.check
    said = f" ({count_text(beyond, 'vector')} beyond its reach {UNREACHED_DETAIL})" if beyond and tells else ""
    return replace(verdict, beyond=beyond, detail=f"{verdict.detail}{said}")


def rank(verdict: Verdict) -> tuple[int, float]:
    """A key that is smaller for what is worse; NaN is the worst of what failed."""
    part = verdict.value / verdict.limit if verdict.limit > 0 else verdict.value
    return OUTCOME_ORDER.index(verdict.outcome), -np.inf if np.isnan(part) else -part


def _spread(joined: Verdict, compared: list[Verdict]) -> Verdict:
    """The spread of a count over all sets: parameters change no cost either."""
    fewest = min(each.fewest or 0 for each in compared)
    most = max((each.fewest or 0) + each.value for each in compared)
    return replace(joined, fewest=fewest, value=most - fewest)


def merged_series(by_set: Iterable[Sequence[Series]]) -> list[Series]:
    """One series per check, its rows numbered through all sets."""
    found: dict[str, list[Series]] = {}
    for series in by_set:
        for each in series:
            found.setdefault(each.check, []).append(each)
    return [
        replace(
            parts[0],
            rows=np.concatenate([each.rows for each in parts]),
            errors=np.concatenate([each.errors for each in parts]),
        )
        for parts in found.values()
    ]
