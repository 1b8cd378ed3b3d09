"""Steps of a symbolic model against the reference: each alone, its limits, the start, and a trajectory from there.

In: the evidence of `startup` or `dostep`. Where rounding decides, a comparison near its surface or a value near a
limit, the vector is not judged. A trajectory goes on from the export's own state there, so that what follows is.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exporter.manifest import Field
from sil.check_names import Check
from sil.checks.condition_scaling import Judgement
from sil.checks.symbolic import ALLOWED_BOUNDS, NO_ERRORS, UNDECIDED_ERROR, compared_rows, over_bound
from sil.domain import Rows, domain_of
from sil.evidence import Evidence, Series, flagged_rows
from sil.figures import count_text
from sil.generator import choices
from sil.parameter_sets import whole_inputs
from sil.reference.symbolic import SymbolicReference
from sil.reference.symbolic_steps import Stepped, StepReference, Values, exactly, step_reference_of
from sil.shares import one_by_one
from sil.signals import state_width
from sil.verdict import Verdict, worst_of

FLAG = "LIMITED"
LONGEST_TRAJECTORY, SHORTEST_TRAJECTORY = 400, 40  # steps: of all frozen parameters, of each set at least
HELD_STEPS = (1, 3, 10, 40)
"""Inputs of a trajectory are held for one of these numbers of steps."""
STREAM = 8800  # of the generator
GROWN_SHARE = 1e-3
"""Part of a state's range beyond which a bound says too little: the trajectory goes on from the export's state."""


def check_symbolic_steps(evidence: Evidence, reference: SymbolicReference) -> Judgement:
    """Everything that is said of a function that writes the state; nothing of another."""
    steps = step_reference_of(reference, evidence.limits.unit)
    width = state_width(evidence.export.manifest, evidence.function)
    if steps is None or not width:
        return [], []
    if not evidence.function.row_inputs:
        return [_check_start(evidence, steps)], []
    verdicts, series = check_each_step(evidence, reference)
    alone = len(evidence.vectors.rows) == 1  # one vector is run again
    trajectory = [] if alone else [_check_trajectory(evidence, steps, width)]
    return [*verdicts, *trajectory], series


def _check_start(evidence: Evidence, steps: StepReference) -> Verdict:
    right = steps.start()
    outputs = evidence.doubles(evidence.ran.outputs)
    worst = np.array([_errors(evidence, row, right).max() for row in outputs])
    detail = "the state against its start values, error over its rounding bound"
    return evidence.verdict(Check.START, worst, np.arange(len(outputs)), ALLOWED_BOUNDS, "bounds", detail)


def _errors(evidence: Evidence, made: NDArray[np.float64], right: Values) -> NDArray[np.float64]:
    """Errors of the states that a row of outputs begins with, UNDECIDED_ERROR where rounding decides."""
    names = [field.name for field in evidence.function.row_outputs]
    width, unit = state_width(evidence.export.manifest, evidence.function), evidence.limits.unit
    states = [(number, right[name]) for number, name in enumerate(names[:width])]
    return np.array([over_bound(made[number], at.value, at.error, unit) for number, at in states])


def check_each_step(evidence: Evidence, reference: SymbolicReference) -> Judgement:
    """Each vector by itself: the state one step later, and whether a limit was told."""
    steps = step_reference_of(reference, evidence.limits.unit)
    width = state_width(evidence.export.manifest, evidence.function)
    if steps is None or not width:
        return [], []
    rows = compared_rows(evidence)
    inputs, outputs = evidence.doubles(evidence.vectors.rows), evidence.doubles(evidence.ran.outputs)
    errors = np.full((len(rows), width), UNDECIDED_ERROR)
    wrong = np.full(len(rows), UNDECIDED_ERROR)
    bit = evidence.export.manifest.status.get(FLAG)
    for place, row in enumerate(one_by_one(rows.tolist())):
        stepped = steps.step(_given(evidence, inputs[row]))
        errors[place] = _errors(evidence, outputs[row], stepped.states)
        told = bool(bit is not None and evidence.ran.status[row] >> bit & 1)
        wrong[place] = UNDECIDED_ERROR if stepped.limited is None else float(stepped.limited != told)
    worst = errors.max(axis=1, initial=UNDECIDED_ERROR)
    some, sure = worst != UNDECIDED_ERROR, wrong != UNDECIDED_ERROR
    detail = "the state one step later, error over its rounding bound, against mpmath with 40 digits, vectors unflagged"
    verdicts = [evidence.verdict(Check.STEP, worst[some], rows[some], ALLOWED_BOUNDS, "bounds", detail)]
    said = f"{FLAG} is set where a state would leave its range, and nowhere else"
    verdicts.append(evidence.verdict(Check.STEP_FLAGS, wrong[sure], rows[sure], 0, "1", said))
    series = Series(Check.STEP, evidence.function.name, ALLOWED_BOUNDS, "bounds", rows[some], worst[some])
    never = ~(errors != UNDECIDED_ERROR).any(axis=0) if some.any() else np.zeros(width, dtype=np.bool_)
    for field in np.array(evidence.function.row_outputs[:width], dtype=object)[never]:
        said = f"{field.name} alone, where rounding decides on every vector; {detail}"
        verdicts.append(evidence.verdict(f"{Check.STEP}, {field.name}", *NO_ERRORS, ALLOWED_BOUNDS, "bounds", said))
    return verdicts, [series]


def _given(evidence: Evidence, row: NDArray[np.float64]) -> Values:
    return {name: exactly(value) for name, value in zip(evidence.vectors.names, row.tolist(), strict=True)}


@dataclass(slots=True)
class _Trajectory:
    """How the steps of a trajectory compare so far."""

    errors: list[float]
    undecided: int = 0  # steps that rounding decides, or that set a flag


def _check_trajectory(evidence: Evidence, steps: StepReference, width: int) -> Verdict:
    """Many steps from the start, the reference with its own state all the way."""
    fields = evidence.function.row_outputs[:width]
    ranges = {each.name: _width_of(each) for each in fields}
    driven = driven_inputs(evidence, width, trajectory_steps(evidence))
    right, made = steps.start(), start_of(evidence)
    found = _Trajectory([])
    for inputs in one_by_one(list(driven)):
        row = np.concatenate([made, inputs])[None, :]
        ran = evidence.call(evidence.function.name, row)
        given = _given(evidence, row[0].astype(np.float64))
        stepped = steps.step({**given, **right})
        made = ran.outputs[0, :width]
        flagged = bool(flagged_rows(evidence.export.manifest, ran)[0])
        right = _continued(evidence, ran.outputs[0].astype(np.float64), stepped, ranges, found, flagged=flagged)
    value, at = worst_of(np.array(found.errors))
    where = "" if at is None else f", the worst after {count_text(at + 1, 'step')}"
    detail = (
        f"{count_text(len(driven), 'step')} from the start, the reference by itself{where}; taken up again from the "
        f"export's state {found.undecided} times, where rounding decides"
    )
    return Verdict(
        Check.TRAJECTORY, evidence.function.name, value, ALLOWED_BOUNDS, "bounds", detail, compared=len(found.errors)
    )


def _continued(
    evidence: Evidence,
    made: NDArray[np.float64],
    stepped: Stepped,
    ranges: Mapping[str, float],
    found: _Trajectory,
    *,
    flagged: bool,
) -> Values:
    """The state that the reference goes on with: its own, or the export's where that is not decided."""
    errors = _errors(evidence, made, stepped.states)
    if not flagged and (errors != UNDECIDED_ERROR).all():
        found.errors.append(float(errors.max()))
    own = {name: exactly(made[number]) for number, name in enumerate(ranges)}
    grown = any(stepped.states[name].error > GROWN_SHARE * width for name, width in ranges.items())
    if flagged or grown:
        found.undecided += 1
        return own
    return stepped.states


