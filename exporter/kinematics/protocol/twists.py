"""What dynamics need of a solved mechanism beyond `solution`: how whole bodies move.

Made by: the engines. Used by: `exporter.dynamics`.
"""

from collections.abc import Sequence
from typing import Protocol

from exporter.kinematics.protocol.solution import Accelerations, SolvedMotion, SolvedPose
from exporter.kinematics.protocol.vectors import Vector
from exporter.model.mechanism import Frame
from exporter.records import dataclass
from exporter.sequence.builder import Value


@dataclass(frozen=True, slots=True)
class Twist:
    """Angular velocity of a body (rad/s) and velocity of a point of it (m/s), in the axes that are cheaper."""

    angular_velocity: Vector
    velocity: Vector
    in_body_axes: bool  # else in ground axes


class BodyMotion(SolvedMotion, Protocol):
    """A motion that tells how bodies turn."""

    def twist(self, frame: Frame) -> Twist:
        """How a body and a frame's origin on it move."""

    def accelerate(self, accelerations: dict[str, Value], resting: Sequence[Value] = ()) -> "BodyAcceleration":
        """The second derivatives at these accelerations of the independent coordinates.

        `resting` are rates that do not change at these, and need not be differentiated.
        """


class BodyAcceleration(Accelerations, Protocol):
    """An acceleration that tells how bodies turn."""

    def twist_rate(self, frame: Frame) -> Twist:
        """Derivatives of the components of a twist, in its own axes."""


class BodyPose(SolvedPose, Protocol):
    """A pose that gives vectors in body axes, and such motions."""

    @property
    def spanned(self) -> frozenset[str]:
        """Bodies whose motion is summed from that of their points, not along the joints that carry them."""

    def in_body_axes(self, body: str, vector: Vector) -> Vector:
        """A vector of ground axes in body axes."""

    def move(self, rates: dict[str, Value]) -> BodyMotion:
        """The motion at these rates of the independent coordinates."""
