"""Geometry follows tunable parameters, and relations between bodies keep their constants.

Oracles: closed forms, and Newton's method on the joints themselves (tests/data/loop_oracle.py), which shares no
mathematics with the exporter. The files of tests/data/mechanisms were made for this.
"""

import cmath
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from exporter.drawing.scene import scene_of
from exporter.dynamics.switching.choices import choices_of
from exporter.dynamics.switching.placed import seen_by
from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.baselines.raw_basis import Polynomial, raw_equations, usual_order
from exporter.kinematics.closures.numeric import closing_residuals, numbers_of
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.planar.complex_value import Complex
from exporter.kinematics.planar.planarity import why_spatial
from exporter.kinematics.planar.solution import solve_pose
from exporter.kinematics.planar.triangular import triangular_form
from exporter.kinematics.protocol.scope import Scope
from exporter.model.complete import with_independent, with_tunable
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.builder import Builder, Value
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal
from sil.reference.closures import closures_of
from sil.reference.motion import configuration
from sil.reference.skeleton import skeleton_of

MECHANISMS = Path(__file__).resolve().parents[2] / "data" / "mechanisms"
GRAVITY = 9.81
TRIG = (("s", math.sin), ("c", math.cos))


@pytest.fixture(scope="session")
def oracle(load_data_module: Callable[[str], ModuleType]) -> ModuleType:
    return load_data_module("loop_oracle")


def read(name: str) -> Mechanism:
    return read_mechanism(MECHANISMS / f"{name}.toml")


def changed(name: str, *changes: tuple[str, str]) -> Mechanism:
    """A file with texts replaced."""
    text = (MECHANISMS / f"{name}.toml").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_mechanism(text, "text")


def values_of(sequence: OperationSequence, given: Mapping[str, float]) -> dict[str, float]:
    """Outputs by name; an input that is not given is 0, a parameter that is not given nominal."""
    row = [float(given.get(each.name, each.nominal or 0)) for each in sequence.inputs]
    result = interpret(sequence, np.array([row]))
    assert int(result.status[0]) == 0
    return {each.signal.name: float(result.outputs[0, k]) for k, each in enumerate(sequence.outputs)}


def position(mechanism: Mechanism, **given: float) -> dict[str, float]:
    return values_of(functions.position(solved_mechanism(mechanism), "float64", contract=True), given)


def angle(found: Mapping[str, float], name: str) -> float:
    """An angle from its sine and cosine."""
    return math.atan2(found[f"{name}.sin"], found[f"{name}.cos"])


# -- relations between two bodies ----------------------------------------------------------------------------------


def on_the_guide(crank_angle: float, slope: float) -> tuple[float, float]:
    """Place of a block on a line through the origin: crank 0.2 m, rod 0.5 m, on the outer side."""
    seen = crank_angle - slope
    s = 0.2 * math.cos(seen) + math.sqrt(0.25 - (0.2 * math.sin(seen)) ** 2)
    return s * math.cos(slope), s * math.sin(slope)


@pytest.mark.parametrize(("name", "others"), [("guide_turned", {}), ("guide_space", {"lift": 0.25})])
@pytest.mark.parametrize("theta", [-2.5, -0.4, 0.6, 1.1, 2.8])
def test_a_closing_slide_keeps_its_frames_parallel(name: str, others: dict[str, float], theta: float) -> None:
    """Attitude 30 deg on a guide at 30 deg, and the rod's own angles, by closed form."""
    found = position(read(name), theta=theta, **others)
    x, y = on_the_guide(theta, math.radians(30))
    phi = math.atan2(y - 0.2 * math.sin(theta), x - 0.2 * math.cos(theta)) - theta
    assert found["attitude"] == pytest.approx(math.radians(30), abs=1e-14)
    assert [found["block.x"], found["block.y"]] == pytest.approx([x, y], abs=1e-14)
    assert math.remainder(angle(found, "phi") - phi, math.tau) == pytest.approx(0, abs=1e-14)
    assert math.remainder(angle(found, "psi") + theta + phi - math.radians(30), math.tau) == pytest.approx(0, abs=1e-13)


