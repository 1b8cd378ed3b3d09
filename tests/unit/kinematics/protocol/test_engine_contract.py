"""What every engine promises: poses are pure, motions own their derivatives, accelerations are objects of their own.

In one sequence each mechanism is posed twice, each pose is moved twice, each motion is accelerated twice, and all is
read in a shuffled order. The oracle is `sil.reference`: rates and accelerations that the original closures ask for.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Accelerations, Solution, SolvedMotion, SolvedPose
from exporter.model.complete import completed, with_independent
from exporter.model.expression import Number, Vector
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Frame, Mechanism, Method, SolverOptions
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder, Value
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Signal
from sil.reference.expressions import evaluate
from sil.reference.mechanism import Reference, reference_of
from sil.reference.motion import COMPLEX_STEP, Configuration, configuration, move_bodies

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"
LOCAL: Vector = (Number(Fraction(3, 5)), Number(Fraction(0)), Number(Fraction(4, 5)))
"""A direction that is fixed in a body."""
TWICE = range(2)
Array = np.ndarray
Read = Callable[[], tuple[Value, ...]]


def named(name: str, method: Method = "triangular", steps: int = 5) -> Mechanism:
    """A mechanism of the library or of the tests, solved by a method."""
    path = DATA / f"{name}.toml"
    mechanism = read_mechanism(path if path.is_file() else model_path(name))
    return completed(replace(mechanism, solver=SolverOptions(method, steps)))


def stephenson_by_beta1() -> Mechanism:
    """Driven by a coordinate that no triangular form is driven by."""
    mechanism = named("stephenson_iii")
    middle = mechanism.pose["beta1"]
    limits = CoordinateRange(middle - Fraction(1, 10), middle + Fraction(1, 10), Fraction(20), Fraction(1000))
    return with_independent(mechanism, ["beta1"], mechanism.pose, {"beta1": limits})


CASES: dict[str, Callable[[], Mechanism]] = {
    "planar slider-crank": partial(named, "slider_crank"),
    "planar four-bar": partial(named, "four_bar"),
    "planar excavator": partial(named, "excavator"),
    "planar six-bar": partial(named, "watt_six_bar"),
    "characteristic pair of a four-bar": partial(named, "four_bar", "characteristic-pair"),
    "lexicographic four-bar": partial(named, "four_bar", "lexicographic"),
    "spatial four-bar": partial(named, "spatial_four_bar"),
    "spatial platform": partial(named, "gough_stewart"),
    "spatial wishbone": partial(named, "double_wishbone_front"),
    "spatial RSSR": partial(named, "rssr"),
    "Newton on a slider-crank": partial(named, "slider_crank", "newton"),
    "Newton per loop on a six-bar": partial(named, "stephenson_iii", "newton-per-loop"),
    "Newton on a spatial four-bar": partial(named, "spatial_four_bar", "newton"),
    "driven six-bar": stephenson_by_beta1,
    "driven wishbone": partial(named, "double_wishbone_front_by_wheel"),
}
CHAIN_RULE = ("lexicographic four-bar", "spatial four-bar", "spatial RSSR")
"""Engines that differentiate what was written of the pose, which a constant leaves no trace in."""


@dataclass(frozen=True)
class Trial:
    """Two places of the independent coordinates, two rates and two accelerations; each (f,), rad and m."""

    places: Array
    rates: Array
    accelerations: Array


def trial_of(mechanism: Mechanism) -> Trial:
    """The design pose and one beside it, rates and accelerations of several sizes."""
    design = np.array([float(mechanism.pose[name]) for name in mechanism.independent])
    generator = np.random.Generator(np.random.Philox(20))
    apart = generator.uniform(-0.01, 0.01, design.shape)
    drawn = generator.uniform(-1, 1, (4, len(design))) * np.array([[1], [5], [3], [7]])
    return Trial(np.array([design, design + apart]), drawn[:2], drawn[2:])


def frames_of(mechanism: Mechanism) -> tuple[Frame, ...]:
    """Two frames that move."""
    return tuple(joint.child for joint in mechanism.joints if joint.child.body != "ground")[:2]


# -- what an engine writes -------------------------------------------------------------------------------------------


class Written:
    """One sequence in which a mechanism is posed, moved and accelerated; rates are inputs, or constants of a trial."""

    def __init__(self, solved: Solution, constants: Trial | None = None) -> None:
        self.solved, self.constants = solved, constants
        self.builder = Builder("contract", "float64")
        scope = Scope(self.builder, solved.mechanism, nominal=True)
        self.names: list[str] = []
        self.poses: list[SolvedPose] = [
            solved.solve(self.builder, scope, self._inputs(f"place{number}")) for number in TWICE
        ]
        self.rates = [self._given("rates", number) for number in TWICE]
        self.accelerations = [self._given("accelerations", number) for number in TWICE]
        self.motion = cache(self._motion)
        self.second = cache(self._second)

    def _inputs(self, about: str) -> dict[str, Value]:
        names = [f"{name}.{about}" for name in self.solved.mechanism.independent]
        self.names += names
        values = [self.builder.input(Signal(name, "1")) for name in names]
        return dict(zip(self.solved.mechanism.independent, values, strict=True))

    def _given(self, what: str, number: int) -> dict[str, Value]:
        if self.constants is None:
            return self._inputs(f"{what}{number}")
        row = getattr(self.constants, what)[number]
        return {
            name: self.builder.real(Fraction(float(value)))
            for name, value in zip(self.solved.mechanism.independent, row, strict=True)
        }

    def _motion(self, p: int, m: int) -> SolvedMotion:
        return self.poses[p].move(self.rates[m])

    def _second(self, p: int, m: int, a: int) -> Accelerations:
        return self.motion(p, m).accelerate(self.accelerations[a])

    def reads(self) -> dict[str, Read]:
        """Everything that is asked for, by a name; motions and accelerations are made when they are first needed."""
        reads: dict[str, Read] = {}
        frames = frames_of(self.solved.mechanism)
        for p, m in product(TWICE, TWICE):
            for name in self.solved.exported_coordinates():
                reads[f"{p}{m} rate {name}"] = partial(self._rate, p, m, name)
            for k, frame in enumerate(frames):
                reads[f"{p}{m} velocity {k}"] = partial(self._velocity, p, m, frame)
                reads[f"{p}{m} turning {k}"] = partial(self._turning, p, m, frame)
        for p, m, a in product(TWICE, TWICE, TWICE):
            for name in self.solved.exported_coordinates():
                reads[f"{p}{m}{a} acceleration {name}"] = partial(self._acceleration, (p, m, a), name)
            for k, frame in enumerate(frames):
                reads[f"{p}{m}{a} point {k}"] = partial(self._point, (p, m, a), frame)
                reads[f"{p}{m}{a} direction {k}"] = partial(self._direction, (p, m, a), frame)
        return reads

    def _rate(self, p: int, m: int, name: str) -> tuple[Value, ...]:
        return (self.motion(p, m).rate(name),)

    def _velocity(self, p: int, m: int, frame: Frame) -> tuple[Value, ...]:
        return self.motion(p, m).point_velocity(frame)

    def _turning(self, p: int, m: int, frame: Frame) -> tuple[Value, ...]:
        return self.motion(p, m).direction_rate(frame.body, LOCAL)

    def _acceleration(self, which: tuple[int, int, int], name: str) -> tuple[Value, ...]:
        return (self.second(*which).acceleration(name),)

    def _point(self, which: tuple[int, int, int], frame: Frame) -> tuple[Value, ...]:
        return self.second(*which).point_acceleration(frame)

    def _direction(self, which: tuple[int, int, int], frame: Frame) -> tuple[Value, ...]:
        return self.second(*which).direction_acceleration(frame.body, LOCAL)

    def values(self, trial: Trial, seed: int) -> dict[str, Array]:
        """The numbers of everything, written in the order of a seed."""
        reads = self.reads()
        order = np.random.Generator(np.random.Philox(seed)).permutation(len(reads))
        for name in [list(reads)[k] for k in order]:
            for k, value in enumerate(reads[name]()):
                self.builder.output(Signal(f"{name}/{k}", "1", group=Group.OUTPUT), value)
        sequence = self.builder.finish()
        numbers = np.concatenate([*trial.places, *trial.rates, *trial.accelerations])
        given = dict(zip(self.names, numbers, strict=False))
        row = [given.get(signal.name, float(signal.nominal or 0)) for signal in sequence.inputs]
        result = interpret(sequence, np.array([row]))
        found: dict[str, list[float]] = {}
        for output, value in zip(sequence.outputs, result.outputs[0], strict=True):
            found.setdefault(output.signal.name.split("/")[0], []).append(float(value))
        return {name: np.array(values) for name, values in found.items()}


# -- what is right ---------------------------------------------------------------------------------------------------


class Right:
    """Rates and accelerations of one mechanism by its original closures."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism, self.reference = mechanism, reference_of(mechanism)
        self.bodies = {"ground": 0, **{body.name: i for i, body in enumerate(mechanism.bodies, start=1)}}

    def values(self, trial: Trial) -> dict[str, Array]:
        """Everything that `Written` reads."""
        found: dict[str, Array] = {}
        for p, m in product(TWICE, TWICE):
            at = configuration(self.reference.positions(trial.places[p : p + 1]))
            rates = self.reference.velocities(at, trial.rates[m : m + 1])
            found.update(self._named(f"{p}{m} rate", rates))
            found.update(self._velocities(f"{p}{m}", at, rates))
            for a in TWICE:
                second = self.reference.accelerations(at, rates, trial.accelerations[a : a + 1])
                found.update(self._named(f"{p}{m}{a} acceleration", second))
                found.update(self._accelerations(f"{p}{m}{a}", at, rates, second))
        return found

    def _named(self, what: str, row: Array) -> dict[str, Array]:
        return {f"{what} {name}": row[:, k] for k, name in enumerate(self.reference.coordinates)}

    def _velocities(self, which: str, at: Configuration, rates: Array) -> dict[str, Array]:
        return self._of_frames(which, ("velocity", "turning"), at, rates)

    def _accelerations(self, which: str, at: Configuration, rates: Array, second: Array) -> dict[str, Array]:
        """By a complex step along the motion."""
        ahead = self._of_frames(which, ("point", "direction"), at.stepped(rates), rates + 1j * COMPLEX_STEP * second)
        return {name: value.imag / COMPLEX_STEP for name, value in ahead.items()}

    def _of_frames(self, which: str, words: tuple[str, str], at: Configuration, rates: Array) -> dict[str, Array]:
        twist = move_bodies(self.reference.skeleton, at, rates)
        found = {}
        for k, frame in enumerate(frames_of(self.mechanism)):
            body = self.bodies[frame.body]
            found[f"{which} {words[0]} {k}"] = twist.of_point(body, numbers(self.reference, frame.at))[0]
            direction = twist.pose.direction(body, numbers(self.reference, LOCAL))
            found[f"{which} {words[1]} {k}"] = np.cross(twist.spins[body], direction)[0]
        return found


