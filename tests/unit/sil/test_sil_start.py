"""Poses that leave coordinates out: the reference begins where the export states, and believes it of one assembly only.

The right assemblies of the four-bar are its closed form: two circles meet.
"""

from cmath import exp, phase
from dataclasses import replace
from math import acos, degrees, pi, radians, remainder

import numpy as np
import pytest

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.toml.reader import parse_mechanism
from sil.campaign import run
from sil.export_reference import reference_of_export
from sil.options import Options
from sil.reference.mechanism import reference_of
from sil.reference.start import start_of

QUICK = Options(count=300, runner="interpreter")
GROUND, CRANK, COUPLER, ROCKER, ANGLE = 0.100, 0.030, 0.098, 0.085, radians(256)
FOUR_BAR = """schema = 1
[mechanism]
name = "bars"
[ground]
points = { b = ["100 mm", "0", "0"] }
[bodies.one]
points = { tip = ["30 mm", "0", "0"] }
[bodies.coupler]
points = { tip = ["98 mm", "0", "0"] }
[bodies.other]
points = { tip = ["85 mm", "0", "0"] }
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
[coordinates]
independent = ["p"]
pose = { p = "256 deg", POSE }
ranges = { p = ["230 deg", "280 deg"] }
rates = { p = "10 rad/s" }
"""


def assemblies():
    """(k, r) of both assemblies at the design pose, rad."""
    pin = CRANK * exp(1j * ANGLE)
    across, far = phase(GROUND - pin), abs(GROUND - pin)
    found = []
    for side in (1, -1):
        turn = across + side * acos((far**2 + COUPLER**2 - ROCKER**2) / (2 * far * COUPLER))
        found.append((turn - ANGLE, phase(pin + COUPLER * exp(1j * turn) - GROUND)))
    return found


def mechanism_at(pose):
    """The four-bar with values of some coordinates, rad."""
    given = ", ".join(f'{name} = "{round(degrees(value), 1)} deg"' for name, value in pose.items())
    return parse_mechanism(FOUR_BAR.replace("POSE", given), "bars")


def is_at(row, assembly):
    """Whether a row (p, r, k) is an assembly (k, r)."""
    return all(abs(remainder(one - other, 2 * pi)) < 1e-9 for one, other in zip(row[[2, 1]], assembly, strict=True))


def exported(mechanism, folder, judged_as=None):
    """An export; `judged_as` is the model that its manifest holds where that is another one."""
    program = program_of_mechanism(mechanism, "float64")
    model = judged_as or mechanism
    program = replace(program, model_hash=model.model_hash)
    return write_export(program, folder, canonical(model)), program


@pytest.mark.parametrize("given", ["k", "r"])
@pytest.mark.parametrize("number", [0, 1])
def test_an_export_passes_whose_pose_leaves_a_coordinate_out(tmp_path, given, number):
    """The reference stands where both circles meet on the side of the angle that is given."""
    right = assemblies()[number]
    mechanism = mechanism_at({given: right["kr".index(given)]})
    export, program = exported(mechanism, tmp_path / "bars")
    assert is_at(reference_of_export(export, {}).design, right)
    assert run(export, QUICK, program).passed


def test_from_zero_the_reference_would_stand_at_the_other_assembly():
    """That is what the statement of the export is needed for."""
    right, wrong = assemblies()
    assert is_at(reference_of(mechanism_at({"r": right[1]})).design, wrong)


def test_an_export_on_another_branch_than_the_pose_picks_fails(tmp_path):
    """It states its own assembly, where the rocker is not as the model's pose says."""
    right, wrong = assemblies()
    export, program = exported(mechanism_at({"r": wrong[1]}), tmp_path / "bars", mechanism_at({"r": right[1]}))
    assert is_at(np.array([export.manifest.design_pose[name] for name in "prk"]), wrong)
    assert is_at(reference_of_export(export, {}).design, right)
    failed = [verdict.check for verdict in run(export, QUICK, program).verdicts if not verdict.passed]
    assert "coordinates" in failed


def test_a_stated_pose_is_no_more_than_a_start():
    """One that lies a little beside the assembly, or that no assembly is at, changes no digit of the reference."""
    right, _ = assemblies()
    mechanism = mechanism_at({"r": right[1]})
    beside = {"p": ANGLE, "k": right[0] + 0.05, "r": right[1] - 0.05}
    assert is_at(reference_of(mechanism, start=start_of(mechanism, beside)).design, right)


def test_a_pose_near_every_coordinate_is_not_stated():
    """Then the model says it, and manifests are those of before."""
    k, r = assemblies()[0]
    assert program_of_mechanism(mechanism_at({"k": k, "r": r + 0.02}), "float64").design == ()
    assert program_of_mechanism(mechanism_at({"k": k, "r": r + 0.2}), "float64").design != ()
