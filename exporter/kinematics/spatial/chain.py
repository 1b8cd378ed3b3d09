"""A chain of joints from a placed body outwards, cut at its unknown motions.

In: tree joints in order and the point at the far end. Out: segments of known rigid transformations between
the unknown motions, each of which maps points and directions outwards and back.
"""

from exporter.kinematics.protocol.derivatives import Rules
from exporter.kinematics.protocol.frame_values import FrameValues
from exporter.kinematics.protocol.motions import ElementaryMotion
from exporter.kinematics.protocol.turning import KnownSlide, KnownTurn, SplitVector, Step, resting, through, turn_vector
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.kinematics.spatial.placement import GroundPlacement, Placement
from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class RigidTransformation:
    """A constant transformation: into a frame of a body (from its body), or out of it."""

    frame: FrameValues
    out_of: bool  # True: from frame axes to body axes is how a point goes inwards


@dataclass(frozen=True, slots=True)
class BaseTransformation:
    """From the axes of one placed body, `far`, to those of another, `near`."""

    near: Placement
    far: Placement

    def mapped(self, offset: SplitVector, *, point: bool) -> SplitVector:
        """A point or direction from the far axes to the near ones."""
        if isinstance(self.near, GroundPlacement):
            return self.far.offset(offset) if point else resting(self.far.direction(offset.total()))
        return resting(self._seen(self.near, self.far, offset.total(), point=point))

    def back(self, vector: Vector, *, point: bool) -> Vector:
        """A point or direction from the near axes to the far ones."""
        return self._seen(self.far, self.near, vector, point=point)

    @staticmethod
    def _seen(by: Placement, carrier: Placement, vector: Vector, *, point: bool) -> Vector:
        if not point:
            return by.in_body_axes(carrier.direction(vector))
        return by.in_body_axes(carrier.point(vector) - by.point(constant_vector(vector.x.builder, (0, 0, 0))))


Item = RigidTransformation | Step | ElementaryMotion


@dataclass(frozen=True, slots=True)
class Segment:
    """Known transformations in order from the base outwards. Vectors go from the far axes to the near ones."""

    items: tuple[RigidTransformation | BaseTransformation | Step, ...]
    rules: Rules

    def point(self, vector: Vector) -> Vector:
        """A point from the far axes to the near ones."""
        return self.mapped(resting(vector), point=True).total()

    def direction(self, vector: Vector) -> Vector:
        """A direction from the far axes to the near ones."""
        return self.mapped(resting(vector), point=False).total()

    def mapped(self, offset: SplitVector, *, point: bool) -> SplitVector:
        """A point or direction from the far axes to the near ones, constant parts apart."""
        for item in reversed(self.items):
            if isinstance(item, BaseTransformation):
                offset = item.mapped(offset, point=point)
            elif not isinstance(item, RigidTransformation):
                offset = through((item,), offset, self.rules, point=point)
            elif item.out_of:
                offset = offset.turned(item.frame.turn)
                offset = offset.plus(item.frame.at) if point else offset
            else:
                offset = (offset.plus(-item.frame.at) if point else offset).turned_back(item.frame.turn)
        return offset

    def back(self, vector: Vector) -> Vector:
        """A point from the near axes to the far ones."""
        for item in self.items:
            if isinstance(item, KnownTurn):
                vector = turn_vector(item.axis, item.cosine, -item.sine, vector)
            elif isinstance(item, BaseTransformation):
                vector = item.back(vector, point=True)
            elif isinstance(item, KnownSlide):
                vector = vector - constant_vector(vector.x.builder, item.axis).scaled(item.displacement)
            elif item.out_of:
                vector = item.frame.turn.transposed_times(vector - item.frame.at)
            else:
                vector = item.frame.turn.times(vector) + item.frame.at
        return vector

    def back_direction(self, vector: Vector) -> Vector:
        """A direction from the near axes to the far ones."""
        for item in self.items:
            if isinstance(item, KnownTurn):
                vector = turn_vector(item.axis, item.cosine, -item.sine, vector)
            elif isinstance(item, BaseTransformation):
                vector = item.back(vector, point=False)
            elif isinstance(item, RigidTransformation):
                turn = item.frame.turn
                vector = turn.transposed_times(vector) if item.out_of else turn.times(vector)
        return vector


@dataclass(frozen=True, slots=True)
class Chain:
    """A placed base, segments and the unknown motions between them; one segment more than motions."""

    base: Placement
    segments: tuple[Segment, ...]
    unknown: tuple[ElementaryMotion, ...]

    def seen(self, target: Vector) -> Vector:
        """A ground point in the axes in front of the first unknown motion."""
        first = self.segments[0].items[0]
        assert isinstance(first, RigidTransformation)
        gap = target - self.base.point(first.frame.at)
        vector = first.frame.turn.transposed_times(self.base.in_body_axes(gap))
        return Segment(self.segments[0].items[1:], self.segments[0].rules).back(vector)

    def seen_direction(self, direction: Vector) -> Vector:
        """A ground direction in the axes in front of the first unknown motion, where no known one stands before it."""
        first = self.segments[0].items[0]
        assert isinstance(first, RigidTransformation)
        assert len(self.segments[0].items) == 1
        return first.frame.turn.transposed_times(self.base.in_body_axes(direction))

    def shown(self, vector: Vector, *, point: bool) -> Vector:
        """A point or direction of the axes in front of the first unknown motion, in ground axes."""
        if point:
            return self.base.offset(self.segments[0].mapped(resting(vector), point=True)).total()
        return self.base.direction(self.segments[0].direction(vector))


def cut_chain(base: Placement, items: list[Item], rules: Rules) -> Chain:
    """The chain of these items."""
    segments: list[list[RigidTransformation | Step]] = [[]]
    unknown: list[ElementaryMotion] = []
    for item in items:
        if isinstance(item, ElementaryMotion):
            unknown.append(item)
            segments.append([])
        else:
            segments[-1].append(item)
    return Chain(base, tuple(Segment(tuple(each), rules) for each in segments), tuple(unknown))
