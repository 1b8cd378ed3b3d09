"""What bodies ask for and what is applied to them: a `Mechanics` gives it in the axes that forces are summed in.

Made by: `planar`, `spatial`. Used by: `balance`. Everything is a wrench with a place on a body. All that is applied
to bodies comes from `applied_wrenches`, all that joints transmit by loads on coordinates from `driving_load`.
"""

from collections.abc import Iterator
from typing import Protocol

from exporter.dynamics.applied_forces import load_components, load_value
from exporter.dynamics.element_law import force_law
from exporter.dynamics.moving_state import MovingState
from exporter.dynamics.reactions.components import free_motions
from exporter.dynamics.reactions.statics import Geometry, Wrench
from exporter.kinematics.outputs.distances import DistanceValues
from exporter.kinematics.protocol.solution import Triple
from exporter.kinematics.protocol.vectors import Vector
from exporter.model.mechanism import Body, Element, Frame, Joint
from exporter.records import dataclass
from exporter.sequence.builder import Value


class Mechanics(Geometry, Protocol):
    """Geometry, and what bodies resist their accelerations by."""

    def inertial(self, body: Body) -> Wrench | None:
        """m (a - g) and H' about the centre of mass; None of a body without mass."""

    def from_ground(self, vector: Vector) -> Vector:
        """A vector of ground axes in those that forces are summed in."""

    def in_ground_axes(self, vector: Vector) -> Triple:
        """A vector's components along the axes of the ground."""

    def in_frame_axes(self, frame: Frame, vector: Vector) -> Triple:
        """A vector's components along the axes of a frame."""


@dataclass(frozen=True, slots=True)
class PlacedWrench:
    """A wrench on the body of a frame, its torque about the frame's origin."""

    at: Frame
    wrench: Wrench


def applied_wrenches(state: MovingState, mechanics: Mechanics) -> Iterator[PlacedWrench]:
    """Every force and torque that loads, and elements between two points, apply to bodies."""
    for load in state.mechanism.loads:
        if load.on is not None:
            vector, none = mechanics.from_ground(load_components(state, load)), mechanics.zero()
            yield PlacedWrench(load.on, Wrench(none, vector) if load.type == "torque" else Wrench(vector, none))
    for element in state.mechanism.elements:
        if element.along in state.mechanism.distances:
            yield from _across(state, mechanics, element)


def _across(state: MovingState, mechanics: Mechanics, element: Element) -> Iterator[PlacedWrench]:
    """A force that pushes two points apart."""
    ends = state.mechanism.distances[element.along]
    line = DistanceValues(state.mechanism, ends, state.scope, state.pose).line
    force = load_value(state, force_law(element)) / state.value(element.along)
    vector = mechanics.from_ground(line.scaled(force))
    yield PlacedWrench(ends.end, Wrench(vector, mechanics.zero()))
    yield PlacedWrench(ends.start, Wrench(-vector, mechanics.zero()))


def driving_load(state: MovingState, coordinate: str) -> Value | None:
    """The torque or force of the parent on the child along a coordinate; None where nothing acts along it."""
    loads = [load for load in state.mechanism.loads if load.type == "coordinate" and load.coordinate == coordinate]
    values = [load_value(state, load.value[0]) for load in loads]
    elements = [element for element in state.mechanism.elements if element.along == coordinate]
    values += [load_value(state, force_law(element)) for element in elements]
    return sum(values[1:], start=values[0]) if values else None


def driving_wrench(state: MovingState, mechanics: Mechanics, joint: Joint) -> Wrench | None:
    """What a joint transmits by loads along its coordinates, normal to each other; None where there are none."""
    total = None
    for motion in free_motions(joint, joint.coordinates, planar=False):
        value = driving_load(state, motion.coordinate) if motion.coordinate else None
        if value is not None:
            along, none = mechanics.direction(motion.direction).scaled(value), mechanics.zero()
            wrench = Wrench(none, along) if motion.kind == "turn" else Wrench(along, none)
            total = wrench if total is None else total + wrench
    return total
