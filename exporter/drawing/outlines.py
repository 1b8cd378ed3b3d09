"""Which places of a mechanism a body's outline holds, and which points of interest a picture names.

In: a Mechanism. Used by: scenes of the plane and of space.
"""

from collections.abc import Callable

from exporter.drawing.forces.marks import acted_on
from exporter.drawing.hull import Point
from exporter.model.joints import GROUND
from exporter.model.mechanism import Body, Frame, Mechanism
from exporter.model.points_of_interest import points_of_interest
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class Spot:
    """A point of interest: the name of its output, and where it is."""

    name: str
    at: Point


def outlined(mechanism: Mechanism, body: Body) -> list[Frame]:
    """Where a body's joints are, its named points, its points of interest, and what elements and forces act on."""
    frames = [frame for joint in mechanism.joints for frame in (joint.parent, joint.child)]
    frames += [frame for _, frame in points_of_interest(mechanism)]
    frames += acted_on(mechanism)
    return [*(frame for frame in frames if frame.body == body.name), *body.frames]


def spots_of(mechanism: Mechanism, place: Callable[[Frame], Point]) -> tuple[Spot, ...]:
    """The points of interest on moving bodies."""
    named = points_of_interest(mechanism)
    return tuple(Spot(name, place(frame)) for name, frame in named if frame.body != GROUND)
