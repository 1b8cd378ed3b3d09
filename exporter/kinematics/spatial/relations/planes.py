"""The plane that one group of a loop's unknown motions leaves, and the point of the other: they keep their distance.

In: a loop as it is seen from one of its motions. Out: the plane's normal, the point, and the distance as at the cut.
"""

from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.kinematics.spatial.relations.segments import LoopView, given
from exporter.records import dataclass
from exporter.sequence.builder import Value


@dataclass(frozen=True, slots=True)
class PlaneRelation:
    """normal.(X point) = value where the motion moves the point, else (X normal).point = value."""

    normal: Vector
    point: Vector
    value: Value
    moves_point: bool


def plane_relation(view: LoopView) -> PlaneRelation:
    """The plane of one group and the point of the other; an empty group has the origin of the axes that it ends in."""
    behind, before = view.behind, view.before
    origin = constant_vector(view.pose.builder, (0, 0, 0))
    if view.relation.plane_behind:
        normal, anchor = (
            view.start.direction(given(behind.front.direction)),
            view.start.point(given(behind.front.anchor)),
        )
        point = origin if before.invariants.empty else view.end.back(given(before.back.point))
        rest = view.between(view.first_end, len(view.items))
        cut = rest.point(origin) if before.invariants.empty else view.middle.point(given(before.front.point))
        value = given(behind.back.direction).dot(cut - given(behind.back.anchor)) + normal.dot(anchor)
        return PlaneRelation(normal, point, value, moves_point=False)
    normal, anchor = view.end.back_direction(given(before.back.direction)), view.end.back(given(before.back.anchor))
    point = origin if behind.invariants.empty else view.start.point(given(behind.front.point))
    cut = view.start.back(origin) if behind.invariants.empty else view.middle.back(given(behind.back.point))
    value = given(before.front.direction).dot(cut - given(before.front.anchor)) + normal.dot(anchor)
    return PlaneRelation(normal, point, value, moves_point=True)
