"""What the reference finds of a pose is kept with it; between the nodes of its path it starts next to the poses."""

import numpy as np

from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from sil.reference.assembly import _nearest
from sil.reference.drift import drift_of
from sil.reference.mechanism import reference_of
from sil.reference.motion import MOST_KEPT, Configuration, configuration
from sil.reference.placing import place_bodies
from sil.reference.skeleton import skeleton_of

ROWS = 6


def test_bodies_and_their_drift_are_found_once_for_the_same_rows() -> None:
    """Slices of the same rates are other views of the same numbers; equal numbers elsewhere are other rates."""
    skeleton = skeleton_of(read_mechanism(model_path("slider_crank")))
    rates = np.random.default_rng(1).uniform(-1.0, 1.0, (ROWS, len(skeleton.coordinates)))
    at = configuration(np.full_like(rates, 0.2)).of_rows(slice(2, 5))
    assert place_bodies(skeleton, at) is place_bodies(skeleton, at)
    assert drift_of(skeleton, at, rates[2:5]) is drift_of(skeleton, at, rates[2:5])
    assert drift_of(skeleton, at, rates[2:5]) is not drift_of(skeleton, at, rates[1:4])
    assert drift_of(skeleton, at, rates[2:5]) is not drift_of(skeleton, at, rates[2:5].copy())


def test_rows_that_come_after_those_that_have_room_keep_nothing() -> None:
    """The last row that has room keeps what was found, the next one does not."""
    row = np.zeros((1, 2))
    for first, kept in ((MOST_KEPT - 1, True), (MOST_KEPT, False)):
        at = Configuration(row, row, row, first=first)
        found = [at.keep("something", 1, object) for _ in range(2)]
        assert (found[0] is found[1]) == kept


def test_newton_starts_next_to_the_pose_between_nodes_away_from_folds() -> None:
    """The crank of a four-bar turns on and on; starts are cubics between 3,600 nodes, some 1e-3 rad apart."""
    reference = reference_of(read_mechanism(model_path("four_bar")))
    assembly = reference.assembly
    assert assembly.path is not None
    angles = np.random.default_rng(2).uniform(-3.0, 3.0, ROWS)
    starts = _nearest(assembly.path, assembly.design, assembly.closures, angles)
    column = reference.skeleton.independent[0]
    starts[:, column] = angles
    poses = reference.positions(angles[:, None])
    assert np.abs(np.remainder(starts - poses + np.pi, 2 * np.pi) - np.pi).max() < 1e-10
