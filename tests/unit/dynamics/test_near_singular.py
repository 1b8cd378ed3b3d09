"""Near a singular pose a flag comes before an output is wrong by a hundredth (float32) or five millionths (float64).

The oracle is the same sequence in 50 digits. An error counts relative to the largest output of like unit in the row, at
these rates and inputs, at rest and without inputs, or to the square of the largest rate: what cancels to zero in a
regular pose is no sign of a singular one. Right values of single cases are by hand.
"""

from pathlib import Path

import mpmath
import numpy as np
import pytest
from exact_interpreter import interpret_exact
from model_texts import slider_crank_joints
from numpy.typing import NDArray

from exporter.dynamics.resistance import _medians, resistances
from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.functions.mechanism import functions_of
from exporter.functions.program import program_of_mechanism
from exporter.kinematics.engine import solved_mechanism
from exporter.model.complete import with_tunable
from exporter.model.library import model_path
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence, Precision
from exporter.sequence.status import BITS

DATA = Path(__file__).resolve().parents[2] / "data" / "near_singular"
NEAR_SINGULAR = 1 << BITS["NEAR_SINGULAR"][0]
TOLERANCE: dict[Precision, float] = {"float32": 1e-2, "float64": 5e-6}
NEAREST, FARTHEST, ROWS = -6.0, -0.5, 7  # powers of ten of the way to the flag
FALSE_ALARM: dict[Precision, float] = {"float32": 5e-7, "float64": 5e-11}  # of a flag where the error is less

PATHS = {  # towards a singular pose: file, coordinates of a regular pose, of one beyond
    "by_piston": ({"s": 0.4}, {"s": 0.249}),
    "by_piston, stretched": ({"s": 0.4}, {"s": 0.551}),
    "rocker_four_bar": ({}, {"alpha1": -1.0}),
    "change_point_parallelogram": ({}, {"theta2": np.pi}),
    "parallel_robot": ({}, {"x": 0.5, "y": 0.5, "theta": 0.0}),
    "rssr_by_rocker": ({"rocker": 2.18}, {"rocker": 2.7}),
    "tip": ({"a": 0.3, "b": 1.0}, {"a": 0.3, "b": 1e-5}),
    "pole_offset": ({"azimuth": 0.3, "polar": -0.3}, {"azimuth": 0.4, "polar": 0.7086262721}),
    "freebody": ({"theta": 0.2}, {"theta": np.pi / 2}),
    "massless_crank": ({}, {"theta": 1e-12}),
}
SMALL_THERE = ("massless_crank", "change_point_parallelogram")
"""Paths on which errors stay small: what vanishes is a product that is as accurate as ever, or two folds cancel."""
SPEEDS = (0.37, -0.61, 0.83, 0.29, -0.47, 0.71)


def sequences(name: str, precision: Precision) -> dict[str, OperationSequence]:
    files = [folder / f"{name}.toml" for folder in (DATA, DATA.parent / "mechanisms")]
    file = next((each for each in files if each.exists()), None) or model_path(name)
    mechanism = with_tunable(read_mechanism(file), ())
    wanted = [each for each in functions_of(mechanism) if each in ("velocity", "acceleration", "dynamics")]
    program = program_of_mechanism(mechanism, precision, only=wanted)
    return {function.name: function for function in program.functions if function.outputs}


def rows_between(sequence: OperationSequence, start: dict[str, float], end: dict[str, float]) -> NDArray[np.float64]:
    """Both ends; whatever is no coordinate is a part of its bound."""
    rows = np.zeros((2, len(sequence.inputs)))
    for k, signal in enumerate(sequence.inputs):
        speed = SPEEDS[k % len(SPEEDS)] * float(signal.maximum or 0)
        nominal = float(signal.nominal or 0) if signal.unit in ("rad", "m") else speed
        rows[:, k] = [side.get(signal.name, nominal) for side in (start, end)]
    return rows


def part_before_flag(sequence: OperationSequence, ends: NDArray[np.float64]) -> float:
    """How far from the first row to the second the status stays 0, by bisection."""
    low, high = 0.0, 1.0
    status = interpret(sequence, ends).status
    assert status[0] == 0, "the path starts in a regular pose"
    assert status[1], "the path ends where a flag is set"
    for _ in range(60):
        middle = (low + high) / 2
        good = interpret(sequence, ends[:1] + middle * (ends[1:] - ends[:1])).status[0] == 0
        low, high = (middle, high) if good else (low, middle)
    flagged = interpret(sequence, ends[:1] + high * (ends[1:] - ends[:1])).status[0]
    assert flagged & NEAR_SINGULAR, "the first flag on the way is that of a singular pose"
    return low


