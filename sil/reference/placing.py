"""Where all bodies stand, and the axes about and along which joints move them, over many rows.

In: a `Skeleton` and all coordinates; out: `Placed`, in ground axes. Rows stand last here, (3, rows): numpy is slow
over axes of three. Everything takes complex numbers, so that derivatives come from complex steps.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from sil.reference.rotations import Array, skew
from sil.reference.skeleton import GROUND, Motion, Skeleton, TreeJoint

Parts = tuple[tuple[int, float], ...]
"""A constant vector: its entries that are not zero, with their places."""


class Coordinates(Protocol):
    """All coordinates, (rows, c) each; what is placed is kept with them, so nobody writes to them afterwards."""

    def __hash__(self) -> int: ...

    def keep(self, key: object, numbers: int, find: "Callable[[], Placed]") -> "Placed":
        """What is found of these rows, so many numbers of each, once where there is room."""

    @property
    def values(self) -> Array:
        """Angles in rad, displacements in m."""

    @property
    def sines(self) -> Array:
        """Sines of angles."""

    @property
    def cosines(self) -> Array:
        """Cosines of angles."""


ByCoordinate = Array | Sequence[Array]
"""Something of every coordinate, (rows,) each."""

_AT_REST = np.eye(3)[:, :, None]
_NEXT = {0: (1, 2), 1: (2, 0), 2: (0, 1)}  # the two axes that a turn about one of the three turns into each other


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Origins (3, rows) and orientations (3, 3, rows) by body; axes and where they stand, (3, rows), by coordinate.

    `values` are the coordinates themselves.
    """

    origins: list[Array]
    turns: list[Array]
    axes: list[Array]
    centres: list[Array]
    values: Array  # (c, rows)

    def point(self, body: int, at: Parts) -> Array:
        """A body-fixed point, (3, rows)."""
        return np.asarray(self.origins[body] + turned(self.turns[body], at)) if at else self.origins[body]

    def axes_of(self, coordinates: Sequence[int]) -> Array:
        """The axes of several coordinates, (coordinates, 3, rows)."""
        return np.stack([self.axes[each] for each in coordinates])


def parts_of(vector: Array) -> Parts:
    """The entries of a constant vector (3,) that are not zero."""
    return tuple((k, float(value)) for k, value in enumerate(vector) if value)


def turned(turn: Array, vector: Parts) -> Array:
    """A body-fixed vector in ground axes, (3, rows); not to be written to."""
    terms = [turn[:, k] if value == 1.0 else turn[:, k] * value for k, value in vector]
    return sum(terms[1:], terms[0]) if terms else np.zeros_like(turn[:, 0])


def place_bodies(skeleton: Skeleton, at: Coordinates) -> Placed:
    """All bodies, parents before children; found once for a configuration, and kept with it where there is room."""
    key, numbers = ByIdentity(skeleton), 12 * len(skeleton.links) + 6 * len(skeleton.coordinates)
    return at.keep(key, numbers, lambda: _last_bodies(key, at))


@lru_cache(maxsize=2)
def _last_bodies(key: "ByIdentity", at: Coordinates) -> Placed:
    """Bodies of the last two configurations, which may have no room themselves."""
    skeleton = key.skeleton
    values, sines, cosines = (np.ascontiguousarray(each.T) for each in (at.values, at.sines, at.cosines))
    return place_columns(skeleton, values, sines, cosines)


def place_coordinates(skeleton: Skeleton, values: Array) -> Placed:
    """All bodies, from angles (rad) and displacements (m), (c, rows)."""
    angles = skeleton.angles
    sines, cosines = (
        [of(column) if angles[k] else column for k, column in enumerate(values)] for of in (np.sin, np.cos)
    )
    return place_columns(skeleton, values, sines, cosines)


