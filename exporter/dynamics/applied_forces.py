"""What loads and elements apply to a mechanism in motion, along which of its rates.

In: a `MovingState`. Out: forces of elements with the rates that they act along; components of loads in ground axes.
"""

from collections.abc import Iterator

from exporter.dynamics.element_law import force_law
from exporter.dynamics.factorisation import LARGEST_FORCE
from exporter.dynamics.moving_state import MovingState
from exporter.kinematics.protocol.vectors import Vector
from exporter.model.directions import turn_vector
from exporter.model.evaluate import names
from exporter.model.expression import ONE, ZERO, Expression
from exporter.model.mechanism import Frame, Load, Mechanism
from exporter.sequence.builder import Value
from exporter.sequence.guards import limitable

UNIT_VECTORS = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
FORCE_BEYOND_LIMIT = "the force of a load is beyond its limit"


def element_forces(state: MovingState) -> Iterator[tuple[Value, Value]]:
    """The rate that every element acts along, in the motion of the state, and its force."""
    builder = state.scope.builder
    for element in state.mechanism.elements:
        with builder.part(element.name, f"{element.type.replace('_', ' ')} {element.name}, along {element.along}"):
            yield state.influence(element.along), load_value(state, force_law(element))


def load_value(state: MovingState, formula: Expression) -> Value:
    """The value of a load's formula; limited, where rates are, if it reads the state."""
    value, builder = state.formulas.value(formula), state.scope.builder
    if not reads_state(state.mechanism, formula):
        return value
    return limitable(builder, value, LARGEST_FORCE[builder.precision], FORCE_BEYOND_LIMIT)


def load_components(state: MovingState, load: Load) -> Vector:
    """The three components of a force or torque, ground axes."""
    parts = [load_value(state, part) for part in load.value]
    if load.axes is None:
        return Vector(*parts)
    total = Vector(*(state.scope.builder.real(0) for _ in parts))
    for part, axis in zip(parts, UNIT_VECTORS, strict=True):
        if part.constant != 0:
            total = total + Vector(*state.pose.direction(load.axes.body, turn_vector(axis, load.axes.rotation))).scaled(
                part
            )
    return total


def reads_state(mechanism: Mechanism, formula: Expression) -> bool:
    """Whether a formula names a coordinate, a distance, or a rate."""
    return bool(names(formula) & mechanism.state_dimensions().keys())


def in_own_axes(load: Load, body: str) -> Frame | None:
    """The frame of the load's components where it is fixed in this body."""
    return load.axes if load.axes is not None and load.axes.body == body else None
