"""A platform on a platform: legs between them are solved in the axes of the lower one, as if that were the ground.

The oracles are the legs' geometry in NumPy, and Lagrange multipliers in tree coordinates (sil.reference).
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from plain_rotations import about

from exporter.functions import mechanism as functions
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.model.toml.reader import parse_mechanism
from exporter.sequence.cost import cost
from exporter.sequence.interpreter import interpret
from sil.reference.mechanism import reference_of

ROOT = Path(__file__).resolve().parents[4]
ROWS = 6
X, Y, Z = np.eye(3)


@pytest.fixture
def stacked(monkeypatch: pytest.MonkeyPatch) -> tuple[Solution, Solution]:
    """One platform on six legs, and two."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    sys.modules.pop("families", None)
    import families

    one, two = (solved_mechanism(parse_mechanism(families.plates(count), "plates")) for count in (1, 2))
    return one, two


def poses(solved: Solution) -> np.ndarray:
    ranges = [solved.mechanism.ranges[name] for name in solved.mechanism.independent]
    low, high = (np.array([float(getattr(each, end)) for each in ranges]) for end in ("minimum", "maximum"))
    return np.random.Generator(np.random.Philox(7)).uniform(low, high, (ROWS, len(ranges)))


def test_legs_of_the_upper_platform_reach_from_the_lower_one(stacked: tuple[Solution, Solution]) -> None:
    """Each length is the distance of its two points in the axes of the lower platform, whose pose does not count."""
    _, solved = stacked
    rows = poses(solved)
    found = solution_rows(solved, rows).coordinates
    names = solved.mechanism.coordinates()
    for row, made in zip(rows, found, strict=True):
        x, y, z, phi, theta, psi = row[6:]
        turn = about(Z, phi) @ about(Y, theta) @ about(X, psi)
        for leg in range(6):
            foot, ball = leg * np.pi / 3, (leg + 0.5) * np.pi / 3
            top = np.array([x, y, z]) + turn @ np.round(0.5 * np.array([np.cos(ball), np.sin(ball), 0]), 4)
            reach = np.linalg.norm(top - np.round(0.8 * np.array([np.cos(foot), np.sin(foot), 0]), 4))
            assert made[names.index(f"r2_{leg}")] == pytest.approx(reach, abs=1e-12)


@pytest.mark.parametrize("write", [functions.position, functions.velocity, functions.acceleration])
def test_two_platforms_cost_twice_as_much_as_one(write: functions.Function, stacked: tuple[Solution, Solution]) -> None:
    """Positions, rates and accelerations; before, the lower platform was gone through there and back."""
    one, two = (cost(write(solved, "float64", contract=False)) for solved in stacked)
    assert (two.mul, two.add, two.div, two.sqrt) == (2 * one.mul, 2 * one.add, 2 * one.div, 2 * one.sqrt)


def test_accelerations_equal_those_with_multipliers(stacked: tuple[Solution, Solution]) -> None:
    """Legs with mass that ride on a platform with mass."""
    _, solved = stacked
    rows = poses(solved)
    rates = np.random.Generator(np.random.Philox(8)).uniform(-1, 1, rows.shape)
    sequence = functions.dynamics(solved, "float64", contract=True)
    result = interpret(sequence, np.hstack([rows, rates]))
    names = [output.signal.name for output in sequence.outputs]
    columns = [names.index(f"{name}.acceleration") for name in solved.mechanism.independent]
    right = reference_of(solved.mechanism).state_derivative(rows, rates, {})
    assert not result.status.any()
    np.testing.assert_allclose(result.outputs[:, columns], right, rtol=0, atol=1e-10 * np.abs(right).max())
