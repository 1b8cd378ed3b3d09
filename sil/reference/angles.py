"""How an angle of a body-fixed direction, or of a line between two bodies, moves, given all tree coordinates.

In: a `Skeleton`, an `AngleOutput` and a `Configuration` with rates and accelerations; out: the angle, its derivatives,
and how much of the direction the angle is seen by, (rows,) each. Derivatives of the direction come from the motion of
its two ends, those of the angle from complex steps.
"""

from dataclasses import dataclass
from math import comb

import numpy as np

from exporter.model.mechanism import AngleOutput, Frame, Mechanism
from sil.reference.chunks import joined_fields, row_slices
from sil.reference.drift import Moving, moving_bodies
from sil.reference.motion import COMPLEX_STEP, Configuration
from sil.reference.points import point_motion
from sil.reference.rotations import Array, cross_rows
from sil.reference.skeleton import Skeleton, frame_place, skeleton_of

COLUMN = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True, slots=True)
class AngleMotion:
    """Angle (rad), rate (rad/s), acceleration (rad/s^2), and what they are seen by.

    `visible` is the length that the angle is told from and `line` that of the whole direction, in m or, of an axis, a
    number. `size` is what they are the difference of: the length of a direction of one body; of a line between two the
    largest of its length, the mechanism's, and how far the ends are from the origin.

    With z = m + i n the part that is seen, in its plane or, of an elevation, in space, rate and acceleration come from
    z'/z and z''/z - (z'/z)^2. `turning` is |z'| / visible (1/s), `bending` |z''| / visible (1/s^2); `speed` (1/s) and
    `push` (1/s^2) are the largest velocity and acceleration of an end over `size`, 0 of a direction of one body.
    """

    angle: Array
    rate: Array
    acceleration: Array
    visible: Array
    line: Array
    size: Array
    turning: Array
    bending: Array
    speed: Array
    push: Array

    @property
    def share(self) -> Array:
        """The visible part of the direction, 0 to 1."""
        return np.asarray(self.visible / self.size)


Orders = tuple[Array, Array, Array]
"""Something that moves, and its first and second derivative."""


def angle_motion(
    skeleton: Skeleton, wanted: AngleOutput, at: Configuration, rates: Array, accelerations: Array
) -> AngleMotion:
    """The motion of an angle; rates and accelerations of all coordinates, (rows, c)."""
    return joined_fields(
        _angle_motion(skeleton, wanted, at.of_rows(rows), rates[rows], accelerations[rows])
        for rows in row_slices(len(at.values))
    )


def _angle_motion(
    skeleton: Skeleton, wanted: AngleOutput, at: Configuration, rates: Array, accelerations: Array
) -> AngleMotion:
    lines = _line(skeleton, wanted, at, rates, accelerations)
    axes = _axes(skeleton, wanted.seen_from, moving_bodies(skeleton, at, rates, accelerations))
    line, first, second = (_seen(axes, lines, order).T for order in range(3))
    sine, cosine = _sides(wanted, line)
    rate = _rate(wanted, line, first)
    acceleration = (
        np.imag(_rate(wanted, line + 1j * COMPLEX_STEP * first, first + 1j * COMPLEX_STEP * second)) / COMPLEX_STEP
    )
    visible = cosine if is_elevation(wanted) else np.hypot(sine, cosine)
    length = np.linalg.norm(line, axis=1)
    size, speed, push = _ends(skeleton, wanted, at, rates, accelerations)
    size = np.maximum(size, length)
    with np.errstate(divide="ignore", invalid="ignore"):  # a line may have no length
        turning, bending = (np.linalg.norm(_seen_by(wanted, moving), axis=1) / visible for moving in (first, second))
    return AngleMotion(
        np.arctan2(sine, cosine), np.real(rate), acceleration,
        visible, length, size, turning, bending, speed / size, push / size,
    )  # fmt: skip


def _ends(skeleton: Skeleton, wanted: AngleOutput, at: Configuration, rates: Array, accelerations: Array) -> Orders:
    """What the places, velocities and accelerations are large in that a line is the difference of, (rows,)."""
    if is_fixed(wanted):
        nothing = np.zeros(len(at.values))
        return nothing, nothing, nothing
    motions = [point_motion(skeleton, frame, at, rates, accelerations) for frame in (wanted.start, wanted.end)]

    def largest(vectors: list[Array]) -> Array:
        sizes = [np.linalg.norm(vector, axis=-1) for vector in vectors]  # that of a point of the ground is a number
        return np.asarray(np.broadcast_to(np.maximum(*sizes), len(at.values)))

    place = np.maximum(skeleton.length, largest([motion.place for motion in motions]))
    return place, largest([motion.velocity for motion in motions]), largest([motion.acceleration for motion in motions])