def test_either_choice_of_coordinates_sees_the_same_directions() -> None:
    """What bodies are turned by at phi = 0 follows from the choice; a pose of one is seen by the other as its own.

    The second pose is solved from the first one's psi: two ways to the same directions of crank, rod and block.
    """
    rates = 'rates = { theta = "10 rad/s"'
    mechanism = changed(
        "guide_turned",
        ('independent = ["theta"]', 'independent = ["theta"]\nalternative = ["psi"]'),
        (
            'ranges = { theta = ["-3 rad", "3 rad"]',
            'ranges = { theta = ["-3.2 rad", "3.2 rad"], psi = ["-1 rad", "1 rad"]',
        ),
        (rates, rates + ', psi = "10 rad/s"'),
    )
    choices = choices_of(mechanism)
    builder = Builder("pose", "float64", contract=False)
    scope = Scope(builder, mechanism)
    first, _ = solve_pose(choices.first.form, builder, scope, {"theta": builder.input(Signal("theta", "rad"))})
    psi = first.relative("psi")
    second, _ = solve_pose(choices.second.form, builder, scope, {"psi": builder.atan2(psi.im, psi.re)})
    seen = seen_by(choices.second, first)
    for body in ("crank", "rod", "block"):
        for number, value in enumerate((*_parts(seen.unit(body)), *_parts(second.unit(body)))):
            builder.output(Signal(f"{body}{number}", "1", group=Group.OUTPUT), value)
    outputs = interpret(builder.finish(), np.array([[0.9], [1.3]])).outputs
    for start in (0, 4, 8):
        assert outputs[:, start : start + 2] == pytest.approx(outputs[:, start + 2 : start + 4], abs=1e-12)


def _parts(vector: Complex) -> tuple[Value, Value]:
    return vector.re, vector.im


@pytest.mark.parametrize("name", ["guide_turned", "guide_space"])
def test_frames_that_are_half_a_turn_apart_are_not_closed(name: str) -> None:
    """A block at 210 deg on a guide at 30 deg: to the reference, and to what the engine judges by."""
    mechanism = read(name)
    theta = math.radians(60)
    x, y = on_the_guide(theta, math.radians(30))
    phi = math.atan2(y - 0.2 * math.sin(theta), x - 0.2 * math.cos(theta)) - theta
    values = {"lift": 0.0, "theta": theta, "phi": phi, "psi": math.radians(30) - theta - phi}
    row = np.array([[values[each] for each in mechanism.coordinates()]])
    turned = row.copy()
    turned[0, mechanism.coordinates().index("psi")] += math.pi
    reference = closures_of(skeleton_of(mechanism))
    for rows, closes in ((row, True), (turned, False)):
        residual = np.abs(reference.residual(configuration(rows))).max()
        judged = np.abs(closing_residuals(numbers_of(mechanism), rows, 0.5)["slide"]).max()
        assert bool(residual < 1e-12) is closes
        assert bool(judged < 1e-12) is closes


@pytest.mark.parametrize("driven", ["phi", "psi"])
def test_a_guide_driven_from_its_other_end(driven: str, oracle: ModuleType) -> None:
    """The angle between the frames goes where no independent angle is; the picture closes too. Oracle: Newton."""
    limits = {driven: CoordinateRange(Fraction(-1), Fraction(1), Fraction(1))}
    mechanism = with_independent(read("guide_turned"), [driven], ranges=limits)
    angle_rad = float(mechanism.pose[driven]) + 0.05
    found = position(mechanism, **{driven: angle_rad})
    wanted = oracle.Oracle(mechanism).solve([angle_rad])
    for name in {"theta", "phi", "psi"} - {driven}:
        assert math.remainder(angle(found, name) - wanted[name], math.tau) == pytest.approx(0, abs=1e-12)
    scene = scene_of(triangular_form(mechanism), wanted | {"slide.slide": 0.0})
    pin = next(pivot.at for pivot in scene.pivots if pivot.name == "psi")
    assert pin == pytest.approx(scene.rails[0].slider, abs=1e-12)