def trajectory_steps(evidence: Evidence) -> int:
    """How many steps a trajectory has: no more than there are vectors, but some."""
    most = min(round(LONGEST_TRAJECTORY * evidence.share), len(evidence.vectors.rows))
    return max(SHORTEST_TRAJECTORY, most)


def start_of(evidence: Evidence) -> Rows:
    """The state that the export's own `startup` sets; the nominal one where it has none."""
    for function in evidence.export.manifest.functions:
        if not function.row_inputs and state_width(evidence.export.manifest, function):
            nothing = np.empty((1, 0), dtype=evidence.vectors.rows.dtype)
            return np.asarray(evidence.call(function.name, nothing).outputs[0])
    width = state_width(evidence.export.manifest, evidence.function)
    return evidence.domain.nominal[:width]


def driven_inputs(evidence: Evidence, width: int, count: int) -> Rows:
    """Inputs of a trajectory of so many steps, each held for some of them."""
    manifest, fields = evidence.export.manifest, evidence.function.row_inputs[width:]
    domain = domain_of(fields, manifest.real, whole_inputs(manifest))
    drawn = domain.spread(evidence.vectors.seed, STREAM, count)
    held = np.array(HELD_STEPS)[choices(evidence.vectors.seed, STREAM + 5, (count,), len(HELD_STEPS))]
    return np.asarray(drawn[np.repeat(np.arange(count), held)[:count]])


def _width_of(field: Field) -> float:
    return float((field.maximum or 0) - (field.minimum or 0))
