"""What a picture of a mechanism in space shows: bodies, joints by kind and guides at one pose, seen from one side.

In: a Mechanism and all coordinates of one assembly. Used by: `svg`, `png`. A body is the hull of its joints'
frames and points of interest as they are seen; a joint that slides is drawn in the middle between its two frames, all
others at their frame.
"""

import textwrap
from collections.abc import Mapping

import numpy as np

from exporter.drawing.hull import Point, hull
from exporter.drawing.scene import Guide, Link, Pivot, Scene
from exporter.drawing.views import Name, seen
from exporter.kinematics.closures.numeric import Array, numbers_of, poses_of
from exporter.model.evaluate import evaluate
from exporter.model.joints import CENTERED_JOINT_TYPES, GROUND
from exporter.model.mechanism import Body, Frame, Joint, Mechanism
from exporter.model.points_of_interest import points_of_interest

CAPTION_WIDTH = 95  # characters of a caption
SLIDING_JOINT_TYPES = ("prismatic", "cylindrical")
LEAST_HALF_GUIDE_RATIO = 1 / 12  # of the picture's size: half the length of a guide whose frames coincide


def spatial_scene(mechanism: Mechanism, coordinates: Mapping[str, float], view: Name, caption: str = "") -> Scene:
    """The scene at all coordinates (rad, m) of one assembly."""
    places = _Places(mechanism, coordinates, view)
    size = places.size()
    return Scene(
        mechanism.title or mechanism.name,
        textwrap.fill(caption, CAPTION_WIDTH),
        tuple(_link(places, body) for body in mechanism.bodies),
        _pivots(places),
        (),
        tuple(_guide(places, joint, size) for joint in mechanism.joints if joint.type in SLIDING_JOINT_TYPES),
        tuple((name, seen(view, axis)) for name, axis in zip("xyz", np.eye(3).tolist(), strict=True)),
    )


class _Places:
    """Where frames are, and how that looks from one side."""

    def __init__(self, mechanism: Mechanism, coordinates: Mapping[str, float], view: Name) -> None:
        self.mechanism = mechanism
        self.view = view
        self.values = mechanism.nominal_values()
        row = np.array([[coordinates[name] for name in mechanism.coordinates()]])
        self.numbers = numbers_of(mechanism)
        poses = poses_of(self.numbers, row)
        self.origin = {body: np.reshape(origin, 3) for body, origin in poses.origin.items()}
        self.turn = {body: np.reshape(turn, (3, 3)) for body, turn in poses.turn.items()}

    def frame(self, frame: Frame) -> Array:
        """A frame's origin, ground axes, (3,)."""
        local = np.array([float(evaluate(part, self.values)) for part in frame.at])
        return np.asarray(self.origin[frame.body] + self.turn[frame.body] @ local)

    def axis(self, joint: Joint) -> Array:
        """A joint's axis, ground axes, (3,)."""
        axis = np.array([float(part) for part in joint.axis])
        return np.asarray(self.turn[joint.parent.body] @ self.numbers.turn[joint.parent] @ axis)

    def joint(self, joint: Joint) -> Array:
        """Where a joint is drawn, (3,)."""
        if joint.type in SLIDING_JOINT_TYPES:
            return np.asarray((self.frame(joint.parent) + self.frame(joint.child)) / 2)
        return self.frame(joint.parent if joint.type in CENTERED_JOINT_TYPES else joint.child)

    def seen(self, place: Array) -> Point:
        """A place as it looks."""
        return seen(self.view, place.tolist())

    def size(self) -> float:
        """The longest edge of the box around all joints, m."""
        frames = [frame for joint in self.mechanism.joints for frame in (joint.parent, joint.child)]
        points = np.array([self.frame(frame) for frame in frames])
        return float((points.max(axis=0) - points.min(axis=0)).max()) or 1.0


def _link(places: _Places, body: Body) -> Link:
    frames = [frame for joint in places.mechanism.joints for frame in (joint.parent, joint.child)]
    frames += [frame for _, frame in points_of_interest(places.mechanism)]
    corners = [places.seen(places.frame(frame)) for frame in frames if frame.body == body.name]
    massive = evaluate(body.mass, places.values) != 0
    centre = places.seen(places.frame(Frame(body.name, body.center_of_mass))) if massive else None
    return Link(body.name, hull(list(dict.fromkeys(corners))), centre)


def _pivots(places: _Places) -> tuple[Pivot, ...]:
    """All joints; those that are seen at one place are named together, at the last of them."""
    at = {joint.name: places.seen(places.joint(joint)) for joint in places.mechanism.joints}
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
        )
        for joint in places.mechanism.joints
    )


def _guide(places: _Places, joint: Joint, size: float) -> Guide:
    """From frame to frame; along the axis to both sides where these coincide."""
    start, end = places.frame(joint.parent), places.frame(joint.child)
    if np.linalg.norm(end - start) < size * LEAST_HALF_GUIDE_RATIO:
        middle, along = (start + end) / 2, places.axis(joint) * size * LEAST_HALF_GUIDE_RATIO
        start, end = middle - along, middle + along
    return Guide(joint.name, places.seen(start), places.seen(end))