@pytest.mark.parametrize("name", ["planar10", "planar13", "slide_planar", "mp1", "mp2", "ms1", "ms2"])
def test_coordinates_are_those_that_close_the_loops(name: str, oracle: ModuleType) -> None:
    """Random poses, tunable parameters off nominal; oracle: Newton's method from the file's pose."""
    mechanism = read(name)
    sequence = functions.position(solved_mechanism(mechanism), "float64", contract=True)
    generator = np.random.Generator(np.random.Philox(7))
    for _ in range(2):
        parameters = {
            p.name: generator.uniform(float(p.minimum), float(p.maximum)) for p in mechanism.parameters if not p.frozen
        }
        given = {
            each: float(mechanism.pose[each]) + generator.uniform(-0.1, 0.1) * float(limits.maximum - limits.minimum)
            for each, limits in mechanism.ranges.items()
        }
        given = {
            each: min(max(value, float(mechanism.ranges[each].minimum)), float(mechanism.ranges[each].maximum))
            for each, value in given.items()
        }
        found = values_of(sequence, {**given, **parameters})
        wanted = oracle.Oracle(mechanism, parameters).solve([given[each] for each in mechanism.independent])
        for coordinate in set(mechanism.coordinates()) - set(mechanism.independent):
            turns = f"{coordinate}.sin" in found
            gap = (angle(found, coordinate) if turns else found[coordinate]) - wanted[coordinate]
            gap = math.remainder(gap, math.tau) if turns else gap
            assert gap == pytest.approx(0, abs=1e-11), f"{coordinate} at {given} and {parameters}"


WELDED = """
schema = 1
[mechanism]
name = "welded"
[bodies.bar]
frames = { end = { at = ["0.3 m", "0.1 m", "0"], turns = [["z", "25 deg"]] } }
[bodies.plate]
frames = { hole = { at = ["0.1 m", "-0.2 m", "0"], turns = [["z", "-40 deg"]] } }
points = { knob = ["0.4 m", "0", "0"] }
[joints.q]
type = "revolute"
parent = "ground"
child = "bar"
[joints.x]
type = "planar"
coordinates = ["x", "y", "turn"]
parent = "ground"
child = "plate"
[joints.weld]
type = "fixed"
parent = "bar.end"
child = "plate.hole"
closes = true
[coordinates]
independent = ["q"]
pose = { q = "0.2 rad" }
ranges = { q = ["-1 rad", "1 rad"] }
rates = { q = "1 rad/s" }
"""


def test_a_weld_that_closes_a_loop_keeps_the_angle_between_its_frames() -> None:
    """A plate on a planar joint, welded to a bar: turned by q + 25 + 40 deg."""
    found = position(parse_mechanism(WELDED, "text"), q=0.7)
    turn, x, y = welded_plate(0.7)
    assert angle(found, "turn") == pytest.approx(turn, abs=1e-14)
    assert [found["x"], found["y"]] == pytest.approx([x, y], abs=1e-14)


def welded_plate(q: float) -> tuple[float, float, float]:
    """Angle and place of the plate, by turning vectors."""
    turn = q + math.radians(65)
    place = (0.3 + 0.1j) * cmath.exp(1j * q) - (0.1 - 0.2j) * cmath.exp(1j * turn)
    return turn, place.real, place.imag


def test_slides_that_ask_for_two_attitudes_of_one_body_are_refused() -> None:
    """The block of a guide at 30 deg slides on the ground's x axis too, its frames parallel there."""
    more = '[joints.rail]\ntype = "prismatic"\nparent = "ground"\nchild = "block"\ncloses = true\n[coordinates]'
    with pytest.raises(ModelError, match=r"'(slide|rail)' does not close"):
        solved_mechanism(changed("guide_turned", ("[coordinates]", more)))


