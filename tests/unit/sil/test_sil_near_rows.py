"""Few steps to rows near the design pose reach what many steps reach, on the same branch."""

import numpy as np
import pytest

from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from sil.reference import assembly
from sil.reference.mechanism import Reference, reference_of
from sil.reference.rotations import Array

ROWS, FEW_NODES = 200, 120


def rows_about(reference: Reference, spread: float) -> Array:
    """Values of the independent coordinates, within so many rad or length scales of the design pose."""
    skeleton = reference.skeleton
    free = list(skeleton.independent)
    moved = np.random.default_rng(3).uniform(-spread, spread, (ROWS, len(free)))
    return np.asarray(reference.design[free] + moved * skeleton.units[free])


@pytest.mark.parametrize("nodes", [assembly.FINE_NODES, FEW_NODES])
@pytest.mark.parametrize("name", ["parallel_robot", "pantograph", "gough_stewart", "gough_stewart_wang"])
def test_no_row_is_lost(monkeypatch: pytest.MonkeyPatch, name: str, nodes: int) -> None:
    """With few nodes, lost rows are not followed in narrow steps: there, too, all are reached that others reach."""
    reference = reference_of(read_mechanism(model_path(name)), nodes=nodes)
    for spread in (0.3, 0.84):
        rows = rows_about(reference, spread)
        found = reference.positions(rows)
        with monkeypatch.context() as patch:
            patch.setattr(assembly, "NEAR_STEPS", 0)
            expected = reference.positions(rows)
        reached = np.isfinite(expected).all(axis=1)
        assert np.isfinite(found[reached]).all()
        assert found[reached] == pytest.approx(expected[reached], abs=1e-9)
        assert reached.any()
