"""Which coordinate of a loop follows from what the loop's other motions leave where it is.

In: the items of a loop, and which coordinates are known. Out: relations that hold one unknown coordinate. The unknown
motions behind it and those before it, up to a cut somewhere in the round, are two groups. What the one leaves and what
the other leaves keep their distance, or their angle, as it is at the cut, whatever these motions do.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from exporter.kinematics.spatial.block import Block, Relation, SpatialKind
from exporter.kinematics.spatial.relations.cycle import Sides, ball_motions, items_of
from exporter.kinematics.spatial.relations.lines import Left, Lines, Samples, left_by, lines_of

MOST_UNKNOWN = 12  # unknown motions of a loop that is looked at


class _Found(NamedTuple):
    """A relation with the kind of block that it makes; those of low rank are taken first."""

    rank: int
    kind: SpatialKind
    relation: Relation
    coordinate: str


@dataclass(frozen=True, slots=True)
class _Groups:
    """The number of the motion in question as the round begins and as it ends, and what both groups leave."""

    lines: Lines
    start: int
    end: int
    behind: Left
    before: Left

    def tells_point(self, left: Left) -> bool:
        """Whether a group leaves a point that a turn moves, from whichever end of the round it is seen."""
        if left.point is None:
            return False
        held = self.lines.holding(left.point)
        return not held[self.start] and not held[self.end]

    def tells_direction(self, left: Left) -> bool:
        """Whether a group leaves a direction that a turn moves."""
        if left.direction is None:
            return False
        parallel = self.lines.parallel[left.direction]
        return not parallel[self.start] and not parallel[self.end]

    def slides_out_of(self, plane: Left, other: Left) -> bool:
        """Whether one group leaves a plane that a slide leads out of, and the other a point."""
        if plane.direction is None or not plane.has_plane or (other.point is None and not other.leaves.empty):
            return False
        across = self.lines.across[plane.direction]
        return not across[self.start] and not across[self.end]


def relation_block(loops: Sequence[Sides], is_known: Callable[[str], bool], samples: Samples) -> Iterator[Block]:
    """The block of the relation that costs least; nothing where no loop has one."""
    found = [each for sides in loops for each in _relations(sides, is_known, samples)]
    if found:
        best = min(found, key=lambda each: each.rank)
        joint = best.relation.joint
        yield Block("", best.kind, (), (joint,), coordinates=(best.coordinate,), relation=best.relation)


def _relations(sides: Sides, is_known: Callable[[str], bool], samples: Samples) -> Iterator[_Found]:
    items = items_of(sides)
    lines = lines_of((*items, *items), samples)  # two rounds: neighbours across the beginning are neighbours too
    count = len(lines.motions) // 2
    unknown = [n for n in range(count) if not is_known(lines.motions[n].coordinate)]
    balls = ball_motions(sides)
    for position, number in enumerate(unknown):
        coordinate = lines.motions[number].coordinate
        if not coordinate or len(unknown) > MOST_UNKNOWN:
            continue
        others = [*unknown[position + 1 :], *(each + count for each in unknown[:position])]
        for cut in range(len(others) + 1):
            if _splits_ball(balls, others, cut):
                continue
            behind, before = (left_by(lines, *_span(part)) for part in (others[:cut], others[cut:]))
            for rank, kind, plane_behind in _kinds(_Groups(lines, number, number + count, behind, before)):
                yield _Found(rank, kind, _relation(sides, cut, behind, before, plane_behind), coordinate)


def _relation(sides: Sides, cut: int, behind: Left, before: Left, plane_behind: bool) -> Relation:
    parent, child = (tuple(joint.name for joint in path) for path in (sides.parent, sides.child))
    return Relation(sides.joint.name, parent, child, cut, behind.leaves, before.leaves, plane_behind)


def _splits_ball(balls: Sequence[str], others: Sequence[int], cut: int) -> bool:
    """Whether a cut goes through a joint whose own axes are a convention."""
    if cut in (0, len(others)):
        return False
    first, second = (balls[number % len(balls)] for number in others[cut - 1 : cut + 1])
    return first == second != ""


def _span(numbers: Sequence[int]) -> tuple[int, int]:
    """From the first of a group to behind the last, known motions between them too."""
    return (numbers[0], numbers[-1] + 1) if numbers else (0, 0)


_Kind = tuple[int, SpatialKind, bool]
"""Rank, kind, and whether the plane is that of the group behind the motion."""


def _kinds(groups: _Groups) -> Iterator[_Kind]:
    yield from _turn_kinds(groups) if groups.lines.turns[groups.start] else _slide_kinds(groups)


def _turn_kinds(groups: _Groups) -> Iterator[_Kind]:
    behind, before = groups.behind, groups.before
    near, far = groups.tells_point(behind), groups.tells_point(before)
    along, beyond = groups.tells_direction(behind), groups.tells_direction(before)
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
    plane_behind = groups.slides_out_of(behind, before)
    if plane_behind or groups.slides_out_of(before, behind):
        yield 3, SpatialKind.LOOP_PLANE_SLIDE, plane_behind
    if behind.point is not None and before.point is not None:
        yield 7, SpatialKind.LOOP_DISTANCE, False
