"""A path for a trace: columns and units of a CSV file, sweeps of the command line, and what is refused in words."""

import math
from pathlib import Path

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from sil.trace.path import read_path, sweep_path


@pytest.fixture(scope="module")
def robot() -> Mechanism:
    """Three independent coordinates: x and y in m, theta_ee in rad."""
    return read_mechanism(model_path("parallel_robot"))


def written(folder: Path, text: str) -> Path:
    file = folder / "path.csv"
    file.write_text(text)
    return file


def test_columns_are_found_by_title_and_unit(robot: Mechanism, tmp_path: Path) -> None:
    """In any order; a coordinate without a column stays at the design pose; blank lines do not count."""
    first, second, third = robot.independent
    text = f"time [ms],{third} [deg],{first}\n0,10,0.5\n\n250,20,0.6\n"
    path = read_path(written(tmp_path, text), robot)
    assert path.times is not None
    assert path.times.tolist() == [0.0, 0.25]
    middle = float(robot.pose[second])
    wanted = [[0.5, middle, math.radians(10)], [0.6, middle, math.radians(20)]]
    np.testing.assert_allclose(path.values, wanted, rtol=1e-15)
    assert path.moving() == (first, third)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x,xx\n0,1\n0,1\n", '"xx" is no independent coordinate'),
        ("x [deg]\n0\n1\n", 'the unit of "x [deg]" does not fit'),
        ("x\n0\nhigh\n", 'line 3: "high" under x is no finite number'),
        ("x\n0\nnan\n", "no finite number"),
        ("x,y\n0\n1,1\n", "line 2: 1 cells under 2 titles"),
        ("x,x\n0,0\n1,1\n", "the column x stands twice"),
        ("time,x\n0,0\n0,1\n", "the times do not rise"),
        ("x\n0\n", "at least two poses"),
    ],
)
def test_a_wrong_file_is_refused_in_words(robot: Mechanism, tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ModelError) as raised:
        read_path(written(tmp_path, text), robot)
    assert sentence in str(raised.value)


def test_sweeps_move_together(robot: Mechanism) -> None:
    """Evenly, both ends included, with or without a space in front of the unit."""
    path = sweep_path(robot, ["x=0.4m..0.6 m:3", f"{robot.independent[2]}=0deg..-90deg:3"])
    np.testing.assert_allclose(path.values[:, 0], [0.4, 0.5, 0.6], rtol=1e-15)
    np.testing.assert_allclose(path.values[:, 2], [0, -math.pi / 4, -math.pi / 2], atol=1e-15)


@pytest.mark.parametrize(
    ("sweeps", "sentence"),
    [
        (["x=0..1"], "NAME=FROM..TO:POSES"),
        (["theta1=0deg..1deg:3"], '"theta1" is not independent'),
        (["x=0deg..1deg:3"], "a length (m) is needed"),
        (["x=0m..1m:1"], "give 2 to"),
        (["x=0m..1m:3", "y=0m..1m:4"], "one number of poses"),
        (["x=0m..1m:3", "x=0m..1m:3"], "stands twice"),
    ],
)
def test_a_wrong_sweep_is_refused_in_words(robot: Mechanism, sweeps: list[str], sentence: str) -> None:
    with pytest.raises(ModelError) as raised:
        sweep_path(robot, sweeps)
    assert sentence in str(raised.value)
