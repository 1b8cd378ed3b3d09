"""Equations of motion of a solved mechanism, by the form that is cheapest for its engine.

Comes from: what an engine has solved, independent coordinates and rates. Goes to: the functions of an export. A planar
mechanism moves its masses to the joints (`projected`); any other is projected body by body (`in_space`).
"""

from dataclasses import dataclass
from typing import cast

from exporter.dynamics.in_space import project_in_space
from exporter.dynamics.projected import project
from exporter.kinematics.planar_solution import PlanarMotion, PlanarPose, PlanarSolution
from exporter.kinematics.scope import Scope
from exporter.kinematics.solution import solve_pose
from exporter.kinematics.solved import Solved, SolvedMotion, SolvedPose
from exporter.kinematics.spatial.solution import SpatialSolution
from exporter.kinematics.twists import BodyPose
from exporter.sequence.builder import Builder, Value


@dataclass(frozen=True)
class Accelerated:
    """A pose in motion, and the accelerations of the independent coordinates in their order."""

    pose: SolvedPose
    motion: SolvedMotion  # first derivatives at the actual rates
    accelerations: dict[str, Value]


def has_equations(solved: Solved) -> bool:
    """Whether the engine tells how whole bodies move."""
    return isinstance(solved, PlanarSolution | SpatialSolution)


def equations_of_motion(
    solved: Solved, builder: Builder, scope: Scope, coordinates: dict[str, Value], rates: dict[str, Value]
) -> Accelerated:
    """Write pose, rates and the accelerations of the independent coordinates.

    Inputs that loads name must be defined in the scope.
    """
    if isinstance(solved, PlanarSolution):
        pose, solves = solve_pose(solved.form, builder, scope, coordinates)
        result = project(pose, solves, rates)
        return Accelerated(PlanarPose(pose, solves), PlanarMotion(result.motion, solves), result.accelerations)
    bodies = cast(BodyPose, solved.solve(builder, scope, coordinates))
    moving = project_in_space(solved.mechanism, scope, bodies, rates)
    return Accelerated(bodies, moving.motion, moving.accelerations)
