"""Loops and chains in numbers, at random parameters and coordinates: what is so there is so everywhere.

In: a mechanism as its file has it, and items of loops, opened wherever. Out: the axes of their motions as lines, in the
axes that the items begin with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import lru_cache

import numpy as np

from exporter.kinematics.closures.numeric import Array, frame_rows, rotations
from exporter.kinematics.protocol.motions import ElementaryMotion
from exporter.kinematics.spatial.relations.cycle import BaseItem, CycleItem, FrameItem, chain_of
from exporter.kinematics.spatial.relations.lines import Lines
from exporter.model.joints import Joint
from exporter.model.mechanism import Frame, Mechanism
from exporter.model.size import length_of
from exporter.records import dataclass

ROWS = 4  # random places at which lines are compared
SEED = 20110831
KEPT_MECHANISMS = 8  # mechanisms whose lines are kept: those of one command
Transformation = tuple[Array, Array]
"""Turn (rows, 3, 3) and shift (rows, 3), from the axes behind an item to those before it."""


@dataclass(frozen=True)
class _Geometry:
    """A mechanism by what its lines follow from; told by identity, for it is asked for at every step of a search."""

    key: tuple[int, int]
    mechanism: Mechanism = field(compare=False)


def samples_of(mechanism: Mechanism) -> "Samples":
    """The samples of a mechanism; the same for all choices of its coordinates."""
    return _samples(_Geometry((id(mechanism.joints), id(mechanism.parameters)), mechanism))


@lru_cache(maxsize=KEPT_MECHANISMS)
def _samples(geometry: _Geometry) -> "Samples":
    return Samples(geometry.mechanism)


class Samples:
    """Constants of a mechanism at random parameters, and its motions at random coordinates."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._generator = np.random.Generator(np.random.Philox(SEED))
        self._mechanism = mechanism  # kept, so that what tells it stays its own
        self.length = float(length_of(mechanism))
        self._values = self._parameters()
        self._tree = mechanism.spanning_tree()
        self._known: dict[CycleItem, Transformation] = {}
        self._joints: dict[Joint, int] = {}
        self._numbers: dict[int, tuple[Joint, int]] = {}
        self._axes_through: dict[tuple[int, ...], frozenset[ElementaryMotion]] = {}

    def _parameters(self) -> Mapping[str, Array]:
        values = {name: np.full(ROWS, float(value)) for name, value in self._mechanism.nominal_values().items()}
        for each in self._mechanism.parameters:
            if not each.frozen and each.minimum is not None and each.maximum is not None:
                values[each.name] = self._generator.uniform(float(each.minimum), float(each.maximum), ROWS)
        return values

    def number_of(self, joint: Joint) -> int:
        """A number for a joint, one for all that are equal: hashing a joint takes long."""
        if id(joint) not in self._numbers:
            self._numbers[id(joint)] = joint, self._joints.setdefault(joint, len(self._joints))
        return self._numbers[id(joint)][1]

    def lines(self, items: Sequence[CycleItem]) -> Lines:
        """The lines of all motions of some items."""
        turn, place = _unmoved()
        motions, origins, directions = [], [], []
        for item in items:
            if isinstance(item, ElementaryMotion):
                motions.append(item)
                origins.append(place)
                directions.append(turn @ np.array([float(part) for part in item.axis]))
            turn, place = _behind((turn, place), self._transformation(item))
        shape = (len(motions), ROWS, 3)
        origin_rows, direction_rows = (np.array(each).reshape(shape) for each in (origins, directions))
        return Lines(tuple(motions), origin_rows, direction_rows, place, self.length)

    def lever(self, path: Sequence[Joint], turn: ElementaryMotion, end: Joint) -> float:
        """How far a joint at the end of a path may be from the axis of a turn: the largest distance of all places."""
        frame = end.frame_on(path[-1].child.body)
        lines = self.lines((*chain_of(path), FrameItem(frame, out_of=True)))
        return float(lines.distances(lines.end)[lines.motions.index(turn)].max())

    def ends_on_axis(self, path: Sequence[Joint], turn: ElementaryMotion, end: Joint) -> bool:
        """Whether a joint at the end of a path lies on the axis of a turn, so that the turn does not move it."""
        key = (*map(self.number_of, path), self.number_of(end))
        if key not in self._axes_through:
            frame = end.frame_on(path[-1].child.body)
            lines = self.lines((*chain_of(path), FrameItem(frame, out_of=True)))
            held = zip(lines.motions, lines.are_on(lines.end), strict=True)
            self._axes_through[key] = frozenset(motion for motion, on in held if on)
        return turn in self._axes_through[key]

    def place(self, frame: Frame) -> Array:
        """Where a frame is on its body, (rows, 3)."""
        return self._transformation(FrameItem(frame, out_of=True))[1]

    def point(self, frame: Frame) -> Array:
        """Where a frame is, ground axes, (rows, 3)."""
        turn, place = self._pose(frame.body)
        return np.asarray(place + np.einsum("rij,rj->ri", turn, self.place(frame)))

    def _transformation(self, item: CycleItem) -> Transformation:
        if item not in self._known:
            self._known[item] = self._made(item)
        return self._known[item]

    def _made(self, item: CycleItem) -> Transformation:
        if isinstance(item, FrameItem):
            place, turn = frame_rows(item.frame, self._values)
            turn, place = np.broadcast_to(turn, (ROWS, 3, 3)), np.broadcast_to(place, (ROWS, 3))
            return (turn, place) if item.out_of else _inverse((turn, place))
        if isinstance(item, BaseItem):
            return _behind(_inverse(self._pose(item.near)), self._pose(item.far))
        axis = np.array([float(part) for part in item.axis])
        amount = self._generator.uniform(0.2, 1.2, ROWS)
        if item.kind == "turn":
            return rotations(axis, amount), np.zeros((ROWS, 3))
        return _unmoved()[0], amount[:, None] * axis * self.length

    def _pose(self, body: str) -> Transformation:
        """As the joints of the file may have it: a pose that is known is one of those."""
        pose = _unmoved()
        for item in chain_of(self._tree.path(body)):
            pose = _behind(pose, self._transformation(item))
        return pose


def _unmoved() -> Transformation:
    return np.broadcast_to(np.eye(3), (ROWS, 3, 3)), np.zeros((ROWS, 3))


def _behind(first: Transformation, second: Transformation) -> Transformation:
    """One transformation behind another."""
    return first[0] @ second[0], first[1] + np.einsum("rij,rj->ri", first[0], second[1])


def _inverse(transformation: Transformation) -> Transformation:
    back = np.swapaxes(transformation[0], -1, -2)
    return back, -np.einsum("rij,rj->ri", back, transformation[1])
