"""Finite differences: every velocity is the slope of the exported positions, every acceleration that of the velocities.

Needs no reference. Fourth-order central differences along the given motion, where all margins are comfortable and
halving the step changes the slope by less than a quarter of the limit. A mechanism whose margins are small in every
pose is judged in the half of its poses that has the larger ones.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exporter.manifest import Function
from sil.check_names import Check
from sil.checks.judged import Judgement, tiny
from sil.checks.mechanism_case import Case
from sil.domain import Rows
from sil.evidence import Evidence, Series
from sil.reference.rotations import Array
from sil.signals import Columns, columns_of

STENCIL = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))
"""Offsets and weights of the fourth-order first derivative."""
MOST_ROWS = 4096
HALF_STEP_ULPS = 4096
"""A coordinate so large that its spacing exceeds this part of the step is left out."""


@dataclass(frozen=True, slots=True)
class Source:
    """The function whose outputs are differentiated."""

    function: Function
    inputs: Columns
    outputs: Columns


def check_differences(case: Case, positions: Function | None, velocities: Function | None) -> Judgement:
    """Rates against the positions' slope where both exist, accelerations against the velocities' slope."""
    takes_acceleration = bool(case.inputs.acceleration)
    if case.rates is None or takes_acceleration != bool(case.outputs.acceleration and not case.outputs.rate):
        return [], []
    source = _source(case, velocities if takes_acceleration else positions)
    if source is None:
        return [], []
    return _differences(case, source, second=takes_acceleration)


def _source(case: Case, function: Function | None) -> Source | None:
    if function is None:
        return None
    names, aliases = case.reference.coordinates, case.reference.skeleton.mechanism.outputs
    return Source(
        function, columns_of(function.row_inputs, names, aliases), columns_of(function.row_outputs, names, aliases)
    )


def _differences(case: Case, source: Source, *, second: bool) -> Judgement:
    evidence, limits = case.evidence, case.evidence.limits
    comfortable = _comfortable(case)
    rows = _smooth_rows(case, comfortable)
    target = case.outputs.acceleration if second else case.outputs.rate
    names = [name for name in target if name not in case.reference.skeleton.mechanism.independent]
    if not names:
        return [], []
    at = case.given(case.inputs.value, rows)
    rates = case.given(case.inputs.rate, rows)
    accelerations = case.given(case.inputs.acceleration, rows) if second else np.zeros_like(rates)
    units = np.array([case.reference.skeleton.units[n] for n in case.reference.skeleton.independent])
    fastest = np.maximum(np.abs(rates / units).max(axis=1), np.sqrt(np.abs(accelerations / units).max(axis=1)))
    step = limits.difference_step / fastest
    slopes, known = _slopes(case, source, names, (at, rates, accelerations), step, second=second)
    halved, near = _slopes(case, source, names, (at, rates, accelerations), step / 2, second=second)
    made = evidence.doubles(evidence.ran.outputs)[np.ix_(rows, np.array([target[name] for name in names]))]
    sizes = np.array([case.reference.skeleton.units[case.reference.coordinates.index(name)] for name in names])
    scale = np.abs(made / sizes).max(axis=1) + (fastest**2 if second else fastest)
    scaled = sizes * np.maximum(scale, tiny())[:, None]
    errors = (np.abs(halved - made) / scaled).max(axis=1)
    settled = (np.abs(halved - slopes) / scaled).max(axis=1) <= limits.difference / 4
    chosen = known & near & settled
    rows, errors = rows[chosen], errors[chosen]
    check = Check.ACCELERATION_SLOPES if second else Check.VELOCITY_SLOPES
    detail = f"slope of the outputs of {source.function.name}, margin of {comfortable:.2g} or more"
    verdict = evidence.verdict(check, errors, rows, limits.difference, "1", detail)
    return [verdict], [Series(check, evidence.function.name, limits.difference, "1", rows, np.asarray(errors))]


def _comfortable(case: Case) -> float:
    """The margin that a pose must have: the limit's, or what half of the poses have where that is less."""
    margins = case.evidence.margins[case.rows]
    return float(min(case.evidence.limits.smooth, np.median(margins))) if len(margins) else case.evidence.limits.smooth


def _smooth_rows(case: Case, comfortable: float) -> NDArray[np.int64]:
    """Vectors with comfortable margins that move, and whose coordinates can resolve the step."""
    evidence, rows = case.evidence, case.rows
    limits = evidence.limits
    units = np.array([case.reference.skeleton.units[n] for n in case.reference.skeleton.independent])
    at = np.abs(case.given(case.inputs.value, rows) / units).max(axis=1)
    rates = np.abs(case.given(case.inputs.rate, rows) / units).max(axis=1)
    resolved = at * 2 * limits.unit * HALF_STEP_ULPS < limits.difference_step
    moves = (rates > 1e-3) & resolved & (evidence.margins[rows] >= comfortable)
    return np.asarray(rows[moves][: round(MOST_ROWS * evidence.share) + 1])


def _slopes(
    case: Case, source: Source, names: list[str], motion: tuple[Array, Array, Array], step: Array, *, second: bool
) -> tuple[Array, NDArray[np.bool_]]:
    """Derivatives of the named coordinates or rates, (rows, names), and which rows had no flag on the way."""
    at, rates, accelerations = motion
    total = np.zeros((len(at), len(names)))
    known = np.ones(len(at), dtype=np.bool_)
    pose: list[tuple[float, Array]] = []
    for offset, weight in STENCIL:
        time = (offset * step)[:, None]
        there = at + time * rates + time**2 / 2 * accelerations
        outputs, status = _run(case.evidence, source, case, there, rates + time * accelerations)
        known &= status == 0
        pose.append((weight, outputs))
    now, status = _run(case.evidence, source, case, at, rates)
    known &= status == 0
    for place, name in enumerate(names):
        total[:, place] = _slope(source.outputs, name, pose, now, step, second=second)
    return total, known


def _slope(
    columns: Columns, name: str, pose: list[tuple[float, Array]], now: Array, step: Array, *, second: bool
) -> Array:
    def derivative(column: int) -> Array:
        return np.asarray(sum(weight * outputs[:, column] for weight, outputs in pose) / step)

    if second:
        return derivative(columns.rate[name])
    if name in columns.sine and name in columns.cosine:
        s, c = columns.sine[name], columns.cosine[name]
        return np.asarray(now[:, c] * derivative(s) - now[:, s] * derivative(c))
    return derivative(columns.value[name])


def _run(evidence: Evidence, source: Source, case: Case, at: Array, rates: Array) -> tuple[Array, NDArray[np.uint32]]:
    """Outputs of the source function in float64, at these coordinates and rates."""
    rows: Rows = np.zeros((len(at), len(source.function.row_inputs)), dtype=evidence.export.manifest.real)
    for place, name in enumerate(case.reference.skeleton.mechanism.independent):
        rows[:, source.inputs.value[name]] = at[:, place]
        if name in source.inputs.rate:
            rows[:, source.inputs.rate[name]] = rates[:, place]
    ran = evidence.call(source.function.name, rows)
    return evidence.doubles(ran.outputs), ran.status
