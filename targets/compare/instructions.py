"""Instructions of each method's position function, proved in machine code.

In: a mechanism and the facts of its methods. Out: the same facts with instruction counts and verdicts, for the targets
whose tools are present.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from exporter.compose import program_of_mechanism
from exporter.errors import KinefixError, MissingTool
from exporter.export import write_export
from exporter.model.canonical import canonical
from exporter.model.changes import Changes, changed
from exporter.model.mechanism import Mechanism
from targets.audit.export import audit_export
from targets.compare.methods import MethodFacts

TARGETS = ("arm-m4f", "host-gcc")
FUNCTION = "position"


def with_instructions(
    mechanism: Mechanism, facts: MethodFacts, targets: Sequence[str] = TARGETS
) -> tuple[MethodFacts, tuple[str, ...]]:
    """The facts with what the audit says of the position function in float32; and why a target is missing."""
    chosen = changed(mechanism, Changes(method=facts.method, steps=facts.steps))
    counts: dict[str, int] = {}
    verdicts: dict[str, str] = {}
    missing: list[str] = []
    with tempfile.TemporaryDirectory(prefix="kinefix-compare-") as folder:
        try:
            export = write_export(program_of_mechanism(chosen, "float32"), Path(folder) / "export", canonical(chosen))
        except KinefixError as error:
            return replace(facts, verdicts=dict.fromkeys(targets, f"not exported: {error}")), ()
        for target in targets:
            try:
                (audited,) = audit_export(export, target, (FUNCTION,)).functions
            except MissingTool as error:
                missing.append(f"{target}: {error}")
                continue
            verdicts[target] = audited.verdict
            if audited.instructions is not None:
                counts[target] = audited.instructions
    return replace(facts, instructions=counts, verdicts=verdicts), tuple(missing)
