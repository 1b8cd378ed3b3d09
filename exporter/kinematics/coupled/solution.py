"""A mechanism with couplings behind the protocol of all engines: what follows is written first, then the rest.

In: what an engine has solved for the mechanism without couplings, driven by what follows too. Couplings are linear, so
that rates and accelerations follow as the coordinates do.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import islice

import numpy as np

from exporter.errors import ModelError, SeveralAssemblies, Unsolved
from exporter.kinematics.closures.reasons import wrong_number
from exporter.kinematics.coupled.driven import Driven, driven, followed, together
from exporter.kinematics.coupled.follow import Values, block_id, with_followers, with_following_rates
from exporter.kinematics.protocol.margins import Margin
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import (
    COUPLING,
    Accelerations,
    Assembly,
    BlockFacts,
    BranchedSolution,
    Solution,
    SolvedMotion,
    SolvedPose,
    Triple,
    check_names,
)
from exporter.model.couplings import Coupling
from exporter.model.expression import Vector
from exporter.model.mechanism import Frame, Mechanism
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Value
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Signal

MOST_ORDERS = 12  # choices of what follows by couplings behind loops
NEARBY = 0.01  # rad or m from the design pose: another pose at which dependences are looked for
RESTS = 1e-9  # of a rate, 1/s: what does not depend
Solve = Callable[[Mechanism], Solution]


def coupled_solution(mechanism: Mechanism, solve: Solve) -> "CoupledSolution":
    """The mechanism solved by what solves it without couplings.

    Raises:
        ModelError: see `driven`, and what `solve` says, with the coordinates that couplings give; or loops and
            couplings together leave another number of degrees of freedom.
    """
    refusals = list[Unsolved]()
    for by in islice(driven(mechanism), MOST_ORDERS):
        try:
            return _in_order(by, solve)
        except SeveralAssemblies:
            raise
        except Unsolved as error:
            names = ", ".join(coupling.follower for coupling in by.order)
            refusals.append(type(error)(f"{error} ({names} by couplings)"))
    other = wrong_number(mechanism)
    raise ModelError(other) if other else refusals[0]


def _in_order(by: Driven, solve: Solve) -> "CoupledSolution":
    found = CoupledSolution(by, solve(by.inner))
    check_order(found)
    return found


@dataclass(frozen=True, slots=True)
class CoupledSolution:
    """A mechanism with couplings, solved."""

    driven: Driven
    inner: Solution  # of the mechanism without couplings

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism that is solved."""
        return self.driven.mechanism

    @property
    def order(self) -> tuple[Coupling, ...]:
        """What follows, in order."""
        return self.driven.order

    @property
    def notes(self) -> tuple[str, ...]:
        """What the engine notes."""
        return self.inner.notes

    def dependent(self) -> tuple[str, ...]:
        """What follows by couplings, then what the engine solves."""
        return (*self._followers, *self.inner.dependent())

    def exported_coordinates(self) -> tuple[str, ...]:
        """What follows, and what the engine offers."""
        return (*self._followers, *self.inner.exported_coordinates())

    def block_facts(self) -> tuple[BlockFacts, ...]:
        """The couplings, which have one solution each, then the blocks of the engine."""
        first = (
            BlockFacts(block_id(number), COUPLING, (name,), (name,), 1, 1, "")
            for number, name in enumerate(self._followers)
        )
        return (*first, *self.inner.block_facts())

    def branched_solution(self) -> "CoupledBranches | None":
        """With other roots, where the engine's blocks can take them."""
        inner = self.inner.branched_solution() if self.driven.is_direct else None
        return None if inner is None else CoupledBranches(self.driven, inner, inner)

    def iterated_solution(self) -> None:
        """Nothing iterates from call to call."""

    def solve(self, builder: Builder, scope: Scope, coordinates: Values) -> "CoupledPose":
        """Write what follows and the pose of all bodies into a sequence."""
        known = with_followers(self.driven, scope, coordinates, partial(self.inner.solve, builder, scope))
        return CoupledPose(self, scope, known, self.inner.solve(builder, scope, known))

    @property
    def _followers(self) -> tuple[str, ...]:
        return tuple(coupling.follower for coupling in self.order)


@dataclass(frozen=True, slots=True)
class CoupledBranches(CoupledSolution):
    """A mechanism with couplings whose blocks choose between roots."""

    rooted: BranchedSolution  # the inner solution

    def with_signs(self, signs: tuple[int, ...]) -> "CoupledBranches":
        """On other roots, a sign for each coupling and each block."""
        inner = self.rooted.with_signs(signs[len(self.order) :])
        return replace(self, inner=inner, rooted=inner)

    def assemblies(self, place: Mapping[str, Fraction], signs: Sequence[tuple[int, ...]]) -> tuple[Assembly, ...]:
        """The modes on these roots at values of the independent coordinates."""
        count = len(self.order)
        known = {**place, **followed(self.order, self.mechanism.nominal_values(), place)}
        found = self.rooted.assemblies(known, [each[count:] for each in signs])
        return tuple(replace(mode, signs=(*each[:count], *mode.signs)) for mode, each in zip(found, signs, strict=True))

    def other_roots(self) -> dict[str, str]:
        """Where the other root of each block is, in words."""
        return self.rooted.other_roots()


