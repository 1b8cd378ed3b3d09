"""Loops closed by Newton's method on the joints themselves: numpy on the data of a mechanism, no exporter mathematics.

Positions follow from the file's pose in small steps of the independent coordinates, so that the assembly is the file's.
Residuals are those of points and directions in space; the Jacobian is by differences, which Newton's method forgives.
"""

import math

import numpy as np

from exporter.model.expression import Binary, Call, Name, Number, Power

AXES = {"x": np.array([1.0, 0, 0]), "y": np.array([0, 1.0, 0]), "z": np.array([0, 0, 1.0])}
STEPS = 5
ITERATIONS = 20
CLOSED = 1e-14


def number(expression, values):
    """The value of a formula."""
    match expression:
        case Number(value):
            return float(value)
        case Name(name):
            return float(values[name])
        case Binary(operator, left, right):
            a, b = number(left, values), number(right, values)
            return {"+": a + b, "-": a - b, "*": a * b}[operator] if operator != "/" else a / b
        case Power(base, exponent):
            return number(base, values) ** exponent
        case Call(function, arguments):
            known = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, "abs": abs, "min": min, "max": max}
            known |= {"exp": math.exp, "log": math.log, "tanh": math.tanh, "pow": math.pow}
            return known[function](*(number(argument, values) for argument in arguments))


def turn(axis, angle):
    """Rodrigues' rotation about a unit axis."""
    x, y, z = axis
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * skew + (1 - math.cos(angle)) * (skew @ skew)


def motions(joint):
    """Turns and slides of a joint in order."""
    n = np.array([float(part) for part in joint.axis])
    n = n / np.linalg.norm(n)
    x, y, z = AXES.values()
    return {
        "revolute": [("turn", n)],
        "prismatic": [("slide", n)],
        "cylindrical": [("turn", n), ("slide", n)],
        "universal": [("turn", x), ("turn", y)],
        "spherical": [("turn", z), ("turn", y), ("turn", x)],
        "planar": [("slide", x), ("slide", y), ("turn", z)],
        "fixed": [],
    }[joint.type]


class Oracle:
    """A mechanism at values of its parameters."""

    def __init__(self, mechanism, values=None):
        self.mechanism = mechanism
        self.values = {each.name: float(each.value) for each in mechanism.parameters} | (values or {})
        self.names = mechanism.coordinates()

    def frame(self, frame, poses):
        """Origin and axes of a frame in ground axes."""
        origin, axes = poses[frame.body]
        origin = origin + axes @ np.array([number(part, self.values) for part in frame.at])
        for letter, angle in frame.rotation.turns:
            axes = axes @ turn(AXES[letter], number(angle, self.values))
        return origin, axes

    def poses(self, q):
        """Origin and axes of every body at all coordinates."""
        poses = {"ground": (np.zeros(3), np.eye(3))}
        waiting = [joint for joint in self.mechanism.joints if not joint.closes]
        while waiting:
            joint = next(each for each in waiting if each.parent.body in poses)
            waiting.remove(joint)
            origin, axes = self.frame(joint.parent, poses)
            for (kind, axis), name in zip(motions(joint), joint.coordinates, strict=True):
                if kind == "turn":
                    axes = axes @ turn(axis, q[self.names.index(name)])
                else:
                    origin = origin + axes @ axis * q[self.names.index(name)]
            at, turned = self.frame(joint.child, {joint.child.body: (np.zeros(3), np.eye(3))})
            axes = axes @ turned.T
            poses[joint.child.body] = (origin - axes @ at, axes)
        return poses

    def residual(self, q):
        """What all closing joints leave open, in m and 1."""
        poses, parts = self.poses(q), []
        for joint in self.mechanism.joints:
            if joint.closes:
                (a, r), (b, s) = self.frame(joint.parent, poses), self.frame(joint.child, poses)
                n = motions(joint)[0][1] if joint.type in ("revolute", "prismatic", "cylindrical") else AXES["z"]
                gap, axial = r.T @ (b - a), np.cross(r @ n, s @ n)
                across = gap - n * (n @ gap)
                parallel = np.concatenate([np.cross(r[:, k], s[:, k]) for k in range(3)])
                parts += {
                    "revolute": [gap, axial],
                    "prismatic": [across, parallel],
                    "cylindrical": [across, axial],
                    "fixed": [gap, parallel],
                    "spherical": [gap],
                    "universal": [gap, [r[:, 0] @ s[:, 1]]],
                }[joint.type]
        return np.concatenate(parts) if parts else np.zeros(0)

    def solve(self, independent):
        """All coordinates at values of the independent ones, on the assembly of the file's pose."""
        chosen = [self.names.index(name) for name in self.mechanism.independent]
        free = [k for k in range(len(self.names)) if k not in chosen]
        q = np.array([float(self.mechanism.pose.get(name, 0)) for name in self.names])
        start, target = q[chosen], np.asarray(independent, dtype=float)
        nominal, wanted = {each.name: float(each.value) for each in self.mechanism.parameters}, self.values
        for step in range(STEPS + 1):
            part = step / STEPS
            self.values = {name: nominal[name] + part * (wanted[name] - nominal[name]) for name in wanted}
            q[chosen] = start + part * (target - start)
            for _ in range(ITERATIONS):
                if np.abs(self.residual(q)).max(initial=0.0) < CLOSED:
                    break
                q[free] -= np.linalg.lstsq(self._jacobian(q, free), self.residual(q), rcond=1e-9)[0]
        assert np.abs(self.residual(q)).max(initial=0.0) < 1e-12, "the oracle itself does not close"
        return dict(zip(self.names, q, strict=True))

    def _jacobian(self, q, columns):
        found = []
        for column in columns:
            step = np.zeros(len(q))
            step[column] = 1e-6
            found.append((self.residual(q + step) - self.residual(q - step)) / 2e-6)
        return np.stack(found, axis=1) if found else np.zeros((len(self.residual(q)), 0))

    def point(self, frame, coordinates):
        """Where a frame's origin is."""
        return self.frame(frame, self.poses(np.array([coordinates[name] for name in self.names])))[0]
