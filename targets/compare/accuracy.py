"""How far a method closes the loops: at random poses, in both precisions.

In: a mechanism and a method's solution of it. Out: `Accuracy` by precision. Poses lie within the ranges; Newton's
methods start from the solution of one period before, at a random rate within its bound. All of them come from the
triangular form in float64, whose own residual is among what is measured.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.errors import SingularPose, Unsolved
from exporter.functions import mechanism as functions
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.closures.closing import joint_closures, openings
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.model.complete import completed
from exporter.model.mechanism import Mechanism, SolverOptions
from exporter.model.once import once_per_model
from exporter.progress import counted
from exporter.sequence.interpreter import InterpretedRows, interpret
from exporter.sequence.looped import interpret_function, iterate_rows
from exporter.sequence.operations import OperationSequence, Precision

Array = NDArray[Any]
PRECISIONS: tuple[Precision, ...] = ("float64", "float32")
POSES = 500  # random ones
FEWEST_REACHED = 50  # of them that must be within reach; the ranges are narrowed towards the design pose until they are
MOST_NARROWINGS = 30  # of the ranges
PREVIOUS_SUFFIX = ".previous"
OTHER_ASSEMBLY_DIFFERENCE = 1e-2  # a sine or cosine that differs by more is of another assembly


@dataclass(frozen=True, slots=True)
class Accuracy:
    """At random poses in one precision."""

    residual: float  # worst closure residual over the length, or defect of s^2 + c^2 = 1
    flagged: int  # poses with a status other than zero
    elsewhere: int  # poses without a status that are of another assembly than the triangular form's
    poses: int
    iterations: tuple[int, int] = (0, 0)  # fewest and most that a call took, where their number is not fixed


@dataclass(frozen=True, slots=True)
class PosePairs:
    """Random poses, each with the pose one period before; all coordinates by the triangular form in float64."""

    now: dict[str, Array]
    before: dict[str, Array]

    @property
    def poses(self) -> int:
        """How many."""
        return len(next(iter(self.now.values())))


def accuracies(mechanism: Mechanism, solved: Solution, poses: int) -> dict[str, Accuracy]:
    """Residuals of one method in both precisions; empty where there is no triangular form to start from."""
    try:
        trip = _trip(mechanism, poses)
    except Unsolved:
        return {}
    return {
        precision: _accuracy(mechanism, solved, trip, precision) for precision in counted("random poses in", PRECISIONS)
    }


def rows_at(mechanism: Mechanism, names: Sequence[str], poses: int) -> Array:
    """Poses as rows of a position function whose inputs have these names.

    Raises:
        ModelError: there is no triangular form, or no pose within reach.
    """
    trip = _trip(mechanism, poses)
    return np.stack([_column(mechanism, trip, name) for name in names], axis=1)


@once_per_model
def _trip(given: Mechanism, poses: int) -> PosePairs:
    mechanism = completed(replace(given, solver=SolverOptions()))
    names, solved = mechanism.independent, solved_mechanism(mechanism)
    generator = np.random.Generator(np.random.Philox(2011))
    design = np.array([float(mechanism.pose[name]) for name in names])
    low, high = (np.array([_bound(mechanism, name, sign) for name in names]) for sign in (-1, 1))
    moved = np.array([float((mechanism.ranges[name].rate or 1) * mechanism.step.period) for name in names])
    for number in range(MOST_NARROWINGS):
        part = 0.75**number
        now = generator.uniform(design + part * (low - design), design + part * (high - design), (poses, len(names)))
        before = now - generator.uniform(-1, 1, now.shape) * moved
        there, earlier = solution_rows(solved, now), solution_rows(solved, before)
        good = there.good & earlier.good
        if good.sum() >= min(FEWEST_REACHED, poses):
            return PosePairs(*(_by_name(mechanism, rows.coordinates[good]) for rows in (there, earlier)))
    raise SingularPose(f"{mechanism.name}: the design pose lies at the edge of the workspace; choose another")


def _by_name(mechanism: Mechanism, coordinates: Array) -> dict[str, Array]:
    return dict(zip(mechanism.coordinates(), coordinates.T, strict=True))


def _bound(mechanism: Mechanism, name: str, sign: int) -> float:
    """An end of the range, of an angle at most half a turn from the design pose."""
    limits, design = mechanism.ranges[name], float(mechanism.pose[name])
    end = float(limits.maximum if sign > 0 else limits.minimum)
    if mechanism.is_displacement(name):
        return end
    return min(end, design + np.pi) if sign > 0 else max(end, design - np.pi)


def _accuracy(mechanism: Mechanism, solved: Solution, trip: PosePairs, precision: Precision) -> Accuracy:
    sequence = functions.position(solved, precision, contract=True)
    names = [signal.name for signal in sequence.inputs]
    rows = np.stack([_column(mechanism, trip, name) for name in names], axis=1).astype(precision)
    result, taken = _run(solved, sequence, precision, rows)
    aliases = mechanism.outputs
    made = {
        aliases.get(output.signal.name, output.signal.name): result.outputs[:, k].astype(np.float64)
        for k, output in enumerate(sequence.outputs)
    }
    given = {signal.name: rows[:, k].astype(np.float64) for k, signal in enumerate(sequence.inputs)}
    residual = _residual(mechanism, solved, made, given, trip)
    flagged = result.status != 0
    elsewhere = _other_assembly(mechanism, solved, made, trip) & ~flagged
    return Accuracy(float(residual.max()), int(flagged.sum()), int(elsewhere.sum()), trip.poses, taken)


def _run(
    solved: Solution, sequence: OperationSequence, precision: Precision, rows: Array
) -> tuple[InterpretedRows, tuple[int, int]]:
    """What the positions are, and the fewest and most iterations that they took, where their number is not fixed."""
    if not solved.mechanism.solver.tolerance:
        return interpret(sequence, rows), (0, 0)
    program = program_of_mechanism(solved.mechanism, precision)
    if program.loop is None:
        raise TypeError("a tolerance makes a loop")
    steps = iterate_rows(program, program.loop, sequence, rows, {}).steps
    return interpret_function(program, sequence, rows, {}), (int(steps.min()), int(steps.max()))


def _column(mechanism: Mechanism, trip: PosePairs, name: str) -> Array:
    """An input at every pose; a tunable parameter at its nominal value."""
    coordinate = name.removesuffix(PREVIOUS_SUFFIX)
    if name in (nominal := mechanism.nominal_values()):
        return np.full(trip.poses, float(nominal[name]))
    if coordinate == name:
        return trip.now[name]
    value = trip.before[coordinate]
    return value if mechanism.is_displacement(coordinate) else value - 2 * np.pi * np.round(value / (2 * np.pi))


def _residual(
    mechanism: Mechanism,
    solved: Solution,
    made: Mapping[str, Array],
    given: Mapping[str, Array],
    trip: PosePairs,
) -> Array:
    """Worst closure residual over the length, or defect of s^2 + c^2 = 1, per pose."""
    columns, defect = [], np.zeros(trip.poses)
    offered = solved.exported_coordinates()
    for name in mechanism.coordinates():
        if name in given:
            columns.append(given[name])
        elif name not in offered:
            columns.append(trip.now[name])
        elif mechanism.is_displacement(name):
            columns.append(made[name])
        else:
            sine, cosine = made[f"{name}.sin"], made[f"{name}.cos"]
            columns.append(np.arctan2(sine, cosine))
            defect = np.maximum(defect, np.abs(sine**2 + cosine**2 - 1))
    rows = np.stack(columns, axis=1)
    return np.maximum(defect, openings(joint_closures(mechanism), rows))


def _other_assembly(mechanism: Mechanism, solved: Solution, made: Mapping[str, Array], trip: PosePairs) -> Array:
    """Poses that are of another assembly."""
    found = np.zeros(trip.poses, dtype=bool)
    for name in solved.exported_coordinates():
        if mechanism.is_angle(name):
            found |= np.abs(made[f"{name}.cos"] - np.cos(trip.now[name])) > OTHER_ASSEMBLY_DIFFERENCE
            found |= np.abs(made[f"{name}.sin"] - np.sin(trip.now[name])) > OTHER_ASSEMBLY_DIFFERENCE
    return found