@dataclass(frozen=True, slots=True)
class CoupledPose:
    """A solved pose; what is given or follows has its value, whole turns included."""

    solution: CoupledSolution
    scope: Scope
    values: Values  # given and followed
    inner: SolvedPose

    @property
    def margins(self) -> list[Margin]:
        """Margins and pivots of the blocks."""
        return self.inner.margins

    def displacement(self, coordinate: str) -> Value:
        """A displacement, or the value of an angle that is given or follows."""
        return self.values[coordinate] if coordinate in self.values else self.inner.displacement(coordinate)

    def pair(self, coordinate: str) -> tuple[Value, Value]:
        """Cosine and sine of an angle."""
        return self.inner.pair(coordinate)

    def angle(self, coordinate: str) -> Value:
        """An angle with its whole turns where it is given or follows, else within [-pi, pi]."""
        return self.values[coordinate] if coordinate in self.values else self.inner.angle(coordinate)

    def point(self, frame: Frame) -> Triple:
        """Where a frame's origin is, ground axes."""
        return self.inner.point(frame)

    def direction(self, body: str, local: Vector) -> Triple:
        """A direction that is fixed in a body, ground axes."""
        return self.inner.direction(body, local)

    def next_start(self) -> Values:
        """Nothing iterates."""
        return {}

    def move(self, rates: Values) -> "CoupledMotion":
        """The motion at these rates."""
        check_names(self.solution.mechanism.independent, rates, "rates")
        known = self.moved(rates)
        return CoupledMotion(self, known, self.inner.move(known))

    def moved(self, rates: Values) -> Values:
        """Rates, with those that follow."""
        return with_following_rates(
            self.solution.driven,
            self.scope,
            rates,
            ".v",
            lambda known, rest: self.inner.move({**known, **rest}).rate,
        )


@dataclass(frozen=True, slots=True)
class CoupledMotion:
    """Rates of a pose."""

    pose: CoupledPose
    rates: Values  # given and followed
    inner: SolvedMotion

    def rate(self, coordinate: str) -> Value:
        """Rate of a coordinate."""
        return self.rates[coordinate] if coordinate in self.rates else self.inner.rate(coordinate)

    def point_velocity(self, frame: Frame) -> Triple:
        """Velocity of a frame's origin."""
        return self.inner.point_velocity(frame)

    def direction_rate(self, body: str, local: Vector) -> Triple:
        """Rate of a direction that is fixed in a body, ground axes."""
        return self.inner.direction_rate(body, local)

    def accelerate(self, accelerations: Values) -> "CoupledAcceleration":
        """The accelerations of everything at these of the independent coordinates."""
        check_names(self.pose.solution.mechanism.independent, accelerations, "accelerations")
        known = self.accelerated(accelerations)
        return CoupledAcceleration(self, known, self.inner.accelerate(known))

    def accelerated(self, accelerations: Values) -> Values:
        """Accelerations, with those that follow.

        What is not known yet has no rate in the motion that is accelerated either: at a ratio of 1 or -1 its rate is
        the very value of what it follows, and a rate that is given to be constant would hold that too.
        """
        return with_following_rates(
            self.pose.solution.driven,
            self.pose.scope,
            accelerations,
            ".a",
            lambda known, rest: self.pose.inner.move({**self.rates, **rest}).accelerate({**known, **rest}).acceleration,
        )


@dataclass(frozen=True, slots=True)
class CoupledAcceleration:
    """Accelerations of a pose."""

    motion: CoupledMotion
    accelerations: Values  # given and followed
    inner: Accelerations

    def acceleration(self, coordinate: str) -> Value:
        """Acceleration of a coordinate."""
        known = self.accelerations
        return known[coordinate] if coordinate in known else self.inner.acceleration(coordinate)

    def point_acceleration(self, frame: Frame) -> Triple:
        """Acceleration of a frame's origin."""
        return self.inner.point_acceleration(frame)

    def direction_acceleration(self, body: str, local: Vector) -> Triple:
        """Second derivative of a direction that is fixed in a body, ground axes."""
        return self.inner.direction_acceleration(body, local)


def check_order(solution: CoupledSolution) -> None:
    """Refuse a coupling that reads what depends on its own follower, or on a later one.

    Raises:
        NoForm: it must be solved together with loops.
    """
    driven = solution.driven
    if driven.is_direct:
        return
    builder = Builder("order", "float64", contract=False)
    given = {name: builder.input(Signal(name, "1")) for name in driven.inner.independent}
    pose = solution.inner.solve(builder, Scope(builder, driven.inner, nominal=True), given)
    names = [coupling.follower for coupling in driven.order]
    checked = []
    for number, coupling in enumerate(driven.order):
        for later in names[number:] if driven.read_of_loops(coupling) else ():
            motion = pose.move({name: builder.real(int(name == later)) for name in given})
            for name in driven.read_of_loops(coupling):
                builder.output(Signal(f"{name}.{later}", "1", group=Group.OUTPUT), motion.rate(name))
                checked.append(coupling)
    design = np.array([[float(driven.inner.pose[name]) for name in given]])
    found = np.abs(interpret(builder.finish(), np.vstack([design, design + NEARBY])).outputs).max(axis=0)
    for coupling, rate in zip(checked, found, strict=True):
        if not rate <= RESTS:
            raise together(driven.mechanism, coupling)
