"""A screw that the slide of a loop turns: the file says that the slide follows, the loop says that the screw does.

Right values: s = 50 cos(theta) + sqrt(150^2 - (50 sin(theta))^2) mm of a slider-crank, a turn of the screw for 4 mm.
"""

from pathlib import Path

import numpy as np
import pytest

from exporter.export import write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.canonical import canonical
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.operations import Precision
from sil.campaign import run
from sil.options import Options
from sil.reference.mechanism import reference_of
from sil.signals import Columns, output_configuration

PRESS = """schema = 1
[mechanism]
name = "press"
[ground]
points = { nut = ["0", "300 mm", "0"] }
[bodies.crank]
points = { pin = ["50 mm", "0", "0"] }
[bodies.rod]
points = { pin = ["150 mm", "0", "0"] }
[bodies.ram]
[bodies.screw]
[joints.theta]
type = "revolute"
parent = "ground"
child = "crank"
[joints.beta]
type = "revolute"
parent = "crank.pin"
child = "rod"
[joints.s]
type = "prismatic"
parent = "ground"
child = "ram"
[joints.pin]
type = "revolute"
parent = "rod.pin"
child = "ram"
closes = true
[joints.turn]
type = "revolute"
axis = "x"
parent = "ground.nut"
child = "screw"
[parameters]
lead = { value = "4 mm/rev", frozen = true }
[couplings]
s = "lead*turn"
[coordinates]
independent = ["theta"]
pose = { theta = "60 deg", s = "168 mm", turn = "42 rev" }
ranges = { theta = ["20 deg", "160 deg"] }
rates = { theta = "5 rad/s" }
[outputs]
turn = "turn"
"""


@pytest.mark.parametrize(("precision", "lead", "turns"), [("float32", 1, 168), ("float64", 4, 42), ("float64", 1, 168)])
def test_a_screw_behind_a_loop_passes(tmp_path: Path, precision: Precision, lead: int, turns: int) -> None:
    """Whole turns by the tens; with 1 mm a turn, faster than a difference may look at half a turn."""
    text = PRESS.replace("4 mm/rev", f"{lead} mm/rev").replace("42 rev", f"{turns} rev")
    mechanism = parse_mechanism(text, "press")
    program = program_of_mechanism(mechanism, precision, only=("position", "velocity"))
    export = write_export(program, tmp_path / "press", canonical(mechanism))
    found = run(export, Options(count=1500, runner="interpreter"))
    assert [verdict.sentence() for verdict in found.verdicts if not verdict.passed] == []
    slopes = [verdict for verdict in found.verdicts if verdict.check == "velocities against finite differences"]
    assert slopes[0].compared > 100


@pytest.mark.parametrize(("lost", "found"), [(0.0, False), (2 * np.pi, True)])
def test_whole_turns_that_such_a_screw_lacks_are_seen(lost: float, found: bool) -> None:
    reference = reference_of(parse_mechanism(PRESS, "press"))
    theta = np.deg2rad([[30.0], [90.0], [150.0]])
    beta = -np.arcsin(np.sin(theta[:, 0]) / 3) - theta[:, 0]
    slide = 0.05 * np.cos(theta[:, 0]) + np.sqrt(0.15**2 - (0.05 * np.sin(theta[:, 0])) ** 2)
    turn = slide / 0.004 * 2 * np.pi - lost
    outputs = np.stack([np.sin(beta), np.cos(beta), slide, turn], axis=-1)
    columns = Columns(value={"s": 2, "turn": 3}, sine={"beta": 0}, cosine={"beta": 1})
    pose = output_configuration(reference.skeleton, theta, columns, outputs)
    assert (reference.residual(pose) > 1e-3).tolist() == [found] * 3


def test_a_motor_of_many_turns_before_a_screw_is_moved_by_many_turns(tmp_path: Path) -> None:
    """The press driven by its screw from 3200 to 4700 turns: in a radian of it the slide moves 0.006 mm of 168."""
    text = PRESS.replace('independent = ["theta"]', 'independent = ["turn"]').replace("4 mm/rev", "0.04 mm/rev")
    text = text.replace("42 rev", "4200 rev").replace(
        'theta = ["20 deg", "160 deg"]', 'turn = ["3200 rev", "4700 rev"]'
    )
    text = text.replace('theta = "5 rad/s"', 'turn = "500 rad/s"').replace('turn = "turn"', 'theta = "theta"')
    mechanism = parse_mechanism(text, "press")
    program = program_of_mechanism(mechanism, "float32", only=("position", "velocity"))
    found = run(
        write_export(program, tmp_path / "press", canonical(mechanism)), Options(count=1500, runner="interpreter")
    )
    assert [verdict.sentence() for verdict in found.verdicts if not verdict.passed] == []
    slopes = [verdict for verdict in found.verdicts if verdict.check == "velocities against finite differences"]
    assert slopes[0].compared > 100
