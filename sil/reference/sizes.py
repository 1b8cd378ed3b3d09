"""What rates and accelerations are sums of: the sizes that their rounding is measured by, one per coordinate.

A dependent rate solves the closures' rates, A x = b. Every closure's rate is a sum over the two ways to its joint, and
each body on the way adds its spin times its length, each slide its speed; rounding of these passes to the coordinate by
|A^-1| (Higham 2002, section 7.2: componentwise bounds). Nothing else counts, however fast the rest of the mechanism is.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sil.reference.closure_equations import Equation, PointEquation
from sil.reference.closure_inverse import closure_inverse
from sil.reference.closures import Closures
from sil.reference.couplings import Tie
from sil.reference.drift import drift_of
from sil.reference.motion import Configuration
from sil.reference.placing import Placed, place_bodies
from sil.reference.rotations import Array
from sil.reference.skeleton import GROUND, Place, Skeleton, TreeJoint


@dataclass(frozen=True, slots=True)
class SpeedBounds:
    """How fast bodies turn and slides slide, of first order in the rates or of second, by magnitude.

    `spins` has an array (rows,) for every body; `slides` (rows, c) are those of all coordinates.
    """

    spins: tuple[Array, ...]
    slides: Array


def first_order(skeleton: Skeleton, at: Configuration, rates: Array) -> SpeedBounds:
    """Spins of bodies and speeds of slides."""
    return SpeedBounds(_lengths(spins_of_bodies(place_bodies(skeleton, at), skeleton, rates)), np.abs(rates))


def second_order(skeleton: Skeleton, at: Configuration, rates: Array, second: Array) -> SpeedBounds:
    """Angular accelerations with squares of spins, and accelerations of slides with those of Coriolis."""
    drift = drift_of(skeleton, at, rates)
    spins, drifts = _lengths(drift.spins), _lengths(drift.turning)
    turning = _lengths(spins_of_bodies(drift.placed, skeleton, second))
    both = tuple(spin**2 + drift + turn for spin, drift, turn in zip(spins, drifts, turning, strict=True))
    fastest = np.max(spins, axis=0)
    return SpeedBounds(both, np.abs(second) + 2 * fastest[:, None] * np.abs(rates))


def blurred_bounds(skeleton: Skeleton, paces: SpeedBounds, rates: Array, share: float) -> SpeedBounds:
    """Paces whose spins are told no better than to a share of the joint rates (rows, c) that they are sums of.

    Where these cancel, a body hardly turns, and what its spin is off by is rounding of them.
    """
    by_child = {link.child.body: link for link in skeleton.links}
    spins = []
    for body, spin in enumerate(paces.spins):
        summed, at = np.zeros(len(rates)), body
        while at in by_child:
            turns = [motion.coordinate for motion in by_child[at].motions if motion.kind == "turn"]
            summed = summed + np.abs(rates[:, turns]).sum(axis=1)
            at = by_child[at].parent.body
        spins.append(spin + share * summed)
    return SpeedBounds(tuple(spins), paces.slides)


def spins_of_bodies(placed: Placed, skeleton: Skeleton, rates: Array) -> list[Array]:
    """Angular velocities, (3, rows) for every body, from the axes of joints alone; rates (rows, c)."""
    speeds = np.ascontiguousarray(rates.T)
    found = [np.zeros((3, len(rates)))] * (len(skeleton.mechanism.bodies) + 1)
    for link in skeleton.links:
        spin = found[link.parent.body]
        for motion in link.motions:
            if motion.kind == "turn":
                spin = spin + placed.axes[motion.coordinate] * speeds[motion.coordinate]
        found[link.child.body] = spin
    return found


def _lengths(vectors: list[Array]) -> tuple[Array, ...]:
    return tuple(np.sqrt(x * x + y * y + z * z) for x, y, z in vectors)


def solved_sizes(closures: Closures, rows: tuple[int, ...], at: Configuration, paces: SpeedBounds) -> Array:
    """Sizes of what every coordinate's rate or acceleration is a sum of, (rows, c), over the units.

    Those of independent coordinates are 0. `rows` are the closures that determine the dependent coordinates.
    """
    skeleton = closures.skeleton
    sizes = np.zeros((len(at.values), len(skeleton.coordinates)))
    if skeleton.dependent:
        terms = np.zeros((len(closures.equations), len(at.values)))
        for row in rows:
            terms[row] = _terms(skeleton, closures.equations[row], at, paces) / closures.scales[row]
        sizes += closure_inverse(closures, rows, at).inverse.rounding_sizes(terms).T / skeleton.units
        sizes += _between_bodies(skeleton, paces)
        sizes[:, list(skeleton.independent)] = 0
    return sizes


def _terms(skeleton: Skeleton, equation: Equation, at: Configuration, paces: SpeedBounds) -> Array:
    """Sum of the magnitudes that a closure's rate consists of, (rows,)."""
    if isinstance(equation, Tie):
        return np.asarray(sum(abs(factor) * paces.slides[:, column] for column, factor in equation.factors))
    if not isinstance(equation, PointEquation):
        return np.asarray(paces.spins[equation.parent] + paces.spins[equation.child])
    return _speed_between(skeleton, equation.parent, equation.child, at, paces)


def speed_size(skeleton: Skeleton, place: Place, at: Configuration, paces: SpeedBounds) -> Array:
    """Sum of the magnitudes that the speed, or acceleration, of a point consists of, (rows,)."""
    return _speed_between(skeleton, Place(GROUND, np.zeros(3), np.eye(3)), place, at, paces)


def _speed_between(skeleton: Skeleton, one: Place, other: Place, at: Configuration, paces: SpeedBounds) -> Array:
    total = sum(np.linalg.norm(end.at) * paces.spins[end.body] for end in (one, other))
    for link in _ways(skeleton, one.body, other.body):
        total = total + _joint_speed(link, at, paces)
    return np.asarray(total)


def _joint_speed(link: TreeJoint, at: Configuration, paces: SpeedBounds) -> Array:
    """What a joint of the tree, and the arms to it on both its bodies, add to the speed of what hangs on it."""
    here, there = paces.spins[link.parent.body], paces.spins[link.child.body]
    total = np.linalg.norm(link.parent.at) * here + np.linalg.norm(link.child.at) * there
    carrying = here
    for motion in link.motions:
        if motion.kind == "slide":
            total = total + np.abs(at.values[:, motion.coordinate]) * carrying + paces.slides[:, motion.coordinate]
        else:  # slides that follow a turn are carried by the child
            carrying = there
    return np.asarray(total)


def _ways(skeleton: Skeleton, one: int, other: int) -> Iterator[TreeJoint]:
    """The joints of the tree on the ways from two bodies to where the ways meet."""
    by_child = {link.child.body: link for link in skeleton.links}

    def way(body: int) -> list[int]:
        found = []
        while body in by_child:
            found.append(body)
            body = by_child[body].parent.body
        return found

    for body in sorted(set(way(one)) ^ set(way(other))):
        yield by_child[body]


def _between_bodies(skeleton: Skeleton, paces: SpeedBounds) -> Array:
    """The angle of a joint changes by the difference of two spins: their sum, (rows, c)."""
    sizes = np.zeros_like(paces.slides)
    for link in skeleton.links:
        for motion in link.motions:
            if motion.kind == "turn":
                sizes[:, motion.coordinate] = paces.spins[link.parent.body] + paces.spins[link.child.body]
    return sizes
