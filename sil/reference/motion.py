"""Where all bodies are and how they move, given all tree coordinates and rates.

In: a `Skeleton` and a `Configuration`; out: a `Pose` and a `Twist` per body. Everything takes complex numbers, so that
derivatives come from complex steps (Squire and Trapp 1998), exact to rounding.
"""

from dataclasses import dataclass

import numpy as np

from sil.reference.rotations import Array, compose_rotations, cross, rotate, rotation
from sil.reference.skeleton import Place, Skeleton, TreeJoint

COMPLEX_STEP = 1e-40
"""Length of a complex step: its square vanishes beside 1 in float64."""

AT_REST = np.eye(3)
"""How the ground is turned."""


@dataclass(frozen=True, slots=True, eq=False)
class Configuration:
    """All coordinates, (rows, c): values for displacements, sines and cosines for angles (m, 1, 1).

    Sines and cosines need not be normalised: an export's own pairs are judged as they are. Nobody writes to the arrays
    afterwards: what was computed of a configuration is kept.
    """

    values: Array
    sines: Array
    cosines: Array

    def of_rows(self, rows: slice) -> "Configuration":
        """Some of the rows; views."""
        return Configuration(self.values[rows], self.sines[rows], self.cosines[rows])

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
    zero = np.zeros(3)
    bodies = len(skeleton.mechanism.bodies) + 1
    origins, turns = [zero] * bodies, [AT_REST] * bodies
    spins, velocities = [zero] * bodies, [zero] * bodies
    for link in skeleton.links:
        parent, child = link.parent.body, link.child.body
        arm = rotate(turns[parent], link.parent.at)
        carried = _Carried(
            origins[parent] + arm,
            compose_rotations(turns[parent], link.parent.turn),
            velocities[parent] + cross(spins[parent], arm),
            spins[parent],
        )
        carried = _move_through(link, carried, at, rates)
        turns[child] = compose_rotations(carried.turn, link.child.turn.T)
        back = -rotate(turns[child], link.child.at)
        origins[child] = carried.origin + back
        velocities[child] = carried.velocity + cross(carried.spin, back)
        spins[child] = carried.spin
    return Twist(Pose(tuple(origins), tuple(turns)), tuple(spins), tuple(velocities))


@dataclass(frozen=True, slots=True)
class _Carried:
    """A frame on its way through a joint."""

    origin: Array
    turn: Array
    velocity: Array
    spin: Array


def _move_through(link: TreeJoint, frame: _Carried, at: Configuration, rates: Array) -> _Carried:
    for motion in link.motions:
        column = motion.coordinate
        axis = rotate(frame.turn, motion.axis)
        moving = axis * rates[..., column, None]
        if motion.kind == "turn":
            turned = rotation(motion.axis, at.sines[..., column], at.cosines[..., column])
            turn = turned if frame.turn is AT_REST else frame.turn @ turned
            frame = _Carried(frame.origin, turn, frame.velocity, frame.spin + moving)
        else:
            slide = axis * at.values[..., column, None]
            velocity = frame.velocity + moving + cross(frame.spin, slide)
            frame = _Carried(frame.origin + slide, frame.turn, velocity, frame.spin)
    return frame


def body_poses(skeleton: Skeleton, at: Configuration) -> Pose:
    """Poses of all bodies."""
    return move_bodies(skeleton, at, np.zeros((1, len(skeleton.coordinates)))).pose


def unit_rates(count: int) -> Array:
    """One unit rate at a time, (count, 1, count): broadcasts over rows."""
    return np.eye(count)[:, None, :]
