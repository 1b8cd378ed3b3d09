"""Runners agree bit for bit: interpreter, host and emulated machine code on outputs and status."""

from dataclasses import replace

import numpy as np

from exporter.manifest import Function
from sil.check_names import Check
from sil.compare import different_bits
from sil.evidence import Evidence
from sil.runners.runner import Runner, RunResult
from sil.verdict import Verdict


def check_agreement(evidence: Evidence, runner: Runner, ran: RunResult) -> list[Verdict]:
    """Vectors on which a runner and the host differ in a bit of an output or of the status; the spread of its cost."""
    rows = np.arange(len(evidence.vectors.rows))
    outputs = different_bits(evidence.ran.outputs, ran.outputs).any(axis=1)
    status = evidence.ran.status != ran.status
    if reads_derived(evidence.function):
        status |= evidence.ran.start_status != ran.start_status
    differs = (outputs | status).astype(np.float64)
    found = evidence.verdict(
        f"{Check.AGREEMENT} of {runner.name} and host", differs, rows, 0, "1", f"{runner.about}; outputs and status"
    )
    verdicts = [replace(found, value=float(differs.sum()), unit="vectors")]
    fixed = not evidence.export.manifest.iterates(evidence.function.name)
    if fixed and ran.instructions is not None and len(ran.instructions):
        spread = (ran.instructions - ran.instructions.min()).astype(np.float64)
        fewest = int(ran.instructions.min())
        detail = f"{runner.about}; {fewest} instructions, kernels included"
        judged = evidence.verdict(Check.SPREAD, spread, rows, 0, "instructions", detail)
        verdicts.append(replace(judged, fewest=fewest))
    return verdicts


def reads_derived(function: Function) -> bool:
    """Whether a function takes derived constants."""
    return any(argument.name == "derived" and argument.const for argument in function.arguments)
