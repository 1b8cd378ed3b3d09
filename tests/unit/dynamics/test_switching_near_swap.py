"""BRANCH_NEAR_SWAP: the warning of `position` that two roots are about to meet, and where it costs nothing."""

import math
from pathlib import Path

import numpy as np
import pytest

from exporter.functions.mechanism import NEAR_SWAP
from exporter.functions.program import program_of_mechanism
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence, Precision
from exporter.sequence.status import BITS

ROOT = Path(__file__).resolve().parents[3]
PARALLELOGRAM = str(ROOT / "tests" / "data" / "mechanisms" / "change_point_parallelogram.toml")
BIT = 1 << BITS["BRANCH_NEAR_SWAP"][0]


def position(model: str, precision: Precision) -> OperationSequence:
    program = program_of_mechanism(read_mechanism(model_path(model)), precision)
    return next(function for function in program.functions if function.name == "position")


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_a_walk_through_the_change_point_is_warned(precision: Precision) -> None:
    """M16: at the change point of the parallelogram the margin is sin^2 of about twice the angle: below 0.005 rad.

    Any walk in steps of up to half a degree meets the warning on its way.
    """
    angles = np.radians(np.arange(-10.0, 10.0, 0.5) + 0.237)
    result = interpret(position(PARALLELOGRAM, precision), angles[:, None])
    warned = (result.status & BIT) != 0
    assert warned.any()
    assert np.abs(angles[warned]).max() < math.sqrt(float(NEAR_SWAP))
    assert not (result.status & ~np.uint32(BIT)).any()


@pytest.mark.parametrize("model", ["slider_crank", "four_bar", "spatial_four_bar", "gough_stewart"])
def test_a_mechanism_that_keeps_its_distance_pays_nothing(model: str) -> None:
    """Where the ranges prove that the roots never meet, the condition and its comparison are gone."""
    conditions = [condition.name for condition in position(model, "float32").conditions]
    assert "BRANCH_NEAR_SWAP" not in conditions


def test_the_warning_is_of_positions_alone() -> None:
    """The other functions say NEAR_SINGULAR where the same pivot is too small to divide by."""
    program = program_of_mechanism(read_mechanism(model_path("rocker_four_bar")), "float32")
    warned = [f.name for f in program.functions if any(c.name == "BRANCH_NEAR_SWAP" for c in f.conditions)]
    assert warned == ["position", "position_alt"]
