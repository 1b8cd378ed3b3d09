"""A trace is drawn by the file's own names, sines, cosines and rates too; a joint and a body may have one name."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from exporter.cli import kinefix
from exporter.errors import ModelError
from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.toml.reader import parse_mechanism, read_mechanism
from exporter.sequence.interpreter import interpret
from sil.trace.evaluation import trace_path
from sil.trace.path import sweep_path
from sil.trace.quantities import quantities_of

DATA = Path(__file__).resolve().parents[2] / "data" / "mechanisms"
OWN = """
[outputs]
stroke = "s"
speed = "s.rate"
rod_sine = "beta.sin"
"""


@pytest.fixture
def crank(tmp_path: Path) -> Path:
    """The library's slider-crank with names of its own."""
    text = model_path("slider_crank").read_text()
    text = re.sub(r"\[outputs\][^\[]*", "", text)
    file = tmp_path / "crank.toml"
    file.write_text(text + OWN)
    return file


def test_own_names_and_rates_are_traced(crank: Path) -> None:
    """The speed is the derivative of the stroke by the crank angle, times the rate at which the path is run."""
    mechanism = read_mechanism(crank)
    found = quantities_of(trace_path(mechanism, "float64", sweep_path(mechanism, ["theta=10deg..80deg:701"])))
    theta, stroke = found["theta"][1], found["stroke"][1]
    assert found["stroke"] is found["s"]
    assert found["speed"][0] == "m/s"
    slope = np.gradient(stroke, theta)
    assert found["speed"][1][1:-1] == pytest.approx((slope * found["theta.rate"][1])[1:-1], rel=1e-5)
    assert found["s.rate"][1] == pytest.approx(found["speed"][1])
    assert found["rod_sine"][1] == pytest.approx(np.sin(found["beta"][1]), abs=1e-15)


@pytest.mark.parametrize("name", ["stroke", "speed", "s.rate", "theta.rate", "rod_sine", "beta.cos", "s,speed"])
def test_own_names_are_drawn(crank: Path, tmp_path: Path, name: str) -> None:
    picture = tmp_path / "x.svg"
    words = ["trace", str(crank), "--sweep", "theta=0deg..90deg:5", "--show", name, "--picture", str(picture)]
    result = CliRunner().invoke(kinefix, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert all(each in picture.read_text() for each in name.split(","))


def test_a_point_of_a_body_that_shares_its_name_with_a_joint() -> None:
    """The arm's tip on the joint `arm`, by cosine and sine."""
    mechanism = read_mechanism(DATA / "same_name.toml")
    sequence = functions.position(solved_mechanism(mechanism), "float64", contract=True)
    outputs = interpret(sequence, np.array([[0.6]])).outputs[0]
    found = {each.signal.name: float(outputs[k]) for k, each in enumerate(sequence.outputs)}
    assert [found["tip.x"], found["tip.y"]] == pytest.approx([0.3 * math.cos(0.6), 0.3 * math.sin(0.6)], abs=1e-16)


@pytest.mark.parametrize(
    ("output", "point", "sentence"),
    [
        (
            "arm.top",
            "tip",
            "arm has arm, arm.tip, and the coordinate arm has .rate, .acceleration, .sin, .cos",
        ),
        ("arm.rate", "rate", '"arm.rate" is the rate of the coordinate arm and a point of the body arm'),
        ("joint.tip", "tip", '"joint" is not a coordinate'),
    ],
)
def test_names_that_cannot_be_told_apart_are_refused(output: str, point: str, sentence: str) -> None:
    text = (DATA / "same_name.toml").read_text().replace('"arm.tip"', f'"{output}"').replace("{ tip", f"{{ {point}")
    with pytest.raises(ModelError) as raised:
        parse_mechanism(text, "text")
    assert sentence in str(raised.value)
