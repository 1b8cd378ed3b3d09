"""Loops that come to their change points at the same time, behind one driver.

Two parallelograms whose cranks stand at s and -s may turn into antiparallelograms together where their cranks lie along
their bases. On the way straight on both determinants change sign, and their product does not. With base a and cranks b
at the angles p and q from it, the loop closes where b sin((q - p) / 2) is 0 or a sin((q + p) / 2): parallelogram or
antiparallelogram.
"""

import numpy as np
import pytest

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.toml.reader import parse_mechanism
from sil.campaign import run
from sil.options import Options
from sil.reference.mechanism import reference_of

PAIR = """schema = 1
[mechanism]
name = "pair"
[each.s]
l = { base = ["-50 mm", "0", "0"], end = ["-80 mm", "0", "0"], off = ["-30 mm", "0", "0"], sign = "-1" }
r = { base = ["50 mm", "0", "0"], end = ["80 mm", "0", "0"], off = ["30 mm", "0", "0"], sign = "1" }
[ground]
points = { "b{s}" = "{s.base}", "e{s}" = "{s.end}" }
[bodies."crank{s}"]
points = { tip = ["0", "60 mm", "0"] }
[bodies."rocker{s}"]
points = { tip = ["0", "60 mm", "0"] }
[bodies."coupler{s}"]
points = { second = "{s.off}" }
[bodies.slider]
[bodies.worm]
[joints.worm]
type = "revolute"
axis = "z"
parent = "ground"
child = "worm"
[joints.slide]
type = "prismatic"
axis = "x"
parent = "couplerr"
child = "slider"
[joints."crank{s}"]
type = "revolute"
parent = "ground.b{s}"
child = "crank{s}"
[joints."rocker{s}"]
type = "revolute"
parent = "ground.e{s}"
child = "rocker{s}"
[joints."coupler{s}"]
type = "revolute"
parent = "crank{s}.tip"
child = "coupler{s}"
[joints."closing{s}"]
type = "revolute"
parent = "rocker{s}.tip"
child = "coupler{s}.second"
closes = true
[couplings]
"crank{s}" = "{s.sign}*worm/4"
[outputs]
"second{s}" = "coupler{s}.second"
[coordinates]
independent = ["worm", "slide"]
ranges = { worm = ["-1.5 rev", "1.5 rev"], slide = ["-10 mm", "10 mm"] }
rates = { worm = "10 rad/s", slide = "1 m/s" }
[coordinates.pose]
worm = "1 rad"
slide = "0"
rockerl = "-0.25 rad"
rockerr = "0.25 rad"
couplerl = "0.25 rad"
couplerr = "-0.25 rad"
"""
CHANGE_POINT = 2 * np.pi  # of the worm: cranks start square to their bases


def test_the_reference_keeps_the_determinant_of_each_loop_at_change_points() -> None:
    """In front of them it is the parallelogram, and behind them the antiparallelogram, or says nothing."""
    reference = reference_of(parse_mechanism(PAIR, "pair"))
    worm = np.linspace(-1.45, 1.45, 59) * 2 * np.pi
    found = reference.assembly.assemble(np.stack([worm, np.zeros_like(worm)], axis=1))
    rocker = found[:, reference.skeleton.coordinates.index("rockerr")]
    before = np.abs(worm) < CHANGE_POINT - 1e-3
    assert rocker[before] == pytest.approx(worm[before] / 4, abs=1e-9)
    behind = (np.abs(worm) > CHANGE_POINT + 1e-3) & np.isfinite(rocker)
    crank, other = np.pi / 2 + worm[behind] / 4, np.pi / 2 + rocker[behind]
    assert 0.06 * np.sin((other - crank) / 2) == pytest.approx(0.03 * np.sin((other + crank) / 2), abs=1e-12)
    assert np.abs(other - crank).min() > 0.05


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_an_export_that_keeps_its_roots_behind_change_points_passes(tmp_path, precision) -> None:
    """Vectors behind them are beyond the reach of the reference, and counted as such."""
    mechanism = parse_mechanism(PAIR, "pair")
    program = program_of_mechanism(mechanism, precision, only=("position", "velocity"))
    found = run(write_export(program, tmp_path / "pair", canonical(mechanism)), Options(count=300))
    assert [verdict.sentence() for verdict in found.verdicts if not verdict.passed] == []
    assert {verdict.beyond for verdict in found.verdicts if verdict.check == "coordinates"} != {0}
