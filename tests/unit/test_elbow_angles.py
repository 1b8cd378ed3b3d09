"""The angle between two arms closes its loop as well as the arms' own directions do. Oracle: the legs from the base.

By the law of cosines where the arms are of like length, by the product of both directions otherwise: the factor between
them is what `exporter.kinematics.blocks.two_circles.LIKE` allows.
"""

from dataclasses import replace
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest

from exporter import functions
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.mechanism import CoordinateRange, Mechanism
from exporter.model.toml_reader import read_mechanism
from exporter.sequence.cost import cost
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Precision

two_circles = import_module("exporter.kinematics.blocks.two_circles")  # the package has a function of that name
UNITS = 8  # in the last place, of the loops' length 1 m
ARMS = {"equal": (0.5, 0.5), "the robot's": (0.4, 0.6), "as unlike as may be": (0.11, 0.43)}
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


def left_open(arms: tuple[float, float], rows: np.ndarray, outputs: dict[str, np.ndarray]) -> np.ndarray:
    """How far the tips of the three legs are from the tool's corners, m; (poses, 3)."""
    x, y, theta = rows.T
    corners = (x + 1j * y)[:, None] + np.exp(1j * theta)[:, None] * CORNERS
    unit = {name: outputs[f"{name}.cos"] + 1j * outputs[f"{name}.sin"] for name in ANGLES}
    upper = np.stack([unit[name] for name in ANGLES[:3]], axis=1)
    elbow = np.stack([unit[name] for name in ANGLES[3:]], axis=1)
    return np.asarray(np.abs(BASE + upper * (arms[0] + arms[1] * elbow) - corners))


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("like", [two_circles.LIKE, 0], ids=["by the law of cosines", "by both directions"])
@pytest.mark.parametrize("arms", ARMS.values(), ids=ARMS)
def test_legs_end_at_the_tool(
    arms: tuple[float, float], like: int, precision: Precision, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At random poses, among them nearly stretched and folded legs."""
    monkeypatch.setattr(two_circles, "LIKE", like)
    sequence = functions.position(solved_mechanism(robot(*arms)), precision, contract=True)
    rows = np.random.default_rng(4).uniform([-0.5, -0.5, -2], [1.5, 1.5, 2], (40_000, 3)).astype(precision)
    result = interpret(sequence, rows)
    outputs = {out.signal.name: result.outputs[:, k].astype(float) for k, out in enumerate(sequence.outputs)}
    good = result.status == 0
    assert good.sum() > 100
    worst = left_open(arms, rows.astype(float), outputs)[good].max()
    assert worst < UNITS * float(np.finfo(precision).eps)


def test_like_arms_cost_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Per leg three products and two sums instead of eight and four."""
    solved = solved_mechanism(robot(0.4, 0.6))
    cheap = cost(functions.position(solved, "float64", contract=False))
    monkeypatch.setattr(two_circles, "LIKE", 0)
    dear = cost(functions.position(solved, "float64", contract=False))
    assert (dear.mul - cheap.mul, dear.add - cheap.add) == (3 * 4, 3 * 3)
