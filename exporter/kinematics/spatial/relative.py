"""Coordinates of a joint between two placed bodies, from their relative pose.

With M the child's frame in the parent's frame: universal M = Rx Ry, spherical and free M = Rz Ry Rx (3-2-1), revolute,
cylindrical and planar M = a turn about one axis. Each attitude has two triples of 3-2-1 angles: at the design pose the
one that is nearer to the file's pose is taken, and everywhere the one whose middle angle is on the same side.
"""

from fractions import Fraction
from typing import Protocol

from exporter.errors import NoForm
from exporter.kinematics.protocol.derivatives import Derivatives
from exporter.kinematics.protocol.frame_values import FrameValues
from exporter.kinematics.protocol.frames import Vector3, triad
from exporter.kinematics.protocol.motions import X, Y, Z, motions_of
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.kinematics.spatial.placement import Placement
from exporter.kinematics.spatial.roots import Angle, RootWriter
from exporter.model.mechanism import Frame, Joint
from exporter.sequence.builder import Builder, Value


class PlacedBodies(Protocol):
    """What relative coordinates are read from: a pose in which both bodies are placed."""

    @property
    def builder(self) -> Builder:
        """What is written into."""

    @property
    def tools(self) -> RootWriter:
        """What blocks write with."""

    def placement(self, body: str) -> Placement:
        """Where a body is."""

    def frame(self, frame: Frame) -> FrameValues:
        """A frame's constants."""

    def point(self, frame: Frame) -> Vector:
        """Where a frame is, ground axes."""


def relative_coordinates(
    pose: PlacedBodies, joint: Joint, *, beyond: bool
) -> tuple[dict[str, Angle], dict[str, Value]]:
    """Angles and displacements of all coordinates of a joint; `beyond`: a middle angle is above a quarter turn."""
    slides = {
        motion.coordinate: _displacement(pose, joint, motion.axis)
        for motion in motions_of(joint)
        if motion.kind == "slide"
    }
    turns = [motion for motion in motions_of(joint) if motion.kind == "turn"]
    names, axes = [motion.coordinate for motion in turns], tuple(motion.axis for motion in turns)
    entries = _Entries(pose, joint)
    if not turns:
        return {}, slides
    if len(turns) == 1:
        return {names[0]: _one_turn(pose.tools, entries, turns[0].axis)}, slides
    if axes == (X, Y):
        pairs = [(entries.at(1, 1), entries.at(2, 1)), (entries.at(0, 0), entries.at(0, 2))]
        return {name: free_angle(pose.tools, *pair) for name, pair in zip(names, pairs, strict=True)}, slides
    if axes == (Z, Y, X):
        return dict(zip(names, _euler(pose.tools, entries, -1 if beyond else 1), strict=True)), slides
    raise NoForm(
        f"the joint {joint.name} ({joint.type}) turns about the axes {axes}; angles are read from placed bodies for "
        "one axis, for x and y in this order, and for z, y and x"
    )


class _Entries:
    """Entries of M, written when they are asked for."""

    def __init__(self, pose: PlacedBodies, joint: Joint) -> None:
        self._parent, self._child = pose.placement(joint.parent.body), pose.placement(joint.child.body)
        self._at, self._to = pose.frame(joint.parent), pose.frame(joint.child)

    def at(self, row: int, column: int) -> Value:
        """M[row][column]."""
        outer = self._parent.direction(self._at.turn.columns[row])
        inner = self._child.direction(self._to.turn.columns[column])
        return outer.dot(inner)

    def along(self, outer: Vector, inner: Vector) -> Value:
        """outer^T M inner."""
        first = self._parent.direction(self._at.turn.times(outer))
        return first.dot(self._child.direction(self._to.turn.times(inner)))


def free_angle(tools: RootWriter, cosine: Value, sine: Value) -> Angle:
    """An angle whose pair comes from elsewhere: its rate is c s' - s c', by the rules that c and s have so far.

    The one may be written by means of the other, whose rule will be through the rate that is sought.
    """
    of_cosine, of_sine = tools.rules.present(cosine), tools.rules.present(sine)
    rules = tools.rules.at_present(cosine, sine)

    def rate(derivatives: Derivatives) -> Value:
        with derivatives.by(rules):
            return cosine * of_sine(derivatives) - sine * of_cosine(derivatives)

    return tools.angle(cosine, sine, rate)


def _displacement(pose: PlacedBodies, joint: Joint, axis: Vector3) -> Value:
    gap = pose.point(joint.child) - pose.point(joint.parent)
    frame = pose.frame(joint.parent)
    along = pose.placement(joint.parent.body).direction(frame.turn.times(constant_vector(pose.builder, axis)))
    return along.dot(gap)


def across(builder: Builder, axis: Vector3) -> tuple[Vector, Vector]:
    """Two constant unit vectors that make a right-handed triad with the axis."""
    first, second = triad(axis)
    return constant_vector(builder, first), constant_vector(builder, second)


def _one_turn(tools: RootWriter, entries: _Entries, axis: Vector3) -> Angle:
    first, second = across(tools.builder, axis)
    return free_angle(tools, entries.along(first, first), entries.along(second, first))


def _euler(tools: RootWriter, entries: _Entries, side: int) -> tuple[Angle, Angle, Angle]:
    """Rz(phi) Ry(theta) Rx(psi), cos(theta) of the sign `side`: phi' cos^2(theta) = m11 m21' - m21 m11', and so on."""
    m11, m21, m31 = entries.at(0, 0), entries.at(1, 0), entries.at(2, 0)
    m32, m33 = entries.at(2, 1), entries.at(2, 2)
    near = "the 3-2-1 Euler angles of a body are singular"
    level = tools.root(m11 * m11 + m21 * m21, Fraction(1), near, near)
    inverse = side / level.guarded()

    def nodding(d: Derivatives) -> Value:
        return tools.quotient(d, -d.of(m31), side * level.guarded(), lambda rate: m31 * rate)

    theta = tools.angle(side * level.value, -m31, nodding, (m31,))

    def turning(d: Derivatives, cosine: Value, sine: Value) -> Value:
        pivot = level.guarded()
        change = 2 * (side * pivot * (m31 * theta.rate(d)))
        return tools.quotient(d, cosine * d.of(sine) - sine * d.of(cosine), pivot * pivot, lambda _: change)

    phi = tools.angle(m11 * inverse, m21 * inverse, lambda d: turning(d, m11, m21))
    psi = tools.angle(m33 * inverse, m32 * inverse, lambda d: turning(d, m33, m32))
    return phi, theta, psi
