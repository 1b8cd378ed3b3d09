"""A mechanism with its controller: each part against its reference, on vectors and on a trajectory from the start.

In: the evidence of `startup` or `dostep`. A part is judged on what the other one really gave it (`sil.composed`), so
that no error of one hides behind a tolerance of the other.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sil.check_names import Check
from sil.checks.condition_scaling import Judgement
from sil.checks.symbolic import check_symbolic
from sil.checks.symbolic_steps import (
    FLAG,
    check_each_step,
    check_symbolic_steps,
    driven_inputs,
    start_of,
    trajectory_steps,
)
from sil.composed import ComposedReference, controller_evidence, plant_evidence, signals_beyond
from sil.evidence import Evidence
from sil.figures import count_text
from sil.reference.mechanism import Reference
from sil.runners.runner import RunResult
from sil.shares import part
from sil.signals import state_width
from sil.vectors import KINDS, Vectors
from sil.verdict import Verdict

OfMechanism = Callable[[Evidence, Reference], Judgement]


def check_composed(evidence: Evidence, reference: ComposedReference, of_mechanism: OfMechanism) -> Judgement:
    """Everything that is said of both parts; `of_mechanism` makes the checks of the mechanism."""
    with part("holding both parts against the reference", 0.0, 0.5):
        judged = _parts(evidence, reference, of_mechanism, "")
    width = state_width(evidence.export.manifest, evidence.function)
    if not width or not evidence.function.row_inputs:
        return judged
    signals = [_check_signals(evidence, reference)]
    if len(evidence.vectors.rows) == 1:  # one vector is run again
        return [*judged[0], *signals], judged[1]
    with part("following a trajectory", 0.5, 1.0):
        along, _ = _parts(_trajectory(evidence, width), reference, of_mechanism, ", along a trajectory")
    return [*judged[0], *signals, *along], judged[1]


def _parts(evidence: Evidence, reference: ComposedReference, of_mechanism: OfMechanism, suffix: str) -> Judgement:
    """Both parts, each check named by its part."""
    plant, controller = plant_evidence(evidence, reference), controller_evidence(evidence, reference)
    found: list[tuple[str, Judgement]] = []
    if plant is not None:
        with part("judging the mechanism", 0.0, 0.5):
            found.append(("mechanism", of_mechanism(plant, reference.plant)))
    if controller is not None:
        alone = check_symbolic_steps if not controller.function.row_inputs else check_each_step
        with part("judging the controller", 0.5, 1.0):
            found.append(("controller", check_symbolic(controller, reference.controller)))
            found.append(("controller", alone(controller, reference.controller)))
    verdicts = [
        replace(each, check=f"{each.check}, {whose}{suffix}", function=evidence.function.name)
        for whose, (some, _) in found
        for each in some
    ]
    series = [
        replace(each, check=f"{each.check}, {whose}{suffix}", function=evidence.function.name)
        for whose, (_, some) in found
        for each in some
    ]
    return verdicts, series


def _check_signals(evidence: Evidence, reference: ComposedReference) -> Verdict:
    """Where a signal between the parts leaves its range, LIMITED is set."""
    beyond = signals_beyond(evidence, reference)
    rows = evidence.unflagged
    bit = evidence.export.manifest.status.get(FLAG)
    told = np.zeros(len(beyond), dtype=np.bool_) if bit is None else (evidence.ran.status >> np.uint32(bit) & 1) != 0
    detail = f"{FLAG} is set where a signal between the parts leaves the range of the input that it reaches"
    return evidence.verdict(
        f"{Check.STEP_FLAGS}, signals between the parts", (beyond & ~told)[rows].astype(float), rows, 0, "1", detail
    )


def _trajectory(evidence: Evidence, width: int) -> Evidence:
    """Evidence on steps from the start, each from the state that the one before left."""
    inputs = driven_inputs(evidence, width, trajectory_steps(evidence))
    made = start_of(evidence)
    rows, runs = [], []
    for given in inputs:
        rows.append(np.concatenate([made, given]))
        runs.append(evidence.call(evidence.function.name, rows[-1][None, :]))
        made = runs[-1].outputs[0, :width]
    kinds = np.full(len(rows), KINDS.index("random"), dtype=np.uint8)
    return replace(
        evidence,
        vectors=Vectors(evidence.vectors.names, np.array(rows), kinds, evidence.vectors.seed),
        ran=RunResult(
            np.concatenate([run.outputs for run in runs]), np.concatenate([run.status for run in runs]), None,
            runs[0].start_status,
        ),
        margins=np.ones(len(rows)),
        replay=lambda row: f"{count_text(row + 1, 'step')} from the start",
    )  # fmt: skip