def errors(sequence: OperationSequence, row: NDArray[np.floating]) -> float:
    """The error of the worst output of an unflagged row, relative as the docstring of this file has it."""
    moving = [k for k, signal in enumerate(sequence.inputs) if signal.unit not in ("rad", "m")]
    rates = [k for k in moving if sequence.inputs[k].unit in ("rad/s", "m/s")]
    made = interpret(sequence, row[None]).outputs[0]
    right, _ = interpret_exact(sequence, row.tolist())
    sizes = [abs(value) for value in right]
    for kept in ([], rates):
        resting = [0.0 if k in moving and k not in kept else value for k, value in enumerate(row.tolist())]
        sizes = [
            max(size, abs(value)) for size, value in zip(sizes, interpret_exact(sequence, resting)[0], strict=True)
        ]
    units = [output.signal.unit.replace("rad", "1").replace("m", "1") for output in sequence.outputs]
    fastest = max((abs(row[k]) for k in rates), default=0.0)
    least = {"1": mpmath.mpf(1), "1/s^2": mpmath.mpf(float(fastest)) ** 2}
    worst = mpmath.mpf(0)
    for unit, value, wanted in zip(units, made, right, strict=True):
        size = max(each for each, its in zip(sizes, units, strict=True) if its == unit)
        worst = max(worst, abs(mpmath.mpf(float(value)) - wanted) / max(size, least.get(unit, mpmath.mpf("1e-30"))))
    return float(worst)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("path", PATHS)
def test_flag_comes_before_the_error(path: str, precision: Precision) -> None:
    """On the way to the flag no output is off by more than the tolerance, and the flag does not come much too early."""
    worst = 0.0
    for sequence in sequences(path.partition(",")[0], precision).values():
        if not any(condition.name == "NEAR_SINGULAR" for condition in sequence.conditions):
            continue
        ends = rows_between(sequence, *PATHS[path])
        whole = part_before_flag(sequence, ends)
        parts = whole * (1 - np.array([0.0, *10 ** np.linspace(NEAREST, FARTHEST, ROWS - 1)]))
        rows = (ends[0] + parts[:, None] * (ends[1] - ends[0])).astype(precision)
        unflagged = rows[interpret(sequence, rows).status == 0]
        assert len(unflagged) >= ROWS - 2
        found = max(errors(sequence, row) for row in unflagged)
        assert found < TOLERANCE[precision], sequence.name
        worst = max(worst, found)
    assert worst > FALSE_ALARM[precision] or path in SMALL_THERE


def test_masses_and_inertias_of_all_sizes_have_scales_of_their_own() -> None:
    """heavy_and_light: 96.15 rad/s^2 by hand in float32, without a flag; kg and kg m^2 do not share a threshold."""
    sequence = sequences("heavy_and_light", "float32")["dynamics"]
    row = [{"u": 1.0}.get(signal.name, 0.0) for signal in sequence.inputs]
    result = interpret(sequence, np.array([row]))
    values = {output.signal.name: value for output, value in zip(sequence.outputs, result.outputs[0], strict=True)}
    assert result.status[0] == 0
    inertia = np.array([[8000 + 1.04 + 0.01 + 0.0004, 0.0204 + 0.01], [0.0204 + 0.01, 0.0104]])
    inertia[0, 0] = 8000 + 0.01 + 1.02**2
    inertia[0, 1] = inertia[1, 0] = 0.01 + 0.02 * 1.02
    assert values["spin.acceleration"] == pytest.approx(np.linalg.solve(inertia, [0.0, 1.0])[1], rel=1e-5)
    assert values["spin.acceleration"] == pytest.approx(96.15, abs=0.02)


@pytest.mark.parametrize("mass", [1e-3, 1e3])
def test_tunable_masses_keep_their_scale_over_the_range(mass: float) -> None:
    """The wheel from 1 g to 1 t on the same turntable: no flag, and the acceleration of a rigid pair by numpy."""
    text = (DATA / "heavy_and_light.toml").read_text().replace('mass = "1 kg"', 'mass = "m"')
    text = text.replace('inertia = { zz = "0.01 kg*m^2" }', 'inertia = { zz = "m*k" }')
    text = text.replace(
        "[inputs]",
        '[parameters]\nk = { value = "0.01 m^2", frozen = true }\n'
        'm = { value = "1 kg", range = ["1 g", "1 t"] }\n\n[inputs]',
    )
    solved = solved_mechanism(parse_mechanism(text, "table"))
    sequence = functions.dynamics(solved, "float32", contract=True)
    row = [{"u": 1.0, "m": mass}.get(signal.name, 0.0) for signal in sequence.inputs]
    result = interpret(sequence, np.array([row]))
    assert result.status[0] == 0
    coupling = mass * (0.01 + 0.02 * 1.02)
    inertia = np.array([[8000 + mass * (0.01 + 1.02**2), coupling], [coupling, mass * 0.0104]])
    right = np.linalg.solve(inertia, [0.0, 1.0])
    assert result.outputs[0, -2:] == pytest.approx(right, rel=1e-4)


