"""How much of its ranges a closed form reaches: the slider-crank by its slide, between its dead centres.

Crank 0.3 m, rod 0.4 m: the slide reaches from 0.1 to 0.7 m.
"""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution_rows import pose_sequence
from exporter.kinematics.verification.probe import Probe
from exporter.kinematics.verification.reach_notes import reach_notes
from exporter.model.complete import with_independent
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"


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


def test_a_parameter_that_seeds_do_not_know_has_the_range_told_that_they_bear() -> None:
    """Seeds of the stage are fitted at h = 5 mm: of heights from 4 to 6 mm next to all are flagged.

    At the ends that are told no place of a grid is flagged, at those of the file all but the middle one are.
    """
    mechanism = read_mechanism(DATA / "tilt_stage.toml")
    solved = solved_mechanism(mechanism)
    (note,) = [each for each in reach_notes(Probe(solved)) if "range of h" in each]
    (found,) = re.findall(r'h = \["([\d.]+) m", "([\d.]+) m"\]', note)
    assert float(found[0]) < 5e-3 < float(found[1])
    motors = np.stack(np.meshgrid([-0.2, 0.0, 0.2], [-0.2, 0.0, 0.2]), axis=-1).reshape(-1, 2)
    for height, flagged in ((float(found[0]), False), (float(found[1]), False), (4e-3, True), (6e-3, True)):
        sequence = pose_sequence(solved, nominal=False)
        named = {"h": np.full(len(motors), height), "m1": motors[:, 0], "m2": motors[:, 1]}
        rows = np.stack([named[signal.name] for signal in sequence.inputs], axis=1)
        assert (
            (interpret(sequence, rows).status != 0).sum() >= 8
            if flagged
            else not interpret(sequence, rows).status.any()
        )
