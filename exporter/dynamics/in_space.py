"""Equations of motion of any solved mechanism, projected onto the independent coordinates: M u' = Q - h.

In: a solved pose and the independent rates. Used by: the functions of an export. Velocities of all bodies are
written once at the actual rates; M and Q follow by projecting kinetic energy and power through the linear graph of
these velocities (see `projection`), h by the accelerations that remain when the independent ones are zero.
Source: Uchida 2011, ch. 3 (embedding).
"""

from exporter.dynamics.factorisation import smallest_pivots, solve_ldl
from exporter.dynamics.moving_state import MovingState
from exporter.dynamics.projection import Projection
from exporter.dynamics.spatial_inertia import MovingBodies
from exporter.dynamics.spatial_loads import add_loads
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.twists import BodyMotion, BodyPose
from exporter.model.mechanism import Mechanism
from exporter.sequence.builder import Value


def project_in_space(
    mechanism: Mechanism, scope: Scope, pose: BodyPose, seen: dict[str, Value], rates: dict[str, Value]
) -> tuple[BodyMotion, dict[str, Value]]:
    """Write the motion at these rates, and the accelerations of the independent coordinates in their order.

    Inputs that loads name must be defined in the scope.
    """
    builder = scope.builder
    motion = pose.move(rates)
    bias = motion.accelerate({name: builder.real(0) for name in rates})
    with builder.step("D1", f"accelerations of {', '.join(rates)} from the projected equations of motion"):
        projection = Projection()
        MovingBodies(mechanism, scope, pose, motion, bias, projection).add_everything()
        add_loads(MovingState(mechanism, scope, seen, pose, motion), pose, motion, projection)
        matrix, forces = projection.onto(builder, list(rates.values()))
        least = smallest_pivots(mechanism, scope, spanned=pose.spanned)
        solution = solve_ldl(matrix, forces, least, [f"{name}.acceleration" for name in rates])
    return motion, dict(zip(rates, solution, strict=True))
