"""Finite differences: every velocity is the slope of the exported positions, every acceleration that of the velocities.

Needs no reference, so that vectors beyond its reach are judged too. Fourth-order central differences along the given
motion, where all margins are comfortable and halving the step changes the slope by less than a quarter of the limit.
Where the motion leaves the ranges of the function that is differentiated, the step is halved until it stays inside; a
row whose step becomes too short for its numbers is left out. A mechanism whose margins are small in every pose is
judged in the half of its poses that has the larger ones.

Errors are relative to what the coordinate's slope is a sum of, with the rounding of the numbers it is made from, and at
most to the largest rate of the row.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exporter.manifest import Function
from sil.check_names import Check
from sil.checks.condition_scaling import Judgement, scale_floor
from sil.checks.flags import REGULAR_CONDITION
from sil.checks.mechanism_case import Case
from sil.domain import Domain, Rows, domain_of
from sil.evidence import Evidence, Series
from sil.limits import Limits
from sil.parameter_sets import whole_parameters
from sil.reference.rotations import Array
from sil.signals import Columns, columns_of
from sil.verdict import not_judged

STENCIL = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))
"""Offsets and weights of the fourth-order first derivative."""
MOST_ROWS = 4096  # of all parameter sets together
ROUNDING_PART = 1 / 100
"""A step is so long that the rounding of the coordinates changes a slope by no more than this part of the limit."""
UNRESOLVED = (
    "{} does not resolve the slope of an angle that turns {:,.0f} times as fast as the fastest independent coordinate"
)
LONGEST_TURN = 0.5
"""rad that an angle may turn in a step: two of them are less than half a turn, beyond which sine and cosine mislead."""
LEAST_ROUNDINGS, ROUNDINGS_OF_CONDITION = REGULAR_CONDITION, 10.0
"""Rounding units of its size, or of the length scale, that a coordinate may be wrong by where margins are large.

At least the condition number of such poses, and the second one times that of the pose itself: a parallelogram with a
short side is nowhere near a fold, and turns what its places are off by into ten times as much of its angles.
"""


Motion = tuple[Array, Array, Array]
"""Values, rates and constant accelerations of the independent coordinates, (rows, f) each."""


@dataclass(frozen=True, slots=True)
class Source:
    """The function whose outputs are differentiated."""

    function: Function
    inputs: Columns
    outputs: Columns
    domain: Domain


@dataclass(frozen=True, slots=True)
class Slopes:
    """Derivatives (rows, names), the sum of magnitudes that each is of, and the numbers that are differentiated.

    `known` (rows,): no flag on the way.
    """

    values: Array
    moves: Array
    present: Array
    known: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Outputs and slopes, (rows, names), and what errors of both are measured by."""

    made: Array
    whole: Slopes
    halved: Slopes  # by steps of half the length
    largest: Array  # sizes of all outputs of a row, (rows, names): an error is never measured by more
    numbers: Array  # whose rounding is in the slopes
    step: Array  # of the halved slopes, (rows,), s

    def judged(self, limits: Limits, conditions: Array) -> tuple[Array, NDArray[np.bool_]]:
        """Errors of the outputs, and whether the slopes have settled, (rows,), at conditions of the closure (rows,)."""
        scaled = np.abs(self.made) + self.halved.moves + self._noise(limits, conditions)
        scaled = np.maximum(np.minimum(self.largest, scaled), scale_floor())
        settled = (np.abs(self.halved.values - self.whole.values) / scaled).max(axis=1) <= limits.difference / 4
        return (np.abs(self.halved.values - self.made) / scaled).max(axis=1), settled

    def _noise(self, limits: Limits, conditions: Array) -> Array:
        """Slopes of which the rounding of the numbers makes up the limit, (rows, names)."""
        roundings = np.maximum(LEAST_ROUNDINGS, ROUNDINGS_OF_CONDITION * conditions)
        rounding = limits.unit * sum(abs(weight) for _, weight in STENCIL) * roundings
        return np.asarray((rounding / self.step)[:, None] * self.numbers / limits.difference)


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
    manifest = case.evidence.export.manifest
    return Source(
        function,
        columns_of(function.row_inputs, names, aliases),
        columns_of(function.row_outputs, names, aliases),
        domain_of(function.row_inputs, manifest.real, whole_parameters(manifest)),
    )