def _seen_by(wanted: AngleOutput, vector: Array) -> Array:
    """The components that an angle is told from, (rows, 2); of an elevation (rows, 3)."""
    bases = wanted.base if is_elevation(wanted) else [wanted.base]
    return np.stack([_component(letter, vector) for letter in (wanted.towards, *bases)], axis=1)


def is_fixed(wanted: AngleOutput) -> bool:
    """Whether the direction is that of one body, and not a line between two."""
    return wanted.start.body == wanted.end.body


def is_elevation(wanted: AngleOutput) -> bool:
    """Whether the angle is measured from a plane, and not from an axis."""
    return _is_plane(wanted.base)


def nominal_scale(mechanism: Mechanism, wanted: AngleOutput) -> float:
    """What a short direction is short against, as `line` is given, at nominal parameters.

    That is the direction's own length, or, of a line between two bodies, the largest coordinate of a joint's frame.
    """
    nominal = skeleton_of(mechanism)
    if is_fixed(wanted):
        start, end = (frame_place(nominal, frame).at for frame in (wanted.start, wanted.end))
        return float(np.linalg.norm(end - start))
    frames = [frame for joint in mechanism.joints for frame in (joint.parent, joint.child)]
    return float(np.abs([frame_place(nominal, frame).at for frame in frames]).max(initial=0.0)) or 1.0


def _line(skeleton: Skeleton, wanted: AngleOutput, at: Configuration, rates: Array, accelerations: Array) -> Orders:
    """The direction, ground axes, (3, rows)."""
    start, end = (point_motion(skeleton, frame, at, rates, accelerations) for frame in (wanted.start, wanted.end))
    ways = end.place - start.place, end.velocity - start.velocity, end.acceleration - start.acceleration
    return ways[0].T, ways[1].T, ways[2].T


def _axes(skeleton: Skeleton, frame: Frame, moving: Moving) -> Orders:
    """The axes of a frame, ground axes, (3 axes, 3, rows)."""
    place, drift = frame_place(skeleton, frame), moving.drift
    axes = np.swapaxes(_composed(drift.placed.turns[place.body], place.turn), 0, 1)
    spin = drift.spins[place.body]
    first = cross_rows(spin, axes)
    return axes, first, cross_rows(moving.turning(place.body), axes) + cross_rows(spin, first)


def _composed(turn: Array, constant: Array) -> Array:
    """An orientation (3, 3, rows) times a constant one."""
    return turn if np.array_equal(constant, np.eye(3)) else np.einsum("ijn,jk->ikn", turn, constant)


def _seen(axes: Orders, lines: Orders, order: int) -> Array:
    """A derivative of the direction's components along the axes, (3, rows), by Leibniz' rule."""
    parts = [comb(order, k) * (axes[k] * lines[order - k]).sum(axis=1) for k in range(order + 1)]
    return np.asarray(sum(parts))


def _rate(wanted: AngleOutput, line: Array, moving: Array) -> Array:
    """d/dt of the angle: the imaginary part of d/dt log(cosine + i sine), written out for complex arguments."""
    sine, cosine = _sides(wanted, line)
    up, along = _sides_rate(wanted, line, moving)
    return np.asarray((cosine * up - sine * along) / (cosine**2 + sine**2))


def _sides(wanted: AngleOutput, line: Array) -> tuple[Array, Array]:
    """What the angle's sine and cosine are proportional to."""
    sine = _component(wanted.towards, line)
    if _is_plane(wanted.base):
        return sine, np.sqrt(sum(_component(letter, line) ** 2 for letter in wanted.base))
    return sine, _component(wanted.base, line)


def _sides_rate(wanted: AngleOutput, line: Array, moving: Array) -> tuple[Array, Array]:
    up = _component(wanted.towards, moving)
    if not _is_plane(wanted.base):
        return up, _component(wanted.base, moving)
    _, cosine = _sides(wanted, line)
    total = sum(_component(letter, line) * _component(letter, moving) for letter in wanted.base)
    return up, np.asarray(total / cosine)


def _is_plane(base: str) -> bool:
    return base in ("xy", "yz", "xz")


def _component(axis: str, vector: Array) -> Array:
    part = vector[..., COLUMN[axis[-1]]]
    return -part if axis.startswith("-") else part
