"""How a point of a body moves, given all tree coordinates, rates and accelerations.

In: a `Skeleton`, a frame and a `Configuration`; out: place, velocity and acceleration in ground axes, (rows, 3).
"""

from dataclasses import dataclass

from exporter.model.mechanism import Frame
from sil.reference.chunks import joined_fields, row_slices
from sil.reference.drift import moving_bodies
from sil.reference.motion import Configuration
from sil.reference.placing import parts_of
from sil.reference.rotations import Array
from sil.reference.skeleton import Skeleton, frame_place


@dataclass(frozen=True, slots=True)
class PointMotion:
    """Place (m), velocity (m/s) and acceleration (m/s^2) of a point, (rows, 3); each component lies together."""

    place: Array
    velocity: Array
    acceleration: Array


def point_motion(
    skeleton: Skeleton, frame: Frame, at: Configuration, rates: Array, accelerations: Array
) -> PointMotion:
    """The motion of a frame's origin; rates and accelerations of all coordinates, (rows, c)."""
    return joined_fields(
        _point_motion(skeleton, frame, at.of_rows(rows), rates[rows], accelerations[rows])
        for rows in row_slices(len(at.values))
    )


def _point_motion(
    skeleton: Skeleton, frame: Frame, at: Configuration, rates: Array, accelerations: Array
) -> PointMotion:
    place = frame_place(skeleton, frame)
    moving = moving_bodies(skeleton, at, rates, accelerations)
    parts = parts_of(place.at)
    velocity, drift = moving.drift.of_point(place.body, parts)
    acceleration = drift + moving.driven.of_point(place.body, parts)
    return PointMotion(moving.drift.placed.point(place.body, parts).T, velocity.T, acceleration.T)
