"""One of two or three unknown slides of a loop whose unknown turns leave a point: the loop's gap along the slides.

With the point seen from both sides of the turns, the slides s_k along a_k lead from the one place to the other:
s_1 a_1 + s_2 a_2 + s_3 a_3 = g. Of three, s_1 = g.n / a_1.n with n = a_2 x a_3; of two, by the part of g across a_2.
"""

from exporter.kinematics.protocol.motions import ElementaryMotion
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.blocks.turns import texts
from exporter.kinematics.spatial.relations.cycle import CycleItem
from exporter.kinematics.spatial.relations.segments import LoopView, given, group_of, segment_of
from exporter.sequence.builder import Value
from exporter.sequence.guards import signed_pivot

THREE_SLIDES = 3


def one_of_several_slides(block: Block, view: LoopView) -> None:
    """Write the displacement of the block's coordinate."""
    pose = view.pose
    items, front, back = _from_group(view)
    gap = back - segment_of(pose, items).point(front)
    own, *others = _directions(view, items)
    pose.slides[block.coordinates[0]] = _part_along(block, view, gap, own, others)


def _from_group(view: LoopView) -> tuple[tuple[CycleItem, ...], Vector, Vector]:
    """The round from behind the turns to in front of them, and their point there and here."""
    turns = [place for place in view.unknown if view.is_turn(place)]
    origin = constant_vector(view.pose.builder, (0, 0, 0))
    if not turns:
        return (view.motion, *view.items), origin, origin
    first, last = turns[0], turns[-1]
    group = group_of(view.pose, view.items[first : last + 1], view.relation.behind)
    return (
        (*view.items[last + 1 :], view.motion, *view.items[:first]),
        given(group.front.point),
        given(group.back.point),
    )


def _directions(view: LoopView, items: tuple[CycleItem, ...]) -> list[Vector]:
    """The directions of all unknown slides, in the axes behind the turns; that of the motion in question first."""
    pose, found = view.pose, list[Vector]()
    for place, item in enumerate(items):
        if isinstance(item, ElementaryMotion) and not pose.is_known(item):
            direction = segment_of(pose, items[:place]).direction(constant_vector(pose.builder, item.axis))
            found.insert(0 if item == view.motion else len(found), direction)
    return found


def _part_along(block: Block, view: LoopView, gap: Vector, own: Vector, others: list[Vector]) -> Value:
    tools, near = view.pose.tools, texts(block)[1]
    if len(others) + 1 == THREE_SLIDES:
        normal = others[0].cross(others[1])
        volume = own.dot(normal)
        if volume.constant is None:
            volume = signed_pivot(tools.builder, volume, tools.threshold, near)
        return gap.dot(normal) / volume
    normal = own.cross(others[0])
    square = normal.squared()
    if square.constant is None:
        square = signed_pivot(tools.builder, square, tools.threshold**2, near)
    return gap.cross(others[0]).dot(normal) / square
