"""A slide is a lever: what stands far out rounds as a long body does, and closures are told to its length.

A crank of 40 mm on a telescopic rod of 2.5 m, made for this project.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.operations import Kind
from sil.campaign import run
from sil.check_names import Check
from sil.options import Options
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

CRANK = """schema = 1
[mechanism]
name = "crank"
[bodies.crank]
points = { pin = ["40 mm", "0", "0"] }
[bodies.tube]
[bodies.rod]
[joints.turn]
type = "revolute"
parent = "ground"
child = "crank"
[joints.swing]
type = "revolute"
parent = "ground.foot"
child = "tube"
[joints.out]
type = "prismatic"
axis = "x"
parent = "tube"
child = "rod"
[joints.pin]
type = "revolute"
parent = "rod"
child = "crank.pin"
closes = true
[ground]
points = { foot = ["-2.4 m", "0.7 m", "0"] }
[coordinates]
independent = ["turn"]
pose = { turn = "0.3 rad", swing = "-0.28 rad", out = "2.5 m" }
ranges = { turn = ["-3 rad", "3 rad"] }
rates = { turn = "10 rad/s" }
"""
OPTIONS = Options(functions=("position",), count=1500, runner="interpreter")


def verdict_of(folder, precision, scaled=1.0):
    """The verdict on the closures of an export whose constants of 0.04 m are scaled."""
    mechanism = parse_mechanism(CRANK, "crank")
    program = program_of_mechanism(mechanism, precision, only=("position",))
    export = write_export(program, folder / "crank", canonical(mechanism))
    (sequence,) = program.functions
    operations = [
        replace(each, value=each.value * Fraction(scaled))
        if each.kind is Kind.CONSTANT and each.value == pytest.approx(0.04)
        else each
        for each in sequence.operations
    ]
    assert (scaled == 1.0) == (tuple(operations) == sequence.operations)
    changed = replace(program, functions=(replace(sequence, operations=tuple(operations)),))
    (verdict,) = [each for each in run(export, OPTIONS, changed).verdicts if each.check == Check.CLOSURE]
    return verdict


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_long_slide_passes(tmp_path, precision):
    assert verdict_of(tmp_path, precision).passed


@pytest.mark.parametrize(("precision", "off"), [("float32", 1 + 1e-2), ("float64", 1 + 1e-10)])
def test_a_crank_that_is_a_little_off_beside_a_long_slide_fails(tmp_path, precision, off):
    """By 0.4 mm in float32, 4e-12 m in float64: the slide of 2.5 m allows 5e-6 m and 2.5e-14 m."""
    assert not verdict_of(tmp_path, precision, off).passed


def test_points_are_measured_by_the_slide_and_no_more():
    """2.5 m over the length scale of 40 mm; 1 where it is drawn in."""
    closures = reference_of(parse_mechanism(CRANK, "crank")).assembly.closures
    sizes = closures.sizes(configuration(np.array([[0.3, -0.28, 2.5], [0.3, -0.28, 0.01]])))
    points = sizes[0] != 1
    np.testing.assert_allclose(sizes[0, points], 62.5)
    assert points.sum() == 3
    assert (sizes[1] == 1).all()
