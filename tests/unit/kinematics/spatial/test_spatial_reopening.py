"""Where a loop is opened, and which way a closing joint leads, changes the names of coordinates and nothing else."""

from pathlib import Path

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.spatial.engine import SpatialSolution
from exporter.kinematics.spatial.triangular import spatial_form
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"
FOUR_BAR = model_path("spatial_four_bar").read_text()
CRANK_ROCKER = (DATA / "tilted_four_bar_ball.toml").read_text()
ROWS = np.linspace(-3, 3, 25)[:, None]

TREE = """type = "universal"
parent = "follower.tip"
child = "rod"
coordinates = ["beta3", "beta4"]
"""
BALL = """[joints.ball]
type = "spherical"
parent = "crank.tip"
child = "rod.tip"
closes = true
"""
HANGING = """type = "spherical"
parent = "crank.tip"
child = "rod.tip"
coordinates = ["yaw", "pitch", "roll"]
"""
CLOSING = '[joints.ball]\ntype = "universal"\nparent = "follower.tip"\nchild = "rod"\ncloses = true\n'
SWAPPED = '[joints.ball]\ntype = "universal"\nparent = "rod.turned"\nchild = "follower.turned"\ncloses = true\n'


def four_bar(closing: str) -> Mechanism:
    """The rod on the crank's ball; the universal joint at the follower closes the loop."""
    text = FOUR_BAR.replace(TREE, HANGING).replace(BALL, closing)
    text = text.replace(
        'beta3 = "0.6 rad", beta4 = "0.2 rad"', 'yaw = "0.2 rad", pitch = "-0.5 rad", roll = "-1.6 rad"'
    )
    text = text.replace(
        '["x", "90 deg"]] } }', '["x", "90 deg"]] }, turned = { at = ["0", "0", "Lf"], turns = TURNS } }'
    )
    text = text.replace("TURNS", '[["z", "beta0"], ["z", "180 deg"], ["x", "90 deg"], ["z", "90 deg"]]')
    points = 'points = { tip = ["0", "0", "-Lr"] }'
    text = text.replace(points, points + '\nframes = { turned = { at = ["0", "0", "0"], turns = [["z", "90 deg"]] } }')
    text = text.replace("branches =", "#")
    return parse_mechanism(text + '[outputs]\nheading = "yaw"\n', "four_bar")


def solved(mechanism: Mechanism, rows: np.ndarray = ROWS) -> tuple[SpatialSolution, dict[str, np.ndarray]]:
    solution = SpatialSolution(spatial_form(mechanism))
    sequence = functions.position(solution, "float64", contract=True)
    result = interpret(sequence, rows)
    assert not result.status.any()
    return solution, {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}


@pytest.mark.parametrize("closing", [CLOSING, SWAPPED])
def test_rod_on_the_other_joint(closing: str) -> None:
    """The follower's angle is that of the library's file; the rod's Euler angles are those of Newton, with rates."""
    solution, values = solved(four_bar(closing))
    expected = reference_of(parse_mechanism(FOUR_BAR, "four_bar")).positions(ROWS)[:, 1]
    np.testing.assert_allclose(values["beta2.sin"], np.sin(expected), atol=1e-12)
    reference = reference_of(solution.mechanism)
    at = configuration(reference.positions(ROWS))
    rates = reference.velocities(at, np.full_like(ROWS, 2.0))
    sequence = functions.velocity(solution, "float64", contract=True)
    result = interpret(sequence, np.hstack([ROWS, np.full_like(ROWS, 2.0)]))
    names = [output.signal.name for output in sequence.outputs]
    for name in ("yaw", "pitch", "roll"):
        column = reference.coordinates.index(name)
        np.testing.assert_allclose(values[f"{name}.sin"], at.sines[:, column], atol=1e-12)
        np.testing.assert_allclose(result.outputs[:, names.index(f"{name}.rate")], rates[:, column], atol=1e-11)


def test_coupler_in_absolute_coordinates_between_hinges() -> None:
    """A coupler on a free joint, held by two closing hinges in a tilted plane: case M01, three equations less."""
    text = CRANK_ROCKER.replace('type = "revolute"\nparent = "crank.tip"', 'type = "free"\nparent = "ground.A"')
    text = text.replace('child = "coupler"', 'child = "coupler"\ncoordinates = ["x", "y", "z", "yaw", "pitch", "roll"]')
    pin = '[joints.pin]\ntype = "spherical"\nparent = "coupler.tip"\nchild = "rocker.tip"\ncloses = true\n'
    hinges = pin.replace("spherical", "revolute") + pin.replace("spherical", "revolute").replace(
        "joints.pin", "joints.knee"
    ).replace('"coupler.tip"', '"crank.tip"').replace('"rocker.tip"', '"coupler"')
    text = text.replace(pin, hinges).replace('coupler = "-0.84 rad"', 'yaw = "0.2 rad"')
    solution, values = solved(parse_mechanism(text + '[outputs]\nheading = "yaw"\n', "rocker"), np.array([[np.pi / 3]]))
    assert values["heading"][0] == pytest.approx(0.205546533212, abs=1e-11)
    assert np.arctan2(values["rocker.sin"], values["rocker.cos"])[0] == pytest.approx(1.01110532397, abs=1e-11)
    assert "loop 'knee': 3 of its 5 closure equations are redundant and were dropped" in solution.notes


def test_pose_that_says_nothing_of_the_rod_is_refused() -> None:
    """Which way the rod spins is told by its own angles alone."""
    mechanism = four_bar(CLOSING)
    for name in ("yaw", "pitch", "roll"):
        mechanism.pose.pop(name)
    with pytest.raises(ModelError, match="2 assembly modes fit the pose"):
        spatial_form(mechanism)