def test_what_rests_but_for_rounding_is_moved_by_no_coordinate() -> None:
    """The digger's cylinders stand in a row: the boom rests while the second and the third move, by its structure."""
    boom, stick, bucket = resistances(read_mechanism(model_path("excavator")))
    assert boom.masses["boom"] > 0
    assert boom.moments["bucket"] > 0
    resting = ("boom", "barrel1", "rod1")
    assert [part for name in resting for part in (stick.masses[name], stick.moments[name])] == [0] * 6
    resting = (*resting, "stick", "barrel2", "rod2")
    assert [part for name in resting for part in (bucket.masses[name], bucket.moments[name])] == [0] * 12
    assert bucket.masses["bucket"] > 0
    assert stick.masses["bucket"] > 0


def test_nearly_parallel_axes_are_told_in_every_state() -> None:
    """Accelerations of 1e7 that are wrong in the second digit come with the flag, in float64; kinematics stay clean."""
    found = sequences("nearly_parallel", "float64")
    rows = np.random.default_rng(1).uniform(-0.5, 0.5, (50, 4))
    assert (interpret(found["dynamics"], rows).status & NEAR_SINGULAR).all()
    assert not interpret(found["velocity"], rows).status.any()


def test_mass_matrix_without_rank_in_any_pose_is_refused() -> None:
    """A massless rod between two balls, with the coordinates that its spin moves."""
    mechanism = read_mechanism(DATA / "massless_between_balls.toml")
    with pytest.raises(ModelError, match=r"singular in every pose: no body with mass resists a motion of a3, b1, b3"):
        program_of_mechanism(mechanism, "float64")


def test_same_rod_with_inertia_is_exported() -> None:
    """The sound twin: a slender rod with a little inertia about its own line too."""
    text = (DATA / "massless_between_balls.toml").read_text()
    inertia = 'mass = "1 kg"\ninertia = { xx = "0.001 kg*m^2", yy = "0.02 kg*m^2", zz = "0.02 kg*m^2" }\npoints'
    program = program_of_mechanism(parse_mechanism(text.replace("points", inertia, 1), "balls"), "float64")
    (dynamics,) = (function for function in program.functions if function.name == "dynamics")
    rows = np.random.default_rng(1).uniform(-0.9, 0.9, (50, len(dynamics.inputs)))
    assert not interpret(dynamics, rows).status.any()


@pytest.mark.parametrize("nominal", ["0 m", "1 mm"])
def test_what_only_other_parameters_resist_is_refused(nominal: str) -> None:
    """A point mass on the spin's axis at the nominal arm and off it at others; with an arm of 1 mm it is exported."""
    text = (DATA / "heavy_and_light.toml").read_text().replace('["0.02 m", "0", "0"]', '["arm", "0", "0"]')
    text = text.replace('inertia = { zz = "0.01 kg*m^2" }', "")
    arm = f'arm = {{ value = "{nominal}", range = ["-0.1 m", "0.1 m"], signed = true }}'
    mechanism = parse_mechanism(text.replace("[inputs]", f"[parameters]\n{arm}\n\n[inputs]"), "table")
    if nominal != "0 m":
        assert program_of_mechanism(mechanism, "float64").functions
        return
    with pytest.raises(ModelError, match=r"resists a motion of spin at the nominal values of the tunable parameters"):
        program_of_mechanism(mechanism, "float64")


LARGE_PRESS = """
schema = 1
[mechanism]
name = "press"
gravity = ["0", "-9.81 m/s^2", "0"]
[bodies.crank]
points = { pin = ["r", "0", "0"] }
[bodies.rod]
points = { wrist = ["l", "0", "0"] }
[bodies.piston]
mass = "1 kg"
[coordinates]
independent = ["theta"]
pose = { theta = "0", x = "POSE m" }
ranges = { theta = ["-3 rad", "3 rad"] }
rates = { theta = "1 rad/s" }
[parameters]
r = { value = "CRANK m", frozen = true }
l = { value = "ROD m", frozen = true }
""" + slider_crank_joints("theta", "phi", "x", "wrist", "wrist")


