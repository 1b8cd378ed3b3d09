"""False alarms: a pose that the reference reaches with ease must not be flagged.

Without this check, a mistake that flags everything would leave nothing to be judged. Dynamics may be flagged where the
mechanism has next to no inertia, as that of a massless crank at its dead centre. An iteration that starts from a
previous solution may end open, and says so by RESIDUAL_HIGH: that is false where its own pose, put into the original
closures, turns out to be closed, or where as many steps of Newton's method do close them from a start that is near. A
table that steps start from is one of nominal parameters; beside them RESIDUAL_HIGH is false where the pose is closed.
A table over the part of its ranges that is reached flags places next to the end of it too: right while these are few.
NEAR_SINGULAR is right where an angle is asked for of a line that has next to no length, or of which too little is seen.
"""

import numpy as np
from numpy.typing import NDArray

from exporter.manifest import Function
from sil.check_names import Check
from sil.checks.condition_scaling import Judgement
from sil.checks.mechanism_case import Case
from sil.checks.short_lines import short_lines
from sil.compare import angle_difference
from sil.reference.assembly import LONGEST_STEP
from sil.reference.loop_newton import NewtonGoal
from sil.reference.motion import configuration
from sil.reference.rotations import Array
from sil.signals import Columns, columns_of, output_configuration
from sil.warm_start import SUFFIX, may_leave_open, reaches_a_part, starts_from_previous

GEOMETRIC_CONDITIONS = ("OUT_OF_WORKSPACE", "NEAR_SINGULAR", "BRANCH_NEAR_SWAP", "RESIDUAL_HIGH")
REGULAR_CONDITION = 30.0
"""Condition number of the closure below which a pose is far from every fold: a margin of about 1e-3 and more."""
LIGHT_INERTIA_SHARE = 1e-2
"""Part of the inertia that coordinates move, whatever of it cancels, below which a motion meets next to none."""
MOST_AT_BORDER = 0.1
"""Part of the poses that the reference reaches, which a table over a part of its ranges may flag: those at its end."""
CLOSED_SHARE = 0.01
"""Part of what an iteration may leave open below which nobody would call it open."""


def check_false_alarms(case: Case) -> Judgement:
    """Vectors with good arguments that are flagged for their pose, although the reference finds it well-conditioned."""
    evidence = case.evidence
    known = [name for name in GEOMETRIC_CONDITIONS if name in evidence.function.conditions]
    if not known:
        return [], []
    alarmed = np.any([evidence.status_bit(name) for name in known], axis=0)
    accepted = np.flatnonzero(evidence.domain.holds(evidence.vectors.rows))
    rows = accepted[alarmed[accepted]]
    false = np.zeros(len(accepted))
    if len(rows):
        false[alarmed[accepted]] = _regular_rows(case, rows, _other_conditions(case, known)[rows]) & ~_rows_left_open(
            case, rows
        )
    detail = f"{', '.join(known)} where the closure has a condition number below {REGULAR_CONDITION:g}"
    if reaches_a_part(evidence.telling.manifest):
        number, most = int(false.sum()), int(MOST_AT_BORDER * len(case.rows))
        detail += f"; {number:,} at the end of the part that a table covers, {most:,} may be"
        false *= number > most
    return [evidence.verdict(Check.FALSE_ALARMS, false, accepted, 0, "1", detail)], []


def _other_conditions(case: Case, known: list[str]) -> NDArray[np.bool_]:
    """Where another condition of the pose than NEAR_SINGULAR is set, which no short line is the reason of."""
    bits = [case.evidence.status_bit(name) for name in known if name != "NEAR_SINGULAR"]
    return np.asarray(np.any([np.zeros(len(case.evidence.vectors.rows), dtype=np.bool_), *bits], axis=0))


