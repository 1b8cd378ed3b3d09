"""A flat JUnit file: one suite, one case per verdict. Readers of nested suites drop half of what they get."""

import math
from collections.abc import Sequence
from xml.etree import ElementTree

from sil.verdict import Verdict


def junit_text(name: str, verdicts: Sequence[Verdict], properties: dict[str, str]) -> str:
    """The file's text. A verdict whose value is not finite is an error: nothing was measured."""
    errors = [verdict for verdict in verdicts if not verdict.passed and not math.isfinite(verdict.value)]
    failures = [verdict for verdict in verdicts if not verdict.passed and math.isfinite(verdict.value)]
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(verdicts)),
        failures=str(len(failures)),
        errors=str(len(errors)),
        skipped="0",
    )
    listed = ElementTree.SubElement(suite, "properties")
    for key, value in sorted(properties.items()):
        ElementTree.SubElement(listed, "property", name=key, value=value)
    for verdict in verdicts:
        _case(suite, verdict)
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def _case(suite: ElementTree.Element, verdict: Verdict) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=f"hil.{verdict.function}", name=verdict.check)
    if verdict.passed:
        return
    kind = "failure" if math.isfinite(verdict.value) else "error"
    found = ElementTree.SubElement(case, kind, message=verdict.sentence())
    found.text = f"{verdict.detail}\nreplay: {verdict.replay}"
