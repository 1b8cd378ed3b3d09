"""An export tells that its own design pose is flagged as next to singular, and by which pivot.

The slider-crank by its slide: crank 0.3 m and rod 0.4 m are in line where the slide is at 0.7 m. There the triangle of
crank, rod and slide has no height, and the sine of its angle at the crank is what is divided by.
"""

from dataclasses import replace
from fractions import Fraction
from math import asin, sqrt

import pytest

from exporter.functions.program import program_of_mechanism
from exporter.model.complete import with_independent
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.operations import Precision

FLAGGED = "the design pose is next to a singular one"
FOLD = 1 / 24  # of float32: below it NEAR_SINGULAR is set (docs/c-interface.md)


def notes(slide: str, precision: Precision) -> list[str]:
    limits = {"s": CoordinateRange(Fraction("0.2"), Fraction("0.69999"), Fraction(1))}
    mechanism = read_mechanism(model_path("slider_crank"))
    pose = {"s": Fraction(slide), "theta": Fraction(f"{asin(sine_at_crank(float(slide))):.9f}")}
    driven = with_independent(mechanism, ["s"], pose=pose, ranges=limits)
    driven = replace(driven, pose={name: driven.pose[name] for name in pose})
    program = program_of_mechanism(replace(driven, alternative=()), precision, only=("position", "velocity"))
    return [note for note in program.notes if FLAGGED in note]


def sine_at_crank(slide: float) -> float:
    """By the law of cosines."""
    cosine = (0.3**2 + slide**2 - 0.4**2) / (2 * 0.3 * slide)
    return sqrt(1 - cosine**2)


def test_a_flagged_design_pose_is_told_in_float32_alone() -> None:
    assert sine_at_crank(0.6999) < FOLD
    (note,) = notes("0.6999", "float32")
    assert "velocity set NEAR_SINGULAR at it in float32" in note
    assert "farther from it or float64" in note
    assert notes("0.6999", "float64") == []


@pytest.mark.parametrize("slide", ["0.5", "0.68"])
def test_nothing_is_told_of_a_regular_one(slide: str) -> None:
    assert sine_at_crank(float(slide)) > FOLD
    assert notes(slide, "float32") == []
