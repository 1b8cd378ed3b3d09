"""A loop in a sequence, as it is seen from a body whose unknown motions stand in a row.

In: a pose, the names of the motions' coordinates, and a relation that holds them. Out: vectors in the axes in front of
the first of
these motions, outwards, and in those behind the last, whichever way the loop passes through them.
"""

from collections.abc import Sequence
from dataclasses import replace

from exporter.kinematics.protocol.motions import ElementaryMotion
from exporter.kinematics.protocol.vectors import Vector
from exporter.kinematics.spatial.block import Relation
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.kinematics.spatial.relations.planes import PlaneRelation, plane_relation
from exporter.kinematics.spatial.relations.segments import LoopView, given, items_of_relation
from exporter.records import dataclass
from exporter.sequence.builder import Value


@dataclass(frozen=True, slots=True)
class Distance:
    """|X near - far|^2 = square, X the motions."""

    near: Vector
    far: Vector
    square: Value


def distance_of(pose: SpatialPose, names: Sequence[str], relation: Relation) -> Distance:
    """The distance by which a loop holds motions, whose coordinates are named outwards."""
    view, outwards = _view(pose, names, relation)
    behind, before = view.behind, view.before
    near, far = view.start.point(given(behind.front.point)), view.end.back(given(before.back.point))
    gap = given(behind.back.point) - view.middle.point(given(before.front.point))
    return Distance(near, far, gap.squared()) if outwards else Distance(far, near, gap.squared())


def plane_of(pose: SpatialPose, names: Sequence[str], relation: Relation) -> PlaneRelation:
    """The plane by which a loop holds motions, whose coordinates are named outwards."""
    view, outwards = _view(pose, names, relation)
    plane = plane_relation(view)
    return plane if outwards else replace(plane, moves_point=not plane.moves_point)


def _view(pose: SpatialPose, names: Sequence[str], relation: Relation) -> tuple[LoopView, bool]:
    """The round that begins behind the motions and ends in front of them; whether it passes through them outwards."""
    items = items_of_relation(pose, relation)
    motions = {item.coordinate: n for n, item in enumerate(items) if isinstance(item, ElementaryMotion)}
    places = [motions[name] for name in names]
    last = items[max(places)]
    assert isinstance(last, ElementaryMotion)
    rest = (*items[max(places) + 1 :], *items[: min(places)])
    unknown = tuple(n for n, item in enumerate(rest) if isinstance(item, ElementaryMotion) and not pose.is_known(item))
    return LoopView(pose, last, rest, unknown, relation), places[0] < places[-1]
