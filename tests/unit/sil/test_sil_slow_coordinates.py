"""Coordinates that are slow, or light, beside the others are judged by what their own motion is a sum of.

Rates and accelerations of a crank whose eccentricity is a ten-thousandth of its rod, slopes at a thousandth, and of a
fan beside a heavy arm. What comes out of their functions is made wrong in one coordinate.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from model_texts import slider_crank_joints

from exporter.export import Export, write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.library import model_path
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.program import Program
from sil.against_reference import check_against_reference
from sil.check_names import Check, name_of
from sil.evidence import Evidence
from sil.function_vectors import lots_of
from sil.limits import LIMITS
from sil.options import Options
from sil.parameter_sets import NOMINAL_SET, function_domain
from sil.runners.runner import interpreter_runner
from sil.setting import Setting
from sil.verdict import Outcome

ECCENTRIC = """schema = 1
[mechanism]
name = "eccentric"
[bodies.crank]
points = { pin = ["0.05 mm", "0", "0"] }
[bodies.rod]
points = { wrist = ["500 mm", "0", "0"] }
[bodies.piston]
[coordinates]
independent = ["theta"]
pose = { theta = "60 deg", x = "0.5 m" }
ranges = { theta = ["-100 rad", "100 rad"] }
rates = { theta = "400 rad/s" }
""" + slider_crank_joints("theta", "phi", "x", "wrist", "wrist")
FAN = """schema = 1
[mechanism]
name = "fan"
gravity = ["0", "-9.81 m/s^2", "0"]
[bodies.arm]
mass = "10 kg"
center_of_mass = ["0.5 m", "0", "0"]
inertia = { zz = "1 kg*m^2" }
points = { tip = ["1 m", "0", "0"] }
[bodies.fore]
mass = "8 kg"
center_of_mass = ["0.4 m", "0", "0"]
inertia = { zz = "1 kg*m^2" }
[bodies.needle]
mass = "0.05 kg"
center_of_mass = ["10 mm", "0", "0"]
inertia = { zz = "3e-5 kg*m^2" }
[joints.q1]
type = "revolute"
parent = "ground"
child = "arm"
[joints.q2]
type = "revolute"
parent = "arm.tip"
child = "fore"
[joints.q3]
type = "revolute"
parent = "ground"
child = "needle"
[coordinates]
independent = ["q1", "q2", "q3"]
pose = { q1 = "30 deg", q2 = "20 deg", q3 = "-80 deg" }
ranges = { q1 = ["-7 rad", "7 rad"], q2 = ["-7 rad", "7 rad"], q3 = ["-7 rad", "7 rad"] }
rates = { q1 = "5 rad/s", q2 = "5 rad/s", q3 = "5 rad/s" }
"""
MODELS = {"eccentric": ECCENTRIC, "less eccentric": ECCENTRIC.replace("0.05 mm", "0.5 mm"), "fan": FAN}
MODELS["backhoe"] = model_path("backhoe").read_text()
LOADER = Path(__file__).resolve().parents[2] / "data" / "practice" / "loader_zbar.toml"
MODELS["loader"] = LOADER.read_text()
MODELS["rover"] = LOADER.with_name("rover.toml").read_text()
COUNT = Options(count=200)
Judged = Callable[..., dict[Check, set[Outcome]]]


@pytest.fixture(scope="module", params=["float32", "float64"])
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """How checks end on a function, some of whose outputs are changed."""

    @cache
    def exported(model: str) -> tuple[Export, Program, Setting]:
        mechanism = parse_mechanism(MODELS[model], model)
        program = program_of_mechanism(mechanism, request.param)
        export = write_export(program, tmp_path_factory.mktemp("slow") / model, canonical(mechanism))
        return export, program, Setting(NOMINAL_SET, export)

    def judge(
        model: str,
        name: str,
        changed: Callable[[Evidence], Evidence] = lambda sound: sound,
        given: dict[str, float] | None = None,
    ):
        export, program, setting = exported(model)
        runner = interpreter_runner(program)
        function = next(each for each in export.manifest.functions if each.name == name)
        (lot,) = lots_of(export, function, COUNT, [setting], runner)
        for signal, value in (given or {}).items():
            lot.made.rows[:, [each.name for each in function.row_inputs].index(signal)] = value
        ran, ones = runner.run(name, lot.made.rows), np.ones(len(lot.made.rows))
        domain, limits = function_domain(export.manifest, function), LIMITS[request.param]
        sound = Evidence(export, function, domain, lot.made, ran, ones, runner.run, limits, str)
        found: dict[Check, set[Outcome]] = {}
        for verdict in check_against_reference(changed(sound), setting)[0]:
            found.setdefault(name_of(verdict.check), set()).add(verdict.outcome)
        return found

    return judge


def reversed_output(signal: str) -> Callable[[Evidence], Evidence]:
    """One output with the other sign."""

    def change(sound: Evidence) -> Evidence:
        outputs = sound.ran.outputs.copy()
        outputs[:, [each.name for each in sound.function.row_outputs].index(signal)] *= -1
        return replace(sound, ran=replace(sound.ran, outputs=outputs))

    return change


def driven_backwards(sound: Evidence) -> Evidence:
    """Rates of the first coordinate that its acceleration has changed the other way."""
    before = [each.name for each in sound.function.row_inputs].index("q1.rate")
    after = [each.name for each in sound.function.row_outputs].index("q1.rate")
    outputs = sound.ran.outputs.copy()
    rows = sound.unflagged
    outputs[rows, after] = 2 * sound.vectors.rows[rows, before] - outputs[rows, after]
    return replace(sound, ran=replace(sound.ran, outputs=outputs))


def gyration_reversed(sound: Evidence) -> Evidence:
    """Forces that come from rates with the other sign: a(0) less what the rates add to it."""
    resting = sound.vectors.rows.copy()
    resting[:, [each.name.endswith(".rate") for each in sound.function.row_inputs]] = 0
    outputs = 2 * sound.call(sound.function.name, resting).outputs - sound.ran.outputs
    return replace(sound, ran=replace(sound.ran, outputs=outputs))


def stretched_pair(angle: str, part: float) -> Callable[[Evidence], Evidence]:
    """Sine and cosine of an angle, both larger by some rounding units."""

    def change(sound: Evidence) -> Evidence:
        names, outputs = [each.name for each in sound.function.row_outputs], sound.ran.outputs.copy()
        for signal in (f"{angle}.sin", f"{angle}.cos"):
            outputs[:, names.index(signal)] *= 1 + part * 2 * sound.limits.unit
        return replace(sound, ran=replace(sound.ran, outputs=outputs))

    return change


CASES = {
    "rate": ("eccentric", "velocity", reversed_output("x.rate"), Check.VELOCITIES),
    "slope": ("less eccentric", "velocity", reversed_output("x.rate"), Check.VELOCITY_SLOPES),
    "acceleration": ("eccentric", "acceleration", reversed_output("x.acceleration"), Check.ACCELERATIONS),
    "slope of a rate": ("less eccentric", "acceleration", reversed_output("x.acceleration"), Check.ACCELERATION_SLOPES),
    "heavy": ("fan", "dynamics", reversed_output("q1.acceleration"), Check.DYNAMICS),
    "light": ("fan", "dynamics", reversed_output("q3.acceleration"), Check.DYNAMICS),
    "gyration": ("fan", "dynamics", gyration_reversed, Check.DYNAMICS),
    "step": ("fan", "dostep", driven_backwards, Check.STEP),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_in_one_coordinate_fails_and_its_sound_twin_passes(judged: Judged, case: str) -> None:
    """Whatever the others do."""
    model, function, change, check = CASES[case]
    assert Outcome.PASSED in judged(model, function)[check]
    assert Outcome.FAILED not in judged(model, function)[check]
    assert Outcome.FAILED in judged(model, function, change)[check]


@pytest.mark.parametrize("name", ["velocity", "acceleration"])
def test_spins_that_cancel_are_told_to_their_rounding(judged: Judged, name: str) -> None:
    """Boom and dipper turn against each other: the bucket's loop rests, and its rates are rounding in both answers."""
    check = Check.VELOCITIES if name == "velocity" else Check.ACCELERATIONS
    given = {"lift.rate": -0.7, "crowd.rate": 0.7, "curl.rate": 0.0}
    if name == "acceleration":
        given |= {f"{joint}.acceleration": value for joint, value in (("lift", 700), ("crowd", -700), ("curl", 0))}
    assert judged("backhoe", name, given=given)[check] == {Outcome.PASSED}
    wrong = reversed_output(f"boom_turn.{'rate' if name == 'velocity' else name}")
    assert Outcome.FAILED in judged("backhoe", name, wrong, given=given)[check]


