"""What a coupling makes of an angle carries as much more rounding as its ratio, and keeps its whole turns.

A four-bar whose rocker turns an eccentric wheel by a step-up gear; its closed forms are those of `test_sil_start`.
"""

from dataclasses import replace

import pytest

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.operations import Kind
from sil.campaign import run
from sil.options import Options

QUICK = Options(count=1500, runner="interpreter")
GEARED = """schema = 1
[mechanism]
name = "geared"
gravity = ["0", "-9.81 m/s^2", "0"]
[ground]
points = { b = ["100 mm", "0", "0"], w = ["200 mm", "0", "0"] }
[bodies.one]
points = { tip = ["30 mm", "0", "0"] }
mass = "0.1 kg"
inertia = { zz = "1e-5 kg*m^2" }
[bodies.coupler]
points = { tip = ["98 mm", "0", "0"] }
[bodies.other]
points = { tip = ["85 mm", "0", "0"] }
[bodies.wheel]
points = { mark = ["50 mm", "0", "0"] }
mass = "0.1 kg"
center_of_mass = ["5 mm", "0", "0"]
inertia = { zz = "1e-6 kg*m^2" }
[joints.p]
type = "revolute"
parent = "ground"
child = "one"
[joints.r]
type = "revolute"
parent = "ground.b"
child = "other"
[joints.k]
type = "revolute"
parent = "one.tip"
child = "coupler"
[joints.c]
type = "revolute"
parent = "coupler.tip"
child = "other.tip"
closes = true
[joints.w]
type = "revolute"
parent = "ground.w"
child = "wheel"
[couplings]
w = "RATIO*r"
[outputs]
mark = "wheel.mark"
w = "w"
[coordinates]
independent = ["p"]
pose = { w = "TURNED deg", p = "256 deg", r = "137 deg", k = "166.6 deg" }
ranges = { p = ["-4 rad", "8 rad"] }
rates = { p = "10 rad/s" }
"""


def campaign(folder, ratio, precision, change=lambda program: program):
    """The verdicts on the geared four-bar, perhaps on a changed program."""
    text = GEARED.replace("RATIO", str(ratio)).replace("TURNED", str(137 * ratio))
    mechanism = parse_mechanism(text, "geared")
    program = program_of_mechanism(mechanism, precision, only=("position", "dynamics"))
    return run(write_export(program, folder / "geared", canonical(mechanism)), QUICK, change(program))


@pytest.mark.parametrize(("ratio", "precision"), [(20, "float32"), (200, "float32"), (20, "float64")])
def test_a_wheel_behind_a_gear_passes(tmp_path, ratio, precision):
    """Angle, sine and cosine of the wheel, the mark on it, the tie that holds it and the power of the weight."""
    found = campaign(tmp_path, ratio, precision)
    assert [verdict.sentence() for verdict in found.verdicts if not verdict.passed] == []


def test_a_wheel_that_is_a_little_off_fails(tmp_path):
    """The ratio 20 made 20.01: the angle is half a degree off where it has turned 300 degrees."""

    def changed(program):
        functions = []
        for sequence in program.functions:
            operations = [
                replace(each, value=each.value * 2001 / 2000)
                if each.kind is Kind.CONSTANT and each.value == 20
                else each
                for each in sequence.operations
            ]
            assert tuple(operations) != sequence.operations
            functions.append(replace(sequence, operations=tuple(operations)))
        return replace(program, functions=tuple(functions))

    failed = {verdict.check for verdict in campaign(tmp_path, 20, "float32", changed).verdicts if not verdict.passed}
    assert {"closure residual", "coordinates", "points of interest"} <= failed


@pytest.mark.parametrize(("ratio", "resolved"), [(20, True), (2000, False)])
def test_slopes_that_single_precision_cannot_resolve_are_said_to_be(tmp_path, ratio, resolved):
    """The wheel turns by 1e-3 rad from one float32 of the crank to the next at a ratio of 2000: too coarse."""
    text = GEARED.replace("RATIO*r", f"{ratio}*p").replace("TURNED", str(256 * ratio))
    mechanism = parse_mechanism(text, "geared")
    program = program_of_mechanism(mechanism, "float32", only=("position", "velocity"))
    found = run(write_export(program, tmp_path / "geared", canonical(mechanism)), QUICK)
    (slopes,) = [each for each in found.verdicts if "finite differences" in each.check]
    assert slopes.passed is resolved
    assert resolved or "float32 does not resolve the slope of an angle" in slopes.sentence()
