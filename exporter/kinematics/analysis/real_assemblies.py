"""How many assemblies of a solved mechanism are real at its design pose.

In: a `Solution` of either engine. Out: every combination of root signs whose margins are not negative.
"""

from itertools import product

import numpy as np

from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.protocol.solution_rows import pose_sequence
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Role

EDGE_ROUNDING = 1e-9  # a margin down to -EDGE_ROUNDING counts as reached
MOST_COMBINATIONS = 16  # combinations that are tried


def real_assemblies(solved: Solution) -> tuple[tuple[int, ...], ...] | None:
    """Signs of the blocks of every assembly that is real at the design pose; None where there are too many to try."""
    rooted = solved.branched_solution()
    if rooted is None:
        return None
    signs = [(1, -1) if block.degree > 1 else (1,) for block in solved.block_facts()]
    combinations = list(product(*signs))
    if len(combinations) > MOST_COMBINATIONS:
        return None
    return tuple(each for each in combinations if _is_real(rooted.with_signs(each)))


def _is_real(solved: Solution) -> bool:
    mechanism, sequence = solved.mechanism, pose_sequence(solved)
    row = np.array([[float(mechanism.pose[name]) for name in mechanism.independent]])
    outputs = interpret(sequence, row).outputs[0]
    margins = [v for o, v in zip(sequence.outputs, outputs, strict=True) if o.signal.role is Role.MARGIN]
    return all(margin >= -EDGE_ROUNDING for margin in margins)