def numbers(reference: Reference, vector: Vector) -> Array:
    """A vector of formulas in float64."""
    return np.array([float(np.real(evaluate(part, reference.skeleton.values))) for part in vector])


# -- the promises ----------------------------------------------------------------------------------------------------

Case = tuple[Solution, Trial, Right]


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    """A mechanism that an engine has solved, what is asked of it, and who knows the right answers."""
    mechanism = CASES[request.param]()
    return solved_mechanism(mechanism), trial_of(mechanism), Right(mechanism)


def judge(found: dict[str, Array], right: dict[str, Array]) -> None:
    """Every value that was written is the right one."""
    assert len(found) > 30
    size = max(np.abs(right[name]).max() for name in found)
    wrong = [name for name in found if not np.allclose(found[name], right[name], rtol=1e-8, atol=1e-9 * size)]
    assert not wrong, f"{len(wrong)} of {len(found)}: {[(n, found[n], right[n]) for n in wrong[:5]]}"


@pytest.mark.parametrize("seed", range(2))
def test_all_poses_motions_and_accelerations_stand_side_by_side(case: Case, seed: int) -> None:
    """Two poses, two motions each, two accelerations each, read in two shuffled orders."""
    solved, trial, right = case
    judge(Written(solved).values(trial, seed), right.values(trial))


