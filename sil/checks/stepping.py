"""The exported integration step against the same formula around the reference's dynamics; the start state."""

from collections.abc import Callable

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

DISTURBANCE = 1e-4  # of what an acceleration is a sum of
DISTURBED_RUNS = 3  # with other signs
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
        if positions is q and rates is v:  # the state that was given, whose poses are known
            return case.forced[:, list(case.reference.skeleton.independent)]
        return case.reference.state_derivative(positions, rates, inputs)

    later, rates = integrate_state(case.reference, q, v, inputs, derivative)
    errors = step_errors(case, q, v, later, rates)
    if mechanism.step.method == "linearly_implicit" and (errors > case.evidence.limits.relative).any():
        for side in (1, -1):  # of a kink, where rounding decides which slope counts
            beside = side * STEP_ROUNDINGS * 2 * case.evidence.limits.unit
            other = integrate_state(case.reference, q, v, inputs, derivative, beside)
            errors = np.fmin(errors, step_errors(case, q, v, *other))
    if mechanism.elements and (errors > case.evidence.limits.relative).any():
        errors = np.minimum(errors, _over_spread(case, (q, v), (later, rates), derivative))
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


def _over_spread(
    case: Case, start: tuple[Array, Array], later: tuple[Array, Array], derivative: Callable[[Array, Array], Array]
) -> Array:
    """The errors over what rounding of the accelerations of every stage makes of the state, (rows, 2 f).

    Stiff forces turn the rounding of one stage into a larger error of the next. It is found by stepping with
    accelerations that are wrong by a small part of what they are sums of, and with coordinates and rates of later
    stages that are wrong by as much less as they are rounded better.
    """
    skeleton = case.reference.skeleton
    size = gained_rates(case) / float(skeleton.mechanism.step.period) * skeleton.units[list(skeleton.independent)]
    better = STEP_ROUNDINGS * 2 * case.evidence.limits.unit / case.evidence.limits.relative
    spread = np.zeros((len(size), 2 * size.shape[1]))
    for seed in range(DISTURBED_RUNS):
        signs = np.random.Generator(np.random.Philox(seed))

        def disturbed(positions: Array, rates: Array, signs: np.random.Generator = signs) -> Array:
            one, other, third = DISTURBANCE * signs.choice([-1.0, 1.0], (3, *size.shape))
            moved = (
                (positions, rates)
                if positions is start[0]
                else (positions * (1 + better * one), rates * (1 + better * other))
            )
            return np.asarray(derivative(*moved) + third * size)

        found = integrate_state(case.reference, *start, case.model_inputs(), disturbed)
        spread = np.maximum(spread, np.abs(np.hstack([a - b for a, b in zip(found, later, strict=True)])) / DISTURBANCE)
    columns = [case.state.value[name] for name in skeleton.mechanism.independent]
    columns += [case.state.rate[name] for name in skeleton.mechanism.independent]
    moved = np.stack([case.output(column) for column in columns], axis=1) - np.hstack(later)
    turned = [place for place, number in enumerate(skeleton.independent) if skeleton.angles[number]]
    moved[:, turned] = np.remainder(moved[:, turned] + np.pi, 2 * np.pi) - np.pi
    count = len(skeleton.independent)
    wrong = np.abs(moved) / np.maximum(2 * spread, scale_floor())  # some signs see half of the worst
    return np.stack([wrong[:, k // 2 + count * (k % 2)] for k in range(2 * count)], axis=1)


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
    skeleton = case.reference.skeleton
    return np.asarray(float(skeleton.mechanism.step.period) * case.forced_sizes)


def check_state_range(case: Case) -> Judgement:
    """An angle that may turn on and on is wrapped: without a flag, the next step accepts it."""
    skeleton = case.reference.skeleton
    turning = [name for name, turns in zip(skeleton.mechanism.independent, skeleton.turning, strict=True) if turns]
    columns = [case.state.value[name] for name in turning if name in case.state.value]
    fields = [(f, n) for n, f in enumerate(case.evidence.function.row_outputs) if n in columns]
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
