"""Rates and accelerations by Newton's methods: linear systems with the Jacobian at the last iterate.

Comes from: a pose of `newton`. Goes to: compose, through the protocol of `solved`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from exporter.kinematics.rates import ACCELERATION_LIMIT, RATE_LIMIT
from exporter.kinematics.rivals.closures import Equation
from exporter.kinematics.solved import Triple
from exporter.kinematics.spatial.derivatives import Derivatives
from exporter.model.expression import Vector
from exporter.model.mechanism import Frame
from exporter.sequence.builder import Builder, Value

if TYPE_CHECKING:
    from exporter.kinematics.rivals.newton import NewtonPose


@dataclass
class NewtonMotion:
    """Rates and accelerations at the last iterate, by the Jacobian there."""

    pose: "NewtonPose"
    rates: dict[str, Value]  # of all coordinates
    derivatives: Derivatives
    accelerations: dict[str, Value] = field(default_factory=dict)

    def rate(self, coordinate: str) -> Value:
        """Rate of a coordinate."""
        return self.rates[coordinate]

    def point_velocity(self, frame: Frame) -> Triple:
        """Velocity of a frame's origin."""
        x, y, z = (self.derivatives.of(part) for part in self.pose.point(frame))
        return x, y, z

    def direction_rate(self, body: str, local: Vector) -> Triple:
        """Rate of a body-fixed direction."""
        x, y, z = (self.derivatives.of(part) for part in self.pose.direction(body, local))
        return x, y, z

    def accelerate(self, accelerations: dict[str, Value]) -> None:
        """Take the accelerations of the independent coordinates."""
        pose = self.pose
        limit = ACCELERATION_LIMIT[pose.builder.precision]
        self.accelerations.update(accelerations)
        for block in pose.solution.blocks:
            with pose.builder.serving(f"{block.id}.a"):
                pose.builder.step(f"{block.id}.a", f"accelerations of {', '.join(block.coordinates)}")
                sides = [self._bias(equation) for equation in pose.equations(block)]
                found = pose.system(block, {False: limit, True: limit}).solve(sides)
                self.accelerations.update(zip(block.coordinates, found, strict=True))
        for name, rate in self.rates.items():
            self.derivatives.register(rate, lambda name=name: self.accelerations[name])  # type: ignore[misc]

    def _bias(self, equation: Equation) -> Value:
        """Minus what the known accelerations and the rates leave of the second derivative."""
        total = self.pose.builder.real(0)
        for name, partial in equation.partials.items():
            total = total - self.derivatives.of(partial) * self.rates[name]
            if name in self.accelerations:
                total = total - partial * self.accelerations[name]
        return total

    def acceleration(self, coordinate: str) -> Value:
        """Acceleration of a coordinate."""
        return self.accelerations[coordinate]

    def point_acceleration(self, frame: Frame) -> Triple:
        """Acceleration of a frame's origin."""
        x, y, z = (self.derivatives.of(self.derivatives.of(part)) for part in self.pose.point(frame))
        return x, y, z

    def direction_acceleration(self, body: str, local: Vector) -> Triple:
        """Second derivative of a body-fixed direction."""
        x, y, z = (self.derivatives.of(self.derivatives.of(part)) for part in self.pose.direction(body, local))
        return x, y, z

    def where(self) -> "NewtonPose":
        """The pose that moves."""
        return self.pose


def moved(pose: "NewtonPose", rates: dict[str, Value]) -> NewtonMotion:
    """The motion at these rates of the independent coordinates."""
    motion = NewtonMotion(pose, dict(rates), Derivatives(pose.builder))
    limit = RATE_LIMIT[pose.builder.precision]
    for block in pose.solution.blocks:
        with pose.builder.serving(f"{block.id}.v"):
            pose.builder.step(f"{block.id}.v", f"rates of {', '.join(block.coordinates)}")
            sides = [_known_rate(equation, motion.rates, pose.builder) for equation in pose.equations(block)]
            found = pose.system(block, {False: limit, True: limit}).solve(sides)
            motion.rates.update(zip(block.coordinates, found, strict=True))
    for name, value in pose.values.items():
        motion.derivatives.register(value, lambda name=name: motion.rates[name])  # type: ignore[misc]
    return motion


def _known_rate(equation: Equation, rates: Mapping[str, Value], builder: Builder) -> Value:
    total = builder.real(0)
    for name, partial in equation.partials.items():
        if name in rates:
            total = total - partial * rates[name]
    return total