def _differences(case: Case, source: Source, *, second: bool) -> Judgement:
    evidence, limits = case.evidence, case.evidence.limits
    comfortable = _least_margin(case)
    rows = _smooth_rows(case, comfortable)
    target = case.outputs.acceleration if second else case.outputs.rate
    independent = case.reference.skeleton.mechanism.independent
    names = [name for name in target if name not in independent and _is_told(source.outputs, name, second=second)]
    if not names:
        return [], []
    at = case.independent(case.inputs.value, rows)
    rates = case.independent(case.inputs.rate, rows)
    accelerations = case.independent(case.inputs.acceleration, rows) if second else np.zeros_like(rates)
    units = _move_units(case)
    fastest = np.maximum(np.abs(rates / units).max(axis=1), np.sqrt(np.abs(accelerations / units).max(axis=1)))
    motion = at, rates, accelerations
    shortest = _shortest_move(limits, np.abs(at / units).max(axis=1)) / fastest
    turning = _fastest_turn(case, rows)
    longest = np.minimum(limits.difference_step / fastest, _longest_turn(limits) / turning)
    step = _steps_inside(case, source, motion, longest, shortest)
    whole = _slopes(case, source, names, motion, step, second=second)
    halved = _slopes(case, source, names, motion, step / 2, second=second)
    made = evidence.doubles(evidence.ran.outputs[np.ix_(rows, np.array([target[name] for name in names]))])
    sizes = np.array([case.reference.skeleton.units[case.reference.coordinates.index(name)] for name in names])
    largest = sizes * (np.abs(made / sizes).max(axis=1) + (fastest**2 if second else fastest))[:, None]
    numbers = np.maximum(halved.present, sizes * fastest[:, None] if second else sizes)
    compared = Comparison(made, whole, halved, largest, numbers, step / 2)
    errors, settled = compared.judged(limits, np.ones(len(rows)))
    doubtful = ~(errors <= limits.difference / 4) | ~settled  # conditions of the others only lessen their errors
    if doubtful.any():
        conditions = np.ones(len(rows))
        conditions[doubtful] = case.conditions_at(rows[doubtful])
        errors, settled = compared.judged(limits, conditions)
    chosen = whole.known & halved.known & settled & (step > shortest)
    rows, errors = rows[chosen], errors[chosen]
    check = Check.ACCELERATION_SLOPES if second else Check.VELOCITY_SLOPES
    detail = f"slope of the outputs of {source.function.name}, margin of {comfortable:.2g} or more"
    if len(step) and (longest <= shortest).all():
        name, fast = evidence.function.name, float((turning / fastest).min())
        return [not_judged(check, name, UNRESOLVED.format(evidence.export.manifest.real, fast), detail)], []
    verdict = evidence.verdict(check, errors, rows, limits.difference, "1", detail)
    return [verdict], [Series(check, evidence.function.name, limits.difference, "1", rows, np.asarray(errors))]


def _longest_turn(limits: Limits) -> float:
    """How far an angle may turn in a step, rad.

    The slope of sin(x) by steps h is off by h^4/30 of it; halving the step changes it by a quarter of the limit then.
    """
    return float(min(LONGEST_TURN, (30 * limits.difference / 4) ** (1 / 4)))


def _fastest_turn(case: Case, rows: NDArray[np.int64]) -> Array:
    """Rate of the fastest dependent angle, (rows,), by the reference; next to nothing where it does not reach."""
    found, reached = np.full(len(rows), scale_floor()), np.isin(rows, case.rows)
    skeleton = case.reference.skeleton
    dependent = [column for column in skeleton.dependent if skeleton.angles[column]]
    turning = np.abs(case.moving[np.searchsorted(case.rows, rows[reached])][:, dependent])
    found[reached] = np.maximum(turning.max(axis=1, initial=0.0), scale_floor())
    return found


def _move_units(case: Case) -> Array:
    """What a move of each independent coordinate is measured by, (f,): 1 rad or the length scale.

    A motor of many turns before a gear or a screw is measured by its range over a turn: it moves little by a radian.
    """
    skeleton, found = case.reference.skeleton, []
    for column, periodic in zip(skeleton.independent, skeleton.turning, strict=True):
        limits = skeleton.mechanism.ranges[skeleton.coordinates[column]]
        turns = float(limits.maximum - limits.minimum) / (2 * np.pi)
        wide = skeleton.angles[column] and not periodic
        found.append(max(skeleton.units[column], turns) if wide else skeleton.units[column])
    return np.array(found)


