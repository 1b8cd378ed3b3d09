"""Equations of motion of a solved mechanism, by the form that is cheapest for its engine.

In: what an engine has solved, independent coordinates and rates. Used by: the functions of an export. A planar
mechanism moves its masses to the joints (`projected`); any other is projected body by body (`in_space`). With exchanged
coordinates the equations are those of the triangular form: accelerations follow from those of its coordinates.
"""

from functools import partial, singledispatch
from typing import TYPE_CHECKING

from exporter.dynamics.accelerated_pose import AcceleratedPose, BalancedBodies, Equations, Values
from exporter.dynamics.projected import project
from exporter.kinematics.planar.engine import PlanarMotion, PlanarSolution
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Solution
from exporter.sequence.builder import Builder, Value

if TYPE_CHECKING:  # few mechanisms ask for reactions
    from exporter.dynamics.reactions.forces import Mechanics


def has_equations(solved: Solution) -> bool:
    """Whether equations of motion can be written for what an engine has solved."""
    return _equations(solved) is not None


def equations_of_motion(
    solved: Solution,
    builder: Builder,
    scope: Scope,
    coordinates: dict[str, Value],
    rates: dict[str, Value],
    seen: dict[str, Value] | None = None,
) -> AcceleratedPose:
    """Write pose, rates and the accelerations of the independent coordinates.

    Inputs that loads name must be defined in the scope. Loads read `seen` coordinates as they are given, those of
    `coordinates` without it; all others as the pose has them.

    Raises:
        TypeError: there are none for this engine; see `has_equations`.
    """
    write = _equations(solved)
    if write is None:
        raise TypeError(f"no equations of motion are written for {type(solved).__name__}")
    return write(builder, scope, coordinates, rates, coordinates if seen is None else seen)


# -- the form of each engine -----------------------------------------------------------------------------------------


@singledispatch
def _equations(solved: object) -> Equations | None:
    """What writes the equations for what an engine has solved; None where nothing does."""
    from exporter.dynamics.other_equations import other_equations  # noqa: PLC0415 - what the plane needs none of

    return other_equations(solved, _equations)


@_equations.register
def _(solved: PlanarSolution) -> Equations:
    return partial(_of_planar, solved)


def _of_planar(
    solved: PlanarSolution, builder: Builder, scope: Scope, coordinates: Values, rates: Values, seen: Values
) -> AcceleratedPose:
    pose = solved.solve(builder, scope, coordinates)
    result = project(pose.pose, pose.solves, seen, rates)

    def mechanics() -> "Mechanics":
        from exporter.dynamics.reactions.planar import PlanarMechanics  # noqa: PLC0415

        return PlanarMechanics(result.accelerated(pose.solves))

    motion = PlanarMotion(pose, result.motion)
    bodies = BalancedBodies(solved.mechanism, result.state, mechanics)
    return AcceleratedPose(pose, motion, result.accelerations, bodies, result.equations)
