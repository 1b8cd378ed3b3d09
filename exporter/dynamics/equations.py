"""Equations of motion of a solved mechanism, by the form that is cheapest for its engine.

Comes from: what an engine has solved, independent coordinates and rates. Goes to: the functions of an export. A planar
mechanism moves its masses to the joints (`projected`); any other is projected body by body (`in_space`). A driven one
has the equations of the triangular form behind it: its accelerations follow from those of the coordinates there.
"""

from dataclasses import dataclass
from typing import cast

from exporter.dynamics.in_space import project_in_space
from exporter.dynamics.projected import project
from exporter.kinematics.driven.solution import DrivenMotion, DrivenSolution, driven_pose
from exporter.kinematics.planar_solution import PlanarMotion, PlanarPose, PlanarSolution
from exporter.kinematics.rates import ACCELERATION_LIMIT
from exporter.kinematics.scope import Scope
from exporter.kinematics.solution import solve_pose
from exporter.kinematics.solved import Solved, SolvedMotion, SolvedPose
from exporter.kinematics.spatial.solution import SpatialSolution
from exporter.kinematics.twists import BodyPose
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import saturated

FAR = "an acceleration of the triangular form's coordinates is beyond its limit"


@dataclass(frozen=True)
class Accelerated:
    """A pose in motion, and the accelerations of the independent coordinates in their order."""

    pose: SolvedPose
    motion: SolvedMotion  # at the actual rates
    accelerations: dict[str, Value]


def has_equations(solved: Solved) -> bool:
    """Whether the engine tells how whole bodies move."""
    if isinstance(solved, DrivenSolution):
        return has_equations(solved.form.exchange.inner)
    return isinstance(solved, PlanarSolution | SpatialSolution)


def equations_of_motion(
    solved: Solved, builder: Builder, scope: Scope, coordinates: dict[str, Value], rates: dict[str, Value]
) -> Accelerated:
    """Write pose, rates and the accelerations of the independent coordinates.

    Inputs that loads name must be defined in the scope.
    """
    if isinstance(solved, DrivenSolution):
        return _of_driven(solved, builder, scope, coordinates, rates)
    if isinstance(solved, PlanarSolution):
        pose, solves = solve_pose(solved.form, builder, scope, coordinates)
        result = project(pose, solves, rates)
        planar = PlanarPose(pose, solves)
        return Accelerated(planar, PlanarMotion(planar, result.motion), result.accelerations)
    bodies = cast(BodyPose, solved.solve(builder, scope, coordinates))
    return Accelerated(bodies, *project_in_space(solved.mechanism, scope, bodies, rates))


def _of_driven(
    solved: DrivenSolution, builder: Builder, scope: Scope, coordinates: dict[str, Value], rates: dict[str, Value]
) -> Accelerated:
    exchange = solved.form.exchange
    transfer = solved.sought(builder, scope, coordinates)
    names = exchange.inner.mechanism.independent
    found = transfer.rates(rates)
    inner = equations_of_motion(
        exchange.inner, builder, scope, {n: transfer.at[n] for n in names}, {n: found[n] for n in names}
    )
    pose = driven_pose(solved, transfer, coordinates, inner.pose)
    limit = ACCELERATION_LIMIT[builder.precision]
    moved = {name: saturated(builder, value, limit, FAR) for name, value in inner.accelerations.items()}
    given = transfer.writer.accelerations(transfer.at, found, moved)
    accelerations = {name: given[name] if name in given else moved[name] for name in rates}
    return Accelerated(pose, DrivenMotion(pose, rates, found, inner.motion), accelerations)
