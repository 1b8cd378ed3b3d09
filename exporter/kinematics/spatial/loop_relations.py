"""Which coordinate of a loop follows from what the loop's other motions leave where it is.

In: the items of a loop, and which coordinates are known. Out: relations that hold one unknown coordinate. The unknown
motions behind it and those before it, up to a cut somewhere in the round, are two groups. What the one leaves and what
the other leaves keep their distance, or their angle, as it is at the cut, whatever these motions do.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from exporter.kinematics.spatial.block import Block, Relation, SpatialKind
from exporter.kinematics.spatial.cycle import Sides, ball_motions, items_of
from exporter.kinematics.spatial.loop_lines import Left, Line, Samples, left_by, lines_of

MOST_UNKNOWN = 12  # unknown motions of a loop that is looked at


class _Found(NamedTuple):
    """A relation with the kind of block that it makes; those of low rank are taken first."""

    rank: int
    kind: SpatialKind
    relation: Relation
    coordinate: str


@dataclass(frozen=True)
class _Groups:
    """The motion in question, as the round begins and as it ends, and what both groups leave."""

    start: Line
    end: Line
    behind: Left
    before: Left
    length: float


def relation_block(
    loops: Sequence[Sides], is_known: Callable[[str], bool], samples: Samples, length: float
) -> Iterator[Block]:
    """The block of the relation that costs least; nothing where no loop has one."""
    found = [each for sides in loops for each in _relations(sides, is_known, samples, length)]
    if found:
        best = min(found, key=lambda each: each.rank)
        joint = best.relation.joint
        yield Block("", best.kind, (), (joint,), coordinates=(best.coordinate,), relation=best.relation)


def _relations(sides: Sides, is_known: Callable[[str], bool], samples: Samples, length: float) -> Iterator[_Found]:
    items = items_of(sides)
    lines, _ = lines_of((*items, *items), samples)  # two rounds: neighbours across the beginning are neighbours too
    count = len(lines) // 2
    unknown = [n for n in range(count) if not is_known(lines[n].motion.coordinate)]
    if len(unknown) > MOST_UNKNOWN:
        return
    balls = ball_motions(sides)
    names = tuple(tuple(joint.name for joint in path) for path in (sides.parent, sides.child))
    for position, number in enumerate(unknown):
        coordinate = lines[number].motion.coordinate
        if not coordinate:
            continue
        others = [*unknown[position + 1 :], *(each + count for each in unknown[:position])]
        for cut in range(len(others) + 1):
            if _splits_ball(balls, others, cut):
                continue
            behind, before = (_span(lines, part) for part in (others[:cut], others[cut:]))
            groups = _Groups(
                lines[number], lines[number + count], left_by(behind, length), left_by(before, length), length
            )
            for rank, kind, plane_behind in _kinds(groups):
                behind_leaves, before_leaves = groups.behind.leaves, groups.before.leaves
                relation = Relation(
                    sides.joint.name, names[0], names[1], cut, behind_leaves, before_leaves, plane_behind
                )
                yield _Found(rank, kind, relation, coordinate)


def _splits_ball(balls: Sequence[str], others: Sequence[int], cut: int) -> bool:
    """Whether a cut goes through a joint whose own axes are a convention."""
    if cut in (0, len(others)):
        return False
    first, second = (balls[number % len(balls)] for number in others[cut - 1 : cut + 1])
    return first == second != ""


def _span(lines: Sequence[Line], numbers: Sequence[int]) -> Sequence[Line]:
    """The lines from the first to the last of a group, known ones between them too."""
    return lines[numbers[0] : numbers[-1] + 1] if numbers else ()


_Kind = tuple[int, SpatialKind, bool]
"""Rank, kind, and whether the plane is that of the group behind the motion."""


def _kinds(groups: _Groups) -> Iterator[_Kind]:
    yield from _turn_kinds(groups) if groups.start.turns else _slide_kinds(groups)


def _turn_kinds(groups: _Groups) -> Iterator[_Kind]:
    behind, before = groups.behind, groups.before
    near, far = _tells_point(groups, behind, groups.start), _tells_point(groups, before, groups.end)
    along, beyond = _tells_direction(behind, groups.start), _tells_direction(before, groups.end)
    if (before.leaves.empty and near) or (behind.leaves.empty and far):
        yield 0, SpatialKind.LOOP_POINT, False
    if (before.leaves.turnless and along) or (behind.leaves.turnless and beyond):
        yield 1, SpatialKind.LOOP_DIRECTION, False
    if along and beyond:
        yield 4, SpatialKind.LOOP_ANGLE, False
    plane_behind = along and behind.has_plane and far
    if plane_behind or (beyond and before.has_plane and near):
        yield 5, SpatialKind.LOOP_PLANE, plane_behind
    if near and far:
        yield 6, SpatialKind.LOOP_DISTANCE, False


def _slide_kinds(groups: _Groups) -> Iterator[_Kind]:
    behind, before = groups.behind, groups.before
    if (before.leaves.empty and behind.point is not None) or (behind.leaves.empty and before.point is not None):
        yield 2, SpatialKind.LOOP_SLIDE, False
    plane_behind = _slides_to_plane(behind, before, groups.start)
    if plane_behind or _slides_to_plane(before, behind, groups.end):
        yield 3, SpatialKind.LOOP_PLANE_SLIDE, plane_behind
    if behind.point is not None and before.point is not None:
        yield 7, SpatialKind.LOOP_DISTANCE, False


def _tells_point(groups: _Groups, left: Left, axis: Line) -> bool:
    """Whether a group leaves a point that a turn about the axis moves."""
    return left.point is not None and not axis.holds(left.point, groups.length)


def _tells_direction(left: Left, axis: Line) -> bool:
    """Whether a group leaves a direction that a turn about the axis moves."""
    return left.direction is not None and not axis.is_parallel(left.direction)


def _slides_to_plane(plane: Left, other: Left, axis: Line) -> bool:
    """Whether one group leaves a plane that the slide leads out of, and the other a point."""
    has_point = other.point is not None or other.leaves.empty
    return plane.has_plane and has_point and plane.direction is not None and not axis.is_across(plane.direction)
