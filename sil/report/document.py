"""A campaign as data for `report.json`. Nothing in it depends on time, place or machine but the runners' identity."""

from collections.abc import Iterator
from typing import Any

from exporter.manifest import Manifest
from sil.campaign import Campaign
from sil.evidence import WARNING_CONDITIONS
from sil.figures import count_text, figure
from sil.merged_verdicts import UNREACHED_DETAIL
from sil.not_shown import not_shown_in
from sil.parameter_sets import describe_sets
from sil.tested_vectors import TestedVectors
from sil.verdict import Verdict, summary

KIND = "kinefix-sil"
VERSION = 1


def headline(campaign: Campaign) -> str:
    """The line that is read first."""
    total = sum(len(tested.vectors.rows) for tested in campaign.tested)
    manifest, worst = campaign.manifest, closest_check(campaign)
    nearest = "" if worst is None or not campaign.passed else f"; closest to its limit: {share(worst)}"
    return f"{manifest.name} ({manifest.real}) {summary(campaign.verdicts)} on {count_text(total, 'vector')}{nearest}"


MANY_UNREACHED_SHARE = 0.1
"""Part of the vectors without a flag beyond the reference's reach from which on the first lines tell it."""


def warnings(campaign: Campaign) -> tuple[str, ...]:
    """What belongs to the first lines: of which functions half of the vectors or more are flagged, and why.

    So does of which a tenth or more of those without a flag were not held against the reference.
    """
    about = (_flagged_notes, _beyond)
    return tuple(line for tested in campaign.tested for told in about for line in told(campaign, tested))


def _flagged_notes(campaign: Campaign, tested: TestedVectors) -> Iterator[str]:
    manifest, count = campaign.manifest, len(tested.vectors.rows)
    flagged = tested.flagged_count(manifest)
    if campaign.options.row is not None or 2 * flagged < count:
        return
    bits = {name: number for name, number in tested.flag_counts(manifest).items() if name not in WARNING_CONDITIONS}
    most = max(bits, key=lambda name: bits[name])
    said = ", ".join(f"{name} {number:,}" for name, number in bits.items())
    why = _conditions(manifest, tested.function).get(most, "set by recalibrate")
    yield (
        f"{flagged:,} of {count_text(count, 'vector')} of {tested.function} are flagged, so that their outputs are not "
        f"judged: {said}. {most}: {why}"
    )


def _beyond(campaign: Campaign, tested: TestedVectors) -> Iterator[str]:
    unflagged = len(tested.vectors.rows) - tested.flagged_count(campaign.manifest)
    beyond = max((each.beyond for each in campaign.verdicts if each.function == tested.function), default=0)
    if campaign.options.row is None and beyond and beyond >= MANY_UNREACHED_SHARE * unflagged:
        yield (
            f"{beyond:,} of {count_text(unflagged, 'vector')} of {tested.function} without a flag lie beyond the reach "
            f"of the reference: they were {UNREACHED_DETAIL}"
        )


def _conditions(manifest: Manifest, function: str) -> dict[str, str]:
    everything = (*manifest.functions, *(() if manifest.recalibrate is None else (manifest.recalibrate,)))
    return next(each.conditions for each in everything if each.name == function)


def closest_check(campaign: Campaign) -> Verdict | None:
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
        "report": KIND,
        "version": VERSION,
        "title": manifest.title,
        "headline": headline(campaign),
        "warnings": list(warnings(campaign)),
        "passed": campaign.passed,
        "verdict": "PASSED" if campaign.passed else "FAILED",
        "not_shown": [{"what": each.what, "why": each.why} for each in not_shown_in(campaign)],
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
        "parameters": describe_sets(campaign.parameter_sets),
        "parameter_sets": [{"name": each.name, "values": dict(each.values)} for each in campaign.parameter_sets],
        "vectors": [
            {
                "function": tested.function,
                "count": len(tested.vectors.rows),
                "sha256": tested.sha256,
                "mix": tested.vectors.mix(),
                "flagged": tested.flagged_count(manifest),
                "status": tested.flag_counts(manifest),
                "sets": [
                    {"parameters": part.parameters.name, "first": part.first, "count": len(part.vectors.rows)}
                    for part in tested.parts
                ],
            }
            for tested in campaign.tested
        ],
        "verdicts": [verdict.as_dict() for verdict in campaign.verdicts],
        "notes": list(campaign.notes),
    }
