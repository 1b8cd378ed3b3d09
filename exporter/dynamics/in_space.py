"""Equations of motion of any solved mechanism, projected onto the independent coordinates: M u' = Q - h.

In: a solved pose and the independent rates. Used by: the functions of an export. Velocities of all bodies are
written once at the actual rates; M and Q follow by projecting kinetic energy and power through the linear graph of
these velocities (see `projection`), h by the accelerations that remain when the independent ones are zero.
Source: Uchida 2011, ch. 3 (embedding).
"""

from exporter.dynamics.factorisation import ProjectedEquations, smallest_pivots, solve_ldl
from exporter.dynamics.moving_state import MovingState
from exporter.dynamics.projection import Projection
from exporter.dynamics.spatial_inertia import MovingBodies
from exporter.dynamics.spatial_loads import add_loads
from exporter.dynamics.spins import (
    angles_by_spins,
    biases_at_constant_spin,
    equations_of_angles,
    spins_of,
    with_spins,
)
from exporter.dynamics.struts import add_struts
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.twists import BodyMotion, BodyPose
from exporter.kinematics.protocol.vectors import Vector
from exporter.model.mechanism import Mechanism
from exporter.progress import say
from exporter.records import dataclass
from exporter.sequence.builder import Value


@dataclass(frozen=True)
class SpatialDynamics:
    """A motion, the accelerations of the independent coordinates in their order, and what they were solved from."""

    motion: BodyMotion  # at the actual rates
    accelerations: dict[str, Value]
    equations: ProjectedEquations
    state: MovingState


def project_in_space(
    mechanism: Mechanism,
    scope: Scope,
    pose: BodyPose,
    seen: dict[str, Value],
    rates: dict[str, Value],
    moved: tuple[dict[str, Value], dict[str, Value]] | None = None,
) -> SpatialDynamics:
    """Write the motion at these rates, and the accelerations of the independent coordinates in their order.

    Inputs that loads name must be defined in the scope. `moved` are the rates that move the pose, where more than the
    independent ones do, linear in these, and their accelerations where those of the independent ones are zero.
    """
    builder = scope.builder
    every, biases = moved or (rates, {name: builder.real(0) for name in rates})
    motion = pose.move(every)
    spins = [] if moved else spins_of(mechanism, motion, rates)
    bias = motion.accelerate(biases_at_constant_spin(biases, spins), [part for spin in spins for part in spin.parts()])
    with builder.step("D1", f"accelerations of {', '.join(rates)} from the projected equations of motion"):
        projection = Projection()
        apart = add_struts(mechanism, scope, pose, motion, bias, projection, every)
        MovingBodies(mechanism, scope, pose, motion, bias, projection, apart).add_everything()
        state = MovingState(mechanism, scope, seen, pose, motion)
        add_loads(state, pose, motion, projection)
        say("projecting the equations of motion")
        solved = with_spins(rates, spins)
        matrix, forces = projection.onto(builder, list(solved.values()), angles_by_spins(rates, spins))
        say("bounding the pivots of the mass matrix")
        least = smallest_pivots(mechanism, scope, spanned=pose.spanned)
        solution = solve_ldl(matrix, forces, least, [f"{name}.acceleration" for name in rates])
        accelerations = dict(zip(rates, solution, strict=True))
        for spin in spins:
            found = Vector(*(accelerations[name] for name in spin.names))
            accelerations |= spin.rates(found - spin.drift)
    equations = equations_of_angles(ProjectedEquations(matrix, forces, least), list(rates), spins)
    return SpatialDynamics(motion, accelerations, equations, state)
