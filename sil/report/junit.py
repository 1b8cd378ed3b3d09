"""Verdicts as a flat JUnit file: one suite, one case per check, the replay command in a failure's text.

Comes in: verdicts of software or of a device. Goes out: XML text. Readers of nested suites drop half of what they get.
"""

import math
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from sil.campaign import Campaign
from sil.verdict import Verdict


def junit(campaign: Campaign) -> str:
    """The file of a campaign."""
    manifest = campaign.manifest
    properties = {
        "model_hash": manifest.model_hash,
        "export_id": f"{manifest.export_id:08X}",
        "seed": str(campaign.options.seed),
        "count": str(campaign.options.count),
        **{f"vectors.{tested.function}": tested.vectors.sha256 for tested in campaign.tested},
    }
    return junit_text(f"sil {manifest.name} {manifest.real}", campaign.verdicts, properties, f"sil.{manifest.name}")


def junit_text(name: str, verdicts: Sequence[Verdict], properties: Mapping[str, str], group: str) -> str:
    """The file's text; `group` stands before the function in a case's class name.

    A verdict whose value is not finite is an error: nothing was measured.
    """
    failed = [verdict for verdict in verdicts if not verdict.passed]
    broken = sum(1 for verdict in failed if not math.isfinite(verdict.value))
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(verdicts)),
        failures=str(len(failed) - broken),
        errors=str(broken),
        skipped="0",
    )
    listed = ElementTree.SubElement(suite, "properties")
    for key, value in properties.items():
        ElementTree.SubElement(listed, "property", name=key, value=value)
    for verdict in verdicts:
        _case(suite, verdict, f"{group}.{verdict.function}")
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def _case(suite: ElementTree.Element, verdict: Verdict, class_name: str) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=class_name, name=verdict.check)
    if verdict.passed:
        return
    kind = "failure" if math.isfinite(verdict.value) else "error"
    found = ElementTree.SubElement(case, kind, message=verdict.sentence().removeprefix("FAIL "))
    found.text = f"{verdict.detail}\nreplay: {verdict.replay}"