@pytest.mark.parametrize("size", [1e-4, 1.0, 50.0, 5000.0])
def test_rank_is_asked_where_the_design_pose_is_a_dead_centre_of_any_size(size: float) -> None:
    """A massless crank at its dead centre moves a piston in every other pose; the acceleration by Lagrange's equation.

    x = r cos a + root, root = sqrt(l^2 - r^2 sin^2 a): the piston alone has mass, and gravity does no work along x, so
    that the acceleration of x vanishes: a'' = -x_aa a'^2 / x_a.
    """
    text = LARGE_PRESS.replace("POSE", f"{4 * size:f}").replace("CRANK", f"{size:f}").replace("ROD", f"{3 * size:f}")
    sequence = functions.dynamics(solved_mechanism(parse_mechanism(text, "press")), "float64", contract=True)
    angle, rate = 1.0, 0.5
    sine, cosine = np.sin(angle), np.cos(angle)
    root = np.sqrt(9 - sine**2)
    first = -sine - sine * cosine / root
    second = -cosine - (cosine**2 - sine**2) / root - (sine * cosine) ** 2 / root**3
    result = interpret(sequence, np.array([[angle, rate]]))
    assert result.status[0] == 0
    assert result.outputs[0, -1] == pytest.approx(-second * rate**2 / first, rel=1e-12)


SCREEN = """
schema = 1
[mechanism]
name = "screen"
gravity = ["0", "-9.81 m/s^2", "0"]
[bodies.crank]
inertia = { zz = "1e-4 kg*m^2" }
mass = "0.2 kg"
points = { pin = ["20 mm", "0", "0"] }
[bodies.deck]
mass = "10 kg"
center_of_mass = ["1 m", "0", "0"]
inertia = { zz = "30 kg*m^2" }
points = { mid = ["1 m", "-0.1 m", "0"] }
[bodies.bob]
mass = "0.5 kg"
center_of_mass = ["0", "-0.2 m", "0"]
inertia = { zz = "0.002 kg*m^2" }
[bodies.cart]
mass = "1 kg"
[joints.theta]
type = "revolute"
parent = "ground"
child = "crank"
axis = "-z"
[joints.phi]
type = "revolute"
parent = "crank.pin"
child = "deck"
[joints.hang]
type = "revolute"
parent = "deck.mid"
child = "bob"
[joints.x]
type = "prismatic"
parent = "ground"
child = "cart"
[joints.y]
type = "prismatic"
axis = "y"
parent = "cart"
child = "deck"
closes = true
[coordinates]
independent = ["theta", "hang"]
pose = { theta = "-60 deg", phi = "-60 deg", hang = "10 deg", x = "10 mm" }
ranges = { theta = ["-3 rad", "3 rad"], hang = ["-1 rad", "1 rad"] }
rates = { theta = "100 rad/s", hang = "10 rad/s" }
"""


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_no_flag_where_a_body_that_cannot_turn_has_large_inertia(precision: Precision) -> None:
    """A vibrating screen's deck, 2 m on a crank of 20 mm, with a pendulum; right values by Lagrange's equations.

    The angles between bodies turn, the deck does not: its 30 kg m^2 count nothing, and nothing cancels.
    """
    sequence = functions.dynamics(solved_mechanism(parse_mechanism(SCREEN, "screen")), precision, contract=True)
    rows = np.random.default_rng(3).uniform([-3, -1, -20, -2], [3, 1, 20, 2], (50, 4)).astype(precision)
    result = interpret(sequence, rows)
    assert not result.status.any()
    for (theta, hang, theta_rate, hang_rate), got in zip(rows.astype(float), result.outputs, strict=True):
        a, a_rate = -theta, -theta_rate  # the crank turns about -z
        coupled, turned = 0.5 * 0.2 * 0.02 * np.sin(hang - a), 0.5 * 0.2 * 0.02 * np.cos(hang - a)
        matrix = [[1e-4 + (10.5 + np.sin(a) ** 2) * 4e-4, coupled], [coupled, 0.5 * 0.04 + 0.002]]
        drift = 4e-4 * np.sin(a) * np.cos(a) * a_rate**2 + turned * hang_rate**2 + 10.5 * 9.81 * 0.02 * np.cos(a)
        right = np.linalg.solve(matrix, [-drift, turned * a_rate**2 - 0.5 * 9.81 * 0.2 * np.sin(hang)])
        tolerance = (1e-5 if precision == "float32" else 1e-12) * np.abs(right).max()
        np.testing.assert_allclose(got[-2:], [-right[0], right[1]], rtol=0, atol=tolerance)


@pytest.mark.parametrize("rows", [1, 2, 5, 8])
def test_medians_are_those_of_numpy(rows: int) -> None:
    """To the bit; a value that is not a number leaves none."""
    values = np.random.Generator(np.random.Philox(rows)).normal(size=(rows, 3, 2))
    values[0, 1, 1] = np.nan
    assert np.array_equal(_medians(values), np.median(values, axis=0), equal_nan=True)