def test_a_loop_that_rests_beside_one_that_moves_is_not_judged_by_rounding_of_the_reference(judged: Judged) -> None:
    """The arm of a loader lifts at 1e-35 rad/s while its bucket tilts; lifted at 1e-12 rad/s, a wrong sign is told."""
    resting, slow = {"lift.rate": 1e-35, "tilt.rate": -0.19}, {"lift.rate": 1e-12, "tilt.rate": -0.19}
    wrong = reversed_output("arm_angle.rate")
    assert judged("loader", "velocity", given=resting)[Check.VELOCITIES] == {Outcome.PASSED}
    assert judged("loader", "velocity", given=slow)[Check.VELOCITIES] == {Outcome.PASSED}
    assert judged("loader", "velocity", wrong, given=slow)[Check.VELOCITIES] == {Outcome.FAILED}


def test_a_pair_may_be_off_the_unit_circle_by_what_its_pose_makes_of_rounding(judged: Judged) -> None:
    """A rod of 0.15 m that is told by places of a rover of 1.1 m: 25 rounding units are its due, 2,500 are not."""
    due, wrong = stretched_pair("left_rod_a", 25), stretched_pair("left_rod_a", 2500)
    assert judged("rover", "position", due)[Check.CLOSURE] == {Outcome.PASSED}
    assert Outcome.FAILED in judged("rover", "position", wrong)[Check.CLOSURE]
