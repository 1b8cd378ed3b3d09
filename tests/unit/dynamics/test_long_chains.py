"""A long spatial chain is proven finite in float32: factors of its mass matrix, and the entries they are made of."""

import sys
from pathlib import Path

import numpy as np
import pytest

from exporter.functions.mechanism import dynamics
from exporter.functions.program import arithmetic
from exporter.kinematics.engine import solved_mechanism
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.limiting import limit_where_needed


def test_twelve_bodies_are_proven_by_limits_of_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits act nowhere within the ranges: no flag, and the numbers of the bare arithmetic in float64."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3] / "benchmarks"))
    sys.modules.pop("families", None)
    from families import FAMILIES

    solved = solved_mechanism(parse_mechanism(FAMILIES["open_chain"](12), "chain"))
    written = dynamics(solved, "float32", contract=True)
    made, _ = limit_where_needed(written)
    random = np.random.Generator(np.random.Philox(7))
    rows = np.array([random.uniform(float(s.minimum or 0), float(s.maximum or 0), 200) for s in written.inputs]).T
    rows = rows.astype(np.float32)
    found, right = interpret(made, rows), interpret(arithmetic(dynamics, solved), rows.astype(np.float64))
    assert (found.status == 0).all()
    assert np.abs(found.outputs - right.outputs).max() <= 1e-3 * np.abs(right.outputs).max()
