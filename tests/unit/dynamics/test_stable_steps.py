"""Largest stable periods against the closed forms of an oscillator: x'' = -w^2 x - 2 d x'."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from model_texts import CART

from exporter.commands.analyse import analyse
from exporter.dynamics.linearised import linearised
from exporter.dynamics.stable_steps import fastest_eigenvalue, stable_steps
from exporter.kinematics.engine import solved_mechanism
from exporter.model.toml.reader import parse_mechanism

OSCILLATOR = (
    CART
    + """[elements.spring]
type = "spring"
along = "x"
stiffness = "{stiffness} N/m"
damping = "{damping} N*s/m"
[coordinates]
independent = ["x"]
pose = {{ x = "0" }}
ranges = {{ x = ["-0.5 m", "0.5 m"] }}
rates = {{ x = "4 m/s" }}
[step]
method = "{method}"
"""
)


def periods(stiffness: float, damping: float) -> dict[str, float]:
    text = OSCILLATOR.format(stiffness=stiffness, damping=damping, method="rk4")
    matrices = linearised(solved_mechanism(parse_mechanism(text, "oscillator")), np.zeros((1, 1)))
    return {method: step.at_design for method, step in stable_steps(matrices.whole, matrices.known).items()}


def test_an_undamped_oscillator() -> None:
    """w = 30 1/s: Euler grows at any period, semi-implicit Euler from 2 / w on, RK4 from sqrt(8) / w on."""
    found = periods(1800, 0)
    assert found["euler"] == 0
    assert found["semi_implicit_euler"] == pytest.approx(2 / 30, rel=1e-3)
    assert found["rk4"] == pytest.approx(np.sqrt(8) / 30, rel=1e-3)
    assert found["linearly_implicit"] == np.inf


def test_a_damped_oscillator() -> None:
    """d = 3 1/s: Euler until 2 d / w^2, where |1 + h l| = 1 for l = -d + i sqrt(w^2 - d^2)."""
    assert periods(1800, 12)["euler"] == pytest.approx(2 * 3 / 900, rel=1e-3)


def test_a_damper_alone() -> None:
    """l = -50 1/s: Euler until 2 / 50 s, RK4 until 2.7853 / 50 s."""
    found = periods(0, 100)
    assert found["euler"] == pytest.approx(2 / 50, rel=1e-3)
    assert found["rk4"] == pytest.approx(2.7852936 / 50, rel=1e-3)


def test_what_falls_by_itself_may_fall_faster_by_a_method() -> None:
    """x'' = w^2 x - 2 d x', w = 30 1/s, d = 50 1/s: only the other motion, l = -d - sqrt(d^2 + w^2), limits the period.

    Euler and RK4 as of a damper alone; semi-implicit Euler where h^2 w^2 - 4 d h + 4 = 0, so that a factor is -1.
    """
    whole = np.array([[[0.0, 1.0], [900.0, -100.0]]])
    found = {method: step.at_design for method, step in stable_steps(whole, np.zeros_like(whole)).items()}
    fast = 50 + np.sqrt(50**2 + 30**2)
    assert found["euler"] == pytest.approx(2 / fast, rel=1e-3)
    assert found["rk4"] == pytest.approx(2.7852936 / fast, rel=1e-3)
    assert found["semi_implicit_euler"] == pytest.approx(2 * (50 - np.sqrt(50**2 - 30**2)) / 30**2, rel=1e-3)


def test_the_fastest_eigenvalue_is_that_of_the_worst_pose() -> None:
    """The larger of two poses counts; a pose that is not reached does not."""
    whole = np.stack([np.diag([-3.0, 1.0]), np.diag([-7.0, 2.0]), np.full((2, 2), np.nan)])
    assert fastest_eigenvalue(whole) == 7.0


@pytest.mark.parametrize(("stiffness", "warned"), [("1e7", True), ("1e4", False)])
def test_analyse_says_where_the_period_of_the_file_is_too_long(tmp_path, stiffness: str, warned: bool) -> None:
    """w = 2236 1/s allows 1.26 ms by RK4; of semi-implicit Euler 0.89 ms, below the period of 1 ms."""
    path = tmp_path / "oscillator.toml"
    path.write_text(OSCILLATOR.format(stiffness=stiffness, damping="0.01", method="semi_implicit_euler"))
    printed = CliRunner().invoke(analyse, [str(path)])
    assert printed.exit_code == 0
    assert ("the file's period of 1 ms is too long" in printed.output) is warned
    facts = json.loads(CliRunner().invoke(analyse, [str(path), "--json"]).output)["stability"]
    by_method = {step["method"]: step for step in facts["steps"]}
    assert by_method["linearly_implicit"]["worst"] is None
    assert by_method["semi_implicit_euler"]["worst"] == pytest.approx(2 / np.sqrt(float(stiffness) / 2), rel=2e-3)
