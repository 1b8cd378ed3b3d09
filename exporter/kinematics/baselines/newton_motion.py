"""Rates and accelerations by Newton's methods: linear systems with the Jacobian at the last iterate.

In: a pose of `newton`. Used by: `functions`, through the protocol of `solution`.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

from exporter.kinematics.baselines.elimination import LinearSystem
from exporter.kinematics.baselines.structure import NewtonBlock
from exporter.kinematics.closures.written import Equation
from exporter.kinematics.protocol.derivatives import (
    Derivatives,
    MovingCoordinate,
    Rules,
    SecondDerivatives,
    rates_by_coordinate,
)
from exporter.kinematics.protocol.limits import ACCELERATION_LIMIT, RATE_LIMIT
from exporter.kinematics.protocol.solution import Positions, Triple, check_names
from exporter.model.expression import Vector
from exporter.model.mechanism import Frame
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value


class LastIterate(Positions, Protocol):
    """The end of the steps: values, and the equations that are linear in rates there."""

    @property
    def builder(self) -> Builder:
        """What is written into."""

    @property
    def blocks(self) -> tuple[NewtonBlock, ...]:
        """Coordinates that are solved together, in order."""

    @property
    def inputs(self) -> dict[str, Value]:
        """The independent coordinates."""

    @property
    def values(self) -> dict[str, Value]:
        """All coordinates."""

    @property
    def rules(self) -> Rules:
        """How values are differentiated."""

    def equations(self, block: NewtonBlock) -> list[Equation]:
        """The closures of a block with their partial derivatives."""

    def system(self, block: NewtonBlock, limits: Mapping[bool, Fraction]) -> LinearSystem:
        """The linear system of rates or accelerations; limits by whether a coordinate is a displacement."""


@dataclass(frozen=True)
class NewtonMotion:
    """Rates at the last iterate, by the Jacobian there."""

    pose: LastIterate
    rates: dict[str, Value]  # of all coordinates
    derivatives: Derivatives

    def rate(self, coordinate: str) -> Value:
        """Rate of a coordinate."""
        return self.rates[coordinate]

    def point_velocity(self, frame: Frame) -> Triple:
        """Velocity of a frame's origin."""
        return self.derivatives.of_place(self.pose.point(frame))

    def direction_rate(self, body: str, local: Vector) -> Triple:
        """Rate of a body-fixed direction."""
        return self.derivatives.of_place(self.pose.direction(body, local))

    def accelerate(self, accelerations: dict[str, Value]) -> "NewtonAcceleration":
        """The accelerations of everything at these of the independent coordinates."""
        pose = self.pose
        check_names(pose.inputs, accelerations, "accelerations")
        limit = ACCELERATION_LIMIT[pose.builder.precision]
        found = dict(accelerations)
        for block in pose.blocks:
            with pose.builder.step(f"{block.id}.a", f"accelerations of {', '.join(block.coordinates)}"):
                sides = [self._bias(equation, found) for equation in pose.equations(block)]
                solved = pose.system(block, {False: limit, True: limit}).solve(sides)
                found.update(zip(block.coordinates, solved, strict=True))
        moving = [MovingCoordinate(value, self.rates[name], found[name]) for name, value in pose.values.items()]
        return NewtonAcceleration(self, found, SecondDerivatives(pose.rules, self.derivatives, moving))

    def _bias(self, equation: Equation, accelerations: Mapping[str, Value]) -> Value:
        """Minus what the known accelerations and the rates leave of the second derivative."""
        total = self.pose.builder.real(0)
        for name, partial in equation.partials.items():
            total = total - self.derivatives.of(partial) * self.rates[name]
            if name in accelerations:
                total = total - partial * accelerations[name]
        return total


@dataclass(frozen=True)
class NewtonAcceleration:
    """Accelerations at the last iterate, by the Jacobian there."""

    motion: NewtonMotion
    accelerations: dict[str, Value]  # of all coordinates
    second: SecondDerivatives

    def acceleration(self, coordinate: str) -> Value:
        """Acceleration of a coordinate."""
        return self.accelerations[coordinate]

    def point_acceleration(self, frame: Frame) -> Triple:
        """Acceleration of a frame's origin."""
        return self.second.of_place(self.motion.pose.point(frame))

    def direction_acceleration(self, body: str, local: Vector) -> Triple:
        """Second derivative of a body-fixed direction."""
        return self.second.of_place(self.motion.pose.direction(body, local))


def move_pose(pose: LastIterate, rates: dict[str, Value]) -> NewtonMotion:
    """The motion at these rates of the independent coordinates."""
    check_names(pose.inputs, rates, "rates")
    every = dict(rates)
    limit = RATE_LIMIT[pose.builder.precision]
    for block in pose.blocks:
        with pose.builder.step(f"{block.id}.v", f"rates of {', '.join(block.coordinates)}"):
            sides = [_known_rate(equation, every, pose.builder) for equation in pose.equations(block)]
            found = pose.system(block, {False: limit, True: limit}).solve(sides)
            every.update(zip(block.coordinates, found, strict=True))
    return NewtonMotion(pose, every, rates_by_coordinate(pose.rules, pose.values, every))


def _known_rate(equation: Equation, rates: Mapping[str, Value], builder: Builder) -> Value:
    total = builder.real(0)
    for name, partial in equation.partials.items():
        if name in rates:
            total = total - partial * rates[name]
    return total