def _regular_rows(case: Case, rows: NDArray[np.int64], others: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Where the reference reaches the pose, far from every fold, and sees every line, or `others` are set."""
    coordinates = case.reference.positions(case.independent(case.inputs.value, rows))
    reached = np.isfinite(coordinates).all(axis=1)
    easy = np.zeros(len(rows), dtype=np.bool_)
    easy[reached] = case.reference.conditions(coordinates[reached]) < REGULAR_CONDITION
    easy[reached] &= others[reached] | ~short_lines(case, configuration(coordinates[reached]))
    if _moves_masses(case) and reached.any():
        easy[reached] &= _has_inertia(case, coordinates[reached])
    return easy


def _moves_masses(case: Case) -> bool:
    """Whether the function makes accelerations out of forces."""
    independent = case.reference.skeleton.mechanism.independent
    made = {*case.outputs.acceleration, *case.left_out.acceleration}
    accelerates = made.issuperset(independent) and not case.inputs.acceleration
    return accelerates or bool(case.state.rate)


def _has_inertia(case: Case, coordinates: Array) -> NDArray[np.bool_]:
    """Where every motion meets some of the inertia that its coordinates move, here, elsewhere or at the design pose."""
    others = configuration(np.concatenate([case.reference.design[None], case.at.values]))
    return np.asarray(case.reference.inertia_left(configuration(coordinates), others) > LIGHT_INERTIA_SHARE)


def _rows_left_open(case: Case, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Where an iteration that starts from a previous solution ended open, and had to: the reference's own does too.

    Open is the export's own pose, put into the original closures; the reference takes one step less from the same
    start, so that no difference between two ways to write a closure counts. A form whose steps start from a table is
    asked for no more than that its pose is open, and that it says so.
    """
    evidence = case.evidence
    nominal = not evidence.parameters.changed
    able = may_leave_open(evidence.telling.manifest, evidence.function, nominal=nominal)
    positions = _positions(case) if able else None
    if positions is None:
        return np.zeros(len(rows), dtype=np.bool_)
    limit = CLOSED_SHARE * evidence.limits.residual
    is_open = _residual(case, rows, *positions) > limit
    if starts_from_previous(evidence.function):
        return np.asarray(is_open & _too_few_steps(case, rows, limit))
    return np.asarray(is_open & evidence.status_bit("RESIDUAL_HIGH")[rows])


def _residual(case: Case, rows: NDArray[np.int64], function: Function, columns: Columns) -> NDArray[np.float64]:
    """What the original closures say of the pose that this function gives."""
    evidence = case.evidence
    names = [field.name for field in evidence.function.row_inputs]
    given = evidence.vectors.rows[np.ix_(rows, np.array([names.index(field.name) for field in function.row_inputs]))]
    outputs = evidence.doubles(evidence.telling.call(function.name, given).outputs)
    pose = output_configuration(case.reference.skeleton, case.independent(case.inputs.value, rows), columns, outputs)
    return case.reference.residual(pose)


def _too_few_steps(case: Case, rows: NDArray[np.int64], limit: float) -> NDArray[np.bool_]:
    """Where Newton's method on the original closures is still open after one step less than the export takes.

    So it counts where the start is farther than a step may be long: what a bounded step does then is its own affair.
    """
    reference, independent = case.reference, case.independent(case.inputs.value, rows)
    right = reference.positions(independent)
    starts = right.copy()
    everything = case.evidence.doubles(case.evidence.vectors.rows)
    for number, name in enumerate(reference.coordinates):
        column = case.inputs.others.get(f"{name}{SUFFIX}")
        if column is not None:
            starts[:, number] = everything[rows, column]
    skeleton = reference.skeleton
    way = np.where(skeleton.angles, angle_difference(starts, right), starts - right) / skeleton.units
    with np.errstate(all="ignore"):
        steps = skeleton.mechanism.solver.steps - 1
        ended = reference.assembly.settle(starts, independent, NewtonGoal(steps, 0.0, limit))
        far = ~(np.abs(way).max(axis=1, initial=0.0) <= LONGEST_STEP)
    return np.asarray(far | ~np.isfinite(ended).all(axis=1))


def _positions(case: Case) -> tuple[Function, Columns] | None:
    """The function that gives every dependent coordinate of the same inputs."""
    skeleton, given = case.reference.skeleton, {field.name for field in case.evidence.function.row_inputs}
    for function in case.evidence.telling.manifest.functions:
        columns = columns_of(function.row_outputs, case.reference.coordinates, skeleton.mechanism.outputs)
        whole = all(columns.holds_pose_of(case.reference.coordinates[number]) for number in skeleton.dependent)
        if whole and {field.name for field in function.row_inputs} <= given:
            return function, columns
    return None
