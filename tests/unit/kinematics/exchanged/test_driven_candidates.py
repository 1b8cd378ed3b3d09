"""Which triangular form stands behind a driven mechanism: one whose coordinates follow the given ones all the way."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.model.toml.reader import read_mechanism
from sil.reference.mechanism import reference_of
from sil.reference.motion import configuration

STRUT = Path(__file__).resolve().parents[3] / "data" / "mechanisms" / "strut_beside_ball.toml"
Array = np.ndarray


def turns_back(values: Array) -> bool:
    return any(one * other < 0 for one, other in pairwise(np.diff(values)))


def test_a_coordinate_that_turns_back_is_not_sought() -> None:
    """By the reference the carrier's roll has two values of the rack; the strut exports with no flag all the same."""
    mechanism = read_mechanism(STRUT)
    reference = reference_of(mechanism)
    rack = np.linspace(-0.04, 0.04, 41)
    along = reference.positions(np.stack([np.full(41, -0.2), rack], axis=-1))
    assert turns_back(along[:, mechanism.coordinates().index("roll")])
    states = np.random.Generator(np.random.Philox(2)).uniform([-0.2, -0.04], [0.2, 0.04], (500, 2))
    states[:4] = [[-0.2, -0.04], [-0.2, 0.04], [0.2, -0.04], [0.2, 0.04]]
    found = solution_rows(solved_mechanism(mechanism), states)
    assert found.good.all()
    assert reference.residual(configuration(found.coordinates)).max() < 1e-13
    gap = np.exp(1j * found.coordinates) - np.exp(1j * reference.positions(states))
    assert np.abs(gap).max() < 1e-11
