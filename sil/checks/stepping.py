"""The exported integration step against the same formula around the reference's dynamics; the start state."""

import numpy as np

from exporter.manifest import Field
from sil.check_names import Check
from sil.checks.condition_scaling import Judgement, judge_errors, scale_floor
from sil.checks.mechanism_case import Case
from sil.compare import angle_difference
from sil.domain import domain_of
from sil.evidence import Evidence
from sil.reference.implicit_step import integrate_state
from sil.reference.mechanism import Reference
from sil.reference.rotations import Array
from sil.signals import columns_of, state_width
from sil.verdict import Verdict

STEP_ROUNDINGS = 8
"""A coordinate may lose this many eps of its size in a step and in being wrapped, besides what its rate is wrong by.

So may a rate of its own, besides what its acceleration is wrong by.
"""


def check_step(case: Case) -> Judgement:
    """Coordinates and rates one period later."""
    mechanism = case.reference.skeleton.mechanism
    writes = all(name in case.state.value and name in case.state.rate for name in mechanism.independent)
    if not writes or case.rates is None:
        return [], []
    q, v = case.independent(case.inputs.value, case.rows), case.independent(case.inputs.rate, case.rows)
    inputs = case.model_inputs()
    period = float(mechanism.step.period)

    def derivative(positions: Array, rates: Array) -> Array:
        return case.reference.state_derivative(positions, rates, inputs)

    later, rates = integrate_state(case.reference, q, v, inputs, derivative)
    errors = step_errors(case, q, v, later, rates)
    known = np.asarray(
        np.isfinite(later).all(axis=1) & np.isfinite(rates).all(axis=1)
    )  # a stage of the step may leave the reach of the reference
    return judge_errors(
        case,
        Check.STEP,
        errors,
        case.evidence.limits.relative,
        f"{mechanism.step.method} at {period:g} s around the reference's dynamics",
        kept=known,
    )


def step_errors(
    case: Case, q: Array, v: Array, later: Array, rates: Array, derived: tuple[Array | float, float] | None = None
) -> Array:
    """How far the written state is from `later` and `rates` (rows, f), relative to what it moves by, (rows, 2 f).

    `derived` is for coordinates that were not given but follow: by how much the rounding of the given ones is larger in
    these, and which part of their rates may be wrong before any force acts.
    """
    skeleton = case.reference.skeleton
    period = float(skeleton.mechanism.step.period)
    gain = gained_rates(case)
    limits = case.evidence.limits
    rounding = STEP_ROUNDINGS * 2 * limits.unit
    spread, of_rates = derived or (1.0, rounding)
    errors = []
    for place, name in enumerate(skeleton.mechanism.independent):
        number = skeleton.coordinates.index(name)
        unit = case.reference.skeleton.units[number]
        moved = case.output(case.state.value[name]) - later[:, place]
        if skeleton.angles[number]:
            moved = angle_difference(case.output(case.state.value[name]), later[:, place])
        start, pace, gained = np.abs(q[:, place]) / unit, np.abs(v[:, place]) / unit, gain[:, place]
        allowed = rounding * spread * start + limits.relative * period * (pace + gained)
        errors.append(limits.relative * np.abs(moved) / unit / np.maximum(allowed, scale_floor()))
        turned = case.output(case.state.rate[name]) - rates[:, place]
        allowed = of_rates * pace + limits.relative * gained
        errors.append(limits.relative * np.abs(turned) / unit / np.maximum(allowed, scale_floor()))
    return np.stack(errors, axis=1)


def state_scale(case: Case, v: Array) -> Array:
    """What the rates one period later are the sum of, in 1/s, from the given ones, both (rows, f)."""
    skeleton = case.reference.skeleton
    return np.asarray(np.abs(v) / skeleton.units[list(skeleton.independent)] + gained_rates(case))


def gained_rates(case: Case) -> Array:
    """What forces add to the rates in one period is a sum of these, in 1/s, (rows, f)."""
    rates = np.zeros_like(case.at.values) if case.rates is None else case.rates
    inputs, skeleton = case.model_inputs(), case.reference.skeleton
    at_start = case.reference.forward_dynamics(case.at, rates, inputs)
    sizes = case.reference.dynamics_sizes(case.at, rates, at_start, inputs)
    return np.asarray(float(skeleton.mechanism.step.period) * sizes[:, list(skeleton.independent)])


def check_state_range(case: Case) -> Judgement:
    """An angle that may turn on and on is wrapped: without a flag, the next step accepts it."""
    fields = [(f, n) for n, f in enumerate(case.evidence.function.row_outputs) if n in case.state.value.values()]
    bounded = [(f, n) for f, n in fields if _turns(f)]
    if not bounded or not case.inputs.value:
        return [], []
    domain = domain_of(tuple(field for field, _ in bounded), case.evidence.export.manifest.real)
    inside = domain.holds(case.evidence.ran.outputs[np.ix_(case.unflagged, np.array([n for _, n in bounded]))])
    outside = (~inside).astype(np.float64)
    detail = "angles whose range is a turn and more stay within it, vectors unflagged"
    return [case.evidence.verdict(Check.STATE_RANGE, outside, case.unflagged, 0, "1", detail)], []


def _turns(field: Field) -> bool:
    if field.minimum is None or field.maximum is None or field.unit != "rad":
        return False
    return field.maximum - field.minimum >= 2 * np.pi


def check_start(evidence: Evidence, reference: Reference) -> list[Verdict]:
    """A function that only writes the state puts the mechanism at its design pose, at rest."""
    width = state_width(evidence.export.manifest, evidence.function)
    if evidence.function.row_inputs or not width:
        return []
    mechanism = reference.skeleton.mechanism
    columns = columns_of(evidence.function.row_outputs[:width], reference.coordinates, {})
    outputs = evidence.doubles(evidence.ran.outputs)
    errors = [
        np.abs(outputs[:, columns.value[name]] - float(mechanism.pose[name]))
        / max(1.0, abs(float(mechanism.pose[name])))
        for name in mechanism.independent
        if name in columns.value
    ]
    errors += [np.abs(outputs[:, column]) for column in columns.rate.values()]
    if not errors:
        return []
    limit = 2 * evidence.limits.unit
    rows = np.arange(len(outputs))
    detail = "the state is the design pose at rest, rounded once"
    return [evidence.verdict(Check.START, np.stack(errors, axis=1), rows, limit, "1", detail)]
