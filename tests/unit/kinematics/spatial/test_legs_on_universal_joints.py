"""A leg on a universal joint has four assemblies; each is exported from a pose near it, and closes by its own formula.

The oracle is the leg's geometry in NumPy: hip + Rx(alpha) Ry(beta) (slide + foot) = pin.
"""

import tomllib
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from plain_rotations import about

from exporter.errors import SeveralAssemblies
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.protocol.solution_rows import solution_rows
from exporter.model.complete import completed
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import parse_mechanism, read_mechanism

Array = NDArray[np.float64]
X, Y, _ = np.eye(3)
DATA = Path(__file__).resolve().parents[3] / "data" / "mechanisms"
ENDS = np.array([[-0.3], [-0.1], [0.0], [0.2], [0.3]])


def offset_leg(theta: float, alpha: float, beta: float, s: float) -> Array:
    """By how much the foot of `leg_offset1` misses the pin."""
    foot = np.array([1.0, 0, 0]) + about(X, alpha) @ about(Y, beta) @ np.array([s, 0, -0.8])
    return foot - about(X, theta) @ np.array([0, 0, 1.0])


def straight_leg(theta: float, alpha: float, beta: float, s: float) -> Array:
    """By how much the foot of `leg_below` misses the pin."""
    foot = np.array([0.2, 0, 1.0]) + about(X, alpha) @ about(Y, beta) @ np.array([0, 0, s])
    return foot - 0.5 * np.array([np.cos(theta), np.sin(theta), 0])


GAPS: dict[str, Callable[..., Array]] = {"leg_offset1": offset_leg, "leg_below": straight_leg}
RIGHT = {  # alpha, beta, s of the four at theta = 0, by the formulas above
    "leg_offset1": [
        (0, 1.3866622, -1.1661904),
        (0, -2.9574606, 1.1661904),
        (np.pi, 1.7549304, 1.1661904),
        (np.pi, -0.1841320, -1.1661904),
    ],
    "leg_below": [
        (0, -0.2914568, -1.0440307),
        (0, 2.8501359, 1.0440307),
        (np.pi, 0.2914568, 1.0440307),
        (np.pi, -2.8501359, -1.0440307),
    ],
}


def posed(name: str, values: tuple[float, ...], away: float = 0.0) -> Mechanism:
    mechanism = read_mechanism(DATA / f"{name}.toml")
    pose = {key: Fraction(value + away) for key, value in zip(("alpha", "beta", "s"), values, strict=True)}
    return completed(replace(mechanism, pose={"theta": Fraction(0), **pose}))


def rows_of(solved: Solution) -> Array:
    return np.asarray(solution_rows(solved, ENDS).coordinates)


@pytest.mark.parametrize("name", ["leg_offset1", "leg_below"])
def test_the_pose_of_the_file_is_the_exported_assembly(name: str) -> None:
    """The slide is negative, as drawn; before, the positive root alone was offered."""
    found = rows_of(solved_mechanism(read_mechanism(DATA / f"{name}.toml")))[2]
    np.testing.assert_allclose(found[1:], RIGHT[name][0], atol=1e-5)


@pytest.mark.parametrize("away", [0.0, 0.2])
@pytest.mark.parametrize(("name", "number"), [(name, number) for name in RIGHT for number in range(4)])
def test_every_assembly_is_exported_from_a_pose_near_it(name: str, number: int, away: float) -> None:
    """A pose may be 0.2 rad and m away; the leg closes at the ends of the range, and stays the same assembly."""
    right = np.array(RIGHT[name][number])
    rows = rows_of(solved_mechanism(posed(name, RIGHT[name][number], away)))
    gap = rows[2, 1:] - right
    gap[:2] = np.remainder(gap[:2] + np.pi, 2 * np.pi) - np.pi
    np.testing.assert_allclose(gap, 0, atol=1e-5)
    for row in rows:
        np.testing.assert_allclose(GAPS[name](*row), 0, atol=1e-12)
        assert np.sign(row[3]) == np.sign(right[2])


@pytest.mark.parametrize("name", ["leg_offset1", "leg_below"])
def test_a_pose_that_says_nothing_lists_all_four(name: str) -> None:
    """One assembly an entry, each with a value of every dependent coordinate that closes the leg."""
    mechanism = read_mechanism(DATA / f"{name}.toml")
    with pytest.raises(SeveralAssemblies, match="4 assembly modes fit the pose, none clearly") as caught:
        solved_mechanism(completed(replace(mechanism, pose={"theta": Fraction(0)})))
    assert len(caught.value.listed) == 4
    for line in caught.value.listed:
        told = {key: float(text.split()[0]) for key, text in tomllib.loads(line)["pose"].items()}
        values = [value for key, value in told.items() if key != "theta"]
        np.testing.assert_allclose(GAPS[name](0.0, *values), 0, atol=2e-5)


def test_the_plane_agrees_with_space() -> None:
    """The leg drawn the other way round, in its plane: the same slide, the opposite sense of the angle."""
    plane = rows_of(solved_mechanism(read_mechanism(DATA / "slide_planar.toml")))
    space = rows_of(solved_mechanism(read_mechanism(DATA / "leg_below.toml")))
    np.testing.assert_allclose(plane[2, 1:], [-space[2, 2], space[2, 3]], atol=1e-12)


@pytest.mark.parametrize("side", ["x", "-x"])
def test_a_slide_along_the_other_sense_is_the_same_leg(side: str) -> None:
    """With the axis turned round the slide changes its sign, and nothing else."""
    text = (DATA / "leg_offset1.toml").read_text()
    sign = 1 if side == "x" else -1
    text = text.replace('type = "prismatic"\naxis = "x"', f'type = "prismatic"\naxis = "{side}"')
    text = text.replace('s = "-1.166190 m"', f's = "{-1.16619 * sign} m"')
    for theta, alpha, beta, s in rows_of(solved_mechanism(parse_mechanism(text, "leg.toml"))):
        np.testing.assert_allclose(offset_leg(theta, alpha, beta, sign * s), 0, atol=1e-12)
        assert sign * s < 0


def test_hinges_with_a_gap_are_no_universal_joint() -> None:
    """Two parallel hinges before a slide were solved as one, and the refusal blamed the lengths."""
    lifted = solved_mechanism(read_mechanism(DATA / "lifted_rprz.toml"))
    assert solution_rows(lifted, np.zeros((1, 2))).good[0]
    design = solution_rows(solved_mechanism(read_mechanism(DATA / "unlifted_rpr.toml")), np.zeros((1, 1)))
    assert design.good[0]
