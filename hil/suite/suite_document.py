"""What the suites of a folder came to, as data that `kinefix report` reads: `suite.json` beside Robot's own log.

In: the bench, the export and the tests that ran. Out: the document, with a verdict for each test.
"""

import json
from pathlib import Path
from typing import Any

from exporter.manifest import Manifest
from exporter.whole_file import write_whole
from hil.bench import Bench
from hil.errors import BenchError
from hil.report.report_data import SUITE_KIND
from hil.requirements.endings import Ending, RunTest
from sil.verdict import Outcome

VERSION = 1
"""Of the data: additions keep it, other changes raise it."""
DATA, LOG = "suite.json", "log.html"
TESTS = "suite"
"""Stands where other reports name a function."""
OUTCOMES = {Ending.PASSED: Outcome.PASSED, Ending.FAILED: Outcome.FAILED, Ending.SKIPPED: Outcome.NOT_JUDGED}


def suite_document(bench: Bench, manifest: Manifest, tests: list[RunTest], counts: str, passed: bool) -> dict[str, Any]:
    """Everything that `kinefix report` needs, for JSON; `counts` says how many tests ended how."""
    return {
        "report": SUITE_KIND,
        "version": VERSION,
        "title": f"{bench.name} on {bench.target.name}",
        "headline": counts,
        "passed": passed,
        "setting": {"target": bench.target.kind, "core": bench.target.core},
        "identity": {
            "target": bench.target.words,
            "link": bench.link_words,
            "export": f"{manifest.export_id:08x}, {manifest.real}",
            "model": f"{manifest.title} ({manifest.name})",
        },
        "log": LOG,
        "verdicts": [_verdict(test) for test in tests],
    }


def write_suite(document: dict[str, Any], folder: Path) -> Path:
    """Write the data; raises `BenchError` where the folder cannot be written."""
    try:
        write_whole(folder / DATA, (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8"))
    except OSError as error:
        raise BenchError(f"{folder / DATA} cannot be written ({error.strerror}); choose another --report") from error
    return folder / DATA


def _verdict(test: RunTest) -> dict[str, Any]:
    message = " ".join(test.message.split())
    return {
        "function": TESTS,
        "check": test.name.partition(".")[2] or test.name,
        "outcome": OUTCOMES[test.ending].value,
        "passed": test.ending is Ending.PASSED,
        "reason": message if test.ending is Ending.SKIPPED else "",
        "detail": message,
    }
