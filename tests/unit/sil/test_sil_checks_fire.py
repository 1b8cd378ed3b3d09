"""Every check of SIL fails on outputs that were made wrong in its own way, and passes on the sound ones.

A function of the interpreter is run behind a door that spoils what comes out: a number, a status, a sign, a state.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import pytest
from model_texts import slider_crank_joints

from exporter.export import Export, write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.complete import completed
from exporter.model.library import model_path
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from sil.against_reference import check_against_reference
from sil.check_names import Check, name_of
from sil.checks.totality import check_totality
from sil.evidence import Evidence
from sil.function_vectors import lots_of
from sil.limits import LIMITS
from sil.options import Options
from sil.parameter_sets import NOMINAL_SET, function_domain
from sil.runners.runner import Runner, RunResult, interpreter_runner
from sil.setting import Setting
from sil.verdict import Outcome

TOP = """schema = 1
[mechanism]
name = "top"
[bodies.top]
points = { tip = ["0.3 m", "0", "0"] }
[joints.pose]
type = "spherical"
parent = "ground"
child = "top"
coordinates = ["yaw", "pitch", "roll"]
[coordinates]
independent = ["yaw", "pitch", "roll"]
pose = { yaw = "0.1 rad", pitch = "0", roll = "0" }
ranges = { yaw = ["-7 rad", "7 rad"], pitch = ["-1.5 rad", "1.5 rad"], roll = ["-7 rad", "7 rad"] }
rates = { yaw = "9 rad/s", pitch = "9 rad/s", roll = "9 rad/s" }
[outputs]
attitude = "top.quaternion"
tip = "top.tip"
"""
ENDS_MEET = """schema = 1
[mechanism]
name = "ends_meet"
[ground]
points = { a = ["0.3 m", "0", "0"] }
[bodies.arm]
points = { tip = ["0.3 m", "0", "0"] }
[joints.q1]
type = "revolute"
parent = "ground"
child = "arm"
[distances]
gap = ["ground.a", "arm.tip"]
[outputs]
lean = { line = ["ground.a", "arm.tip"], from = "x", to = "y" }
opening = "gap"
[coordinates]
independent = ["q1"]
pose = { q1 = "30 deg" }
ranges = { q1 = ["-1 rad", "1 rad"] }
rates = { q1 = "5 rad/s" }
"""
UPRIGHT = """schema = 1
[mechanism]
name = "upright"
[bodies.arm]
points = { tip = ["0.3 m", "0", "0"] }
[bodies.rod]
[joints.q1]
type = "revolute"
axis = "y"
parent = "ground"
child = "arm"
[joints.q2]
type = "revolute"
axis = "x"
parent = "arm"
child = "rod"
[outputs]
lean = { of = "rod", axis = "z", from = "xy", to = "z" }
[coordinates]
independent = ["q1", "q2"]
pose = { q1 = "30 deg", q2 = "10 deg" }
ranges = { q1 = ["-1 rad", "1 rad"], q2 = ["-1 rad", "1 rad"] }
rates = { q1 = "5 rad/s", q2 = "5 rad/s" }
"""
BRIEF = """schema = 1
[mechanism]
name = "brief"
[bodies.arm]
points = { tip = ["1 m", "0", "0"], mark = ["1 m", "4 mm", "0"] }
[bodies.fore]
points = { end = ["0.8 m", "0", "0"], mark = ["0", "-5 mm", "2 mm"] }
[joints.q1]
type = "revolute"
parent = "ground"
child = "arm"
[joints.q2]
type = "revolute"
axis = "y"
parent = "arm.tip"
child = "fore"
[outputs]
lean = { line = ["fore.mark", "arm.mark"], from = "x", to = "y" }
[coordinates]
independent = ["q1", "q2"]
pose = { q1 = "30 deg", q2 = "20 deg" }
ranges = { q1 = ["-1 rad", "1 rad"], q2 = ["-1 rad", "1 rad"] }
rates = { q1 = "5 rad/s", q2 = "5 rad/s" }
"""
PENDULUM = """schema = 1
[mechanism]
name = "pendulum"
gravity = ["0", "-9.81 m/s^2", "0"]
[bodies.rod]
mass = "2 kg"
center_of_mass = ["0.5 m", "0", "0"]
[joints.q]
type = "revolute"
parent = "ground"
child = "rod"
[coordinates]
independent = ["q"]
pose = { q = "0.3 rad" }
ranges = { q = ["-3 rad", "3 rad"] }
rates = { q = "10 rad/s" }
[outputs]
pin = { reaction = "q", part = "force", axes = "child" }
"""
COUNT = Options(count=200)
FOLDED = """schema = 1
[mechanism]
name = "folded"
[bodies.crank]
points = { pin = ["100 mm", "0", "0"] }
[bodies.rod]
points = { wrist = ["100.2 mm", "0", "0"] }
[bodies.piston]
[coordinates]
independent = ["theta"]
pose = { theta = "90 deg", x = "6 mm" }
ranges = { theta = ["88 deg", "92 deg"] }
rates = { theta = "1 rad/s" }
""" + slider_crank_joints("theta", "phi", "x", "wrist", "wrist")
MODELS: dict[str, Callable[[], Any]] = {
    "top": lambda: completed(parse_mechanism(TOP, "top")),
    "ends_meet": lambda: completed(parse_mechanism(ENDS_MEET, "ends_meet")),
    "brief": lambda: completed(parse_mechanism(BRIEF, "brief")),
    "upright": lambda: completed(parse_mechanism(UPRIGHT, "upright")),
    "folded": lambda: completed(parse_mechanism(FOLDED, "folded")),
    "pendulum": lambda: completed(parse_mechanism(PENDULUM, "pendulum")),
    "slider_crank": lambda: read_mechanism(model_path("slider_crank")),
    "rocker_four_bar": lambda: read_mechanism(model_path("rocker_four_bar")),
    "parallel_robot": lambda: read_mechanism(model_path("parallel_robot")),
}
COARSE = ("brief",)  # in float32, where least can be seen of a line of 9 mm between links of 1 m
ARG_REJECTED = np.uint32(1 << 22)
STEP_TOO_LARGE = np.uint32(1 << 23)
NEAR_SINGULAR = np.uint32(1 << 17)
OUT_OF_WORKSPACE = np.uint32(1 << 16)


@dataclass
class Door:
    """Runs the sound function and spoils what comes out of its calls."""

    sound: Runner
    names: tuple[str, ...]  # of the outputs of the function that is spoiled
    spoil: Callable[["Door", RunResult], RunResult]
    calls: int = 0

    def run(self, function: str, rows: Any, parameters: Mapping[str, float] | None = None) -> RunResult:
        """As a runner does."""
        self.calls += 1
        ran = self.sound.run(function, rows, parameters or {})
        fits = ran.outputs.shape[1] == len(self.names)
        return self.spoil(self, replace(ran, outputs=ran.outputs.copy(), status=ran.status.copy())) if fits else ran

    def column(self, ran: RunResult, name: str) -> Any:
        """A view of one output."""
        return ran.outputs[:, self.names.index(name)]


def spoiled(name: str, change: Callable[[Any], Any]) -> Callable[[Door, RunResult], RunResult]:
    """One output gets another value."""

    def spoil(door: Door, ran: RunResult) -> RunResult:
        column = door.column(ran, name)
        column[:] = change(column)
        return ran

    return spoil


def no_number(_: Door, ran: RunResult) -> RunResult:
    """NaN in one row."""
    ran.outputs[3, 0] = np.nan
    return ran


def unstable(door: Door, ran: RunResult) -> RunResult:
    """A last place that depends on how often it was called."""
    ran.outputs[0, 0] = np.nextafter(ran.outputs[0, 0], door.calls * np.inf if door.calls > 1 else 0.0)
    return ran


def unflagged(_: Door, ran: RunResult) -> RunResult:
    """Rejects without a word."""
    return replace(ran, status=ran.status & ~ARG_REJECTED)


def unreplaced(_: Door, ran: RunResult) -> RunResult:
    """Bad arguments leave a trace in the outputs."""
    ran.outputs[(ran.status & ARG_REJECTED) != 0, 0] += 0.25
    return ran


def alarmed(_: Door, ran: RunResult) -> RunResult:
    """NEAR_SINGULAR at some angles or rates, whatever the length of the line."""
    size = np.abs(ran.outputs[:, 0])
    return replace(ran, status=np.where((size > 1.7) & (size < 1.9), ran.status | NEAR_SINGULAR, ran.status))


def never_outside(_: Door, ran: RunResult) -> RunResult:
    """Leaves the workspace without a word."""
    return replace(ran, status=ran.status & ~OUT_OF_WORKSPACE)


def never_too_large(_: Door, ran: RunResult) -> RunResult:
    """A rate leaves its range without a word."""
    return replace(ran, status=ran.status & ~STEP_TOO_LARGE)


def soon_too_large(door: Door, ran: RunResult) -> RunResult:
    """STEP_TOO_LARGE from a twentieth of the bound on."""
    beyond = np.abs(door.column(ran, "theta.rate")) > 25
    return replace(ran, status=np.where(beyond, ran.status | STEP_TOO_LARGE, ran.status))


def turned_over(door: Door, ran: RunResult) -> RunResult:
    """Change the sign of the whole quaternion wherever x is below zero: a right attitude, and it jumps."""
    columns = [door.names.index(f"attitude.{part}") for part in "wxyz"]
    ran.outputs[np.ix_(ran.outputs[:, columns[1]] < 0, np.array(columns))] *= -1
    return ran


CASES: dict[str, tuple[str, str, Callable[[Door, RunResult], RunResult], Check]] = {
    "not a number": ("slider_crank", "position", no_number, Check.FINITE),
    "unstable": ("slider_crank", "position", unstable, Check.REPEATED),
    "unflagged": ("slider_crank", "position", unflagged, Check.REJECTED),
    "unreplaced": ("slider_crank", "position", unreplaced, Check.REPLACED),
    "start": ("slider_crank", "startup", spoiled("theta", lambda theta: theta + 0.01), Check.START),
    "state": ("slider_crank", "dostep", spoiled("theta", lambda theta: theta + 1e5), Check.STATE_RANGE),
    "rate beyond its range": ("slider_crank", "dostep", never_too_large, Check.RATE_RANGE),
    "rate within its range": ("slider_crank", "dostep", soon_too_large, Check.STEP_FLAGS),
    "rate of a choice": ("rocker_four_bar", "dostep", never_too_large, Check.RATE_RANGE),
    "closure near a fold": ("folded", "position", spoiled("x", lambda x: x + 1e-6), Check.CLOSURE),
    "point": ("top", "position", spoiled("tip.x", lambda x: -x), Check.POINTS),
    "attitude": ("top", "position", spoiled("attitude.w", lambda w: w + 0.01), Check.ATTITUDES),
    "angle of a short line": ("brief", "position", spoiled("lean", lambda angle: 1.05 * angle), Check.ANGLES),
    "rate of a short line": ("brief", "velocity", spoiled("lean.rate", np.negative), Check.ANGLES),
    "acceleration of a short line": (
        "brief",
        "acceleration",
        spoiled("lean.acceleration", lambda second: -5 * second),
        Check.ANGLES,
    ),
    "distance": ("ends_meet", "position", spoiled("opening", lambda gap: gap + 1e-9), Check.DISTANCES),
    "rate of a distance": ("ends_meet", "velocity", spoiled("opening.rate", np.negative), Check.DISTANCES),
    "acceleration of a distance": (
        "ends_meet",
        "acceleration",
        spoiled("opening.acceleration", lambda second: 1.5 * second),
        Check.DISTANCES,
    ),
    "force of a pin": ("pendulum", "dynamics", spoiled("pin.x", lambda force: 1.001 * force), Check.REACTIONS),
    "alarm beside a line": ("ends_meet", "position", alarmed, Check.FALSE_ALARMS),
    "alarm beside an elevation": ("upright", "velocity", alarmed, Check.FALSE_ALARMS),
    "velocities beyond the workspace": ("parallel_robot", "velocity", never_outside, Check.MISSED_FLAGS),
    "dynamics beyond the workspace": ("parallel_robot", "dynamics", never_outside, Check.MISSED_FLAGS),
    "steps beyond the workspace": ("parallel_robot", "dostep", never_outside, Check.MISSED_FLAGS),
    "sign": ("top", "position", turned_over, Check.CONTINUITY),
    "ratio": ("rocker_four_bar", "dostep", spoiled("switch.ratio", lambda ratio: 1.1 * ratio), Check.RATIO),
    "rule": ("rocker_four_bar", "dostep", spoiled("choice", lambda choice: 1 - choice), Check.RULE),
    "root": ("rocker_four_bar", "dostep", spoiled("alternative.branch.L1", lambda branch: -branch), Check.ROOTS),
}


@dataclass
class Model:
    """An export, its interpreter and its reference, each made once."""

    export: Export
    runner: Runner
    setting: Setting

    def judged(self, name: str, spoil: Callable[[Door, RunResult], RunResult]) -> dict[Check, set[Outcome]]:
        """How every check of a function ended."""
        evidence = self.evidence(name, spoil)
        found: dict[Check, set[Outcome]] = {}
        for verdict in [*check_totality(evidence), *check_against_reference(evidence, self.setting)[0]]:
            found.setdefault(name_of(verdict.check), set()).add(verdict.outcome)
        return found

    def evidence(self, name: str, spoil: Callable[[Door, RunResult], RunResult], most: int | None = None) -> Evidence:
        """What is judged: the first vectors of the mix, or all."""
        function = next(each for each in self.export.manifest.functions if each.name == name)
        (lot,) = lots_of(self.export, function, COUNT, [self.setting], self.runner)
        made = replace(lot.made, rows=lot.made.rows[:most], kinds=lot.made.kinds[:most])
        door = Door(self.runner, tuple(field.name for field in function.row_outputs), spoil)
        ran, ones, limits = door.run(name, made.rows), np.ones(len(made.rows)), LIMITS[made.rows.dtype.name]
        domain = function_domain(self.export.manifest, function)
        return Evidence(self.export, function, domain, made, ran, ones, door.run, limits, str)

    @cached_property
    def sound(self) -> Callable[[str], dict[Check, set[Outcome]]]:
        """How they end on what the function gives."""
        return cache(lambda name: self.judged(name, lambda _, ran: ran))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Model]:
    """Models by name."""

    def make(name: str) -> Model:
        mechanism = MODELS[name]()
        program = program_of_mechanism(mechanism, "float32" if name in COARSE else "float64")
        export = write_export(program, tmp_path_factory.mktemp("fire") / name, canonical(mechanism))
        setting = Setting(NOMINAL_SET, export)
        return Model(export, interpreter_runner(program), setting)

    return cache(make)


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_fails_and_its_sound_twin_passes(model: Callable[[str], Model], case: str) -> None:
    name, function, spoil, check = CASES[case]
    sound = model(name).sound(function)
    assert Outcome.PASSED in sound[check]
    assert Outcome.FAILED not in sound[check]
    assert Outcome.FAILED in model(name).judged(function, spoil)[check]


@pytest.mark.parametrize(("name", "function"), [("ends_meet", "position"), ("upright", "velocity")])
def test_a_short_line_is_flagged_in_the_sound_twin(model: Callable[[str], Model], name: str, function: str) -> None:
    """Among the vectors are poses at which the angle has no value, or no rate, and which are rightly flagged."""
    status = model(name).evidence(function, lambda _, ran: ran).ran.status
    assert (status == NEAR_SINGULAR).any()


def test_a_switching_step_that_no_reference_judged_says_so(
    model: Callable[[str], Model], detector: Callable[..., None]
) -> None:
    """Without any vector; the check of that name is made where nothing was held, so that it never passes."""
    rocker = model("rocker_four_bar")
    assert Check.REFERENCE not in rocker.sound("dostep")
    detector(f"verdict: {Check.REFERENCE}", fired=False)
    (verdict,), _ = check_against_reference(rocker.evidence("dostep", lambda _, ran: ran, most=0), rocker.setting)
    assert (verdict.check, verdict.outcome) == (Check.REFERENCE, Outcome.NOTHING_COMPARED)
