"""Pose, rates and accelerations of a mechanism by either choice of coordinates, and which choice goes on.

In: `Choices`, the coordinates and rates that are independent in either, and a flag that says which count. Goes
to: `dostep`. Both choices are evaluated, the one that does not count at its design pose and at rest, where it raises no
flag; what the active one gives is selected. That is everything the other one needs: its coordinates, rates,
accelerations and roots at the same pose.

The rule: D is the determinant of the other choice's rates by those of the active one, each over its bound. Where |D|
exceeds the ratio, the other choice goes on.
"""

from collections.abc import Callable
from contextlib import nullcontext

from exporter.dynamics.accelerated_pose import BalancedBodies
from exporter.dynamics.projected import Dynamics, project
from exporter.dynamics.reactions.planar import PlanarMechanics
from exporter.dynamics.switching.choices import Choice, Choices
from exporter.dynamics.switching.placed import SelectedMotion, SelectedPose, pick_vector, seen_by, sign_of
from exporter.kinematics.planar.blocks import LinearSolve, solve_block
from exporter.kinematics.planar.complex_value import Complex, real
from exporter.kinematics.planar.coordinates import coordinate_acceleration, coordinate_rate
from exporter.kinematics.planar.engine import PlanarMotion, PlanarPose
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.planar.rates import Motion, move
from exporter.kinematics.protocol.scope import COORDINATES, Scope
from exporter.model.evaluate import evaluate
from exporter.model.expression import Call, Number
from exporter.model.joints import GROUND
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Flag, Value
from exporter.sequence.guards import saturated

Values = dict[str, Value]


@dataclass(frozen=True)
class SwitchedState:
    """A state: what counts of it is said by `second`, 1 where the second choice is active."""

    coordinates: Values  # of the union; the design pose's where they do not count
    rates: Values  # zero where they do not count
    second: Flag
    signs: tuple[Values, Values]  # by block, of either choice


def is_independent(choices: Choices, name: str, second: Flag) -> Flag:
    """Whether a coordinate is independent where `second` says which choice is active."""
    builder = second.builder
    if name in choices.first.names and name in choices.second.names:
        return builder.flag(True)
    return second if name in choices.second.names else ~second


@dataclass(frozen=True)
class EvaluatedPose:
    """A pose with its rates and accelerations."""

    pose: SelectedPose
    motion: SelectedMotion
    coordinates: Values  # of the union, at the pose
    rates: Values
    accelerations: Values
    second: Flag  # the choice that goes on
    signs: tuple[Values, Values]  # of both choices' roots at the pose
    ratio: Value  # |D|
    bodies: tuple[BalancedBodies, BalancedBodies]  # by either choice, for the balance of forces


@dataclass(frozen=True)
class _Side:
    """What one choice makes of the state."""

    choice: Choice
    pose: Pose
    solves: tuple[LinearSolve, ...]
    rates: Values
    dynamics: Dynamics
    columns: tuple[Motion, ...]  # at unit speed of one independent coordinate

    def acceleration(self, name: str) -> Value:
        """The acceleration of any coordinate."""
        if name in self.dynamics.accelerations:
            return self.dynamics.accelerations[name]
        given = self.dynamics.accelerations.values()
        total = self._bias(name)
        for column, value in zip(self.columns, given, strict=True):
            total = total + coordinate_rate(column, name) * value
        return total

    def bodies(self) -> BalancedBodies:
        """What the balance of forces needs of this choice."""

        def mechanics() -> PlanarMechanics:
            return PlanarMechanics(self.dynamics.accelerated(self.solves))

        return BalancedBodies(self.choice.form.mechanism, self.dynamics.state, mechanics)

    def _bias(self, name: str) -> Value:
        """At zero accelerations of the independent coordinates; of one of them by its speed's square."""
        bias = coordinate_acceleration(self.dynamics.bias_acceleration, name)
        if len(self.columns) > 1:
            return bias
        (speed,) = self.rates.values()
        return bias * (speed * speed)


Quantity = Callable[[_Side, str], Value]  # of a coordinate, by one choice


