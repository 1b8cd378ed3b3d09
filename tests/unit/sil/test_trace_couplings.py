"""What a screw or gear turns is told with its whole turns: in the export, and along a path of wide steps."""

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import reference_of
from sil.signals import Columns, output_configuration
from sil.trace.evaluation import trace_path
from sil.trace.path import sweep_path

FEED = """schema = 1
[mechanism]
name = "feed"
[bodies.motor]
[bodies.table]
[joints.m]
type = "revolute"
parent = "ground"
child = "motor"
[joints.C]
type = "revolute"
parent = "ground"
child = "table"
[couplings]
C = "m / 3"
[coordinates]
independent = ["m"]
pose = { m = "0" }
ranges = { m = ["-20 rev", "20 rev"] }
rates = { m = "100 rad/s" }
[outputs]
turn = "C"
"""


def test_an_output_of_what_follows_has_its_whole_turns() -> None:
    sequence = functions.position(solved_mechanism(parse_mechanism(FEED, "feed")), "float64", contract=True)
    turns = 2 * np.pi * np.array([[-20.0], [-3.5], [0.0], [20.0]])
    names = [output.signal.name for output in sequence.outputs]
    found = interpret(sequence, turns).outputs[:, names.index("turn")]
    np.testing.assert_allclose(found, turns[:, 0] / 3, rtol=1e-15)


def test_a_path_of_wide_steps_does_not_turn_it_back() -> None:
    """Five turns of the motor from one pose to the next."""
    mechanism = parse_mechanism(FEED, "feed")
    traced = trace_path(mechanism, "float64", sweep_path(mechanism, ["m=-20rev..20rev:9"]))
    np.testing.assert_allclose(traced.column("C"), traced.column("m") / 3, rtol=1e-12)


@pytest.mark.parametrize(("lost", "found"), [(0.0, False), (2 * np.pi, True)])
def test_lost_whole_turns_are_seen_by_the_reference(lost: float, found: bool) -> None:
    """The coupling's equation stays open by what an export's own angle lacks; sine and cosine alone cannot tell it."""
    reference = reference_of(parse_mechanism(FEED, "feed"))
    motor = 2 * np.pi * np.array([[-20.0], [7.0], [20.0]])
    turn = motor[:, 0] / 3 - lost
    outputs = np.stack([turn, np.sin(turn), np.cos(turn)], axis=-1)
    columns = Columns(value={"C": 0}, sine={"C": 1}, cosine={"C": 2})
    pose = output_configuration(reference.skeleton, motor, columns, outputs)
    assert (reference.residual(pose) > 1e-3).tolist() == [found] * 3