def test_the_raw_closures_hold_what_a_weld_keeps_parallel() -> None:
    """The raw closures vanish at the welded pose by closed form, and not where the plate is turned elsewhere."""
    mechanism = parse_mechanism(WELDED, "text")
    equations = raw_equations(mechanism, usual_order(mechanism))

    def largest(q: float, turn: float, x: float, y: float) -> float:
        values = {"d.x": x, "d.y": y}
        values |= {f"{letter}.{name}": call(a) for name, a in (("q", q), ("turn", turn)) for letter, call in TRIG}
        return max(abs(relative(each, values)) for each in equations)

    turn, x, y = welded_plate(0.7)
    assert largest(0.7, turn, x, y) < 1e-14
    loose = (0.3 + 0.1j) * cmath.exp(0.7j) - (0.1 - 0.2j) * cmath.exp(0.7j)
    assert largest(0.7, 0.7, loose.real, loose.imag) > 1e-3


def relative(polynomial: Polynomial, values: Mapping[str, float]) -> float:
    """A polynomial's value over the sum of its terms' sizes."""
    terms = [
        float(factor)
        * math.prod(values[name] ** power for name, power in zip(polynomial.variables, powers, strict=True))
        for powers, factor in polynomial.terms
    ]
    return sum(terms) / sum(map(abs, terms))


# -- tunable geometry ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slope_deg", [0.0, 10.0, 27.0, 40.0])
@pytest.mark.parametrize("r", [0.1, 0.28])
def test_a_guide_is_turned_by_a_tunable_slope(slope_deg: float, r: float) -> None:
    """Place by closed form, and the accelerations by the equation of motion of one sliding mass."""
    mechanism, slope, theta, omega = read("angle_tunable"), math.radians(slope_deg), 0.9, 3.0
    parameters = {"slope": slope, "r": r}

    def along(angle: float) -> float:
        return r * math.cos(angle - slope) + math.sqrt(0.25 - (r * math.sin(angle - slope)) ** 2)

    found = position(mechanism, theta=theta, **parameters)
    s = along(theta)
    assert found["s"] == pytest.approx(s, abs=1e-14)
    assert [found["place.x"], found["place.y"]] == pytest.approx([s * math.cos(slope), s * math.sin(slope)], abs=1e-14)
    solved = solved_mechanism(mechanism)
    dynamics = values_of(
        functions.dynamics(solved, "float64", contract=True), {"theta": theta, "theta.rate": omega, **parameters}
    )
    first = (along(theta + 1e-5) - along(theta - 1e-5)) / 2e-5
    second = (along(theta + 1e-4) - 2 * s + along(theta - 1e-4)) / 1e-8
    expected = (-GRAVITY * math.sin(slope) - second * omega**2) / first
    assert dynamics["theta.acceleration"] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("tilt_deg", [0.0, 33.0, 40.0])
def test_an_open_chain_is_tilted_by_a_tunable_angle(tilt_deg: float) -> None:
    """Closed form: Rx(tilt) Rz(theta) ([r, 0, 0] + Ry(phi) [0.5, 0, 0])."""
    tilt, theta, phi, r = math.radians(tilt_deg), 0.7, -0.5, 0.27
    found = position(read("angle_tunable_space"), theta=theta, phi=phi, tilt=tilt, r=r)
    x, z = r + 0.5 * math.cos(phi), -0.5 * math.sin(phi)
    flat = np.array([x * math.cos(theta), x * math.sin(theta), z])
    place = [
        flat[0],
        flat[1] * math.cos(tilt) - flat[2] * math.sin(tilt),
        flat[1] * math.sin(tilt) + flat[2] * math.cos(tilt),
    ]
    assert [found[f"place.{axis}"] for axis in "xyz"] == pytest.approx(place, abs=1e-14)


@pytest.mark.parametrize("h", [0.5, 1.0, 1.7])
def test_a_height_above_the_plane_is_tunable(h: float) -> None:
    """A crank on a stand: z is the stand's height."""
    found = position(read("height_tunable2"), theta=0.4, h=h, a=0.25)
    assert [found[f"tip.{axis}"] for axis in "xyz"] == pytest.approx(
        [0.25 * math.cos(0.4), 0.25 * math.sin(0.4), h], abs=1e-15
    )