@dataclass(frozen=True)
class Evaluation:
    """Writes poses of two choices into one sequence."""

    choices: Choices
    builder: Builder
    scope: Scope

    def at(self, given: SwitchedState, *, decide: bool) -> EvaluatedPose:
        """Everything at a state; with `decide`, the choice that goes on follows the rule, else it stays."""
        with self.builder.step(*COORDINATES, part=True):
            pairs = self._pairs(given)
        first, second = (self._side(choice, given, number, pairs) for number, choice in enumerate(self.choices.both()))
        with self.builder.step("S1", "how much faster the other choice moves, over the bounds of rates"):
            ratio = self._ratio(given, first, second)
            goes_on = self._next(given, ratio) if decide else given.second
        with self.builder.step("S2", "what the active choice gives"):
            return self._evaluated(given, goes_on, ratio, first, second)

    def _evaluated(
        self, given: SwitchedState, goes_on: Flag, ratio: Value, first: _Side, second: _Side
    ) -> EvaluatedPose:
        pose = SelectedPose(given.second, PlanarPose(first.pose, first.solves), PlanarPose(second.pose, second.solves))
        motions = (PlanarMotion(pose.first, first.dynamics.motion), PlanarMotion(pose.second, second.dynamics.motion))
        return EvaluatedPose(
            pose=pose,
            motion=SelectedMotion(pose, *motions),
            coordinates=self._coordinates(given, first, second),
            rates=self._rates(given, goes_on, first, second),
            accelerations=self._of_union(given, first, second, _Side.acceleration),
            second=goes_on,
            signs=self._signs(given, first, second),
            ratio=ratio,
            bodies=(first.bodies(), second.bodies()),
        )

    # -- one choice --------------------------------------------------------------------------------------------------

    def _side(self, choice: Choice, given: SwitchedState, number: int, pairs: dict[str, Complex]) -> _Side:
        with self.builder.within("alternative") if number else nullcontext():
            return self._written(choice, given, number, pairs)

    def _written(self, choice: Choice, given: SwitchedState, number: int, pairs: dict[str, Complex]) -> _Side:
        pose = Pose(choice.form, self.builder, self.scope)
        pose.root[GROUND] = real(self.builder, 1)
        for name in choice.names:
            if name in pairs:
                pose.pair[name] = pairs[name]
            else:
                pose.slide[name] = given.coordinates[name]
        active = given.second if number else ~given.second
        with self.builder.step("S0", "roots as the state has them", part=True):
            for block in choice.roots():
                pose.sign[block.id] = self.builder.select(active, given.signs[number][block.id], block.sign)
        solves = tuple(solve_block(block, pose) for block in choice.form.blocks)
        rates = {name: given.rates[name] for name in choice.names}
        coordinates = {name: given.coordinates[name] for name in choice.names}
        dynamics = project(pose, solves, coordinates, rates)
        return _Side(choice, pose, solves, rates, dynamics, self._columns(choice, pose, solves))

    def _columns(self, choice: Choice, pose: Pose, solves: tuple[LinearSolve, ...]) -> tuple[Motion, ...]:
        """The motions at unit speed of one coordinate each."""
        units = [{name: self.builder.real(int(name == moving)) for name in choice.names} for moving in choice.names]
        return tuple(move(pose, solves, unit) for unit in units)

    def _pairs(self, given: SwitchedState) -> dict[str, Complex]:
        """Cosine and sine of every independent angle; of an exchanged pair of angles by one evaluation."""
        pairs: dict[str, Complex] = {}
        for ours, theirs in self.choices.exchanged():
            if self._turns(ours) and self._turns(theirs):
                angle = self.builder.select(given.second, given.coordinates[theirs], given.coordinates[ours])
                sine, cosine = self.builder.sincos(angle)
                for name in (ours, theirs):
                    pairs[name] = self._where_used(given, name, Complex(cosine, sine))
        for name in self.choices.union():
            if name not in pairs and self._turns(name):
                sine, cosine = self.builder.sincos(given.coordinates[name])
                pairs[name] = Complex(cosine, sine)
        return pairs

    def _where_used(self, given: SwitchedState, name: str, pair: Complex) -> Complex:
        """The pair, or that of the design pose."""
        angle = Number(self.choices.mechanism.pose[name])
        cosine, sine = (self.builder.real(evaluate(Call(function, (angle,)), {})) for function in ("cos", "sin"))
        return pick_vector(is_independent(self.choices, name, given.second), pair, Complex(cosine, sine))

    def _turns(self, name: str) -> bool:
        return self.choices.first.form.turn(name) is not None

    # -- the rule ----------------------------------------------------------------------------------------------------

    def _ratio(self, given: SwitchedState, first: _Side, second: _Side) -> Value:
        """How much faster the other choice moves, over the bounds of the rates."""
        scale, names = self.choices.scale(), self.choices.exchanged()
        ours, theirs = [a for a, _ in names], [b for _, b in names]
        by_first = abs(_determinant(_rates_of(first, ours, theirs))) * scale
        by_second = abs(_determinant(_rates_of(second, theirs, ours))) * (1 / scale)
        return self.builder.select(given.second, by_second, by_first)

    def _next(self, given: SwitchedState, ratio: Value) -> Flag:
        changes = ratio > self.choices.mechanism.switch_ratio
        return (given.second & ~changes) | (~given.second & changes)

    # -- what is selected ---------------------------------------------------------------------------------------------

    def _coordinates(self, given: SwitchedState, first: _Side, second: _Side) -> Values:
        """All coordinates of the union at the pose: as they are given, or as the pose has them."""
        found = dict(given.coordinates)
        for ours, theirs in self.choices.exchanged():
            if self._turns(ours) and self._turns(theirs):
                pair = pick_vector(given.second, second.pose.relative(ours), first.pose.relative(theirs))
                seen = dict.fromkeys((ours, theirs), self.builder.atan2(pair.im, pair.re))
            else:
                seen = {ours: self._seen(second.pose, ours), theirs: self._seen(first.pose, theirs)}
            for name in (ours, theirs):
                counts = is_independent(self.choices, name, given.second)
                found[name] = self.builder.select(counts, given.coordinates[name], seen[name])
        return found

    def _seen(self, pose: Pose, name: str) -> Value:
        if not self._turns(name):
            return pose.slide[name]
        pair = pose.relative(name)
        return self.builder.atan2(pair.im, pair.re)

    def _rates(self, given: SwitchedState, goes_on: Flag, first: _Side, second: _Side) -> Values:
        """All rates of the union; what follows from the others within its bound, flagged where it goes on beyond."""

        def rate(side: _Side, name: str) -> Value:
            return coordinate_rate(side.dynamics.motion, name)

        found = self._of_union(given, first, second, rate)
        for pair in self.choices.exchanged():
            for name in pair:
                found[name] = self._within_bound(name, goes_on, found[name])
        return found

    def _of_union(self, given: SwitchedState, first: _Side, second: _Side, quantity: Quantity) -> Values:
        """A quantity of every coordinate of the union, by the active choice."""
        select = self.builder.select
        return {
            name: select(given.second, quantity(second, name), quantity(first, name)) for name in self.choices.union()
        }

    def _within_bound(self, name: str, goes_on: Flag, rate: Value) -> Value:
        bound = self.choices.mechanism.ranges[name].rate
        if bound is None:
            return rate
        about = f"the rate of {name} leaves its range in a switch"
        return saturated(
            self.builder, rate, bound, about, "STEP_TOO_LARGE", is_independent(self.choices, name, goes_on)
        )

    def _signs(self, given: SwitchedState, first: _Side, second: _Side) -> tuple[Values, Values]:
        """Signs of roots by block: of the active choice as they are given, of the other as the pose has them."""
        found: list[Values] = []
        for number, (own, other) in enumerate(((first, second), (second, first))):
            active = given.second if number else ~given.second
            pose = seen_by(own.choice, other.pose)
            found.append(
                {
                    block.id: self.builder.select(
                        active, given.signs[number][block.id], sign_of(own.choice, block, pose)
                    )
                    for block in own.choice.roots()
                }
            )
        return found[0], found[1]


def _rates_of(side: _Side, own: list[str], other: list[str]) -> list[list[Value]]:
    """Rates of other coordinates at unit speed of some of a side's own."""
    columns = dict(zip(side.choice.names, side.columns, strict=True))
    return [[coordinate_rate(columns[moving], name) for moving in own] for name in other]


def _determinant(matrix: list[list[Value]]) -> Value:
    """By its first row."""
    if len(matrix) == 1:
        return matrix[0][0]
    total = matrix[0][0].builder.real(0)
    for column, entry in enumerate(matrix[0]):
        minor = [row[:column] + row[column + 1 :] for row in matrix[1:]]
        term = entry * _determinant(minor)
        total = total - term if column % 2 else total + term
    return total