def _least_margin(case: Case) -> float:
    """The margin that a pose must have: the limit's, or what half of the poses have where that is less."""
    smooth, margins = case.evidence.limits.smooth, np.sort(case.evidence.margins[case.unflagged])  # NaN last
    if not len(margins) or np.isnan(margins[-1]):
        return smooth
    return float(min(smooth, (margins[(len(margins) - 1) // 2] + margins[len(margins) // 2]) / 2))


def _smooth_rows(case: Case, comfortable: float) -> NDArray[np.int64]:
    """Vectors with comfortable margins that move, and whose coordinates can resolve the step."""
    evidence, rows = case.evidence, case.unflagged
    limits = evidence.limits
    units = _move_units(case)
    at = np.abs(case.independent(case.inputs.value, rows) / units).max(axis=1)
    rates = np.abs(case.independent(case.inputs.rate, rows) / units).max(axis=1)
    resolved = _shortest_move(limits, at) < limits.difference_step
    moves = (rates > 1e-3) & resolved & (evidence.margins[rows] >= comfortable)
    return np.asarray(rows[moves][: round(MOST_ROWS * evidence.share) + 1])


def _shortest_move(limits: Limits, at: Array) -> Array:
    """How far a step must move the fastest coordinate, (rows,), for rounding to stay small in the slope."""
    rounding = limits.unit * sum(abs(weight) for _, weight in STENCIL)
    return np.asarray(np.maximum(at, 1.0) * rounding / (ROUNDING_PART * limits.difference))


def _steps_inside(case: Case, source: Source, motion: Motion, step: Array, shortest: Array) -> Array:
    """Steps in seconds, (rows,), halved while the motion leaves the source's ranges and they exceed the shortest."""
    while True:
        inside = [source.domain.holds(_inputs(source, case, motion, offset * step)) for offset, _ in STENCIL]
        shortened = ~np.all(inside, axis=0) & (step > shortest)
        if not shortened.any():
            return step
        step = np.where(shortened, step / 2, step)


def _slopes(case: Case, source: Source, names: list[str], motion: Motion, step: Array, *, second: bool) -> Slopes:
    """Derivatives of the named coordinates or rates."""
    total, moves, present = (np.zeros((len(step), len(names))) for _ in range(3))
    known = np.ones(len(step), dtype=np.bool_)
    pose: list[tuple[float, Array]] = []
    for offset, weight in STENCIL:
        outputs, status = _run(case.evidence, source, _inputs(source, case, motion, offset * step))
        known &= status == 0
        pose.append((weight, outputs))
    now, status = _run(case.evidence, source, _inputs(source, case, motion, 0 * step))
    known &= status == 0
    for place, name in enumerate(names):
        for column, weights in _parts(source.outputs, name, now, second=second):
            ways = [weight * (outputs[:, column] - now[:, column]) / step for weight, outputs in pose]
            total[:, place] += weights * sum(ways)
            moves[:, place] += np.abs(weights) * sum(np.abs(way) for way in ways)
            present[:, place] += np.abs(weights * now[:, column])
    return Slopes(total, moves, present, known)


def _is_told(columns: Columns, name: str, *, second: bool) -> bool:
    """Whether the source gives what the derivative is one of."""
    return name in columns.rate if second else columns.holds_pose_of(name)


def _parts(columns: Columns, name: str, now: Array, *, second: bool) -> list[tuple[int, Array]]:
    """Columns whose slopes add up to the derivative of a coordinate or rate, and what each counts: (rows,)."""
    if not second and name in columns.sine and name in columns.cosine:
        s, c = columns.sine[name], columns.cosine[name]
        return [(s, now[:, c]), (c, -now[:, s])]
    return [((columns.rate if second else columns.value)[name], np.ones(len(now)))]


def _inputs(source: Source, case: Case, motion: Motion, seconds: Array) -> Rows:
    """Rows of the source function along the motion, each at its own time, in the export's number type."""
    at, rates, accelerations = motion
    time = seconds[:, None]
    there, speeds = at + time * rates + time**2 / 2 * accelerations, rates + time * accelerations
    rows: Rows = np.zeros((len(at), len(source.function.row_inputs)), dtype=case.evidence.export.manifest.real)
    for place, name in enumerate(case.reference.skeleton.mechanism.independent):
        rows[:, source.inputs.value[name]] = there[:, place]
        if name in source.inputs.rate:
            rows[:, source.inputs.rate[name]] = speeds[:, place]
    return rows


def _run(evidence: Evidence, source: Source, rows: Rows) -> tuple[Array, NDArray[np.uint32]]:
    """Outputs of the source function in float64, and its status."""
    ran = evidence.call(source.function.name, rows)
    return evidence.doubles(ran.outputs), ran.status
