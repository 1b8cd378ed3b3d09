"""A solved mechanism evaluated at many rows of its independent coordinates, at nominal parameters in float64.

In: a `Solution` of either engine. Out: all coordinates, margins, pivots and status of every row.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.protocol.coordinate_rows import coordinate_of, write_coordinates, write_margins
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import COUPLING, Solution, SolvedPose
from exporter.records import dataclass
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Role, Signal

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class SolutionRows:
    """What the blocks give at some rows."""

    coordinates: Array  # (n, c), rad and m; angles within half a turn of the design pose
    margins: dict[str, Array]  # "L1.margin", "L1.pivot" -> (n,)
    status: Array  # (n,)

    @property
    def good(self) -> Array:
        """Rows without a flag, (n,)."""
        return np.asarray((self.status == 0) & np.isfinite(self.coordinates).all(axis=1))


def pose_sequence(solved: Solution, *, contract: bool = True, nominal: bool = True) -> OperationSequence:
    """All dependent coordinates (sine and cosine of angles), margins and pivots; inputs are not checked.

    Tunable parameters are further inputs where `nominal` is false, and checked.
    """
    builder, pose = _write_pose(solved, "pose", contract=contract, nominal=nominal)
    mechanism = solved.mechanism
    by_value = (*mechanism.displacements(), *followers_of(solved))
    write_coordinates(builder, pose, solved.dependent(), by_value)
    write_margins(builder, pose.margins if contract else ())
    return builder.finish()


def rate_sequence(solved: Solution) -> OperationSequence:
    """Rates of the dependent coordinates that an export offers, guarded; inputs are not checked."""
    builder, pose = _write_pose(solved, "rates", contract=True)
    motion = pose.move({name: builder.input(Signal(f"{name}.rate", "1")) for name in solved.mechanism.independent})
    for name in solved.exported_coordinates():
        builder.output(Signal(f"{name}.rate", "1", group=Group.OUTPUT), motion.rate(name))
    return builder.finish()


def _write_pose(solved: Solution, name: str, *, contract: bool, nominal: bool = True) -> tuple[Builder, SolvedPose]:
    builder = Builder(name, "float64", contract=contract)
    given = {each: builder.input(Signal(each, "1")) for each in solved.mechanism.independent}
    return builder, solved.solve(builder, Scope(builder, solved.mechanism, nominal=nominal), given)


def solution_rows(solved: Solution, independent: Array) -> SolutionRows:
    """Evaluate at (n, f)."""
    return rows_of(solved, pose_sequence(solved), independent, independent)


def rows_of(solved: Solution, sequence: OperationSequence, inputs: Array, independent: Array) -> SolutionRows:
    """What a pose sequence gives at rows of its inputs, (n, f) of which are the independent coordinates."""
    result = interpret(sequence, inputs)
    values = {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}
    mechanism = solved.mechanism
    given = dict(zip(mechanism.independent, independent.T, strict=True))
    columns = [coordinate_of(values | given, name) for name in mechanism.coordinates()]
    margins = {o.signal.name: values[o.signal.name] for o in sequence.outputs if o.signal.role is not Role.VALUE}
    return SolutionRows(_unwrapped(solved, np.stack(columns, axis=-1)), margins, result.status)


def followers_of(solved: Solution) -> tuple[str, ...]:
    """The coordinates that couplings give, whole turns included."""
    facts = (fact for fact in solved.block_facts() if fact.kind == COUPLING)
    return tuple(name for fact in facts for name in fact.coordinates)


def _unwrapped(solved: Solution, rows: Array) -> Array:
    """Dependent angles within half a turn of the design pose; what couplings give has whole turns, as it is."""
    rows, mechanism = np.array(rows, dtype=float), solved.mechanism
    kept = (*mechanism.independent, *followers_of(solved))
    for position, name in enumerate(mechanism.coordinates()):
        if mechanism.is_angle(name) and name not in kept:
            middle = float(mechanism.pose.get(name, 0))
            rows[:, position] = middle + np.remainder(rows[:, position] - middle + np.pi, 2 * np.pi) - np.pi
    return rows
