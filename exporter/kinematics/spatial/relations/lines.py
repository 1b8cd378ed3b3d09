"""The axes of a loop's motions as lines in numbers, and what groups of neighbouring motions leave where it is.

In: lines at random values of all coordinates and parameters (see `samples`). Out: for each group what it leaves. Turns
whose axes meet leave that point; turns about parallel axes, and slides, leave a direction, and a plane across it where
the slides lie in the plane.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from exporter.kinematics.closures.numeric import Array
from exporter.kinematics.protocol.motions import ElementaryMotion
from exporter.kinematics.spatial.block import Invariants
from exporter.records import dataclass

SAME = 1e-9  # sine of an angle, or distance over the length, below which two things are one
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
    def _held(self) -> dict[Point, list[bool]]:
        return {}

    @cached_property
    def known_groups(self) -> dict[tuple[int, int], "GroupInvariants"]:
        """What groups leave, as far as it was asked for."""
        return {}

    def holding(self, point: Point) -> list[bool]:
        """Which lines a point lies on."""
        if point not in self._held:
            self._held[point] = self.are_on(self._place(*point))
        return self._held[point]

    def _place(self, one: int, other: int) -> Array:
        """Where a point is, (rows, 3)."""
        if one == other:
            return np.asarray(self.origins[one])
        normal = _cross(self.directions[one], self.directions[other])
        across = _cross(self.origins[other] - self.origins[one], self.directions[other])
        size = np.maximum(np.einsum("rx,rx->r", normal, normal), SAME**2)
        along = np.einsum("rx,rx->r", across, normal) / size
        return np.asarray(self.origins[one] + along[:, None] * self.directions[one])

    def are_apart(self, numbers: Sequence[int]) -> bool:
        """Whether no direction of two or three lines is a sum of the others."""
        sizes = np.linalg.svd(self.directions[list(numbers)].swapaxes(0, 1), compute_uv=False)
        return bool(sizes[:, -1].min() > SAME)

    def sine(self, one: int, other: int) -> float:
        """The largest sine of the angle of two lines."""
        return float(np.linalg.norm(_cross(self.directions[one], self.directions[other]), axis=-1).max())

    def distances(self, place: Array) -> Array:
        """How far a point (rows, 3) is from each line, (lines, rows)."""
        return np.asarray(np.linalg.norm(_cross(place[None] - self.origins, self.directions), axis=-1))

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
class GroupInvariants:
    """The invariants of a group of motions: what stays where it is, whatever these motions do."""

    invariants: Invariants
    point: Point | None = None
    direction: int | None = None  # the number of the line along it
    has_plane: bool = False


NO_INVARIANT = GroupInvariants(Invariants(empty=False, turnless=False))


def invariants_of(lines: Lines, first: int, last: int) -> GroupInvariants:
    """What the neighbouring motions from a first to a last number, which is not of them, leave where it is."""
    known = lines.known_groups
    if (first, last) not in known:
        known[first, last] = _invariants_of(lines, first, last)
    return known[first, last]


def _invariants_of(lines: Lines, first: int, last: int) -> GroupInvariants:
    numbers = range(first, last)
    turns = [number for number in numbers if lines.turns[number]]
    if not turns:
        return GroupInvariants(Invariants(empty=first == last, turnless=True))
    one = turns[0]
    slides = [number for number in numbers if not lines.turns[number]]
    if all(lines.parallel[one][number] for number in turns):
        alone = not slides and all(lines.holding((number, number))[one] for number in turns)
        invariants = Invariants(False, False, point=(one - first,) if alone else (), direction=one - first)
        has_plane = all(lines.across[one][number] for number in slides)
        return GroupInvariants(invariants, (one, one) if alone else None, one, has_plane)
    other = next(number for number in turns if not lines.parallel[one][number])
    held = lines.holding((one, other))
    if slides or not all(held[number] for number in turns):
        return NO_INVARIANT
    return GroupInvariants(Invariants(False, False, point=(one - first, other - first)), (one, other))
