"""The branch of a mechanism by name: its design pose moved into the assembly mode that is asked for.

In: a mechanism and names as `kinefix show` prints them: a root ("L1-"), or the name of an assembly ("open").
Out: the mechanism at the pose of that mode, so that the pose picks it as any other pose does.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice

from exporter.errors import ModelError, NotAssembled
from exporter.kinematics.engine import triangular_solution
from exporter.kinematics.protocol.rooted_poses import flipped_signs
from exporter.kinematics.protocol.solution import Assembly, BlockFacts, BranchedSolution
from exporter.model.complete import completed
from exporter.model.mechanism import Mechanism
from exporter.model.nearest import list_words, nearest

DECIMALS = 12
"""Of the coordinates of a mode: enough to lie on one side of every root."""
MOST_TRIED, TOGETHER = 4096, 64  # combinations of the roots that are not named, and how many are evaluated at once


def in_branch(mechanism: Mechanism, names: Sequence[str]) -> Mechanism:
    """The mechanism at its design coordinates in the mode of these names.

    Blocks that are not named keep their roots where they can.

    Raises:
        ModelError: a name that no root has, names that contradict each other, or a mode that cannot be assembled there.
    """
    solved = triangular_solution(mechanism)
    rooted = solved.branched_solution()
    if rooted is None:
        raise ModelError(f"{mechanism.name}: no branch is to be chosen by this method; choose it by --pose")
    blocks = solved.block_facts()
    wanted = _wanted_signs(mechanism, blocks, names)
    mode = _nearest_mode(rooted, wanted)
    if mode is None:
        raise NotAssembled(f"{mechanism.name}: {', '.join(names)} cannot be assembled at the design coordinates")
    turned = {
        name for block, sign in zip(blocks, mode.signs, strict=True) if sign != block.sign for name in block.coordinates
    }
    pose = {name: Fraction(round(value, DECIMALS)) for name, value in mode.coordinates.items()}
    given = {name: mechanism.pose[name] for name in mechanism.independent}
    branches = {name: text for name, text in mechanism.branches.items() if name not in turned}
    return completed(replace(mechanism, pose={**pose, **given}, branches=branches))


def _roots(block: BlockFacts) -> dict[str, int]:
    """Names of a block's roots."""
    if block.degree < 2:
        return {}
    named = {block.branch: block.sign} if block.branch else {}
    return {f"{block.id}+": 1, f"{block.id}-": -1, **named}


def _wanted_signs(mechanism: Mechanism, blocks: Sequence[BlockFacts], names: Sequence[str]) -> dict[int, int]:
    """Position of a block -> its sign."""
    known = {name: (at, sign) for at, block in enumerate(blocks) for name, sign in _roots(block).items()}
    wanted: dict[int, int] = {}
    for name in names:
        if name not in known:
            raise ModelError(
                f'{mechanism.name}: "{name}" is no branch{nearest(name, known)}; '
                + (f"there are {list_words(sorted(known))}" if known else "every block has one solution")
            )
        at, sign = known[name]
        if wanted.setdefault(at, sign) != sign:
            raise ModelError(f'{mechanism.name}: "{name}" contradicts another branch of {blocks[at].id}; give one')
    return wanted


def _nearest_mode(solved: BranchedSolution, wanted: dict[int, int]) -> Assembly | None:
    """The reachable mode that keeps most of the other roots, among the first that are tried."""
    blocks = solved.block_facts()
    asked = [replace(block, sign=wanted.get(at, block.sign)) for at, block in enumerate(blocks)]
    tried = islice(flipped_signs(asked, fixed=wanted), MOST_TRIED)
    while signs := list(islice(tried, TOGETHER)):
        for mode in solved.assemblies(solved.mechanism.pose, signs):
            if mode.reachable:
                return mode
    return None
