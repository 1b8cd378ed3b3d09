"""A campaign as data for `report.json`. Nothing in it depends on time, place or machine but the runners' identity."""

from collections import Counter
from typing import Any

from sil.campaign import Campaign
from sil.figures import counted, figure
from sil.verdict import Verdict, summary

VERSION = 1


def headline(campaign: Campaign) -> str:
    """The line that is read first."""
    total = sum(len(tested.vectors.rows) for tested in campaign.tested)
    manifest, worst = campaign.manifest, closest(campaign)
    nearest = "" if worst is None or not campaign.passed else f"; closest to its limit: {share(worst)}"
    return f"{manifest.name} ({manifest.real}) {summary(campaign.verdicts)} on {counted(total, 'vector')}{nearest}"


def closest(campaign: Campaign) -> Verdict | None:
    """The check that uses most of its limit, among those that passed and whose limit is not zero."""
    measured = [verdict for verdict in campaign.verdicts if verdict.passed and verdict.limit > 0]
    return max(measured, key=lambda verdict: verdict.value / verdict.limit, default=None)


def share(verdict: Verdict) -> str:
    """How much of its limit a check uses, in words."""
    part = verdict.value / verdict.limit
    return f"{verdict.check} of {verdict.function}, {figure(verdict.value)} of {figure(verdict.limit)} ({part:.2%})"


def document(campaign: Campaign) -> dict[str, Any]:
    """Everything that the page says, but the plots."""
    manifest, options = campaign.manifest, campaign.options
    return {
        "report": "kinefix-sil",
        "version": VERSION,
        "title": manifest.title,
        "headline": headline(campaign),
        "passed": campaign.passed,
        "model": {
            "name": manifest.name,
            "model_hash": manifest.model_hash,
            "export_id": f"{manifest.export_id:08X}",
            "real": manifest.real,
            "flags": list(manifest.flags),
            "kinefix": manifest.kinefix,
        },
        "runners": list(campaign.runners),
        "seed": options.seed,
        "count": options.count,
        "vectors": [
            {
                "function": tested.function,
                "count": len(tested.vectors.rows),
                "sha256": tested.vectors.sha256,
                "mix": tested.vectors.mix(),
                "flagged": tested.flagged,
                "status": status_counts(campaign, tested.function),
            }
            for tested in campaign.tested
        ],
        "verdicts": [verdict.as_dict() for verdict in campaign.verdicts],
        "notes": list(campaign.notes),
    }


def status_counts(campaign: Campaign, function: str) -> dict[str, int]:
    """How many vectors set each condition."""
    tested = next(tested for tested in campaign.tested if tested.function == function)
    counts: Counter[str] = Counter()
    for name, bit in sorted(campaign.manifest.status.items(), key=lambda item: item[1]):
        number = int(((tested.ran.status >> bit) & 1).sum())
        if number:
            counts[name] = number
    return dict(counts)
