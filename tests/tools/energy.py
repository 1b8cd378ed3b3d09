"""Kinetic and potential energy of a mechanism, from the skeleton of the reference.

In: a skeleton, coordinates and rates. Out: energies in J, (rows,).
"""

import numpy as np

from sil.reference.expressions import evaluate
from sil.reference.motion import Configuration, move_bodies
from sil.reference.rotations import Array, dot, rotate
from sil.reference.skeleton import Skeleton


def kinetic_energy(skeleton: Skeleton, at: Configuration, rates: Array) -> Array:
    """J, (rows,)."""
    now = move_bodies(skeleton, at, rates)
    total = np.zeros(len(at.values))
    for body in skeleton.masses:
        velocity, spin = now.of_point(body.body, body.center), now.spins[body.body]
        local = rotate(np.swapaxes(now.pose.turns[body.body], -1, -2), spin)
        total = total + 0.5 * (body.mass * dot(velocity, velocity) + dot(local, rotate(body.inertia, local)))
    return total


def potential_energy(skeleton: Skeleton, at: Configuration) -> Array:
    """J, (rows,): minus the work of gravity from the ground's origin."""
    field = np.array([float(evaluate(part, skeleton.values)) for part in skeleton.mechanism.gravity])
    pose = move_bodies(skeleton, at, np.zeros((1, len(skeleton.coordinates)))).pose
    heights = [
        body.mass * dot(pose.origins[body.body] + pose.direction(body.body, body.center), field)
        for body in skeleton.masses
    ]
    return np.asarray(-np.sum(np.broadcast_arrays(*heights, np.zeros(len(at.values))), axis=0))
