"""How much of its ranges a closed form reaches: the slider-crank by its slide, between its dead centres.

Crank 0.3 m, rod 0.4 m: the slide reaches from 0.1 to 0.7 m.
"""

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.verification.probe import Probe
from exporter.kinematics.verification.reach_notes import reach_notes
from exporter.model.complete import with_independent
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange
from exporter.model.toml.reader import read_mechanism


def notes(low: str, high: str) -> tuple[str, ...]:
    mechanism = read_mechanism(model_path("slider_crank"))
    limits = CoordinateRange(Fraction(low), Fraction(high), Fraction(1))
    driven = with_independent(mechanism, ["s"], ranges={"s": limits})
    return reach_notes(Probe(solved_mechanism(replace(driven, alternative=()))))


def test_the_share_and_the_ends_are_told() -> None:
    """Half of the way from 0.4 to 1 m is reached."""
    (note,) = notes("0.4", "1")
    assert abs(float(note.partition("%")[0]) - 50) < 6
    (found,) = re.findall(r's = \["([\d.]+) m", "([\d.]+) m"\]', note)
    assert float(found[0]) == pytest.approx(0.4)
    assert 0.66 < float(found[1]) <= 0.7


def test_nothing_is_said_where_all_is_reached() -> None:
    assert notes("0.4", "0.65") == ()
