"""Where several assemblies fit and the pose picks none, the refusal lists them; a pose near one exports that one.

Right values: 400 random starts of Newton's method on the three leg lengths of the plate; x, y and angle of the plate.
"""

import re
import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.cli import main
from exporter.commands import analysis_facts
from exporter.errors import ModelError, NoForm, SeveralAssemblies
from exporter.functions import mechanism as functions
from exporter.kinematics.closures.assemblies import assemble
from exporter.kinematics.closures.reasons import wrong_number
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.closest import in_words, pose_line
from exporter.kinematics.protocol.solution import Assembly
from exporter.model.complete import completed
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"
PLATES = {  # pivots, points of the plate, and x, y, angle of every assembly
    "three_leg_plate": (
        [(0, 0), (4, -0.5), (2.5, 1.5)],
        [(0, 0), (2.4, 0.2), (0.9, 1.7)],
        [(2.458028154, 1.117182883, -1.926445266), (2.462756336, -1.106720936, 1.444203186)],
    ),
    "three_leg_plate_b": (
        [(0, 0), (4.4, 0.3), (2.2, 1.8)],
        [(0, 0), (2.6, 0), (1, 1.8)],
        [
            (2.566562915, 1.553304479, -1.729145794),
            (0.010408817, 2.999981943, -0.417585264),
            (2.424637892, -1.766672321, -0.180705676),
            (1.470746288, -2.614747666, 0.130602953),
            (1.923306628, 2.302366525, 0.231712670),
            (2.886101809, -0.818789564, 1.836807589),
        ],
    ),
}
EVERY = [(name, number) for name, (_, _, right) in PLATES.items() for number in range(len(right))]


def angles_of(name: str, number: int) -> dict[str, float]:
    """The plate's pose as the coordinates of the file: directions of the legs, and the plate against the first."""
    pivots, points, right = PLATES[name]
    x, y, angle = right[number]
    ends = [
        x + 1j * y + np.exp(1j * angle) * complex(*point) - complex(*pivot)
        for pivot, point in zip(pivots, points, strict=True)
    ]
    a1, a2, a3 = (float(np.angle(end)) for end in ends)
    return {"a1": a1, "phi1": float(np.angle(np.exp(1j * (angle - a1)))), "a2": a2, "a3": a3}


def posed(name: str, pose: dict[str, float]) -> Mechanism:
    mechanism = read_mechanism(DATA / f"{name}.toml")
    given = {key: mechanism.pose[key] for key in mechanism.independent}
    return completed(replace(mechanism, pose={**given, **{key: Fraction(value) for key, value in pose.items()}}))


def poses_in(line: str) -> dict[str, float]:
    """Values of a line of a file, rad and m."""
    return {name: float(text.split()[0]) for name, text in tomllib.loads(line)["pose"].items()}


@pytest.mark.parametrize("name", PLATES)
def test_a_plate_without_a_pose_lists_its_assemblies(name: str) -> None:
    """Two of the one plate, six of the other; before, one was taken, and the other was said to have no solution."""
    with pytest.raises(SeveralAssemblies, match=f"{len(PLATES[name][2])} assembly modes fit the pose") as caught:
        solved_mechanism(read_mechanism(DATA / f"{name}.toml"))
    listed = [poses_in(line) for line in caught.value.listed]
    right = [angles_of(name, number) for number in range(len(PLATES[name][2]))]
    assert len(listed) == len(right)
    for wanted in right:
        assert any(all(abs(mode[key] - value) < 2e-5 for key, value in wanted.items()) for mode in listed)


def test_a_listed_line_is_pasted_into_the_file() -> None:
    """Each of the six lines, in place of the file's pose, is the assembly that it lists."""
    text = (DATA / "three_leg_plate_b.toml").read_text()
    with pytest.raises(SeveralAssemblies) as caught:
        solved_mechanism(parse_mechanism(text, "plate"))
    for line in caught.value.listed:
        found = assemble(parse_mechanism(re.sub(r"^pose = .*$", line, text, flags=re.MULTILINE), "plate")).coordinates
        for name, value in poses_in(line).items():
            assert abs(found[name] - value) < 2e-5


