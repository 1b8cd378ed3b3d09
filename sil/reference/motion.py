"""Where all bodies are and how they move, given all tree coordinates and rates.

In: a `Skeleton` and a `Configuration`; out: a `Pose` and a `Twist` per body. Everything takes complex numbers, so that
derivatives come from complex steps (Squire and Trapp 1998), exact to rounding.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np

from sil.reference.placing import Placed, parts_of, place_bodies, turned
from sil.reference.rotations import Array, cross, cross_rows, rotate
from sil.reference.skeleton import Place, Skeleton

COMPLEX_STEP = 1e-40
"""Length of a complex step: its square vanishes beside 1 in float64."""
MOST_KEPT = 1 << 24
"""Numbers of one kind that all parts of a configuration keep together: 128 MB."""

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, eq=False)
class InPlace:
    """An array as a key: the same rows of the same array are the same, though they are another view each time."""

    array: Array  # held, so that nothing else comes to lie there

    @property
    def _where(self) -> tuple[object, ...]:
        place, _ = self.array.__array_interface__["data"]
        return place, self.array.shape, self.array.strides, self.array.dtype

    def __hash__(self) -> int:
        return hash(self._where)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InPlace) and self._where == other._where


@dataclass(frozen=True, slots=True, eq=False)
class Configuration:
    """All coordinates, (rows, c): values for displacements, sines and cosines for angles (m, 1, 1).

    Sines and cosines need not be normalised: an export's own pairs are judged as they are. Nobody writes to the arrays
    afterwards: what was computed of a configuration is `kept`, and so are the parts that it was taken apart into.
    """

    values: Array
    sines: Array
    cosines: Array
    first: int = 0  # number of the first row in the configuration that this one is a part of
    kept: dict[object, object] = field(default_factory=dict, init=False, repr=False)

    def of_rows(self, rows: slice) -> "Configuration":
        """Some of the rows; views, the same ones whenever these rows are asked for."""
        start, stop, _ = rows.indices(len(self.values))
        if start == 0 and stop == len(self.values):
            return self
        if (start, stop) not in self.kept:
            views = self.values[rows], self.sines[rows], self.cosines[rows]
            self.kept[start, stop] = Configuration(*views, first=self.first + start)
        return cast("Configuration", self.kept[start, stop])

    def keep(self, key: object, numbers: int, find: Callable[[], Value]) -> Value:
        """What is found of these rows, so many numbers of each: once, or anew each time where there is no room left."""
        if key not in self.kept:
            found = find()
            if (self.first + len(self.values)) * numbers > MOST_KEPT:
                return found
            self.kept[key] = found
        return cast("Value", self.kept[key])

    def stepped(self, rates: Array) -> "Configuration":
        """Moved by an imaginary step along `rates`."""
        step = 1j * COMPLEX_STEP * rates
        return Configuration(self.values + step, self.sines + step * self.cosines, self.cosines - step * self.sines)


def configuration(coordinates: Array) -> Configuration:
    """From angles (rad) and displacements (m)."""
    return Configuration(coordinates, np.sin(coordinates), np.cos(coordinates))


@dataclass(frozen=True, slots=True)
class Pose:
    """Origins (bodies of (..., 3)) and orientations (bodies of (..., 3, 3))."""

    origins: tuple[Array, ...]
    turns: tuple[Array, ...]

    def point(self, place: Place) -> Array:
        """Where a frame's origin is, in ground axes."""
        return np.asarray(self.origins[place.body] + rotate(self.turns[place.body], place.at))

    def direction(self, body: int, vector: Array) -> Array:
        """A body-fixed vector in ground axes."""
        return rotate(self.turns[body], vector)


@dataclass(frozen=True, slots=True)
class Twist:
    """Angular velocities and velocities of the body origins, ground axes."""

    pose: Pose
    spins: tuple[Array, ...]
    velocities: tuple[Array, ...]

    def of_point(self, body: int, at: Array) -> Array:
        """Velocity of a body-fixed point."""
        return np.asarray(self.velocities[body] + cross(self.spins[body], self.pose.direction(body, at)))


def move_bodies(skeleton: Skeleton, at: Configuration, rates: Array) -> Twist:
    """Poses and velocities of all bodies, `rates` of shape (..., rows, c)."""
    placed, speeds = place_bodies(skeleton, at), np.moveaxis(rates, -1, 0)[..., None, :]
    values = np.ascontiguousarray(at.values.T)
    still = np.zeros((*np.broadcast_shapes(rates.shape[:-1], at.values.shape[:1]), 3)).swapaxes(-1, -2)
    bodies = len(skeleton.mechanism.bodies) + 1
    spins, velocities = [still] * bodies, [still] * bodies
    for link in skeleton.links:
        parent, child = link.parent.body, link.child.body
        spin, arm = spins[parent], turned(placed.turns[parent], parts_of(link.parent.at))
        velocity = velocities[parent] + cross_rows(spin, arm)
        for motion in link.motions:
            axis = placed.axes[motion.coordinate]
            if motion.kind == "turn":
                spin = spin + axis * speeds[motion.coordinate]
            else:
                carried = cross_rows(spin, axis * values[motion.coordinate])
                velocity = velocity + axis * speeds[motion.coordinate] + carried
        back = turned(placed.turns[child], parts_of(link.child.at))
        spins[child], velocities[child] = spin, velocity - cross_rows(spin, back)
    return Twist(_pose_of(placed), _rows_first(spins), _rows_first(velocities))


def _rows_first(vectors: list[Array]) -> tuple[Array, ...]:
    """Views of (..., 3, rows) as (..., rows, 3)."""
    return tuple(np.swapaxes(each, -1, -2) for each in vectors)


def _pose_of(placed: Placed) -> Pose:
    return Pose(_rows_first(placed.origins), tuple(np.moveaxis(turn, -1, 0) for turn in placed.turns))


def body_poses(skeleton: Skeleton, at: Configuration) -> Pose:
    """Poses of all bodies."""
    return _pose_of(place_bodies(skeleton, at))


def unit_rates(count: int) -> Array:
    """One unit rate at a time, (count, 1, count): broadcasts over rows."""
    return np.eye(count)[:, None, :]
