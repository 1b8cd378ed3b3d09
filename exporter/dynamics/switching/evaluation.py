"""Pose, rates and accelerations of a mechanism by either choice of coordinates, and which choice goes on.

Comes from: `Choices`, the coordinates and rates that are independent in either, and flags that say which count. Goes
to: `dostep`. Positions are solved by both choices (the one that does not count is fed with its design pose and raises
no flag) and one pose is selected; both choices then give unit motions, by determinants at that pose; the mass matrix,
forces and the solve are written once, on the selected ones.

The rule: D is the determinant of the second choice's rates by the first's, over the bounds of the rates. The second
choice is taken where |D| exceeds the ratio, the first where |D| is below its reciprocal; between, nothing changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from exporter.dynamics.inertia import reduced_inertia
from exporter.dynamics.projected import projected_accelerations
from exporter.dynamics.switching.choices import Choice, Choices
from exporter.dynamics.switching.placed import Pivots, Placed, PlacedMotion, PlacedPose, pivots_of, placed, sign_of
from exporter.kinematics.blocks import solve_block
from exporter.kinematics.complex_value import Complex, real
from exporter.kinematics.coordinates import coordinate_acceleration, coordinate_rate
from exporter.kinematics.planar import GROUND
from exporter.kinematics.position import Pose
from exporter.kinematics.rates import Motion, accelerate, move
from exporter.kinematics.scope import Scope
from exporter.model.evaluate import evaluate
from exporter.model.expression import Call, Number
from exporter.sequence.builder import Builder, Flag, Value
from exporter.sequence.guards import saturated

Values = dict[str, Value]


@dataclass(frozen=True)
class Given:
    """A state: what counts of it is said by `second`, 1 where the second choice is active."""

    coordinates: Values  # of the union
    rates: Values
    second: Flag
    signs: tuple[Values, Values]  # by block, of either choice

    def counts(self, choices: Choices, name: str) -> Flag:
        """Whether this coordinate is one of the active choice."""
        return used(choices, name, self.second)


def used(choices: Choices, name: str, second: Flag) -> Flag:
    """Whether a coordinate is independent where `second` says which choice is active."""
    builder = second.builder
    if name in choices.first.names and name in choices.second.names:
        return builder.flag(True)
    return second if name in choices.second.names else ~second


@dataclass(frozen=True)
class Evaluated:
    """A pose with its rates and accelerations."""

    placed: Placed
    motion: Motion  # of everything, with accelerations
    coordinates: Values  # of the union, at the pose
    rates: Values
    accelerations: Values
    second: Flag  # the choice that goes on
    signs: tuple[Values, Values]  # of both choices' roots at the pose
    ratio: Value  # |D|


@dataclass(frozen=True)
class Evaluation:
    """Writes poses of two choices into one sequence."""

    choices: Choices
    builder: Builder
    scope: Scope

    def at(self, given: Given, *, decide: bool) -> Evaluated:
        """Everything at a state; with `decide`, the choice that goes on follows the rule, else it stays."""
        pose = self._placed(given)
        coordinates = self._coordinates(given, pose)
        first, second = self._pivots(given, pose)
        columns = self._columns(pose, first, second)
        by_first = [[coordinate_rate(column, name) for column in columns[0]] for name in self.choices.second.names]
        by_second = [[coordinate_rate(column, name) for column in columns[1]] for name in self.choices.first.names]
        ratio = abs(_determinant(self._exchanged(by_first))) * self.choices.scale()
        goes_on = self._next(given, ratio) if decide else given.second
        rates = self._rates(given, goes_on, by_first, by_second)
        unit_motions = [self._picked(pose, goes_on, one, other) for one, other in zip(*columns, strict=True)]
        motion = self._moving(pose, goes_on, unit_motions, rates)
        self._add_bias(pose, (first, second), goes_on, motion, rates)
        accelerations = self._accelerate(pose, goes_on, unit_motions, motion)
        signs = self._signs(given, (first, second))
        return Evaluated(pose, motion, coordinates, rates, accelerations, goes_on, signs, ratio)

    # -- the pose --------------------------------------------------------------------------------------------------

    def _placed(self, given: Given) -> Placed:
        pairs = self._pairs(given)
        poses = [
            self._solved(choice, given, number, pairs)
            for number, choice in enumerate((self.choices.first, self.choices.second))
        ]
        return placed(self.choices, given.second, poses[0], poses[1])

    def _solved(self, choice: Choice, given: Given, number: int, pairs: dict[str, Complex]) -> Pose:
        pose = Pose(choice.form, self.builder, self.scope)
        pose.root[GROUND] = real(self.builder, 1)
        for name in choice.names:
            if name in pairs:
                pose.pair[name] = pairs[name]
            else:
                pose.slide[name] = given.coordinates[name]
        active = given.second if number else ~given.second
        for block in choice.roots():
            pose.sign[block.id] = self.builder.select(active, given.signs[number][block.id], block.sign)
        for block in choice.form.blocks:
            solve_block(block, pose)
        return pose

    def _pairs(self, given: Given) -> dict[str, Complex]:
        """Cosine and sine of every independent angle; of an exchanged pair of angles by one evaluation."""
        pairs: dict[str, Complex] = {}
        for ours, theirs in self.choices.exchanged():
            if self._turns(ours) and self._turns(theirs):
                angle = self.builder.select(given.second, given.coordinates[theirs], given.coordinates[ours])
                sine, cosine = self.builder.sincos(angle)
                for name in (ours, theirs):
                    pairs[name] = self._where_used(given.counts(self.choices, name), name, Complex(cosine, sine))
        for name in self.choices.union():
            if name not in pairs and self._turns(name):
                sine, cosine = self.builder.sincos(given.coordinates[name])
                pairs[name] = Complex(cosine, sine)
        return pairs

    def _where_used(self, counts: Flag, name: str, pair: Complex) -> Complex:
        """The pair, or that of the design pose."""
        angle = Number(self.choices.mechanism.pose[name])
        select = self.builder.select
        return Complex(
            select(counts, pair.re, evaluate(Call("cos", angle), {})),
            select(counts, pair.im, evaluate(Call("sin", angle), {})),
        )

    def _turns(self, name: str) -> bool:
        return self.choices.free.turn(name) is not None

    def _coordinates(self, given: Given, pose: Placed) -> Values:
        """All coordinates of the union at the pose: as they are given, or as the pose has them."""
        found = dict(given.coordinates)
        select = self.builder.select
        for ours, theirs in self.choices.exchanged():
            if self._turns(ours) and self._turns(theirs):
                pair = _selected(given.second, pose.free.relative(ours), pose.free.relative(theirs))
                seen = dict.fromkeys((ours, theirs), self.builder.atan2(pair.im, pair.re))
            else:
                seen = {name: self._seen(pose, name) for name in (ours, theirs)}
            for name in (ours, theirs):
                found[name] = select(given.counts(self.choices, name), given.coordinates[name], seen[name])
        return found

    def _seen(self, pose: Placed, name: str) -> Value:
        if not self._turns(name):
            return pose.free.slide[name]
        pair = pose.free.relative(name)
        return self.builder.atan2(pair.im, pair.re)

    # -- rates and the rule ------------------------------------------------------------------------------------------

    def _pivots(self, given: Given, pose: Placed) -> tuple[Pivots, Pivots]:
        """Both choices divide at the pose, and only the one that is active must not be singular there.

        The one that goes on is not: it is the active one, or more regular than it.
        """
        return (
            pivots_of(self.choices.first, pose.first, ~given.second),
            pivots_of(self.choices.second, pose.second, given.second),
        )

    def _columns(self, pose: Placed, first: Pivots, second: Pivots) -> tuple[list[Motion], list[Motion]]:
        """Unit motions of either choice, as the free form sees them."""
        found: list[list[Motion]] = []
        for choice, seen, pivots in (
            (self.choices.first, pose.first, first),
            (self.choices.second, pose.second, second),
        ):
            units = [{name: self.builder.real(int(name == moving)) for name in choice.names} for moving in choice.names]
            found.append([self._seen_motion(pose, move(seen, pivots.solves, unit)) for unit in units])
        return found[0], found[1]

    def _seen_motion(self, pose: Placed, motion: Motion) -> Motion:
        free = Motion(pose.free, {})
        free.root_rate = {root: motion.rate(root) for root in pose.free.root}
        free.slide_rate = {name: motion.slide_rate[name] for name in pose.free.slide}
        return free

    def _rates(self, given: Given, second: Flag, by_first: list[list[Value]], by_second: list[list[Value]]) -> Values:
        """All rates of the union: as they are given, or as they follow from those that count, within their bounds."""
        ours, theirs = self.choices.first.names, self.choices.second.names
        found = dict(given.rates)
        for names, known, matrix in ((theirs, ours, by_first), (ours, theirs, by_second)):
            for name, row in zip(names, matrix, strict=True):
                if name in known:
                    continue
                follows = self.builder.real(0)
                for factor, other in zip(row, known, strict=True):
                    follows = follows + factor * given.rates[other]
                follows = self._within_bound(name, second, follows)
                found[name] = self.builder.select(given.counts(self.choices, name), given.rates[name], follows)
        return found

    def _within_bound(self, name: str, second: Flag, rate: Value) -> Value:
        bound = self.choices.mechanism.ranges[name].rate
        if bound is None:
            return rate
        about = f"the rate of {name} leaves its range in a switch"
        return saturated(self.builder, rate, bound, about, "STEP_TOO_LARGE", used(self.choices, name, second))

    def _exchanged(self, by_first: list[list[Value]]) -> list[list[Value]]:
        """Of the exchanged coordinates alone: what both choices share gives ones."""
        rows = [k for k, name in enumerate(self.choices.second.names) if name not in self.choices.first.names]
        columns = [k for k, name in enumerate(self.choices.first.names) if name not in self.choices.second.names]
        return [[by_first[row][column] for column in columns] for row in rows]

    def _next(self, given: Given, ratio: Value) -> Flag:
        limit = self.choices.mechanism.switch_ratio
        return ratio > self.builder.select(given.second, Fraction(1) / limit, limit)

    # -- accelerations -------------------------------------------------------------------------------------------------

    def _picked(self, pose: Placed, second: Flag, one: Motion, other: Motion) -> Motion:
        free = Motion(pose.free, {})
        select = self.builder.select
        free.root_rate = {root: select(second, other.root_rate[root], one.root_rate[root]) for root in one.root_rate}
        free.slide_rate = {n: select(second, other.slide_rate[n], one.slide_rate[n]) for n in one.slide_rate}
        return free

    def _moving(self, pose: Placed, second: Flag, columns: list[Motion], rates: Values) -> Motion:
        """The motion at the actual rates."""
        speeds = [
            self.builder.select(second, rates[theirs], rates[ours])
            for ours, theirs in zip(self.choices.first.names, self.choices.second.names, strict=True)
        ]
        motion = Motion(pose.free, {})
        motion.root_rate = {root: self._sum(columns, speeds, "root_rate", root) for root in pose.free.root}
        motion.slide_rate = {name: self._sum(columns, speeds, "slide_rate", name) for name in pose.free.slide}
        return motion

    def _sum(self, columns: list[Motion], factors: list[Value], kind: str, name: str) -> Value:
        total = self.builder.real(0)
        for column, factor in zip(columns, factors, strict=True):
            total = total + getattr(column, kind)[name] * factor
        return total

    def _add_bias(
        self, pose: Placed, pivots: tuple[Pivots, Pivots], second: Flag, motion: Motion, rates: Values
    ) -> None:
        """Accelerations at zero accelerations of the independent coordinates."""
        one = self._bias(pose.first, pivots[0], motion, rates)
        other = self._bias(pose.second, pivots[1], motion, rates)
        select = self.builder.select
        for root in motion.root_rate:
            motion.root_acceleration[root] = select(second, other.acceleration(root), one.acceleration(root))
        for name in motion.slide_rate:
            motion.slide_acceleration[name] = select(
                second, other.slide_acceleration[name], one.slide_acceleration[name]
            )

    def _bias(self, pose: PlacedPose, pivots: Pivots, motion: Motion, rates: Values) -> Motion:
        names = pose.form.independent
        moving = PlacedMotion(pose, {name: rates[name] for name in names})
        moving.rate_of = {body: motion.rate(body) for body in motion.pose.form.direction}
        moving.slide_rate = motion.slide_rate
        accelerate(moving, pivots.solves)
        return moving

    def _accelerate(self, pose: Placed, second: Flag, columns: list[Motion], motion: Motion) -> Values:
        """The accelerations of the union; the motion's become the actual ones."""
        builder = self.builder
        inertia = reduced_inertia(self.choices.free, builder, self.scope)
        with builder.serving("D1"):
            builder.step("D1", "accelerations from the projected equations of motion, in the choice that goes on")
            solution = projected_accelerations(pose.free, inertia, columns, motion)
        for root in motion.root_rate:
            motion.root_acceleration[root] += self._sum(columns, solution, "root_rate", root)
        for name in motion.slide_rate:
            motion.slide_acceleration[name] += self._sum(columns, solution, "slide_rate", name)
        found: Values = {}
        for choice, goes_on in ((self.choices.first, ~second), (self.choices.second, second)):
            for name, own in zip(choice.names, solution, strict=True):
                other = found[name] if name in found else coordinate_acceleration(motion, name)
                found[name] = builder.select(goes_on, own, other)
        return found

    def _signs(self, given: Given, pivots: tuple[Pivots, Pivots]) -> tuple[Values, Values]:
        """Of the active choice as they are given, of the other as the pose has them."""
        found: list[Values] = []
        for number, choice in enumerate((self.choices.first, self.choices.second)):
            active = given.second if number else ~given.second
            found.append(
                {
                    block.id: self.builder.select(
                        active,
                        given.signs[number][block.id],
                        sign_of(choice, block, pivots[number].determinants[block.id]),
                    )
                    for block in choice.roots()
                }
            )
        return found[0], found[1]


def _selected(flag: Flag, if_one: Complex, if_zero: Complex) -> Complex:
    select = if_one.re.builder.select
    return Complex(select(flag, if_one.re, if_zero.re), select(flag, if_one.im, if_zero.im))


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


def design_signs(choice: Choice) -> Mapping[str, int]:
    """Signs of the roots at the design pose."""
    return {block.id: block.sign for block in choice.roots()}
