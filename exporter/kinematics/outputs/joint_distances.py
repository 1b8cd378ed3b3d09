"""Distances across one joint that is an independent coordinate: their squares are formulas of that coordinate alone.

With x and y the two points seen from the joint, in its axes, and n its axis: across a revolute joint

    d^2 = k0 + kc cos q + ks sin q,   k0 = x.x + y.y - 2 (n.x)(n.y),   kc = -2 (x.y - (n.x)(n.y)),   ks = -2 n.(x x y),

across a prismatic one d^2 = r.r + 2 s n.r + s^2 with r = x - y. Nothing is gained where the distance is a small
difference of these constants over the range: it then comes from the points themselves.
"""

from fractions import Fraction

import numpy as np

from exporter.kinematics.protocol.frame_values import frame_values
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Accelerations, Positions, Velocities
from exporter.kinematics.protocol.vectors import Vector, constant_vector
from exporter.model.mechanism import Distance, Frame, Joint, Mechanism
from exporter.model.once import once_per_model
from exporter.model.parameter_sets import parameter_sets
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value

LEAST_SHARE = 1 / 16  # of the constants' sum that d^2 must keep over the range: rounding is then as from the points
PLACES = 65  # of the range


@dataclass(frozen=True)
class JointDistance:
    """d^2 across one joint: of an angle k0 + kc cos q + ks sin q, of a displacement k0 + kc s + s^2 (ks unused)."""

    coordinate: str
    turns: bool
    k0: Value
    kc: Value
    ks: Value

    def square(self, pose: Positions) -> Value:
        """d^2."""
        if self.turns:
            cosine, sine = pose.pair(self.coordinate)
            return self.k0 + self.kc * cosine + self.ks * sine
        slide = pose.displacement(self.coordinate)
        return self.k0 + (self.kc + slide) * slide

    def half_rate(self, motion: Velocities) -> Value:
        """(d^2)' / 2 = d d'."""
        return self._half_slope(motion.pose) * motion.rate(self.coordinate)

    def half_acceleration(self, second: Accelerations) -> Value:
        """(d^2)'' / 2 = d d'' + d'^2."""
        rate, pose = second.motion.rate(self.coordinate), second.motion.pose
        bent = self._half_slope(pose) * second.acceleration(self.coordinate)
        return bent + self._half_bend(pose) * (rate * rate)

    def _half_slope(self, pose: Positions) -> Value:
        if not self.turns:
            return self.kc * Fraction(1, 2) + pose.displacement(self.coordinate)
        cosine, sine = pose.pair(self.coordinate)
        return (self.ks * Fraction(1, 2)) * cosine - (self.kc * Fraction(1, 2)) * sine

    def _half_bend(self, pose: Positions) -> Value:
        if not self.turns:
            return self.kc.builder.real(1)
        cosine, sine = pose.pair(self.coordinate)
        return -((self.kc * Fraction(1, 2)) * cosine + (self.ks * Fraction(1, 2)) * sine)


def joint_distance(mechanism: Mechanism, wanted: Distance, scope: Scope) -> JointDistance | None:
    """The formula of a distance across one joint; None where there is none, or where it would lose accuracy."""
    joint = _joint_between(mechanism, wanted)
    if joint is None or not _keeps_accuracy(mechanism, wanted, joint):
        return None
    return _formula(joint, wanted, scope)


def _joint_between(mechanism: Mechanism, wanted: Distance) -> Joint | None:
    ends = {wanted.start.body, wanted.end.body}
    return next(
        (
            joint
            for joint in mechanism.joints
            if {joint.parent.body, joint.child.body} == ends
            and joint.type in ("revolute", "prismatic")
            and joint.coordinates
            and joint.coordinates[0] in mechanism.independent
        ),
        None,
    )


def _formula(joint: Joint, wanted: Distance, scope: Scope) -> JointDistance:
    near, far = wanted.start, wanted.end
    if near.body != joint.parent.body:
        near, far = far, near
    x, y = _seen(scope, joint.child, far), _seen(scope, joint.parent, near)
    axis = constant_vector(scope.builder, joint.axis)
    coordinate = joint.coordinates[0]
    if joint.type == "prismatic":
        way = x - y
        return JointDistance(coordinate, False, way.squared(), 2 * axis.dot(way), scope.builder.real(0))
    along = axis.dot(x) * axis.dot(y)
    k0 = x.squared() + y.squared() - 2 * along
    return JointDistance(coordinate, True, k0, 2 * (along - x.dot(y)), -2 * axis.dot(x.cross(y)))


def _seen(scope: Scope, frame: Frame, point: Frame) -> Vector:
    """A point of the frame's body in the axes of the frame."""
    values = frame_values(scope, frame)
    at = Vector(*(scope.value(part) for part in point.at))
    return values.turn.transposed_times(at - values.at)


@once_per_model
def _keeps_accuracy(mechanism: Mechanism, wanted: Distance, joint: Joint) -> bool:
    """Whether d^2 is no small difference of its constants, over the range, at all sets of parameters."""
    limits = mechanism.ranges[joint.coordinates[0]]
    places = np.linspace(float(limits.minimum), float(limits.maximum), PLACES)
    for values in parameter_sets(mechanism):
        given = Scope(Builder("constants", "float64", contract=False), mechanism.at_values(values), nominal=True)
        found = _formula(joint, wanted, given)
        k0, kc, ks = (float(each.constant or 0) for each in (found.k0, found.kc, found.ks))
        terms = (kc * np.cos(places), ks * np.sin(places)) if found.turns else (kc * places, places**2)
        square, size = k0 + terms[0] + terms[1], abs(k0) + np.abs(terms[0]) + np.abs(terms[1])
        if (square < LEAST_SHARE * size).any():
            return False
    return True
