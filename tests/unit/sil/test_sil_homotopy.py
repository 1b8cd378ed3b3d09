"""Poses with several independent coordinates: steps from the design pose, and where they start."""

import numpy as np
import pytest

from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from sil.reference import assembly
from sil.reference.assembly import Assembly
from sil.reference.mechanism import Reference, reference_of

NAMES = ("double_wishbone_front", "macpherson")
ROWS = 200


def started(name: str) -> tuple[Reference, np.ndarray]:
    """A reference, and values of its independent coordinates over their ranges."""
    reference = reference_of(read_mechanism(model_path(name)))
    skeleton, random = reference.skeleton, np.random.default_rng(4)
    ends = [skeleton.mechanism.ranges[skeleton.coordinates[k]] for k in skeleton.independent]
    low, high = (np.array([float(getattr(each, end)) for each in ends]) for end in ("minimum", "maximum"))
    return reference, random.uniform(low, high, (ROWS, len(low)))


def in_small_steps(reference: Reference, independent: np.ndarray) -> np.ndarray:
    """Poses by 200 steps from the design pose, each from the one before."""
    bare: Assembly = reference.assembly
    poses = np.repeat(reference.design[None], len(independent), axis=0)
    origin = reference.design[list(reference.skeleton.independent)]
    for part in np.linspace(0.0, 1.0, 201)[1:]:
        poses = bare.settle(poses, origin + part * (independent - origin))
    return poses


@pytest.mark.parametrize("name", NAMES)
def test_poses_are_those_of_small_steps(name: str) -> None:
    """Tangents and lines of nodes start steps; where they end, 200 steps without them end too."""
    reference, independent = started(name)
    found, expected = reference.positions(independent), in_small_steps(reference, independent)
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_steps_that_end_far_from_their_starts_are_lost(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starts that are 0.4 rad off: no row is found in wide steps, and all are in narrow ones, which start at nodes."""
    reference, independent = started(name)
    expected = reference.positions(independent)

    def elsewhere(self: Assembly, nodes: np.ndarray, _: np.ndarray) -> np.ndarray:
        starts = nodes.copy()
        starts[:, list(self.closures.skeleton.dependent)] += 0.4
        return starts

    monkeypatch.setattr(Assembly, "_along_tangents", elsewhere)
    wide, _, done = reference.assembly._straight_path(independent, reference.assembly._steps_to(independent))
    assert not np.isfinite(wide).any()
    assert (done == 0.0).all()
    np.testing.assert_allclose(reference.positions(independent), expected, rtol=0, atol=1e-11)
    monkeypatch.setattr(assembly, "LONGEST_CORRECTION", np.inf)
    wide, _, _ = reference.assembly._straight_path(independent, reference.assembly._steps_to(independent))
    assert np.isfinite(wide).any()
