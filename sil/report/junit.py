"""Verdicts as a flat JUnit file: one suite, one case per check, the replay command in a failure's text.

In: verdicts of software or of a device. Out: XML text. Readers of nested suites drop half of what they get.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from exporter.drawing.characters import readable
from sil.campaign import Campaign
from sil.not_shown import not_shown_in
from sil.parameter_sets import describe_sets
from sil.report.document import warnings
from sil.verdict import Outcome, Verdict

FAILURE, ERROR, SKIPPED = "failure", "error", "skipped"


def junit(campaign: Campaign) -> str:
    """The file of a campaign."""
    manifest = campaign.manifest
    properties = {
        "model_hash": manifest.model_hash,
        "export_id": f"{manifest.export_id:08X}",
        "seed": str(campaign.options.seed),
        "count": str(campaign.options.count),
        "parameters": describe_sets(campaign.parameter_sets),
        **{f"warning.{number}": text for number, text in enumerate(warnings(campaign), start=1)},
        "verdict": "PASSED" if campaign.passed else "FAILED",
        **{f"not shown.{number}": each.text for number, each in enumerate(not_shown_in(campaign), start=1)},
        **{f"vectors.{tested.function}": tested.sha256 for tested in campaign.tested},
    }
    return junit_text(f"sil {manifest.name} {manifest.real}", campaign.verdicts, properties, f"sil.{manifest.name}")


def junit_text(name: str, verdicts: Sequence[Verdict], properties: Mapping[str, str], group: str) -> str:
    """The file's text; `group` stands before the function in a case's class name.

    A check that had nothing to compare, or whose value is not finite, is an error: nothing was measured. One that is
    not judged is skipped, with its reason. Characters that XML cannot hold become U+FFFD.
    """
    kinds = Counter(_kind(verdict) for verdict in verdicts)
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(verdicts)),
        failures=str(kinds[FAILURE]),
        errors=str(kinds[ERROR]),
        skipped=str(kinds[SKIPPED]),
    )
    listed = ElementTree.SubElement(suite, "properties")
    for key, value in properties.items():
        ElementTree.SubElement(listed, "property", name=key, value=value)
    for verdict in verdicts:
        _case(suite, verdict, f"{group}.{verdict.function}")
    ElementTree.indent(suite)
    text = ElementTree.tostring(suite, encoding="unicode")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + readable(text) + "\n"


def _kind(verdict: Verdict) -> str | None:
    """What JUnit calls it; None where it passed."""
    match verdict.outcome:
        case Outcome.PASSED:
            return None
        case Outcome.NOT_JUDGED:
            return SKIPPED
        case Outcome.FAILED if math.isfinite(verdict.value):
            return FAILURE
    return ERROR


def _case(suite: ElementTree.Element, verdict: Verdict, class_name: str) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=class_name, name=verdict.check)
    kind = _kind(verdict)
    if kind is None:
        return
    found = ElementTree.SubElement(case, kind, message=verdict.sentence()[len("FAIL ") :])
    found.text = f"{verdict.detail}\nreplay: {verdict.replay}" if verdict.replay else verdict.detail
