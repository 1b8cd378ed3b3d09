"""The convention that holds the spin of a link between two balls, for the reference of the differential test.

In: a `Plain` mechanism, its assembled pose. Out: equations for `closures`, one per link. As the page on the
mechanism file has it: with r the axis of ground that lies most across the link at the design pose, the direction
r x (link), as it stands in the link at the pose that the file gives, stays normal to r.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from plain_closures import Row, across
from plain_mechanism import GROUND, Joint, Plain
from plain_rotations import Array
from tree_motion import Moving, moving_bodies


@dataclass(frozen=True)
class Spin:
    """A link, the axis of ground, the same direction in the link at the file's pose, and the joints at its ends."""

    body: str
    ground: Array
    inside: Array
    joints: tuple[str, str]


def links_between_balls(plain: Plain) -> list[tuple[str, list[Joint]]]:
    """Bodies that hang on two balls, apart from each other, and on nothing else."""
    found = []
    for body in plain.document["bodies"]:
        held = [j for j in plain.joints if j.type != "free" and body in (j.parent.body, j.child.body)]
        if len(held) == 2 and all(joint.type == "spherical" for joint in held) and _between(body, held).any():
            found.append((body, held))
    return found


def spins_of(plain: Plain, assembled: Array) -> list[Spin]:
    """The convention of each link; `assembled` is (1, n)."""
    links = links_between_balls(plain)
    if not links:
        return []
    stands, given = moving_bodies(plain, assembled), moving_bodies(plain, plain.design())
    return [_spin(body, held, stands, given) for body, held in links]


def _spin(body: str, held: list[Joint], stands: Mapping[str, Moving], given: Mapping[str, Moving]) -> Spin:
    seen = stands[body].turn[0] @ _line(body, held)
    ground = np.eye(3)[int(np.argmin(np.round(np.abs(seen) / np.abs(seen).max(), 9)))]
    return Spin(body, ground, given[body].turn[0].T @ ground, (held[0].name, held[1].name))


def _between(body: str, held: list[Joint]) -> Array:
    start, end = (joint.parent if joint.parent.body == body else joint.child for joint in held)
    return np.asarray(end.at - start.at)


def _line(body: str, held: list[Joint]) -> Array:
    between = _between(body, held)
    return np.asarray(between / np.linalg.norm(between))


def spin_equations(plain: Plain, spins: list[Spin]) -> Callable[[Mapping[str, Moving]], list[Row]] | None:
    """The equations at the mechanism's own parameters, None where there is no such link."""
    held = held_directions(plain, spins)
    if not held:
        return None
    return lambda bodies: [across((bodies[GROUND], bodies[spin.body]), spin.ground, own) for spin, own in held]


def held_directions(plain: Plain, spins: list[Spin]) -> list[tuple[Spin, Array]]:
    """Each link with its own direction that stays normal to the axis of the ground, at these parameters."""
    joints = {joint.name: joint for joint in plain.joints}
    return [(spin, np.cross(spin.inside, _line(spin.body, [joints[n] for n in spin.joints]))) for spin in spins]