@pytest.mark.parametrize(("name", "number"), EVERY)
def test_the_pose_of_an_assembly_picks_it(name: str, number: int) -> None:
    """A pose that is 0.02 rad off is enough."""
    wanted = angles_of(name, number)
    found = assemble(posed(name, {key: value + 0.02 for key, value in wanted.items()}))
    np.testing.assert_allclose([found.coordinates[key] for key in wanted], list(wanted.values()), atol=1e-8)


@pytest.mark.parametrize(("name", "number"), [("three_leg_plate", 0), ("three_leg_plate", 1), ("three_leg_plate_b", 3)])
def test_the_export_is_the_assembly_of_the_pose(name: str, number: int) -> None:
    """Place of the plate at the design pose, and the leg lengths at the corners of the ranges."""
    pivots, points, right = PLATES[name]
    mechanism = posed(name, angles_of(name, number))
    sequence = functions.position(solved_mechanism(mechanism), "float64", contract=True)
    names = [output.signal.name for output in sequence.outputs]
    design = np.array([float(mechanism.pose[key]) for key in mechanism.independent])
    sides = np.array([(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    rows = np.vstack([design, design + 0.02 * sides])
    found = interpret(sequence, rows)
    assert not found.status.any()
    p, q = (found.outputs[:, [names.index(f"{point}.{axis}") for axis in "xy"]] @ [1, 1j] for point in "PQ")
    np.testing.assert_allclose([p[0].real, p[0].imag], right[number][:2], atol=1e-8)
    turn = (q - p) / complex(*points[1])
    for pivot, point, length in zip(pivots, points, rows.T, strict=True):
        np.testing.assert_allclose(abs(p + turn * complex(*point) - complex(*pivot)), length, atol=1e-12)


def test_lengths_that_no_assembly_fits_are_told() -> None:
    """A leg of 9 m is too long for the others: nothing is said of solving together."""
    text = (DATA / "three_leg_plate.toml").read_text()
    for old, new in (("2.7", "9"), ("2.68", "8.9"), ("2.72", "9.1")):
        text = text.replace(f'"{old} m"', f'"{new} m"')
    with pytest.raises(ModelError, match=r"does not close the loops from the pose at l1 = 9, l2 = 2\.3, l3 = 2\.2"):
        solved_mechanism(parse_mechanism(text, "plate.toml"))


def test_analyse_and_export_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both give one sentence and one list, one assembly a line, exit code 2."""
    heard = []
    for arguments in (("export", "--out", str(tmp_path / "out")), ("analyse",)):
        with pytest.raises(SystemExit) as caught:
            main([arguments[0], str(DATA / "three_leg_plate_b.toml"), *arguments[1:]])
        assert caught.value.code == 2
        heard.append(capsys.readouterr().err.splitlines())
    assert heard[0] == heard[1]
    assert len(heard[0]) == 7
    assert all(line.startswith('  pose = { a1 = "') for line in heard[0][1:])
    assert not (tmp_path / "out").exists()


def test_more_than_ten_are_not_listed() -> None:
    """A platform on six legs has 64 assemblies: ten are listed, and the sentence says so."""
    mechanism = read_mechanism(DATA.parents[2] / "exporter" / "mechanisms" / "gough_stewart.toml")
    pose = {name: mechanism.pose[name] for name in mechanism.independent}
    with pytest.raises(SeveralAssemblies, match="the first 10 of them") as caught:
        solved_mechanism(completed(replace(mechanism, pose=pose)))
    assert len(caught.value.listed) == 10


def test_a_rough_pose_of_one_loop_does_not_hide_another() -> None:
    """The needle is 0.4 mm from its pose, its other root 87 mm; the lever of the other loop is 17 degrees off."""
    solved = solved_mechanism(read_mechanism(DATA / "needle_drive.toml"))
    sequence = functions.position(solved, "float64", contract=True)
    found = interpret(sequence, np.array([[np.pi / 6]])).outputs[0]
    names = [output.signal.name for output in sequence.outputs]
    assert found[names.index("needle_at")] == pytest.approx(0.0075 - np.sqrt(0.045**2 - 0.75 * 0.015**2), abs=1e-12)


def test_rounding_is_told_as_zero() -> None:
    mechanism = read_mechanism(DATA / "three_leg_plate.toml")
    names = [name for name in mechanism.coordinates() if name not in mechanism.independent]
    values = dict.fromkeys(mechanism.coordinates(), 0.25) | {names[0]: -4e-17, names[1]: 2e-11}
    told = in_words(mechanism, Assembly((), values, {}, {}))
    assert f"{names[0]} = 0 " in told
    assert f"{names[1]} = 2e-11 " in told


def test_a_line_of_a_file_stays_within_its_ranges() -> None:
    """A quarter turn, the end of a range, has more digits than are written: 1.57079633 would lie beyond it."""
    text = model_path("four_bar").read_text()
    mechanism = parse_mechanism(text, "four_bar")
    (driver,) = mechanism.independent
    end = Fraction(1570796326794896619, 10**18)
    mechanism = replace(mechanism, ranges={driver: CoordinateRange(Fraction(0), end, Fraction(1))})
    values = dict.fromkeys(mechanism.coordinates(), 0.25) | {driver: float(end)}
    written = poses_in(pose_line(mechanism, values))[driver]
    assert Fraction(str(written)) <= end
    assert written == pytest.approx(float(end), abs=5e-8)


def test_more_drivers_than_loops_leave_are_told() -> None:
    """Nothing of a triangle of two bars and a ground edge moves, a plate on three legs does."""
    locked = parse_mechanism(LOCKED, "locked")
    assert "the loops leave 0 degrees of freedom; nothing can move" in wrong_number(locked, fewer=True)
    assert wrong_number(read_mechanism(DATA / "three_leg_plate.toml"), fewer=True) == ""


def test_a_locked_mechanism_is_told_that_nothing_can_move() -> None:
    """The loop closes at the angle 0 alone: no narrower ranges are of use."""
    with pytest.raises(ModelError, match=r"leave 0 degrees of freedom for 1 .*: nothing can move") as caught:
        solved_mechanism(parse_mechanism(LOCKED, "locked"))
    assert "narrow the ranges" not in str(caught.value)


def test_analyse_says_so_whatever_the_engine_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a form of its own it goes on to choose coordinates, of which there are none to choose."""

    def refuse(_: Mechanism) -> None:
        raise NoForm("no block holds these loops")

    monkeypatch.setattr(analysis_facts, "solved_mechanism", refuse)
    with pytest.raises(ModelError, match="leave 0 degrees of freedom; nothing can move"):
        analysis_facts.analysis_of(parse_mechanism(LOCKED, "locked"), (), "float32", 10, lambda _: None)


LOCKED = """schema = 1
[mechanism]
name = "locked"
[ground]
points = { b = ["0.3 m", "0", "0"] }
[bodies.one]
points = { tip = ["0", "0.2 m", "0"] }
[bodies.two]
points = { tip = ["-0.3 m", "0.2 m", "0"] }
[joints.a]
type = "revolute"
parent = "ground"
child = "one"
[joints.c]
type = "revolute"
axis = "x"
parent = "ground.b"
child = "two"
[joints.e]
type = "revolute"
axis = "y"
parent = "one.tip"
child = "two.tip"
closes = true
[coordinates]
independent = ["a"]
pose = { a = "0", c = "0" }
ranges = { a = ["-0.3 rad", "0.3 rad"] }
rates = { a = "1 rad/s" }
"""
