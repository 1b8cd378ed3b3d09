"""A loop in a sequence, as it is seen from one of its motions: constant and known transformations between unknown ones.

In: a pose, and a `Relation`. Out: segments that map vectors around the loop, and what its two groups of unknown motions
leave where it is, in front of each group and behind it.
"""

from collections.abc import Sequence
from functools import cached_property

from exporter.kinematics.protocol.motions import ElementaryMotion
from exporter.kinematics.protocol.turning import Step
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.kinematics.spatial.block import Block, Invariants, Relation
from exporter.kinematics.spatial.chain import BaseTransformation, RigidTransformation, Segment
from exporter.kinematics.spatial.pose import SpatialPose
from exporter.kinematics.spatial.relations.cycle import BaseItem, CycleItem, FrameItem, Sides, items_of
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class InvariantVectors:
    """What a group of motions leaves, in the axes in front of it or behind it."""

    point: Vector | None = None
    direction: Vector | None = None
    anchor: Vector | None = None  # a point of the plane across the direction


@dataclass(frozen=True, slots=True)
class Group:
    """A group of unknown motions, by what it leaves in front of it and behind it."""

    invariants: Invariants
    front: InvariantVectors
    back: InvariantVectors


@dataclass(frozen=True)
class LoopView:
    """The round that begins behind the motion in question."""

    pose: SpatialPose
    motion: ElementaryMotion
    items: tuple[CycleItem, ...]  # behind the motion
    unknown: tuple[int, ...]  # places of unknown motions among the items
    relation: Relation

    @cached_property
    def behind(self) -> Group:
        """The unknown motions behind the one in question."""
        return self._group(self.unknown[: self.relation.cut], self.relation.behind)

    @cached_property
    def before(self) -> Group:
        """The unknown motions before the one in question."""
        return self._group(self.unknown[self.relation.cut :], self.relation.before)

    def _group(self, places: Sequence[int], invariants: Invariants) -> Group:
        items = self.items[places[0] : places[-1] + 1] if places else ()
        return group_of(self.pose, items, invariants)

    @property
    def start(self) -> Segment:
        """From the axes in front of the first unknown motion to those behind the motion in question."""
        return self.between(0, self.unknown[0] if self.unknown else len(self.items))

    @property
    def end(self) -> Segment:
        """From the axes before the motion in question to those behind the last unknown motion."""
        return self.between(self.unknown[-1] + 1 if self.unknown else 0, len(self.items))

    @property
    def middle(self) -> Segment:
        """From the axes in front of the second group to those behind the first."""
        return self.between(self.first_end, self.second_start)

    def between(self, first: int, last: int) -> Segment:
        """The known items of a part of the round; unknown ones count as at rest."""
        return segment_of(self.pose, self.items[first:last])

    def is_turn(self, place: int) -> bool:
        """Whether the item at a place is a turn."""
        item = self.items[place]
        return isinstance(item, ElementaryMotion) and item.kind == "turn"

    @property
    def axis(self) -> Vector:
        """The axis of the motion in question."""
        return constant_vector(self.pose.builder, self.motion.axis)

    @property
    def first_end(self) -> int:
        """Place behind the first group."""
        return self.unknown[self.relation.cut - 1] + 1 if self.relation.cut else 0

    @property
    def second_start(self) -> int:
        """Place in front of the second group."""
        return self.unknown[self.relation.cut] if self.relation.cut < len(self.unknown) else len(self.items)


def given(vector: Vector | None) -> Vector:
    """What the relation of a block says that a group leaves."""
    assert vector is not None
    return vector


def loop_view(block: Block, pose: SpatialPose) -> LoopView:
    """The loop of a block as its relation has it."""
    relation = block.relation
    assert relation is not None
    items = items_of_relation(pose, relation)
    place = next(n for n, item in enumerate(items) if _is_coordinate(item, block.coordinates[0]))
    motion = items[place]
    assert isinstance(motion, ElementaryMotion)
    behind = (*items[place + 1 :], *items[:place])
    unknown = tuple(
        n for n, item in enumerate(behind) if isinstance(item, ElementaryMotion) and not pose.is_known(item)
    )
    return LoopView(pose, motion, behind, unknown, relation)


def _is_coordinate(item: CycleItem, name: str) -> bool:
    return isinstance(item, ElementaryMotion) and item.coordinate == name


def items_of_relation(pose: SpatialPose, relation: Relation) -> tuple[CycleItem, ...]:
    """The round of the loop that a relation is of."""
    joints = {joint.name: joint for joint in pose.form.tree.joints}
    parent, child = (tuple(joints[name] for name in names) for names in (relation.parent, relation.child))
    return items_of(Sides(joints[relation.joint], parent, child))


def segment_of(pose: SpatialPose, items: Sequence[CycleItem]) -> Segment:
    """Known items as transformations."""
    found: list[RigidTransformation | BaseTransformation | Step] = []
    for item in items:
        if isinstance(item, FrameItem):
            found.append(RigidTransformation(pose.frame(item.frame), item.out_of))
        elif isinstance(item, BaseItem):
            found.append(BaseTransformation(pose.placement(item.near), pose.placement(item.far)))
        elif pose.is_known(item):
            found.append(pose.step(item))
    return Segment(tuple(found), pose.rules)


def group_of(pose: SpatialPose, items: Sequence[CycleItem], invariants: Invariants) -> Group:
    """What a group leaves, with all of its motions at rest."""
    motions = [n for n, item in enumerate(items) if isinstance(item, ElementaryMotion)]
    whole = _resting_segment(pose, items)
    point = _point(pose, items, [motions[k] for k in invariants.point])
    anchor, direction = (
        (None, None) if invariants.direction is None else _axis(pose, items, motions[invariants.direction])
    )
    front = InvariantVectors(point, direction, anchor)
    places = [None if each is None else whole.back(each) for each in (point, anchor)]
    back = InvariantVectors(places[0], None if direction is None else whole.back_direction(direction), places[1])
    return Group(invariants, front, back)


def _resting_segment(pose: SpatialPose, items: Sequence[CycleItem]) -> Segment:
    return segment_of(pose, [item for item in items if not isinstance(item, ElementaryMotion)])


def _axis(pose: SpatialPose, items: Sequence[CycleItem], place: int) -> tuple[Vector, Vector]:
    """A point on the axis of a motion, and its direction, in the axes in front of the group."""
    before, motion = _resting_segment(pose, items[:place]), items[place]
    assert isinstance(motion, ElementaryMotion)
    origin = constant_vector(pose.builder, (0, 0, 0))
    return before.point(origin), before.direction(constant_vector(pose.builder, motion.axis))


def _point(pose: SpatialPose, items: Sequence[CycleItem], places: Sequence[int]) -> Vector | None:
    """Where the axes of one or two motions meet; on one axis, where its motion's frame is."""
    if not places:
        return None
    one, direction = _axis(pose, items, places[0])
    if len(places) == 1:
        return one
    other, second = _axis(pose, items, places[1])
    gap = other - one
    if all(part.constant == 0 for part in gap.parts()):
        return one
    normal = direction.cross(second)
    along = gap.cross(second).dot(normal) / normal.squared()
    return one + direction.scaled(along)
