"""Equations of motion beside those of the plane: in space, by exchanged coordinates, and with couplings.

In: what an engine has solved. Out: what writes its equations. Used by: `equations`, which imports this where it is
needed.
"""

from collections.abc import Callable
from functools import partial, singledispatch

from exporter.dynamics.accelerated_pose import AcceleratedPose, BalancedBodies, Equations, Values
from exporter.dynamics.in_space import SpatialDynamics, project_in_space
from exporter.dynamics.projected import Driven, Dynamics, project_coupled
from exporter.dynamics.reactions.forces import Mechanics
from exporter.dynamics.reactions.spatial import SpatialMechanics
from exporter.errors import ModelError
from exporter.kinematics.coupled.solution import CoupledMotion, CoupledPose, CoupledSolution
from exporter.kinematics.exchanged.solution import ExchangedMotion, ExchangedSolution, driven_pose
from exporter.kinematics.planar.engine import PlanarMotion, PlanarPose
from exporter.kinematics.protocol.limits import ACCELERATION_LIMIT
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.spatial.engine import SpatialSolution, SpatialSolvedPose
from exporter.sequence.builder import Builder
from exporter.sequence.guards import saturated

NO_REACTIONS = (
    "forces and torques of joints are not given where coordinates are coupled, for what gears and belts hand over is "
    "none of a joint's; leave such outputs out"
)
ACCELERATION_BEYOND_LIMIT = "an acceleration of the triangular form's coordinates is beyond its limit"
EquationsOf = Callable[[object], Equations | None]
"""What writes the equations for what any engine has solved; None where nothing does."""


@singledispatch
def other_equations(_: object, of: EquationsOf) -> Equations | None:  # noqa: ARG001 - of a mechanism inside of another
    """What writes the equations; None where nothing does. `of` tells the same of a mechanism inside of this one."""
    return None


@other_equations.register
def _(solved: SpatialSolution, _: EquationsOf) -> Equations:
    return partial(_of_spatial, solved)


@other_equations.register
def _(solved: ExchangedSolution, of: EquationsOf) -> Equations | None:
    inner = of(solved.form.exchange.inner)
    return None if inner is None else partial(_of_driven, solved, inner)


@other_equations.register
def _(solved: CoupledSolution, of: EquationsOf) -> Equations | None:
    return None if of(solved.inner) is None else partial(_of_coupled, solved)


def _of_spatial(
    solved: SpatialSolution, builder: Builder, scope: Scope, coordinates: Values, rates: Values, seen: Values
) -> AcceleratedPose:
    pose = solved.solve(builder, scope, coordinates)
    result = project_in_space(solved.mechanism, scope, pose, seen, rates)

    def mechanics() -> Mechanics:
        return SpatialMechanics(pose, result.motion, result.motion.accelerate(result.accelerations))

    bodies = BalancedBodies(solved.mechanism, result.state, mechanics)
    return AcceleratedPose(pose, result.motion, result.accelerations, bodies, result.equations)


def _of_driven(
    solved: ExchangedSolution,
    write: Equations,
    builder: Builder,
    scope: Scope,
    coordinates: Values,
    rates: Values,
    seen: Values,
) -> AcceleratedPose:
    exchange = solved.form.exchange
    transfer = solved.sought(builder, scope, coordinates)
    names = exchange.inner.mechanism.independent
    found = transfer.rates(rates)
    places = {name: transfer.at[name] for name in names}
    inner = write(builder, scope, places, {name: found[name] for name in names}, {**places, **seen})
    pose = driven_pose(solved, transfer, coordinates, inner.pose)
    limit = ACCELERATION_LIMIT[builder.precision]
    with builder.step("D2", "accelerations of the triangular form's coordinates, limited", part=True):
        moved = {
            name: saturated(builder, value, limit, ACCELERATION_BEYOND_LIMIT)
            for name, value in inner.accelerations.items()
        }
    given = transfer.writer.accelerations(transfer.at, found, moved)
    accelerations = {name: given[name] if name in given else moved[name] for name in rates}
    motion = ExchangedMotion(pose, rates, found, inner.motion)
    return AcceleratedPose(pose, motion, accelerations, inner.bodies)


def _of_coupled(
    solved: CoupledSolution, builder: Builder, scope: Scope, coordinates: Values, rates: Values, seen: Values
) -> AcceleratedPose:
    """Masses are moved by what follows too; the equations are those of the independent coordinates."""
    pose = solved.solve(builder, scope, coordinates)
    turning = pose.move(rates)
    moved = turning.rates
    biases = turning.accelerated({name: builder.real(0) for name in rates})
    seen = {**pose.values, **seen}
    match pose.inner:
        case PlanarPose() as inner:
            by = Driven(solved.mechanism, moved, biases)
            planar = project_coupled(inner.pose, inner.solves, seen, rates, by)
            motion = CoupledMotion(pose, moved, PlanarMotion(inner, planar.motion))
            return _accelerated(pose, motion, planar)
        case SpatialSolvedPose() as inner:
            spatial = project_in_space(solved.mechanism, scope, inner, seen, rates, (moved, biases))
            return _accelerated(pose, CoupledMotion(pose, moved, spatial.motion), spatial)
    raise TypeError(f"no equations of motion are written for {type(pose.inner).__name__}")


def _accelerated(pose: CoupledPose, motion: CoupledMotion, found: Dynamics | SpatialDynamics) -> AcceleratedPose:
    """The pose with its accelerations; reactions would need the forces in couplings."""

    def mechanics() -> Mechanics:
        raise ModelError(f"{pose.solution.mechanism.name}: {NO_REACTIONS}")

    bodies = BalancedBodies(pose.solution.mechanism, found.state, mechanics)
    return AcceleratedPose(pose, motion, found.accelerations, bodies, found.equations)
