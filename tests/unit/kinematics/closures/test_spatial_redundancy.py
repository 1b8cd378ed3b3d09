"""Redundant closure equations are found and told; an overconstrained loop that does not close is refused."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.spatial.evaluation import assemble
from exporter.kinematics.spatial.triangular import spatial_form
from exporter.model.complete import with_values
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"


def mechanism(name: str) -> Mechanism:
    return read_mechanism(DATA / f"{name}.toml")


def test_planar_loop_with_a_ball_loses_one_equation() -> None:
    """A ball in a planar loop: one of its three equations holds by itself, and a note says so."""
    notes = solved_mechanism(mechanism("tilted_four_bar_ball")).notes
    assert "loop 'pin': 1 of its 3 closure equations is redundant and was dropped" in notes


def test_planar_loop_of_hinges_loses_three_equations_in_space() -> None:
    """The spatial engine finds for a planar four-bar what the planar engine drops by construction."""
    form = spatial_form(read_mechanism(model_path("four_bar")))
    assert form.notes == ("loop 'cut': 3 of its 5 closure equations are redundant and were dropped",)


def test_tilted_crank_rocker_has_the_angles_of_the_planar_one() -> None:
    """Case M01 at theta2 = 60 deg, branch +: coupler at 0.205546533212, rocker at 1.01110532397 rad from the base."""
    form = spatial_form(mechanism("tilted_four_bar_ball"))
    coordinates = dict(
        zip(form.mechanism.coordinates(), assemble(form, np.array([[np.pi / 3]])).coordinates[0], strict=True)
    )
    np.testing.assert_allclose(coordinates["coupler"] + np.pi / 3, 0.205546533212, atol=1e-11)
    np.testing.assert_allclose(coordinates["rocker"], 1.01110532397, atol=1e-11)


def test_bennett_loop_moves() -> None:
    """tan(theta1/2) tan(theta2/2) = -sin((alpha+beta)/2) / sin((alpha-beta)/2), with alpha = 90 deg, beta = 30 deg."""
    form = spatial_form(mechanism("bennett"))
    theta1 = np.linspace(0.4, 2.7, 20)
    theta2 = assemble(form, theta1[:, None]).coordinates[:, 1]
    ratio = np.sin(np.pi / 3) / np.sin(np.pi / 6)
    np.testing.assert_allclose(np.tan(theta1 / 2) * np.tan(theta2 / 2), -ratio, rtol=1e-12)
    assert form.notes == ("loop 'theta3': 3 of its 5 closure equations are redundant and were dropped",)


@pytest.mark.parametrize("twist", ["0.53", "0.6"])
def test_bennett_loop_with_a_wrong_twist_is_refused_with_its_residual(twist: str) -> None:
    """beta of 30 deg (0.5236 rad) is the only one that closes for all theta1."""
    wrong = with_values(mechanism("bennett"), {"beta": Fraction(twist)})
    with pytest.raises(ModelError, match=r"the loop of 'theta3' does not close: its equations stay open by 0\.0?\d+"):
        solved_mechanism(wrong)
