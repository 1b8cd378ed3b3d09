"""What a picture of a mechanism in space shows: bodies, joints by kind and guides at one pose, seen from one side.

In: a Mechanism and all coordinates of one assembly. Used by: `svg`, `png`. A body is the hull of its joints'
frames and points of interest as they are seen; a joint that slides is drawn in the middle between its two frames, all
others at their frame.
"""

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np

from exporter.drawing.forces.drivers import driver_marks
from exporter.drawing.forces.marks import marks_of
from exporter.drawing.hull import Point, hull
from exporter.drawing.outlines import outlined, spots_of
from exporter.drawing.placed import SLIDING_JOINT_TYPES, Placed
from exporter.drawing.scene import Guide, Link, Pivot, Scene, paths_of
from exporter.drawing.trails import Trail
from exporter.drawing.upright import seen_from, turn_of_view, up_of, usual_view
from exporter.drawing.views import Name, seen
from exporter.kinematics.closures.numeric import Array
from exporter.model.evaluate import evaluate
from exporter.model.joints import CENTERED_JOINT_TYPES, GROUND
from exporter.model.mechanism import Body, Frame, Joint, Mechanism
from exporter.records import dataclass

CAPTION_WIDTH = 95  # characters of a caption
LEAST_HALF_GUIDE_RATIO = 1 / 12  # of the picture's size: half the length of a guide whose frames coincide


def spatial_scene(
    mechanism: Mechanism,
    coordinates: Mapping[str, float],
    view: Name | None,
    caption: str = "",
    trails: Sequence[Trail] = (),
) -> Scene:
    """The scene at all coordinates (rad, m) of one assembly."""
    placed = Placed(mechanism, coordinates)
    view = view or usual_view(placed)
    turn, up = turn_of_view(mechanism), up_of(mechanism)
    places = _Seen(placed, view, turn)
    size = placed.size()
    return Scene(
        mechanism.title or mechanism.name,
        textwrap.fill(_caption(placed, caption), CAPTION_WIDTH),
        tuple(_link(places, body) for body in mechanism.bodies),
        _pivots(places),
        (),
        tuple(_guide(places, joint, size) for joint in mechanism.joints if joint.type in SLIDING_JOINT_TYPES),
        tuple(
            (f"{name} up" if name == up else name, seen(view, axis))
            for name, axis in zip("xyz", turn.T.tolist(), strict=True)
        ),
        (*marks_of(placed, places.place), *driver_marks(placed, places.place)),
        spots_of(mechanism, places.frame),
        paths_of(trails, places.place),
        seen_from(mechanism, view),
        has_scale=not placed.meets_in_a_point,
    )


def _caption(placed: Placed, caption: str) -> str:
    note = "all hinges meet in one point and are drawn on a sphere about it" if placed.meets_in_a_point else ""
    return "; ".join(filter(None, (caption, note)))


@dataclass(frozen=True, slots=True)
class _Seen:
    """A mechanism in place, seen from one side."""

    placed: Placed
    view: Name
    turn: Array

    def frame(self, frame: Frame) -> Point:
        """How a frame's origin looks."""
        return self.place(self.placed.frame(frame))

    def place(self, place: Array) -> Point:
        """How a place or a direction of ground axes looks."""
        return seen(self.view, (self.turn @ place).tolist())


def _link(places: _Seen, body: Body) -> Link:
    mechanism = places.placed.mechanism
    corners = [places.frame(frame) for frame in outlined(mechanism, body)]
    if places.placed.meets_in_a_point:
        own = [joint for joint in mechanism.joints if body.name in joint.bodies]
        corners += [places.place(places.placed.joint(joint)) for joint in own]
    massive = evaluate(body.mass, places.placed.values) != 0
    centre = places.frame(Frame(body.name, body.center_of_mass)) if massive else None
    return Link(body.name, hull(list(dict.fromkeys(corners))), centre)


def _pivots(places: _Seen) -> tuple[Pivot, ...]:
    """All joints; those that are seen at one place are named together, at the last of them."""
    joints = places.placed.mechanism.joints
    at = {joint.name: places.place(places.placed.joint(joint)) for joint in joints}
    together: dict[Point, list[str]] = {}
    for name, point in at.items():
        together.setdefault(point, []).append(name)
    return tuple(
        Pivot(
            joint.name,
            at[joint.name],
            joint.type in CENTERED_JOINT_TYPES and GROUND in joint.bodies,
            joint.type,
            ", ".join(names) if (names := together[at[joint.name]])[-1] == joint.name else "",
            places.place(places.placed.axis(joint)) if joint.type == "revolute" else (0.0, 0.0),
        )
        for joint in joints
    )


def _guide(places: _Seen, joint: Joint, size: float) -> Guide:
    """From frame to frame; along the axis to both sides where these coincide."""
    placed = places.placed
    start, end = placed.frame(joint.parent), placed.frame(joint.child)
    apart = bool(np.linalg.norm(end - start) >= size * LEAST_HALF_GUIDE_RATIO)
    if not apart:
        middle, along = (start + end) / 2, placed.axis(joint) * size * LEAST_HALF_GUIDE_RATIO
        start, end = middle - along, middle + along
    slider = places.frame(joint.child)
    slides_only = joint.type == "prismatic"
    return Guide(joint.name, places.place(start), places.place(end), slider, GROUND in joint.bodies, apart, slides_only)
