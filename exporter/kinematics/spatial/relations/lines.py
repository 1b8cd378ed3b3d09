"""The axes of a loop's motions as lines in numbers, and what groups of neighbouring motions leave where it is.

In: the items of a loop or of a chain. Out: lines at random values of all coordinates and parameters, in the axes that
the items begin with. A group of turns whose axes meet leaves that point; turns about parallel axes, and slides, leave a
direction, and a plane across it where the slides lie in the plane.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from exporter.kinematics.closures.numeric import Array, numbers_at
from exporter.kinematics.protocol.motions import ElementaryMotion
from exporter.kinematics.spatial.block import GroupLeaves
from exporter.kinematics.spatial.relations.cycle import BaseItem, CycleItem, FrameItem, chain_of
from exporter.model.mechanism import Frame, Joint, Mechanism, Parameter
from exporter.model.size import length_of

ROWS = 4  # random places at which lines are compared
SEED = 20110831
SAME = 1e-9  # sine of an angle, or distance over the length, below which two things are one
KEPT_MECHANISMS = 8  # mechanisms whose lines are kept: those of a search
Point = tuple[int, int]
"""The point of the first line that is nearest to the second; the same number twice: the first line's own point."""


@dataclass(frozen=True)
class Lines:
    """The axes of motions in a row, and where the axes behind the last item begin."""

    motions: tuple[ElementaryMotion, ...]
    origins: Array  # (lines, rows, 3), a point on each
    directions: Array  # (lines, rows, 3)
    end: Array  # (rows, 3)
    length: float

    @cached_property
    def turns(self) -> tuple[bool, ...]:
        """Which motions are turns."""
        return tuple(motion.kind == "turn" for motion in self.motions)

    @cached_property
    def parallel(self) -> list[list[bool]]:
        """Which lines are parallel."""
        found: list[list[bool]] = _small(_cross(self.directions[:, None], self.directions[None]), 1.0)
        return found

    @cached_property
    def across(self) -> list[list[bool]]:
        """Which lines are normal to each other."""
        dots = np.einsum("irx,jrx->ijr", self.directions, self.directions)
        found: list[list[bool]] = _small(dots[..., None], 1.0)
        return found

    @cached_property
    def _meetings(self) -> Array:
        """The point of each line that is nearest to each other one, (lines, lines, rows, 3)."""
        normal = _cross(self.directions[:, None], self.directions[None])
        gap = self.origins[None] - self.origins[:, None]
        size = np.maximum(np.einsum("ijrx,ijrx->ijr", normal, normal), SAME**2)
        along = np.einsum("ijrx,ijrx->ijr", _cross(gap, self.directions[None]), normal) / size
        return np.asarray(self.origins[:, None] + along[..., None] * self.directions[:, None])

    @cached_property
    def _held(self) -> dict[Point, list[bool]]:
        return {}

    @cached_property
    def known_groups(self) -> dict[tuple[int, int], "Left"]:
        """What groups leave, as far as it was asked for."""
        return {}

    def holding(self, point: Point) -> list[bool]:
        """Which lines a point lies on."""
        if point not in self._held:
            one, other = point
            place = self.origins[one] if one == other else self._meetings[one, other]
            self._held[point] = self.are_on(place)
        return self._held[point]

    def are_on(self, place: Array) -> list[bool]:
        """Which lines hold a point (rows, 3)."""
        found: list[bool] = _small(_cross(place[None] - self.origins, self.directions), self.length)
        return found


def _cross(left: Array, right: Array) -> Array:
    """The vector product along the last axis."""
    (a, b, c), (d, e, f) = np.moveaxis(left, -1, 0), np.moveaxis(right, -1, 0)
    return np.stack([b * f - c * e, c * d - a * f, a * e - b * d], axis=-1)


def _small(vectors: Array, unit: float) -> Any:
    """Where vectors (..., rows, 3) are nothing in all rows, as lists."""
    return (np.abs(vectors).max(axis=(-1, -2)) < SAME * unit).tolist()


@dataclass(frozen=True, slots=True)
class Left:
    """What a group of motions leaves where it is."""

    leaves: GroupLeaves
    point: Point | None = None
    direction: int | None = None  # the number of the line along it
    has_plane: bool = False


