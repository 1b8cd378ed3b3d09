"""At the edge of the workspace a flag goes up before the closure is torn. Oracle: the lengths of the links.

Rounding alone is silent: a closure that is open by a few units in the last place is no error.
"""

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.changes import Changes, apply_changes
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence, Precision
from exporter.sequence.proven import drop_proven_guards
from exporter.sequence.status import BITS

DATA = Path(__file__).resolve().parents[3] / "data"
OUTSIDE = 1 << BITS["OUT_OF_WORKSPACE"][0]
PRECISIONS: tuple[Precision, ...] = ("float32", "float64")
WARNING = np.uint32(1 << BITS["BRANCH_NEAR_SWAP"][0])  # set all around an edge, with outputs as good as any


def position(name: str, independent: str, precision: Precision, **pose: str) -> OperationSequence:
    mechanism = apply_changes(read_mechanism(model_path(name)), Changes(independent=(independent,), pose=pose))
    return drop_proven_guards(functions.position(solved_mechanism(mechanism), precision, contract=True))


def slides(precision: Precision, *displacements: float) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """Largest defect of s^2 + c^2 = 1, and status, of a slider-crank whose piston is moved."""
    sequence = position("slider_crank", "s", precision, s="0.6 m")
    ran = interpret(sequence, np.array(displacements)[:, None])
    names = [output.signal.name for output in sequence.outputs]
    pairs = [(names.index(f"{angle}.sin"), names.index(f"{angle}.cos")) for angle in ("theta", "beta")]
    outputs = ran.outputs.astype(np.float64)
    return np.max(
        [np.abs(outputs[:, s] ** 2 + outputs[:, c] ** 2 - 1) for s, c in pairs], axis=0
    ), ran.status & ~WARNING


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_torn_loop_is_flagged_at_either_end(precision: Precision) -> None:
    """Crank 0.3 m and rod 0.4 m reach from 0.1 m to 0.7 m; the near end is as sharp as the far one."""
    eps = float(np.finfo(precision).eps)
    away = np.array([30.0, 100.0, 1e3, 1e4]) * eps
    for beyond in (0.7 * (1 + away), 0.1 * (1 - away)):
        assert (slides(precision, *beyond)[1] & OUTSIDE).all()


@pytest.mark.parametrize("precision", PRECISIONS)
def test_what_is_not_flagged_is_closed(precision: Precision) -> None:
    """Through both ends in steps of one unit in the last place: no unit vector is off by more than 16 eps unflagged."""
    eps = float(np.finfo(precision).eps)
    for end in (0.1, 0.7):
        defect, status = slides(precision, *(end * (1 + np.arange(-200, 200) * eps)))
        assert defect[status == 0].max() < 16 * eps
        assert (status == 0).sum() > 150


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_rail_is_missed_by_a_pin_that_comes_too_close(precision: Precision) -> None:
    """A turning rail 0.05 m off its pivot, a pin that comes within 0.033 m of that: by the law of cosines."""
    crank, offset, pivot = 0.48, 0.05, math.hypot(0.5, 0.1)
    edge = math.atan2(0.1, 0.5) + math.acos((crank**2 + pivot**2 - offset**2) / (2 * crank * pivot))
    eps = float(np.finfo(precision).eps)
    changes = Changes(values={"r": "0.48 m"})
    mechanism = apply_changes(read_mechanism(DATA / "mechanisms" / "inverted_slider_crank.toml"), changes)
    sequence = drop_proven_guards(functions.position(solved_mechanism(mechanism), precision, contract=True))
    ran = interpret(sequence, (edge + np.arange(-2000, 2000) * eps)[:, None])
    status = ran.status & ~WARNING
    names = [output.signal.name for output in sequence.outputs]
    pair = ran.outputs[:, [names.index("phi.sin"), names.index("phi.cos")]].astype(np.float64)
    defect = np.abs((pair**2).sum(axis=1) - 1)
    assert defect[status == 0].max() < 16 * eps
    assert 1500 < (status == 0).sum() < 2500


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_crank_that_turns_fully_has_no_edge(precision: Precision) -> None:
    """Shortest and longest link (1 m, 4 m) are shorter together than the others (3 m, 2.5 m): Grashof."""
    driven_by_crank = position("four_bar", "alpha1", precision)
    assert "OUT_OF_WORKSPACE" not in {condition.name for condition in driven_by_crank.conditions}
    driven_by_rocker = position("four_bar", "alpha3", precision)
    assert "OUT_OF_WORKSPACE" in {condition.name for condition in driven_by_rocker.conditions}
