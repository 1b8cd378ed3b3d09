"""One iterate inside a sequence: what the triangular form gives at values of the sought coordinates.

In: an `Exchange` and values. Out: gaps of the given coordinates and their Jacobian by the sought ones. The
steps drop those of their iterates: guards keep these finite, but their conditions are no conditions of the result (see
`solution`). Those of the Jacobian at the end are, for rates divide by it.
"""

from collections.abc import Sequence

from exporter.kinematics.exchanged.form import BLOCK_ID, Exchange
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import SolvedPose
from exporter.kinematics.seeded.ordered_elimination import Rows
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value

Values = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Writer:
    """What iterates are written with."""

    exchange: Exchange
    builder: Builder
    scope: Scope

    def pose(self, at: Values) -> SolvedPose:
        """The triangular form at values of its independent coordinates."""
        names = self.exchange.inner.mechanism.independent
        return self.exchange.inner.solve(self.builder, self.scope, {name: at[name] for name in names})

    def rates(self, at: Values, rates: Values) -> Values:
        """Rates of the given coordinates at rates of the sought and common ones; those left out are 0."""
        with self.builder.iterate(BLOCK_ID, conditions=True):
            motion = self._seen(at).move(self._every(rates))
            return {name: motion.rate(name) for name in self.exchange.given}

    def accelerations(self, at: Values, rates: Values, accelerations: Values) -> Values:
        """Accelerations of the given coordinates likewise."""
        with self.builder.iterate(BLOCK_ID, conditions=True):
            second = self._seen(at).move(self._every(rates)).accelerate(self._every(accelerations))
            return {name: second.acceleration(name) for name in self.exchange.given}

    def _seen(self, at: Values) -> SolvedPose:
        """A pose that knows the given coordinates: what is read from poses must be there before rates are."""
        pose = self.pose(at)
        for name in self.exchange.given:
            if self.exchange.mechanism.is_displacement(name):
                pose.displacement(name)
            else:
                pose.pair(name)
        return pose

    def _every(self, some: Values) -> Values:
        names = self.exchange.inner.mechanism.independent
        return {name: some.get(name, self.builder.real(0)) for name in names}

    def jacobian(self, at: Values, by: Sequence[str] = ()) -> Rows:
        """The given coordinates by the sought ones, in the order of elimination, or by other ones."""
        columns = [self.rates(at, {name: self.builder.real(1)}) for name in by or self.exchange.sought]
        return [[column[name] for column in columns] for name in self.exchange.given]

    def gaps(self, pose: SolvedPose, targets: Values) -> list[Value]:
        """By how much the given coordinates are too large: displacements, and the sine of the difference of angles."""
        return [self._gap(pose, name, targets[name]) for name in self.exchange.given]

    def _gap(self, pose: SolvedPose, name: str, target: Value) -> Value:
        if self.exchange.mechanism.is_displacement(name):
            return pose.displacement(name) - target
        cosine, sine = pose.pair(name)
        target_sine, target_cosine = self.builder.sincos(target)
        return sine * target_cosine - cosine * target_sine

    def miss(self, pose: SolvedPose, name: str, target: Value) -> Value:
        """How far a given coordinate is from its value: over the length, or the sum of both differences of the pair.

        Unlike the sine of the difference this does not vanish at half a turn.
        """
        if self.exchange.mechanism.is_displacement(name):
            return abs(pose.displacement(name) - target) * (1 / self.exchange.length)
        cosine, sine = pose.pair(name)
        target_sine, target_cosine = self.builder.sincos(target)
        return abs(sine - target_sine) + abs(cosine - target_cosine)