NOTHING = Left(GroupLeaves(empty=False, turnless=False))


def lines_of(items: Sequence[CycleItem], samples: "Samples") -> Lines:
    """The lines of all motions of some items, found once."""
    key = tuple(items)
    if key not in samples.known_lines:
        samples.known_lines[key] = _lines(key, samples)
    return samples.known_lines[key]


def _lines(items: Sequence[CycleItem], samples: "Samples") -> Lines:
    turn, place = np.broadcast_to(np.eye(3), (ROWS, 3, 3)), np.zeros((ROWS, 3))
    motions, origins, directions = [], [], []
    for item in items:
        if isinstance(item, ElementaryMotion):
            motions.append(item)
            origins.append(place)
            directions.append(turn @ np.array([float(part) for part in item.axis]))
        step, shift = samples.transformation(item)
        place = place + np.einsum("rij,rj->ri", turn, shift)
        turn = turn @ step
    shape = (len(motions), ROWS, 3)
    origin_rows, direction_rows = (np.array(each).reshape(shape) for each in (origins, directions))
    return Lines(tuple(motions), origin_rows, direction_rows, place, samples.length)


@dataclass(frozen=True)
class _Geometry:
    """A mechanism by what its lines follow from."""

    joints: tuple[Joint, ...]
    parameters: tuple[Parameter, ...]
    mechanism: Mechanism = field(compare=False)


def samples_of(mechanism: Mechanism) -> "Samples":
    """The samples of a mechanism; the same for all choices of its coordinates."""
    return _samples(_Geometry(mechanism.joints, mechanism.parameters, mechanism))


@lru_cache(maxsize=KEPT_MECHANISMS)
def _samples(geometry: _Geometry) -> "Samples":
    return Samples(geometry.mechanism, float(length_of(geometry.mechanism)))


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
        self.length = length
        self.known_lines: dict[tuple[CycleItem, ...], Lines] = {}
        self._tree = mechanism.spanning_tree()
        self._known: dict[CycleItem, tuple[Array, Array]] = {}

    def transformation(self, item: CycleItem) -> tuple[Array, Array]:
        """Turn (rows, 3, 3) and shift (rows, 3) of an item."""
        if item not in self._known:
            self._known[item] = self._made(item)
        return self._known[item]

    def place(self, frame: Frame) -> Array:
        """Where a frame is on its body, (rows, 3)."""
        return np.broadcast_to(self._numbers.place[frame], (ROWS, 3))

    def point(self, frame: Frame) -> Array:
        """Where a frame is, ground axes, (rows, 3)."""
        turn, place = self._pose(frame.body)
        return np.asarray(place + np.einsum("rij,rj->ri", turn, self.place(frame)))

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
        return np.broadcast_to(np.eye(3), (ROWS, 3, 3)), amount * self.length

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


def left_by(lines: Lines, first: int, last: int) -> Left:
    """What the neighbouring motions from a first to a last number, which is not of them, leave where it is."""
    known = lines.known_groups
    if (first, last) not in known:
        known[first, last] = _left_by(lines, first, last)
    return known[first, last]


def _left_by(lines: Lines, first: int, last: int) -> Left:
    numbers = range(first, last)
    turns = [number for number in numbers if lines.turns[number]]
    if not turns:
        return Left(GroupLeaves(empty=first == last, turnless=True))
    one = turns[0]
    slides = [number for number in numbers if not lines.turns[number]]
    if all(lines.parallel[one][number] for number in turns):
        alone = not slides and all(lines.holding((number, number))[one] for number in turns)
        leaves = GroupLeaves(False, False, point=(one - first,) if alone else (), direction=one - first)
        has_plane = all(lines.across[one][number] for number in slides)
        return Left(leaves, (one, one) if alone else None, one, has_plane)
    other = next(number for number in turns if not lines.parallel[one][number])
    held = lines.holding((one, other))
    if slides or not all(held[number] for number in turns):
        return NOTHING
    return Left(GroupLeaves(False, False, point=(one - first, other - first)), (one, other))