def test_a_loop_that_closes_at_nominal_heights_only_is_refused() -> None:
    """The stand of the crank is tunable, that of the rocker is not."""
    with pytest.raises(ModelError, match=r"'k' does not close at h = 0\.05 m.*0\.05 m apart"):
        solved_mechanism(read("height_loop"))


def test_a_loop_whose_heights_move_together_closes() -> None:
    """The loop with both stands on h, a sound twin of the one above: the heights of both pins are h."""
    outputs = '[outputs]\npin = "crank.pin"\nother = "rocker.pin"\n'
    mechanism = changed(
        "height_loop", ('"0.6 m", "0", "0.1 m"', '"0.6 m", "0", "h"'), ("[coordinates]", outputs + "[coordinates]")
    )
    found = position(mechanism, theta=1.0, h=0.17)
    assert [found["pin.z"], found["other.z"]] == pytest.approx([0.17, 0.17], abs=1e-15)


@pytest.mark.parametrize("slope_deg", [0.0, 10.0, 31.0])
def test_a_closing_guide_is_turned_by_a_tunable_slope(slope_deg: float) -> None:
    """The constant of a closing slide is a value of the sequence too."""
    parameter = '[parameters]\nslope = { value = "30 deg", range = ["0 deg", "40 deg"] }\n[ground]'
    mechanism = changed("guide_turned", ('"30 deg"', '"slope"'), ("[ground]", parameter))
    slope, theta = math.radians(slope_deg), 1.0
    found = position(mechanism, theta=theta, slope=slope)
    x, y = on_the_guide(theta, slope)
    phi = math.atan2(y - 0.2 * math.sin(theta), x - 0.2 * math.cos(theta)) - theta
    assert found["attitude"] == pytest.approx(slope, abs=1e-14)
    assert [found["block.x"], found["block.y"]] == pytest.approx([x, y], abs=1e-14)
    assert math.remainder(angle(found, "psi") + theta + phi - slope, math.tau) == pytest.approx(0, abs=1e-13)


def test_a_plane_that_a_tunable_angle_tilts_is_solved_in_space() -> None:
    """Nominal tilt 0 looks planar; with the angle frozen it is."""
    tilted = 'frames = { base = { at = ["0", "0", "0"], turns = [["x", "slope"]] } }'
    nominal = 'slope = { value = "0 deg", range = ["0 deg", "40 deg"] }'
    mechanism = changed(
        "angle_tunable",
        ('frames = { base = { at = ["0", "0", "0"], turns = [["z", "slope"]] } }', tilted),
        ('slope = { value = "10 deg", range = ["0 deg", "40 deg"] }', nominal),
    )
    assert why_spatial(mechanism) == "the tunable slope turns ground.base out of the plane of motion"
    assert why_spatial(with_tunable(mechanism, ["r"])) == ""


GUIDE = '[joints.guide]\ntype = "prismatic"\naxis = "y"\nparent = "ground"\nchild = "platform"\ncloses = true\n\n'


def test_a_guide_that_is_redundant_for_equal_arms_only_is_not_dropped() -> None:
    """A scissor lift rises straight where all arms are as long: where they are one parameter, not two."""
    text = model_path("scissor_lift").read_text().replace("[coordinates]", f"{GUIDE}[coordinates]")
    one = text.replace(", frozen = true", "")
    assert any("'guide'" in note for note in solved_mechanism(parse_mechanism(one, "text")).notes)
    line = next(line for line in one.splitlines() if line.startswith("arm = "))
    two = one.replace(line, f"{line}\n{line.replace('arm =', 'other =')}")
    falling = two.index("[bodies.falling]")
    two = two[:falling] + two[falling:].replace('"arm', '"other', 2)
    with pytest.raises(ModelError):
        solved_mechanism(parse_mechanism(two, "text"))