def test_rates_and_accelerations_may_be_constants(case: Case) -> None:
    """Constants fold away in a sequence: a rate of 0 or 2 leaves no trace that an acceleration could be told by."""
    solved, trial, right = case
    constants = Trial(trial.places, np.round(trial.rates), trial.accelerations)
    assert (constants.rates != trial.rates).any()
    judge(Written(solved, constants).values(constants, 0), right.values(constants))


def test_one_value_may_be_the_rate_of_all_coordinates(case: Case) -> None:
    """Accelerations differ where rates are one value."""
    solved, trial, right = case
    alike = Trial(trial.places, np.repeat(trial.rates[:, :1], trial.rates.shape[1], axis=1), trial.accelerations)
    written = Written(solved)
    first = solved.mechanism.independent[0]
    written.rates = [dict.fromkeys(each, each[first]) for each in written.rates]
    judge(written.values(alike, 1), right.values(alike))


@pytest.mark.parametrize("change", ["missing", "dependent"])
def test_other_than_the_independent_coordinates_are_refused(case: Case, change: str) -> None:
    """Rates and accelerations are those of the independent coordinates, all of them and no others."""
    written = Written(case[0])
    motion = written.motion(0, 0)
    for given, ask in ((written.rates[0], written.poses[0].move), (written.accelerations[0], motion.accelerate)):
        some = dict(given)
        first = next(iter(some))
        some["elsewhere"] = some[first]
        if change == "missing":
            del some["elsewhere"], some[first]
        with pytest.raises(ValueError, match=f"missing {first}" if change == "missing" else "dependent elsewhere"):
            ask(some)


