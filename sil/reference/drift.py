"""How bodies accelerate at given rates while no coordinate accelerates: what is left of all accelerations then.

The forward recursion of Newton and Euler, from joint to joint (Featherstone 2008, section 5.3). Rows stand last.
"""

from dataclasses import dataclass

import numpy as np

from sil.reference.motion import Configuration, InPlace
from sil.reference.placing import ByIdentity, Parts, Placed, parts_of, place_bodies, turned
from sil.reference.rotations import Array, cross_rows
from sil.reference.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class Drift:
    """Spins and velocities of body origins, and their rates of change: (3, rows) for every body, ground axes."""

    placed: Placed
    spins: list[Array]
    velocities: list[Array]
    turning: list[Array]
    pulls: list[Array]

    def of_direction(self, body: int, direction: Array) -> tuple[Array, Array]:
        """First and second derivative of a vector (3, rows) that is fixed in a body."""
        spin = self.spins[body]
        first = cross_rows(spin, direction)
        return first, cross_rows(self.turning[body], direction) + cross_rows(spin, first)

    def of_point(self, body: int, at: Parts) -> tuple[Array, Array]:
        """Velocity and acceleration of a point that is fixed in a body."""
        if not at:
            return self.velocities[body], self.pulls[body]
        first, second = self.of_direction(body, turned(self.placed.turns[body], at))
        return self.velocities[body] + first, self.pulls[body] + second


@dataclass(frozen=True, slots=True)
class Speeds:
    """Spins and velocities of body origins, (3, rows) for every body, ground axes."""

    placed: Placed
    spins: list[Array]
    velocities: list[Array]

    def of_point(self, body: int, at: Parts) -> Array:
        """Velocity of a point that is fixed in a body."""
        if not at:
            return self.velocities[body]
        return np.asarray(self.velocities[body] + cross_rows(self.spins[body], turned(self.placed.turns[body], at)))


def speeds_of(skeleton: Skeleton, at: Configuration, rates: Array) -> Speeds:
    """All bodies, at rates (rows, c), parents before children."""
    placed, speeds = place_bodies(skeleton, at), np.ascontiguousarray(rates.T)
    still = np.zeros((3, len(rates)))
    bodies = len(skeleton.mechanism.bodies) + 1
    found = Speeds(placed, [still] * bodies, [still] * bodies)
    for link in skeleton.links:
        velocity, spin = found.of_point(link.parent.body, parts_of(link.parent.at)), found.spins[link.parent.body]
        for motion in link.motions:
            moved = placed.axes[motion.coordinate] * speeds[motion.coordinate]
            if motion.kind == "turn":
                spin = spin + moved
                continue
            way = placed.axes[motion.coordinate] * at.values[:, motion.coordinate]
            velocity = velocity + moved + cross_rows(spin, way)
        child, back = link.child.body, parts_of(link.child.at)
        found.spins[child] = spin
        if back:
            velocity = velocity - cross_rows(spin, turned(placed.turns[child], back))
        found.velocities[child] = velocity
    return found


@dataclass(frozen=True, slots=True)
class Moving:
    """How bodies move: at rates, without accelerations, and at accelerations as if they were rates."""

    drift: Drift
    driven: Speeds

    def turning(self, body: int) -> Array:
        """Angular acceleration of a body, (3, rows)."""
        return np.asarray(self.drift.turning[body] + self.driven.spins[body])


def moving_bodies(skeleton: Skeleton, at: Configuration, rates: Array, accelerations: Array) -> Moving:
    """Everything that velocities and accelerations are made of; nobody writes to what is given afterwards."""
    key = "driven", ByIdentity(skeleton), InPlace(accelerations)
    driven = at.keep(key, 6 * len(skeleton.links), lambda: speeds_of(skeleton, at, accelerations))
    return Moving(drift_of(skeleton, at, rates), driven)


def drift_of(skeleton: Skeleton, at: Configuration, rates: Array) -> Drift:
    """All bodies, at rates (rows, c), which nobody writes to afterwards: it is found once, and kept with the pose."""
    key = "drift", ByIdentity(skeleton), InPlace(rates)
    return at.keep(key, 12 * len(skeleton.links), lambda: _drift_of(skeleton, at, rates))


def _drift_of(skeleton: Skeleton, at: Configuration, rates: Array) -> Drift:
    """All bodies, parents before children."""
    placed, speeds = place_bodies(skeleton, at), np.ascontiguousarray(rates.T)
    still = np.zeros((3, len(rates)))
    bodies = len(skeleton.mechanism.bodies) + 1
    found = Drift(placed, [still] * bodies, [still] * bodies, [still] * bodies, [still] * bodies)
    for link in skeleton.links:
        velocity, pull = found.of_point(link.parent.body, parts_of(link.parent.at))
        spin, turning = found.spins[link.parent.body], found.turning[link.parent.body]
        for motion in link.motions:
            axis, speed = placed.axes[motion.coordinate], speeds[motion.coordinate]
            moved = axis * speed
            if motion.kind == "turn":
                spin, turning = spin + moved, turning + cross_rows(spin, moved)
                continue
            way = axis * at.values[:, motion.coordinate]
            carried = cross_rows(spin, way) + moved
            velocity = velocity + carried
            pull = pull + cross_rows(turning, way) + cross_rows(spin, carried + moved)
        child = link.child.body
        found.spins[child], found.turning[child] = spin, turning
        back = parts_of(link.child.at)
        if back:
            first, second = found.of_direction(child, turned(placed.turns[child], back))
            velocity, pull = velocity - first, pull - second
        found.velocities[child], found.pulls[child] = velocity, pull
    return found
