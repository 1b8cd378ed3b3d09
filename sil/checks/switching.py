"""A step that may change its coordinates: the state one period later in the choice that goes on, the rule, the roots.

The reference takes the pose and rates of the present state, driven by the choice that is active, and integrates in the
choice that the export goes on with, on the branch that the export names for it.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sil.check_names import Check
from sil.checks.condition_scaling import Judgement, judge_errors, scale_floor
from sil.checks.mechanism_case import Case
from sil.checks.stepping import step_errors
from sil.reference.implicit_step import integrate_state
from sil.reference.mechanism import Reference
from sil.reference.rotations import Array
from sil.signals import state_width
from sil.switching import BRANCHES, Group, References, design_roots, keys_of

RATIO_SIGNAL = "switch.ratio"
UNDECIDED_RATIO_GAP = 1e-3
"""Where the ratio is this near to a limit of the rule, rounding may decide either way."""
JUDGED_RATIO = 30.0
"""Beyond this, one of the choices is next to its singular pose, and the ratio only says which."""


@dataclass(frozen=True)
class StepJudgement:
    """What a group of vectors is judged by."""

    group: Group
    case: Case
    references: References

    @property
    def goes_on(self) -> NDArray[np.int64]:
        """Choice and branch of the state that was written, on the case's rows."""
        function, width = self.case.evidence.function, _state_width(self.case)
        fields = function.row_outputs[:width]
        return keys_of(fields, self.case.evidence.ran.outputs[self.case.rows][:, :width], design_roots(function))


def _state_width(case: Case) -> int:
    return state_width(case.evidence.export.manifest, case.evidence.function)


def check_switched_step(step: StepJudgement) -> Judgement:
    """Coordinates and rates of the choice that goes on, one period later."""
    case = step.case
    if case.rates is None:
        return [], []
    errors, known = np.zeros(len(case.rows)), np.zeros(len(case.rows), dtype=np.bool_)
    goes_on = step.goes_on
    for key in sorted({(int(choice), int(branch)) for choice, branch in goes_on.tolist()}):
        mask = (goes_on == np.array(key)).all(axis=1)
        reference = step.references.of(key)
        if reference is not None:
            errors[mask], known[mask] = _errors(case, reference, mask)
    method = case.reference.skeleton.mechanism.step.method
    detail = f"{method} around the reference's dynamics, in the coordinates that go on"
    return judge_errors(case, Check.STEP, errors, case.evidence.limits.relative, detail, kept=known)


def _errors(case: Case, reference: Reference, mask: NDArray[np.bool_]) -> tuple[Array, NDArray[np.bool_]]:
    """Errors of the rows that go on by this reference, and where it finds the poses that the step goes through."""
    rates = np.zeros_like(case.at.values) if case.rates is None else case.rates
    columns = list(reference.skeleton.independent)
    q, v = case.at.values[mask][:, columns], rates[mask][:, columns]
    inputs = {name: values[mask] for name, values in case.model_inputs().items()}

    def derivative(positions: Array, speeds: Array) -> Array:
        return reference.state_derivative(positions, speeds, inputs)

    later, after = integrate_state(reference, q, v, inputs, derivative)
    part = _part(case, reference, mask)
    derived = _spread(case, mask, q), case.evidence.limits.relative
    errors = step_errors(part, q, v, later, after, derived).max(axis=1)
    known = np.asarray(np.isfinite(later).all(axis=1) & np.isfinite(after).all(axis=1))
    return errors, known


def _spread(case: Case, mask: NDArray[np.bool_], q: Array) -> Array:
    """By how much rounding of what was given is larger in the coordinates that go on: they follow from the pose."""
    given = np.abs(case.at.values[mask][:, list(case.reference.skeleton.independent)]).max(axis=1)
    own = np.abs(q).min(axis=1)
    conditions = case.reference.conditions(case.at.values[mask])
    return np.asarray(1.0 + conditions * given / np.maximum(own, scale_floor()))


def _part(case: Case, reference: Reference, mask: NDArray[np.bool_]) -> Case:
    """The case on some of its rows, with the state's columns of another choice."""
    at = replace(case.at, values=case.at.values[mask], sines=case.at.sines[mask], cosines=case.at.cosines[mask])
    return replace(
        case,
        reference=reference,
        rows=case.rows[mask],
        at=at,
        rates=None if case.rates is None else case.rates[mask],
        regular=case.regular[mask],
    )


def check_rule(step: StepJudgement) -> Judgement:
    """The ratio of the rates, and that the choice follows from it."""
    case, function = step.case, step.case.evidence.function
    names = [field.name for field in function.row_outputs]
    if RATIO_SIGNAL not in names:
        return [], []
    given = case.output(names.index(RATIO_SIGNAL))
    right = _ratio(case, step.references, step.group.key[0])
    judgeable = (right < JUDGED_RATIO) & (right > 1 / JUDGED_RATIO)
    errors = np.abs(given - right) / np.maximum(right, scale_floor())
    detail = "against the reference's velocities"
    limits = case.evidence.limits
    verdicts, series = judge_errors(case, Check.RATIO, errors, limits.relative, detail, kept=judgeable)
    limit, active = float(case.reference.skeleton.mechanism.switch_ratio), step.group.key[0]
    decided = ~(np.abs(given / limit - 1) < UNDECIDED_RATIO_GAP)
    wrong = ((given > limit) != (step.goes_on[:, 0] != active))[decided]
    detail = f"the other choice is taken where it is {limit:g} times better, and at no other place"
    verdicts.append(case.evidence.verdict(Check.RULE, wrong.astype(float), case.rows[decided], 0, "1", detail))
    return verdicts, series


def _ratio(case: Case, references: References, active: int) -> Array:
    """|det| of the other choice's rates by the active one's, each over its bound."""
    first, second = references.of((0, 1)), references.of((1, 1))
    if first is None or second is None:
        return np.full(len(case.rows), np.nan)
    own, other = (second, first) if active else (first, second)
    matrix = case.reference.unit_motions(case.at)[:, list(other.skeleton.independent)]
    return np.asarray(np.abs(np.linalg.det(matrix)) * _bounds(own) / _bounds(other))


def _bounds(reference: Reference) -> float:
    mechanism = reference.skeleton.mechanism
    return float(np.prod([float(mechanism.ranges[name].rate or 1) for name in mechanism.independent]))


def check_roots(step: StepJudgement) -> Judgement:
    """The root that the other choice would take at the present pose, by the orientation of its closures."""
    case = step.case
    names = [field.name for field in case.evidence.function.row_outputs[: _state_width(case)]]
    other = 1 - step.group.key[0]
    reference = step.references.of((other, 1))
    columns = [k for k, name in enumerate(names) if name.startswith(BRANCHES[other])]
    if reference is None or len(columns) != 1:
        return [], []
    design = design_roots(case.evidence.function)[names[columns[0]]]
    same = case.output(columns[0]) * design > 0
    right = reference.assembly.orientations(case.at.values) == reference.assembly.design.orientation
    clear = reference.conditions(case.at.values) < JUDGED_RATIO
    wrong = (same != right)[clear].astype(float)
    detail = "the orientation of the other choice's closures at the pose, where it is clear"
    return [case.evidence.verdict(Check.ROOTS, wrong, case.rows[clear], 0, "1", detail)], []
