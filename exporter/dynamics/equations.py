"""Equations of motion of a solved mechanism, by the form that is cheapest for its engine.

In: what an engine has solved, independent coordinates and rates. Used by: the functions of an export. A planar
mechanism moves its masses to the joints (`projected`); any other is projected body by body (`in_space`). With exchanged
coordinates the equations are those of the triangular form: accelerations follow from those of its coordinates.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, singledispatch

from exporter.dynamics.factorisation import ProjectedEquations
from exporter.dynamics.in_space import SpatialDynamics, project_in_space
from exporter.dynamics.moving_state import MovingState
from exporter.dynamics.projected import Driven, Dynamics, project, project_coupled
from exporter.dynamics.reactions.forces import Mechanics
from exporter.dynamics.reactions.planar import PlanarMechanics
from exporter.dynamics.reactions.spatial import SpatialMechanics
from exporter.errors import ModelError
from exporter.kinematics.coupled.solution import CoupledMotion, CoupledPose, CoupledSolution
from exporter.kinematics.exchanged.solution import ExchangedMotion, ExchangedSolution, driven_pose
from exporter.kinematics.planar.engine import PlanarMotion, PlanarPose, PlanarSolution
from exporter.kinematics.protocol.limits import ACCELERATION_LIMIT
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Solution, SolvedMotion, SolvedPose
from exporter.kinematics.spatial.engine import SpatialSolution, SpatialSolvedPose
from exporter.model.mechanism import Mechanism
from exporter.sequence.builder import Builder, Value
from exporter.sequence.guards import saturated

NO_REACTIONS = (
    "forces and torques of joints are not given where coordinates are coupled, for what gears and belts hand over is "
    "none of a joint's; leave such outputs out"
)
ACCELERATION_BEYOND_LIMIT = "an acceleration of the triangular form's coordinates is beyond its limit"


@dataclass(frozen=True)
class BalancedBodies:
    """Accelerated bodies: the mechanism by the coordinates that drive it, what loads see, and what writes the rest."""

    mechanism: Mechanism
    state: MovingState
    mechanics: Callable[[], Mechanics]


@dataclass(frozen=True)
class AcceleratedPose:
    """A pose in motion, and the accelerations of the independent coordinates in their order."""

    pose: SolvedPose
    motion: SolvedMotion  # at the actual rates
    accelerations: dict[str, Value]
    bodies: BalancedBodies  # those of the triangular form
    equations: ProjectedEquations | None = None  # what they were solved from; None where they follow from others'


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

Values = dict[str, Value]
Equations = Callable[[Builder, Scope, Values, Values, Values], AcceleratedPose]


@singledispatch
def _equations(_: object) -> Equations | None:
    """What writes the equations for what an engine has solved; None where nothing does."""
    return None


@_equations.register
def _(solved: PlanarSolution) -> Equations:
    return partial(_of_planar, solved)


@_equations.register
def _(solved: SpatialSolution) -> Equations:
    return partial(_of_spatial, solved)


@_equations.register
def _(solved: ExchangedSolution) -> Equations | None:
    return partial(_of_driven, solved) if has_equations(solved.form.exchange.inner) else None


@_equations.register
def _(solved: CoupledSolution) -> Equations | None:
    return partial(_of_coupled, solved) if has_equations(solved.inner) else None


def _of_planar(
    solved: PlanarSolution, builder: Builder, scope: Scope, coordinates: Values, rates: Values, seen: Values
) -> AcceleratedPose:
    pose = solved.solve(builder, scope, coordinates)
    result = project(pose.pose, pose.solves, seen, rates)

    def mechanics() -> Mechanics:
        return PlanarMechanics(result.accelerated(pose.solves))

    motion = PlanarMotion(pose, result.motion)
    bodies = BalancedBodies(solved.mechanism, result.state, mechanics)
    return AcceleratedPose(pose, motion, result.accelerations, bodies, result.equations)


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
    solved: ExchangedSolution, builder: Builder, scope: Scope, coordinates: Values, rates: Values, seen: Values
) -> AcceleratedPose:
    exchange = solved.form.exchange
    transfer = solved.sought(builder, scope, coordinates)
    names = exchange.inner.mechanism.independent
    found = transfer.rates(rates)
    places = {name: transfer.at[name] for name in names}
    inner = equations_of_motion(
        exchange.inner, builder, scope, places, {name: found[name] for name in names}, {**places, **seen}
    )
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
