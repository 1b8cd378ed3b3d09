"""Which coordinate of a loop follows from what the loop's other motions leave where it is.

In: the items of a loop, and which coordinates are known. Out: relations that hold one unknown coordinate. The unknown
motions behind it and those before it, up to a cut somewhere in the round, are two groups. What the one leaves and what
the other leaves keep their distance, or their angle, as it is at the cut, whatever these motions do.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from exporter.kinematics.spatial.block import Block, Relation
from exporter.kinematics.spatial.block_kinds import SpatialKind
from exporter.kinematics.spatial.relations.cycle import Sides, ball_motions, coordinates_of_round, items_of
from exporter.kinematics.spatial.relations.lines import NO_INVARIANT, GroupInvariants, Lines, invariants_of
from exporter.kinematics.spatial.relations.samples import KEPT_MECHANISMS, Samples, samples_of
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass

MOST_UNKNOWN = 9  # unknown motions of a loop that is looked at: two groups of four that keep a direction, and one
ROOTLESS = 3  # highest rank that needs no root


class _Found(NamedTuple):
    """A relation with the kind of block that it makes; those of low rank are taken first."""

    rank: int
    kind: SpatialKind
    relation: Relation
    coordinate: str
    lever: float = 0.0  # of the directions that tell a turn: the sine of their angle to its axis; 0: places tell it


@dataclass(frozen=True, slots=True)
class _Groups:
    """The number of the motion in question as the round begins and as it ends, and what both groups leave."""

    lines: Lines
    start: int
    end: int
    behind: GroupInvariants
    before: GroupInvariants

    def tells_point(self, group: GroupInvariants) -> bool:
        """Whether a group leaves a point that a turn moves, from whichever end of the round it is seen."""
        if group.point is None:
            return False
        held = self.lines.holding(group.point)
        return not held[self.start] and not held[self.end]

    def tells_direction(self, group: GroupInvariants) -> bool:
        """Whether a group leaves a direction that a turn moves."""
        if group.direction is None:
            return False
        parallel = self.lines.parallel[group.direction]
        return not parallel[self.start] and not parallel[self.end]

    def lever(self, kind: SpatialKind) -> float:
        """The lever of the directions that a kind tells a turn by, of 1 at most; 0 where it needs places."""
        sines = [
            self.lines.sine(group.direction, self.start)
            for group in (self.behind, self.before)
            if group.direction is not None
        ]
        if kind is SpatialKind.LOOP_AXES:
            return 1.0
        return math.prod(sines) if kind in (SpatialKind.LOOP_DIRECTION, SpatialKind.LOOP_ANGLE) else 0.0

    def slides_out_of(self, plane: GroupInvariants, other: GroupInvariants) -> bool:
        """Whether one group leaves a plane that a slide leads out of, and the other a point."""
        if plane.direction is None or not plane.has_plane or (other.point is None and not other.invariants.empty):
            return False
        across = self.lines.across[plane.direction]
        return not across[self.start] and not across[self.end]


@dataclass(frozen=True)
class RelationSearch:
    """The relations of loops, each found once for what is unknown in it, however the mechanism is driven or opened."""

    samples: Samples
    rounds: dict[tuple[int, ...], Lines] = field(default_factory=dict)
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[_Found, ...]] = field(default_factory=dict)

    def block(self, loops: Sequence[Sides], is_known: Callable[[str], bool]) -> Iterator[Block]:
        """The block of the relation that costs least; nothing where no loop has one."""
        every = [each for sides in loops for each in self._relations(sides, is_known)]
        if every:
            yield _block(min(every, key=lambda each: each.rank))

    def rootless(
        self, loops: Sequence[Sides], is_known: Callable[[str], bool], names: Collection[str]
    ) -> Iterator[Block]:
        """The block of one of some coordinates that a loop tells without a root; nothing where none does."""
        every = (each for sides in loops for each in self._relations(sides, is_known))
        found = [each for each in every if each.rank <= ROOTLESS and each.coordinate in names]
        if found:
            yield _block(min(found, key=lambda each: each.rank))

    def by_directions(
        self, loops: Sequence[Sides], is_known: Callable[[str], bool], names: Collection[str], least: float
    ) -> Iterator[Block]:
        """The block of a turn among some coordinates that directions tell, with a lever of `least` or more."""
        every = (each for sides in loops for each in self._relations(sides, is_known))
        found = [each for each in every if each.lever >= least and each.coordinate in names]
        if found:
            yield _block(min(found, key=lambda each: each.rank))

    def _relations(self, sides: Sides, is_known: Callable[[str], bool]) -> tuple[_Found, ...]:
        unknown = tuple(n for n, name in enumerate(coordinates_of_round(sides)) if not is_known(name))
        if len(unknown) > MOST_UNKNOWN:
            return ()
        key = self._key(sides)
        if (key, unknown) not in self.found:
            self.found[key, unknown] = tuple(_relations(sides, self.lines(sides), unknown))
        return self.found[key, unknown]

    def lines(self, sides: Sides) -> Lines:
        """The lines of two rounds of a loop."""
        key = self._key(sides)
        if key not in self.rounds:
            items = items_of(sides)
            self.rounds[key] = self.samples.lines((*items, *items))
        return self.rounds[key]

    def _key(self, sides: Sides) -> tuple[int, ...]:
        number = self.samples.number_of
        return (*map(number, sides.parent), -1, number(sides.joint), *map(number, sides.child))


def _block(found: _Found) -> Block:
    joint = found.relation.joint
    return Block("", found.kind, (), (joint,), coordinates=(found.coordinate,), relation=found.relation)


def relation_search(mechanism: Mechanism) -> RelationSearch:
    """The search of a mechanism as its file has it, kept for all of its choices."""
    return _search(samples_of(mechanism))


@lru_cache(maxsize=KEPT_MECHANISMS)
def _search(samples: Samples) -> RelationSearch:
    return RelationSearch(samples)


def _relations(sides: Sides, lines: Lines, unknown: Sequence[int]) -> Iterator[_Found]:
    """The lines are those of two rounds: neighbours across the beginning are neighbours too."""
    count = len(lines.motions) // 2
    for position, number in enumerate(unknown):
        coordinate = lines.motions[number].coordinate
        if not coordinate:
            continue
        others = [*unknown[position + 1 :], *(each + count for each in unknown[:position])]
        slides = _among_slides(lines, number, others)
        if slides is not None:
            yield _Found(
                3, SpatialKind.LOOP_SLIDES, relation_of(sides, 0, slides, slides, plane_behind=False), coordinate
            )
        for cut, behind, before in cuts_of(lines, others, sides):
            groups = _Groups(lines, number, number + count, behind, before)
            for rank, kind, plane_behind in _kinds(groups):
                relation = relation_of(sides, cut, behind, before, plane_behind)
                yield _Found(rank, kind, relation, coordinate, groups.lever(kind))


def _among_slides(lines: Lines, own: int, others: Sequence[int]) -> GroupInvariants | None:
    """What the unknown turns leave, if they are neighbours and leave a point, and all else unknown are slides.

    None where there are no other slides, or three or more, or where the slides tell less directions than they are.
    """
    slides = [number for number in others if not lines.turns[number]]
    if lines.turns[own] or len(slides) not in (1, 2) or not lines.are_apart([own, *slides]):
        return None
    turns = [place for place, number in enumerate(others) if lines.turns[number]]
    if turns and turns[-1] - turns[0] + 1 > len(turns):
        return None
    group = invariants_of(lines, *_span([others[place] for place in turns]))
    return group if group.point is not None or group.invariants.empty else None


def cuts_of(
    lines: Lines, others: Sequence[int], sides: Sides
) -> Iterator[tuple[int, GroupInvariants, GroupInvariants]]:
    """Cuts between two groups that both leave something; a group that leaves nothing does so with more motions too."""
    first = list(takewhile(_has_some, (invariants_of(lines, *_span(others[:cut])) for cut in range(len(others) + 1))))
    last = list(
        takewhile(_has_some, (invariants_of(lines, *_span(others[cut:])) for cut in range(len(others), -1, -1)))
    )
    balls = ball_motions(sides) if len(first) + len(last) > len(others) + 1 else []
    for cut in range(len(others) + 1 - len(last), len(first)):
        if not _splits_ball(balls, others, cut):
            yield cut, first[cut], last[len(others) - cut]


def _has_some(group: GroupInvariants) -> bool:
    return group is not NO_INVARIANT


def relation_of(
    sides: Sides, cut: int, behind: GroupInvariants, before: GroupInvariants, plane_behind: bool
) -> Relation:
    """The relation of a loop whose two groups leave something; `plane_behind`: the plane is that of the first."""
    parent, child = (tuple(joint.name for joint in path) for path in (sides.parent, sides.child))
    return Relation(sides.joint.name, parent, child, cut, behind.invariants, before.invariants, plane_behind)


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
    if (before.invariants.empty and near) or (behind.invariants.empty and far):
        yield 0, SpatialKind.LOOP_POINT, False
    if (before.invariants.turnless and along) or (behind.invariants.turnless and beyond):
        yield 1, SpatialKind.LOOP_DIRECTION, False
    if behind.invariants.empty and before.invariants.empty:
        yield 1, SpatialKind.LOOP_AXES, False
    if along and beyond:
        yield 4, SpatialKind.LOOP_ANGLE, False
    plane_behind = along and behind.has_plane and far
    if plane_behind or (beyond and before.has_plane and near):
        yield 5, SpatialKind.LOOP_PLANE, plane_behind
    if near and far:
        yield 6, SpatialKind.LOOP_DISTANCE, False


def _slide_kinds(groups: _Groups) -> Iterator[_Kind]:
    behind, before = groups.behind, groups.before
    if (before.invariants.empty and behind.point is not None) or (behind.invariants.empty and before.point is not None):
        yield 2, SpatialKind.LOOP_SLIDE, False
    plane_behind = groups.slides_out_of(behind, before)
    if plane_behind or groups.slides_out_of(before, behind):
        yield 2, SpatialKind.LOOP_PLANE_SLIDE, plane_behind
    if behind.point is not None and before.point is not None:
        yield 7, SpatialKind.LOOP_DISTANCE, False
