"""Loads and elements of a mechanism in space: what they add to the power along its rates.

In: a motion of the mechanism and the state that formulas read. Out: forces of a `Projection`, each in the axes in which
the engine gives the twist of the body that it acts on.
"""

from exporter.dynamics.applied_forces import element_forces, in_own_axes, load_components, load_value
from exporter.dynamics.moving_state import MovingState
from exporter.dynamics.projection import Projection
from exporter.kinematics.protocol.twists import BodyMotion, BodyPose
from exporter.kinematics.protocol.vectors import Vector
from exporter.model.directions import turn_vector
from exporter.model.mechanism import Frame, Load


def add_loads(state: MovingState, pose: BodyPose, motion: BodyMotion, into: Projection) -> None:
    """Put every load and element on the rates that it acts along."""
    builder = state.scope.builder
    with builder.part("Q", "loads along the rates of what they act on"):
        for load in state.mechanism.loads:
            if load.type == "coordinate":
                into.add_force(motion.rate(load.coordinate), load_value(state, load.value[0]))
            elif load.on is not None:
                _add_wrench(state, pose, motion, into, load, load.on)
        for rate, force in element_forces(state):
            into.add_force(rate, force)


def _add_wrench(
    state: MovingState, pose: BodyPose, motion: BodyMotion, into: Projection, load: Load, on: Frame
) -> None:
    twist = motion.twist(on)
    applied = _in_axes_of_twist(state, pose, load, on) if twist.in_body_axes else load_components(state, load)
    rates = twist.angular_velocity if load.type == "torque" else twist.velocity
    for rate, part in zip(rates.parts(), applied.parts(), strict=True):
        into.add_force(rate, part)


def _in_axes_of_twist(state: MovingState, pose: BodyPose, load: Load, on: Frame) -> Vector:
    """Components in the axes of the body that is acted on."""
    axes = in_own_axes(load, on.body)
    if axes is None:
        return pose.in_body_axes(on.body, load_components(state, load))
    x, y, z = (load_value(state, part) for part in turn_vector(load.value, axes.rotation))
    return Vector(x, y, z)
