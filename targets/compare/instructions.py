"""Instructions of each method's position function: proved in machine code, and counted while it runs.

In: a mechanism and the facts of its methods. Out: the same facts with instruction counts and verdicts, for the targets
whose tools are present. What is proved to be a single path has one count; the run on the emulated board says whether it
is the same on every row, bad arguments included, and what a method costs whose count depends on the data.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from exporter.errors import KinefixError, MissingTool, Unsolved
from exporter.export import Export, write_export
from exporter.full_disk import temporary_folder
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.changes import apply_changes
from exporter.model.mechanism import Mechanism
from exporter.progress import say
from targets.audit.export import audit_export
from targets.compare.accuracy import rows_at
from targets.compare.methods import MethodFacts, changes_of
from targets.ecu.batch import run_batch
from targets.ecu.firmware import build_firmware
from targets.rows import function_of

TARGETS = ("arm-m4f", "host-gcc")
EMULATED_TARGET = "arm-m4f"
FUNCTION = "position"
NOT_FIXED = "not fixed-time"
ROWS = 200  # that are run


def with_instructions(mechanism: Mechanism, facts: MethodFacts) -> tuple[MethodFacts, tuple[str, ...]]:
    """The facts with what the audit and the emulated board say of the position function in float32.

    Second comes why something was left out.
    """
    chosen = apply_changes(mechanism, changes_of(facts))
    with temporary_folder("kinefix-compare-") as folder:
        try:
            export = write_export(program_of_mechanism(chosen, "float32"), folder / "export", canonical(chosen))
        except KinefixError as error:
            return replace(facts, verdicts=dict.fromkeys(TARGETS, f"not exported: {error}")), ()
        facts, unproved = _prove_counts(export, facts)
        facts, unmeasured = _measure_counts(mechanism, export, facts, folder / "firmware")
        return facts, (*unproved, *unmeasured)


def _prove_counts(export: Export, facts: MethodFacts) -> tuple[MethodFacts, tuple[str, ...]]:
    """By the audit; a method to a tolerance has nothing to prove."""
    if export.manifest.iterates(FUNCTION):
        return replace(facts, verdicts=dict.fromkeys(TARGETS, NOT_FIXED)), ()
    counts: dict[str, int] = {}
    verdicts: dict[str, str] = {}
    missing: list[str] = []
    for target in TARGETS:
        try:
            (audited,) = audit_export(export, target, (FUNCTION,)).functions
        except MissingTool as error:
            missing.append(f"{target}: {error}")
            continue
        verdicts[target] = audited.verdict
        if audited.instructions is not None:
            counts[target] = audited.instructions
    return replace(facts, instructions=counts, verdicts=verdicts), tuple(missing)


def _measure_counts(
    mechanism: Mechanism, export: Export, facts: MethodFacts, folder: Path
) -> tuple[MethodFacts, tuple[str, ...]]:
    """By running it on the emulated board at random poses, every tenth row with an argument that is no number."""
    names = [field.name for field in function_of(export.manifest, FUNCTION).row_inputs]
    try:
        rows = rows_at(mechanism, names, ROWS).astype(np.float32)
        rows[::10, 0] = np.nan
        say("running on the emulated board")
        ran = run_batch(build_firmware(export, FUNCTION, folder, "batch", EMULATED_TARGET), rows)
    except MissingTool as error:
        return facts, (f"{EMULATED_TARGET}, emulated: {error}",)
    except Unsolved:  # no pose to run at, which the accuracy has said
        return facts, ()
    return replace(facts, measured={EMULATED_TARGET: _ends(ran.instructions.tolist())}), ()


def _ends(counts: Iterable[int]) -> tuple[int, int]:
    known = list(counts)
    return min(known), max(known)
