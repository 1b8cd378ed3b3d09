"""Next to a fold of a spatial mechanism a pose is flagged or its closures hold. Oracle: the closures of sil.reference.

The window in which a radicand below zero counts as rounding follows the pose, not the size of the workspace.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution import Solution
from exporter.model.complete import with_independent
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence, Precision
from exporter.sequence.status import BITS
from sil.reference.mechanism import reference_of
from sil.reference.motion import Configuration

DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"
OUTSIDE = 1 << BITS["OUT_OF_WORKSPACE"][0]
WARNING = np.uint32(1 << BITS["BRANCH_NEAR_SWAP"][0])  # set all around an edge, with outputs as good as any
UNITS = 64  # in the last place, of the closures and of s^2 + c^2 = 1, that rounding may leave
WIDE = CoordinateRange(Fraction(-4), Fraction(4), Fraction(5))


@dataclass(frozen=True)
class Way:
    """From a reachable pose towards one beyond a fold, in the independent coordinates."""

    mechanism: Mechanism
    start: np.ndarray
    towards: np.ndarray


def wishbone(lower: float, rack: float) -> Way:
    mechanism = read_mechanism(model_path("double_wishbone_front"))
    mechanism.ranges.update({name: replace(WIDE, rate=mechanism.ranges[name].rate) for name in ("lower", "rack")})
    mechanism.outputs["heading"] = "yaw"
    return Way(mechanism, np.zeros(2), np.array([lower, rack]))


def four_bar(towards: float) -> Way:
    mechanism = read_mechanism(model_path("spatial_four_bar"))
    pose = {**mechanism.pose, "beta2": Fraction("0.57")}
    return Way(with_independent(mechanism, ["beta2"], pose, {"beta2": WIDE}), np.array([0.57]), np.array([towards]))


def delta_by_its_motors() -> Way:
    names = ("q1", "q2", "q3")
    pose = {**dict.fromkeys(names, Fraction(0)), "z": Fraction("-0.4")}
    mechanism = with_independent(read_mechanism(DATA / "rotary_delta.toml"), names, pose, dict.fromkeys(names, WIDE))
    return Way(mechanism, np.zeros(3), np.array([0, 3.0, 0]))


WAYS = {
    "circle and sphere, up": lambda: wishbone(2.5, 0),
    "circle and sphere, down": lambda: wishbone(-2.5, 0),
    "three spheres": lambda: wishbone(0, 1),
    "three spheres, other side": lambda: wishbone(0, -1),
    "lexicographic basis": lambda: four_bar(-3),
    "three slides": delta_by_its_motors,
    "arms of a delta": lambda: Way(
        read_mechanism(DATA / "rotary_delta.toml"), np.array([0.1, -0.05, -0.45]), np.array([0.3, 0.3, -0.3])
    ),
    "line and sphere": lambda: Way(
        read_mechanism(DATA / "linear_delta.toml"), np.zeros(3), np.array([0.1746, 0.1358, 0])
    ),
}


MIRRORED = ("circle and sphere, up", "three spheres, other side")  # the same blocks at their other folds


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=pytest.mark.slow if name in MIRRORED else ()) for name in WAYS]
)
def case(request: pytest.FixtureRequest) -> tuple[Way, Solution, float]:
    """A way, its solution, and where on it the fold is."""
    way = WAYS[request.param]()
    solved = solved_mechanism(way.mechanism)
    return way, solved, fold(way, functions.position(solved, "float64", contract=True))


def fold(way: Way, sequence: OperationSequence) -> float:
    """The part of the way at which the flag goes up, by halving in float64."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        flagged = interpret(sequence, (way.start + middle * way.towards)[None]).status[0] & OUTSIDE
        low, high = (low, middle) if flagged else (middle, high)
    return low


def defects(way: Way, sequence: OperationSequence, rows: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """Largest residual of the original closures, or of s^2 + c^2 = 1, per row."""
    names = [output.signal.name for output in sequence.outputs]
    shape = (len(rows), len(way.mechanism.coordinates()))
    values, sines, cosines = np.zeros(shape), np.zeros(shape), np.ones(shape)
    for k, name in enumerate(way.mechanism.coordinates()):
        if name in way.mechanism.independent:
            values[:, k] = rows[:, way.mechanism.independent.index(name)]
            sines[:, k], cosines[:, k] = np.sin(values[:, k]), np.cos(values[:, k])
        elif f"{name}.sin" in names:
            sines[:, k], cosines[:, k] = (outputs[:, names.index(f"{name}.{part}")] for part in ("sin", "cos"))
        else:
            values[:, k] = outputs[:, names.index(name)]
    return reference_of(way.mechanism).residual(Configuration(values, sines, cosines))


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_flagged_or_closed(case: tuple[Way, Solution, float], precision: Precision) -> None:
    """In steps of one unit in the last place through the fold, and farther ones: no torn loop goes unflagged."""
    way, solved, at = case
    eps = float(np.finfo(precision).eps)
    steps = np.concatenate([np.arange(-300, 300), [1e3, 1e4, 1e5, -1e3, -1e4, -1e5]])
    rows = way.start + way.towards * (at + steps * eps)[:, None]
    sequence = functions.position(solved, precision, contract=True)
    result = interpret(sequence, rows)
    assert np.isfinite(result.outputs).all()
    found = defects(way, sequence, rows.astype(precision).astype(float), result.outputs.astype(float))
    passed = (result.status & ~WARNING) == 0
    assert found[passed].max() < UNITS * eps
    assert passed.sum() > 250
    assert (result.status[steps >= 100] & OUTSIDE).all()
