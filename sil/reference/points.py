"""How a point of a body moves, given all tree coordinates, rates and accelerations.

In: a `Skeleton`, a frame and a `Configuration`; out: place, velocity and acceleration in ground axes, (rows, 3).
"""

from dataclasses import dataclass

import numpy as np

from exporter.model.mechanism import Frame
from sil.reference.motion import COMPLEX_STEP, Configuration, moving_bodies
from sil.reference.rotations import Array
from sil.reference.skeleton import Skeleton, frame_place


@dataclass(frozen=True, slots=True)
class PointMotion:
    """Place (m), velocity (m/s) and acceleration (m/s^2) of a point."""

    place: Array
    velocity: Array
    acceleration: Array


def point_motion(
    skeleton: Skeleton, frame: Frame, at: Configuration, rates: Array, accelerations: Array
) -> PointMotion:
    """The motion of a frame's origin; rates and accelerations of all coordinates, (rows, c)."""
    place = frame_place(skeleton, frame)
    moving = moving_bodies(skeleton, at, rates, accelerations)
    velocity, stepped, linear = (
        twist.of_point(place.body, place.at) for twist in (moving.now, moving.stepped, moving.driven)
    )
    return PointMotion(moving.now.pose.point(place), velocity, np.imag(stepped) / COMPLEX_STEP + linear)