@pytest.mark.parametrize("name", CHAIN_RULE)
def test_a_pose_at_a_constant_does_not_move(name: str) -> None:
    """The chain rule needs a value to differentiate by; it says so instead of giving 0."""
    solved = solved_mechanism(CASES[name]())
    builder = Builder("constant", "float64")
    values = {each: builder.real(solved.mechanism.pose[each]) for each in solved.mechanism.independent}
    pose = solved.solve(builder, Scope(builder, solved.mechanism, nominal=True), values)
    with pytest.raises(ValueError, match="pose it by an input"):
        pose.move(dict.fromkeys(values, builder.real(1)))


@pytest.mark.parametrize("name", CHAIN_RULE)
def test_a_rate_that_is_a_coordinate_is_not_accelerated(name: str) -> None:
    """The chain rule would take the rate's change for the coordinate's; the motion itself is right."""
    solved = solved_mechanism(CASES[name]())
    builder = Builder("same", "float64")
    places = {each: builder.input(Signal(each, "1")) for each in solved.mechanism.independent}
    pose = solved.solve(builder, Scope(builder, solved.mechanism, nominal=True), places)
    motion = pose.move({each: -place for each, place in places.items()})
    with pytest.raises(ValueError, match="a rate is the value of a coordinate"):
        motion.accelerate(dict.fromkeys(places, builder.real(1)))


def test_two_coordinates_at_one_value_do_not_move() -> None:
    """The chain rule cannot tell their rates apart."""
    solved = solved_mechanism(named("gough_stewart"))
    builder = Builder("shared", "float64")
    names = solved.mechanism.independent
    values = {each: builder.input(Signal(each, "1")) for each in names}
    values[names[1]] = -values[names[0]]
    pose = solved.solve(builder, Scope(builder, solved.mechanism, nominal=True), values)
    with pytest.raises(ValueError, match=f"{names[0]} and {names[1]} are posed by one value"):
        pose.move(dict.fromkeys(names, builder.real(1)))
