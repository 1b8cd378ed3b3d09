"""How many assemblies of a solved mechanism are real at its design pose.

In: a `Solution` of either engine. Out: every combination of root signs whose margins are not negative.
"""

from exporter.kinematics.protocol.rooted_poses import every_sign
from exporter.kinematics.protocol.solution import EDGE_ROUNDING, Solution

MOST_COMBINATIONS = 16  # combinations that are tried


def real_assemblies(solved: Solution) -> tuple[tuple[int, ...], ...] | None:
    """Signs of the blocks of every assembly that is real at the design pose; None where there are too many to try."""
    rooted = solved.branched_solution()
    if rooted is None:
        return None
    blocks = solved.block_facts()
    if 1 << sum(block.degree > 1 for block in blocks) > MOST_COMBINATIONS:
        return None
    modes = rooted.assemblies(solved.mechanism.pose, every_sign(blocks))
    return tuple(mode.signs for mode in modes if all(margin >= -EDGE_ROUNDING for margin in mode.margins.values()))
