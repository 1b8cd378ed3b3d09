"""What a run did not show, each with its reason: the line on top of a report.

In: a campaign, or one verdict. Out: `NotShown`, derived from what was run and how every check ended. A check that was
not judged, compared nothing or measured nothing is one of them. Used by: the reports of SIL and of a bench.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from sil.campaign import Campaign
from sil.figures import count_text
from sil.verdict import Outcome, Verdict

ON_A_CORE = ("emulated", "m7")
"""Runners that execute machine code of a target."""


@dataclass(frozen=True, slots=True)
class NotShown:
    """One thing, and why."""

    what: str
    why: str

    @property
    def text(self) -> str:
        """As it stands in a list."""
        return f"{self.what} ({self.why})"


def not_shown_by(verdict: Verdict) -> Iterator[NotShown]:
    """What a verdict leaves open."""
    what = f"{verdict.function}: {verdict.check}"
    if verdict.outcome is Outcome.NOT_JUDGED:
        yield NotShown(what, f"not judged, {verdict.reason}")
    elif verdict.outcome is Outcome.NOTHING_COMPARED:
        yield NotShown(what, f"nothing compared, {verdict.detail}")
    elif math.isnan(verdict.value):
        yield NotShown(what, f"no measurement, {verdict.unknown or verdict.detail}")
    elif verdict.beyond:
        yield NotShown(f"{what} on {count_text(verdict.beyond, 'vector')}", "beyond the reach of the reference")


def not_shown_in(campaign: Campaign) -> tuple[NotShown, ...]:
    """Everything that a campaign leaves open, what matters most first."""
    found = (
        *_of_runners(campaign),
        *(each for verdict in campaign.verdicts for each in not_shown_by(verdict)),
        *_of_extent(campaign),
    )
    return tuple(dict.fromkeys(found))


def _of_runners(campaign: Campaign) -> Iterator[NotShown]:
    names = [runner.partition(":")[0] for runner in campaign.runners]
    if campaign.options.runner == "interpreter":
        yield NotShown("the compiled C", "--runner interpreter")
    if not any(name in ON_A_CORE for name in names):
        yield NotShown("machine code of a target", "no --runner emulated")
    yield NotShown("time", "software tells none; kinefix hil does")


def _of_extent(campaign: Campaign) -> Iterator[NotShown]:
    options, manifest = campaign.options, campaign.manifest
    tested = [each.function for each in campaign.tested]
    others = [each.name for each in manifest.functions if each.name not in tested]
    if others:
        yield NotShown(f"function{'' if len(others) == 1 else 's'} {', '.join(others)}", "--function names others")
    if options.parameters:
        yield NotShown("other tunable parameters", "--parameter gives one set")
    if options.row is not None:
        yield NotShown("other vectors", "--replay runs one alone")
    flagged = sum(each.flagged_count(manifest) for each in campaign.tested)
    if flagged:
        total = count_text(sum(len(each.vectors.rows) for each in campaign.tested), "vector")
        yield NotShown(f"outputs of {flagged:,} of {total} against the reference", "they are flagged")
