"""The axes of a loop's motions as lines in numbers, and what groups of neighbouring motions leave where it is.

In: the items of a loop or of a chain. Out: lines at random values of all coordinates and parameters, in the axes that
the items begin with. A group of
turns whose axes meet leaves that point; turns about parallel axes, and slides, leave a direction, and a plane across
it where the slides lie in the plane.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from exporter.kinematics.closures.numeric import Array, numbers_at
from exporter.kinematics.protocol.motions import ElementaryMotion
from exporter.kinematics.spatial.block import GroupLeaves
from exporter.kinematics.spatial.cycle import BaseItem, CycleItem, FrameItem, chain_of
from exporter.model.mechanism import Mechanism

ROWS = 4  # random places at which lines are compared
SEED = 20110831
SAME = 1e-9  # sine of an angle, or distance over the length, below which two things are one


@dataclass(frozen=True)
class Line:
    """The axis of a motion: a point on it and its direction, (rows, 3)."""

    motion: ElementaryMotion
    origin: Array
    direction: Array

    @property
    def turns(self) -> bool:
        """Whether the motion is a turn."""
        return self.motion.kind == "turn"

    def holds(self, point: Array, length: float) -> bool:
        """Whether the points (rows, 3) lie on the line."""
        return _all_small(np.cross(point - self.origin, self.direction), length)

    def is_parallel(self, direction: Array) -> bool:
        """Whether the unit vectors (rows, 3) are along the line."""
        return _all_small(np.cross(direction, self.direction))

    def is_across(self, direction: Array) -> bool:
        """Whether the unit vectors (rows, 3) are normal to the line."""
        return _all_small(np.einsum("ri,ri->r", direction, self.direction))


@dataclass(frozen=True)
class Left:
    """What a group of motions leaves where it is, and where that is in numbers, (rows, 3)."""

    leaves: GroupLeaves
    point: Array | None = None
    direction: Array | None = None
    has_plane: bool = False


def lines_of(items: Sequence[CycleItem], samples: "Samples") -> tuple[list[Line], Array]:
    """The lines of all motions, and where the axes behind the last item begin, (rows, 3)."""
    turn, place = np.broadcast_to(np.eye(3), (ROWS, 3, 3)), np.zeros((ROWS, 3))
    found = []
    for item in items:
        if isinstance(item, ElementaryMotion):
            axis = np.array([float(part) for part in item.axis])
            found.append(Line(item, place, turn @ axis))
        step, shift = samples.transformation(item)
        place = place + np.einsum("rij,rj->ri", turn, shift)
        turn = turn @ step
    return found, place


class Samples:
    """Constants of a mechanism at random parameters, and its motions at random coordinates."""

    def __init__(self, mechanism: Mechanism, length: float) -> None:
        generator = np.random.Generator(np.random.Philox(SEED))
        tunable = [each for each in mechanism.parameters if not each.frozen]
        values: Mapping[str, Array] = {
            each.name: generator.uniform(float(each.minimum or 0), float(each.maximum or 0), ROWS) for each in tunable
        }
        self._numbers = numbers_at(mechanism, values)
        self._generator = generator
        self._length = length
        self._tree = mechanism.spanning_tree()
        self._known: dict[CycleItem, tuple[Array, Array]] = {}

    def transformation(self, item: CycleItem) -> tuple[Array, Array]:
        """Turn (rows, 3, 3) and shift (rows, 3) of an item."""
        if item not in self._known:
            self._known[item] = self._made(item)
        return self._known[item]

    def _made(self, item: CycleItem) -> tuple[Array, Array]:
        if isinstance(item, FrameItem):
            turn, place = self._numbers.turn[item.frame], self._numbers.place[item.frame]
            turn, place = np.broadcast_to(turn, (ROWS, 3, 3)), np.broadcast_to(place, (ROWS, 3))
            if item.out_of:
                return turn, place
            back = np.swapaxes(turn, -1, -2)
            return back, -np.einsum("rij,rj->ri", back, place)
        if isinstance(item, BaseItem):
            return self._between(item)
        axis = np.array([float(part) for part in item.axis])
        amount = self._generator.uniform(0.2, 1.2, ROWS)[:, None] * axis
        if item.kind == "turn":
            return self._turn(amount), np.zeros((ROWS, 3))
        return np.broadcast_to(np.eye(3), (ROWS, 3, 3)), amount * self._length

    def _between(self, item: BaseItem) -> tuple[Array, Array]:
        """As the tree's joints may have it: a pose that is known is one of those."""
        near, far = (self._pose(body) for body in (item.near, item.far))
        back = np.swapaxes(near[0], -1, -2)
        return back @ far[0], np.einsum("rij,rj->ri", back, far[1] - near[1])

    def _pose(self, body: str) -> tuple[Array, Array]:
        turn, place = np.broadcast_to(np.eye(3), (ROWS, 3, 3)), np.zeros((ROWS, 3))
        for item in chain_of(self._tree.path(body)):
            step, shift = self.transformation(item)
            place, turn = place + np.einsum("rij,rj->ri", turn, shift), turn @ step
        return turn, place

    @staticmethod
    def _turn(vectors: Array) -> Array:
        """Rotations by rotation vectors (rows, 3)."""
        angle = np.linalg.norm(vectors, axis=1)[:, None, None]
        x, y, z = (vectors / angle[:, :, 0]).T
        zero = np.zeros(ROWS)
        skew = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
        return np.asarray(np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * (skew @ skew))


def left_by(lines: Sequence[Line], length: float) -> Left:
    """What these neighbouring motions leave where it is, whatever their coordinates."""
    turns = [number for number, line in enumerate(lines) if line.turns]
    if not turns:
        return Left(GroupLeaves(empty=not lines, turnless=True))
    first = lines[turns[0]]
    slides = [line for line in lines if not line.turns]
    if all(first.is_parallel(lines[number].direction) for number in turns):
        alone = not slides and all(first.holds(lines[number].origin, length) for number in turns)
        leaves = GroupLeaves(empty=False, turnless=False, point=(turns[0],) if alone else (), direction=turns[0])
        has_plane = all(line.is_across(first.direction) for line in slides)
        return Left(leaves, first.origin if alone else None, first.direction, has_plane)
    other = next(number for number in turns if not first.is_parallel(lines[number].direction))
    point = _meeting(first, lines[other])
    if slides or not all(lines[number].holds(point, length) for number in turns):
        return Left(GroupLeaves(empty=False, turnless=False))
    return Left(GroupLeaves(empty=False, turnless=False, point=(turns[0], other)), point)


def _meeting(one: Line, other: Line) -> Array:
    """The point of the first line that is nearest to the second, (rows, 3)."""
    normal = np.cross(one.direction, other.direction)
    across = np.cross(other.origin - one.origin, other.direction)
    size = np.maximum(np.einsum("ri,ri->r", normal, normal), SAME**2)
    along = np.einsum("ri,ri->r", across, normal) / size
    return np.asarray(one.origin + along[:, None] * one.direction)


def _all_small(vectors: Array, unit: float = 1.0) -> bool:
    return bool(np.abs(vectors).max() < SAME * unit)
