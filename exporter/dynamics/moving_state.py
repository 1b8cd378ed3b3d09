"""A pose in motion as the formulas of loads read it: coordinates, distances, and the rates of both.

In: a solved pose and its motion. Out: a `Scope` for the formulas of loads and elements. What no formula reads is not
written.
"""

from dataclasses import field
from functools import cached_property, partial

from exporter.kinematics.outputs.distances import DistanceValues
from exporter.kinematics.protocol.limits import RATE_LIMIT
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Positions, Velocities
from exporter.model.mechanism import Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Value
from exporter.sequence.guards import limitable


@dataclass
class MovingState:
    """The state that loads see.

    Where one coordinate alone moves everything, `motion` may be that at its unit speed, and `speed` is the actual one.
    """

    mechanism: Mechanism
    scope: Scope
    coordinates: dict[str, Value]  # those that are given
    pose: Positions
    motion: Velocities
    speed: Value | None = None
    _distances: dict[str, DistanceValues] = field(default_factory=dict)

    @cached_property
    def formulas(self) -> Scope:
        """The scope of the caller, which knows the state too."""
        names = (*self.mechanism.coordinates(), *self.mechanism.distances)
        values = {name: partial(self.value, name) for name in names}
        rates = {f"{name}.rate": partial(self.rate, name) for name in names}
        angles = [name for name in self.mechanism.coordinates() if self.mechanism.is_angle(name)]
        return self.scope.with_state({**values, **rates}, {name: partial(self.pose.pair, name) for name in angles})

    def value(self, name: str) -> Value:
        """A coordinate or a distance, rad or m; an angle that follows from others is within [-pi, pi]."""
        if name in self.mechanism.distances:
            return self._distance(name).value()
        if name in self.coordinates:
            return self.coordinates[name]
        if self.mechanism.is_displacement(name):
            return self.pose.displacement(name)
        cosine, sine = self.pose.pair(name)
        return self.scope.builder.atan2(sine, cosine)

    def rate(self, name: str) -> Value:
        """The actual rate of a coordinate or a distance, rad/s or m/s; limited where forces could not be bounded."""
        rate, builder = self.influence(name), self.scope.builder
        rate = rate if self.speed is None else rate * self.speed
        return limitable(builder, rate, RATE_LIMIT[builder.precision], f"the rate of {name} is beyond its limit")

    def influence(self, name: str) -> Value:
        """The rate in `motion`: what a force along the coordinate or the distance is multiplied by for its power."""
        return self._distance(name).rate() if name in self.mechanism.distances else self.motion.rate(name)

    def _distance(self, name: str) -> DistanceValues:
        if name not in self._distances:
            wanted = self.mechanism.distances[name]
            self._distances[name] = DistanceValues(self.mechanism, wanted, self.scope, self.pose, self.motion)
        return self._distances[name]