def place_columns(skeleton: Skeleton, values: Array, sines: ByCoordinate, cosines: ByCoordinate) -> Placed:
    """All bodies, from all coordinates, (c, rows) each; sines and cosines of displacements are not read."""
    steps = _steps_of(ByIdentity(skeleton))
    bodies, (coordinates, rows) = len(skeleton.mechanism.bodies) + 1, values.shape
    rest, origin = np.broadcast_to(_AT_REST, (3, 3, rows)), np.zeros((3, rows))
    placed = Placed([origin] * bodies, [rest] * bodies, [origin] * coordinates, [origin] * coordinates, values)
    for step in steps:
        _place_child(step, placed, (values, sines, cosines))
    return placed


@dataclass(frozen=True, slots=True)
class ByIdentity:
    """A skeleton as a key: two of equal numbers are two."""

    skeleton: Skeleton

    def __hash__(self) -> int:
        return id(self.skeleton)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByIdentity) and other.skeleton is self.skeleton


@dataclass(frozen=True, slots=True)
class _Step:
    """A joint of the tree with its constants in parts; orientations None where they are the identity."""

    parent: int
    child: int
    parent_at: Parts
    child_at: Parts
    parent_turn: Array | None
    child_turn: Array | None
    motions: tuple[tuple[Motion, Parts], ...]


@lru_cache(maxsize=16)
def _steps_of(key: ByIdentity) -> tuple[_Step, ...]:
    return tuple(_step_of(link) for link in key.skeleton.links)


def _step_of(link: TreeJoint) -> _Step:
    def unless_identity(turn: Array) -> Array | None:
        return None if np.array_equal(turn, np.eye(3)) else turn

    return _Step(
        link.parent.body,
        link.child.body,
        parts_of(link.parent.at),
        parts_of(link.child.at),
        unless_identity(link.parent.turn),
        unless_identity(link.child.turn.T),
        tuple((motion, parts_of(motion.axis)) for motion in link.motions),
    )


def _place_child(step: _Step, placed: Placed, columns: tuple[Array, ByCoordinate, ByCoordinate]) -> None:
    """The child's pose is parent frame, motions in order, inverse of the child frame."""
    values, sines, cosines = columns
    origin, turn = placed.point(step.parent, step.parent_at), _composed(placed.turns[step.parent], step.parent_turn)
    for motion, parts in step.motions:
        column = motion.coordinate
        axis = placed.axes[column] = turned(turn, parts)
        if motion.kind == "turn":
            placed.centres[column] = origin
            turn = _turned_on(turn, axis, parts, motion.axis, sines[column], cosines[column])
        else:
            origin = origin + axis * values[column]
    placed.turns[step.child] = turn = _composed(turn, step.child_turn)
    placed.origins[step.child] = origin - turned(turn, step.child_at) if step.child_at else origin


def _composed(turn: Array, constant: Array | None) -> Array:
    return turn if constant is None else np.matmul(constant.T, turn)


def _turned_on(turn: Array, axis: Array, parts: Parts, local: Array, sine: Array, cosine: Array) -> Array:
    """Orientation times a turn about an axis of it, which is given in ground axes and in its own."""
    found = np.empty((3, 3, *sine.shape), np.result_type(turn, sine))
    if len(parts) > 1 or abs(parts[0][1]) != 1.0:
        across, versine = skew(local), axis * (1.0 - cosine)  # Rodrigues' formula, row by row
        for k, (one, other) in _NEXT.items():
            crossed = turn[:, one] * across[one, k] + turn[:, other] * across[other, k]
            found[:, k] = turn[:, k] * cosine + crossed * sine + versine * local[k]
        return found
    ((about, sign),) = parts
    first, second = _NEXT[about]
    sine = sine * sign
    found[:, about] = turn[:, about]
    found[:, first] = turn[:, first] * cosine + turn[:, second] * sine
    found[:, second] = turn[:, second] * cosine - turn[:, first] * sine
    return found


def motions_to(skeleton: Skeleton, body: int) -> Iterator[Motion]:
    """The elementary motions on the way from ground to a body, the last joint first."""
    by_child = {link.child.body: link for link in skeleton.links}
    while body != GROUND:
        yield from by_child[body].motions
        body = by_child[body].parent.body
