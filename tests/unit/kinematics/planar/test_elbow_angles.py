"""The angle between two arms closes its loop as well as the arms' own directions do. Oracle: the legs from the base.

By the law of cosines where the arms are of like length, by the product of both directions otherwise: the factor between
them is what `exporter.kinematics.planar.blocks.two_circles.SIMILAR_ARMS_RATIO` allows.
"""

from dataclasses import replace
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest

from exporter.functions import mechanism as functions
from exporter.functions.program import arithmetic
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.cost import cost
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Precision

two_circles = import_module("exporter.kinematics.planar.blocks.two_circles")  # the package has a function of that name
UNITS = 8  # in the last place, of the loops' length 1 m
ARMS = {"equal": (0.5, 0.5), "the robot's": (0.4, 0.6), "as unlike as may be": (0.11, 0.43)}
FOLDED = 0.01  # m: equal arms nearer to themselves are flagged, the tool being at the base
SPREAD = 40_000  # poses of each kind
ANGLES = ("theta1", "theta2", "theta3", "theta4", "theta5", "theta6")
SIDE, TOOL = 1.0, 0.4
BASE = SIDE * np.array([0, 1, 0.5 + 0.75**0.5 * 1j])
CORNERS = TOOL * np.array([-0.5 - 1j / 12**0.5, 0.5 - 1j / 12**0.5, 1j / 3**0.5])


def robot(first: float, second: float) -> Mechanism:
    """The library's robot with other arms and a wide workspace."""
    mechanism = read_mechanism(model_path("parallel_robot"))
    sizes = {"l1": first, "l2": second}
    parameters = tuple(
        replace(each, value=Fraction(str(sizes.get(each.name, float(each.value))))) for each in mechanism.parameters
    )
    wide = {
        name: CoordinateRange(Fraction(-3), Fraction(3), mechanism.ranges[name].rate) for name in ("x", "y", "theta")
    }
    return replace(mechanism, parameters=parameters, ranges={**mechanism.ranges, **wide})


def wanted(rows: np.ndarray) -> np.ndarray:
    """From the base to the tool's corners, m; (poses, 3)."""
    x, y, theta = rows.T
    return np.asarray((x + 1j * y)[:, None] + np.exp(1j * theta)[:, None] * CORNERS - BASE)


def reached(arms: tuple[float, float], outputs: dict[str, np.ndarray]) -> np.ndarray:
    """From the base to the legs' tips, m; (poses, 3)."""
    unit = {name: outputs[f"{name}.cos"] + 1j * outputs[f"{name}.sin"] for name in ANGLES}
    upper = np.stack([unit[name] for name in ANGLES[:3]], axis=1)
    elbow = np.stack([unit[name] for name in ANGLES[3:]], axis=1)
    return np.asarray(upper * (arms[0] + arms[1] * elbow))


def anywhere() -> np.ndarray:
    return np.random.default_rng(4).uniform([-0.5, -0.5, -2], [1.5, 1.5, 2], (SPREAD, 3))


def next_to_edges(arms: tuple[float, float]) -> np.ndarray:
    """Poses with the first leg up to 0.01 rad from stretched or folded."""
    random = np.random.default_rng(5)
    upper, theta = random.uniform(-1, 2, SPREAD), random.uniform(-2, 2, SPREAD)
    elbow = random.choice([0, np.pi], SPREAD) + 10 ** random.uniform(-6, -2, SPREAD)
    tip = np.exp(1j * upper) * (arms[0] + arms[1] * np.exp(1j * elbow))
    place = tip - np.exp(1j * theta) * CORNERS[0]
    return np.stack([place.real, place.imag, theta], axis=1)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize(
    "like", [two_circles.SIMILAR_ARMS_RATIO, 0], ids=["by the law of cosines", "by both directions"]
)
@pytest.mark.parametrize("arms", ARMS.values(), ids=ARMS)
def test_legs_end_at_the_tool(
    arms: tuple[float, float], like: int, precision: Precision, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At random poses, and at some with a leg nearly stretched or folded."""
    monkeypatch.setattr(two_circles, "SIMILAR_ARMS_RATIO", like)
    sequence = functions.position(solved_mechanism(robot(*arms)), precision, contract=True)
    rows = np.concatenate([anywhere(), next_to_edges(arms)]).astype(precision)
    result = interpret(sequence, rows)
    outputs = {out.signal.name: result.outputs[:, k].astype(float) for k, out in enumerate(sequence.outputs)}
    ends, eps = wanted(rows.astype(float)), float(np.finfo(precision).eps)
    within = (np.abs(abs(ends) - max(arms)) < min(arms) - UNITS * eps) & (abs(ends) > FOLDED)
    assert within[:SPREAD].sum() > 1000
    assert within[SPREAD:, 0].sum() > 1000
    assert np.abs(reached(arms, outputs) - ends)[within].max() < UNITS * eps


def test_like_arms_cost_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Per leg three products and a sum instead of eight and four."""
    solved = solved_mechanism(robot(0.4, 0.6))
    cheap = cost(arithmetic(functions.position, solved))
    monkeypatch.setattr(two_circles, "SIMILAR_ARMS_RATIO", 0)
    dear = cost(arithmetic(functions.position, solved))
    assert (dear.mul - cheap.mul, dear.add - cheap.add) == (3 * 5, 3 * 3)
