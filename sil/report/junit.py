"""Verdicts as a flat JUnit file: one suite, one case per check, the replay command in a failure's text."""

import math
from xml.etree import ElementTree

from sil.campaign import Campaign


def junit(campaign: Campaign) -> str:
    """The XML text. A value that is not finite counts as an error: nothing was measured."""
    failed = [verdict for verdict in campaign.verdicts if not verdict.passed]
    broken = sum(1 for verdict in failed if not math.isfinite(verdict.value))
    suite = ElementTree.Element(
        "testsuite",
        name=f"sil {campaign.manifest.name} {campaign.manifest.real}",
        tests=str(len(campaign.verdicts)),
        failures=str(len(failed) - broken),
        errors=str(broken),
        skipped="0",
    )
    properties = ElementTree.SubElement(suite, "properties")
    values = {
        "model_hash": campaign.manifest.model_hash,
        "export_id": f"{campaign.manifest.export_id:08X}",
        "seed": str(campaign.options.seed),
        "count": str(campaign.options.count),
        **{f"vectors.{tested.function}": tested.vectors.sha256 for tested in campaign.tested},
    }
    for name, value in values.items():
        ElementTree.SubElement(properties, "property", name=name, value=value)
    for verdict in campaign.verdicts:
        name = f"sil.{campaign.manifest.name}.{verdict.function}"
        case = ElementTree.SubElement(suite, "testcase", classname=name, name=verdict.check)
        if not verdict.passed:
            kind = "failure" if math.isfinite(verdict.value) else "error"
            found = ElementTree.SubElement(case, kind, message=verdict.sentence().removeprefix("FAIL "))
            found.text = f"{verdict.detail}\nreplay: {verdict.replay}"
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
