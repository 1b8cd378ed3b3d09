"""From a spatial mechanism to its triangular form: signs by the design pose, redundancy, verification.

In: a Mechanism. Used by: `functions`. Each block takes the sign whose coordinates lie nearer to the pose. The
form is then held against the original closures at random configurations within the ranges.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

from exporter.errors import NotAssembled
from exporter.kinematics.closures.numeric import Array
from exporter.kinematics.protocol.closest import closest, is_clear, several
from exporter.kinematics.protocol.euler_triples import dependent_triples, has_triple, respell_angles
from exporter.kinematics.protocol.rooted_poses import AssembledRows, RootedPoses, Signs, own_signs
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.evaluation import poses_of
from exporter.kinematics.spatial.form import SpatialForm, unsigned_spatial_form
from exporter.kinematics.spatial.loops.system import LoopSearch
from exporter.kinematics.spatial.search import Tell, with_cheapest_blocks
from exporter.kinematics.spatial.verification import assemblies, verify_form
from exporter.model.mechanism import Mechanism
from exporter.model.once import once_per_model
from exporter.progress import say

MOST_TWO_ROOT_BLOCKS = 10  # blocks with two roots up to which all combinations of roots are tried
MOST_MODES = 1 << MOST_TWO_ROOT_BLOCKS
LEAST_MARGIN = -1e-9  # margin from which a block counts as assembled
CERTAIN_DISTANCE = (
    0.1  # rad or m: so near to the pose, and no nearer than this to the other mode, a sign is not questioned
)


def spatial_form(mechanism: Mechanism, tell: Tell = lambda _: None, loops: LoopSearch | None = None) -> SpatialForm:
    """The triangular form with the branch that the pose picks, verified; `tell` hears of a long search.

    With `loops`, those that no block solves are solved by a table and Newton steps.

    Raises:
        ModelError: the mechanism cannot be solved by this choice of coordinates or assembled at its design pose, its
            pose does not tell the branches apart, a loop does not close, or the number of independent coordinates is
            not that of its degrees of freedom.
    """
    say("placing the bodies one after the other")
    form = replace(
        _search_form(mechanism, None if loops is None else loops.alone, tell=tell, loops=loops), mechanism=mechanism
    )
    poses = poses_of(form)
    form = _with_nearer_signs(form, poses)
    form = form.with_signs(own_signs(form.blocks), tuple(_name(form, block) for block in form.blocks))
    form = replace(form, beyond=_beyond(form, poses))
    if not any(joint.closes for joint in mechanism.joints):
        return form
    return verify_form(form, None if form.beyond else poses, mechanism if loops is None else loops.mechanism)


def _beyond(form: SpatialForm, poses: RootedPoses) -> frozenset[str]:
    """Joints whose middle Euler angle, spelled as near to the pose as its attitude can be, is beyond a quarter turn."""
    mechanism = form.mechanism
    middles = {joint.name: joint.coordinates[-2] for joint in mechanism.joints if has_triple(joint)}
    values = {name: float(value) for name, value in mechanism.pose.items()}
    if any(True for _ in dependent_triples(mechanism)):
        row = poses.at_design(own_signs(form.blocks)).coordinates[0]
        values |= respell_angles(mechanism, dict(zip(mechanism.coordinates(), row, strict=True)), mechanism.pose)
    return frozenset(joint for joint, middle in middles.items() if math.cos(values.get(middle, 0.0)) < 0)


@once_per_model
def _search_form(mechanism: Mechanism, alone: bool | None, *, tell: Tell, loops: LoopSearch | None) -> SpatialForm:  # noqa: ARG001
    """The cheapest form, searched once per model; `alone`: what `loops` says, None without."""
    form = unsigned_spatial_form(mechanism, loops)
    return with_cheapest_blocks(form, tell) if loops is None else form


def _name(form: SpatialForm, block: Block) -> str:
    branches = form.mechanism.branches
    return next((branches[name] for name in block.coordinates if name in branches), "")


# -- the signs -----------------------------------------------------------------------------------------------------


def _with_nearer_signs(form: SpatialForm, poses: RootedPoses) -> SpatialForm:
    """Block after block, in solve order; blocks that the pose says nothing of together with the next that it does."""
    poses.at_design([own_signs(form.blocks), *_each_flipped(form)])  # what is asked for below, evaluated together
    assembled = poses.at_design(own_signs(form.blocks))
    waiting: list[int] = []
    for number, block in enumerate(form.blocks):
        if block.degree > 1:
            if not waiting:
                _check_margin(form, block, assembled)
            waiting.append(number)
        distance = _distance(form, block, assembled.coordinates[0])
        if math.isinf(distance) or not waiting:
            continue
        pivot = abs(float(assembled.pivots[block.id][0])) if block.id in assembled.pivots else CERTAIN_DISTANCE
        sure = distance < CERTAIN_DISTANCE and pivot > CERTAIN_DISTANCE
        if waiting != [number] or not sure:
            nearest = _nearest(form, poses, waiting, number)
            if nearest is None:
                return _of_all(form, poses, waiting)
            form = nearest
            assembled = poses.at_design(own_signs(form.blocks))
        waiting = []
    return _of_all(form, poses, waiting) if waiting else form


def _nearest(form: SpatialForm, poses: RootedPoses, chosen: list[int], told: int) -> SpatialForm | None:
    """The signs of the chosen blocks that bring the coordinates of the block `told` clearly nearest to the pose.

    None where two choices are about equally near, or where there are too many to try.
    """
    if len(chosen) > MOST_TWO_ROOT_BLOCKS:
        return None
    every = list(_flip_signs(form, chosen))
    assembled = poses.at_design(every)
    found = [
        (_distance(form, form.blocks[told], assembled.coordinates[row]), signs)
        for row, signs in enumerate(every)
        if all(_margin(form.blocks[number], assembled, row) >= LEAST_MARGIN for number in chosen)
    ]
    if not found:
        _check_margin(form, form.blocks[chosen[-1]], assembled, row=-1)
        return None
    found.sort(key=lambda entry: entry[0])
    return form.with_signs(found[0][1]) if len(found) < 2 or is_clear(found[0][0], found[1][0]) else None


def _flip_signs(form: SpatialForm, chosen: Sequence[int]) -> Iterator[Signs]:
    """Signs of all blocks, those of the chosen ones in every combination, their own first."""
    for flips in product((1, -1), repeat=len(chosen)):
        signs = [block.sign for block in form.blocks]
        for number, flip in zip(chosen, flips, strict=True):
            signs[number] *= flip
        yield tuple(signs)


def _each_flipped(form: SpatialForm) -> Iterator[Signs]:
    """Signs of all blocks, that of one block with two roots the other."""
    for number, block in enumerate(form.blocks):
        if block.degree > 1:
            yield tuple(-each.sign if k == number else each.sign for k, each in enumerate(form.blocks))


def _of_all(form: SpatialForm, poses: RootedPoses, unclear: Sequence[int]) -> SpatialForm:
    """The assembly that the pose picks among those whose original closures hold; these may leave one.

    Where there are many combinations of roots, the blocks that are `unclear` and not the others take every root.

    Raises:
        ModelError: several are about equally near, which it lists, or none closes.
    """
    two = [number for number, block in enumerate(form.blocks) if block.degree > 1]
    varied = two if len(two) <= MOST_TWO_ROOT_BLOCKS else list(unclear)
    modes = assemblies(form, poses, list(islice(_flip_signs(form, varied), MOST_MODES)), form.mechanism.pose)
    reachable = [mode for mode in modes if mode.reachable]
    if not reachable:
        raise NotAssembled(_ambiguous(form, form.blocks[unclear[0]]))
    if len(varied) > MOST_TWO_ROOT_BLOCKS:
        names = [name for number in varied for name in form.blocks[number].coordinates]
        raise several(form.mechanism, reachable, names)
    return form.with_signs(closest(form.mechanism, form.blocks, reachable).signs)


def _ambiguous(form: SpatialForm, block: Block) -> str:
    names = ", ".join(block.coordinates) or block.body
    return (
        f"{form.mechanism.name}: no assembly closes at the design pose with the root of block {block.id} "
        f"({block.kind}) that lies nearest to the pose of {names}; check lengths and axes, or change the pose"
    )


def _distance(form: SpatialForm, block: Block, row: Array) -> float:
    mechanism = form.mechanism
    values = respell_angles(mechanism, dict(zip(mechanism.coordinates(), row, strict=True)), mechanism.pose)
    gaps = []
    for name in block.coordinates:
        if name in mechanism.pose:
            gaps.append(abs(mechanism.difference(name, values[name], float(mechanism.pose[name]))))
    return max(gaps, default=math.inf)


def _margin(block: Block, assembled: AssembledRows, row: int = 0) -> float:
    return float(assembled.margins[block.id][row]) if block.id in assembled.margins else 0.0


def _check_margin(form: SpatialForm, block: Block, assembled: AssembledRows, row: int = 0) -> None:
    margin = _margin(block, assembled, row)
    if margin < LEAST_MARGIN:
        mechanism = form.mechanism
        where = ", ".join(f"{name} = {float(mechanism.pose[name]):.6g}" for name in mechanism.independent)
        raise NotAssembled(
            f"{mechanism.name}: {', '.join(block.coordinates) or block.body} cannot be assembled at {where}: the "
            f"margin of block {block.id} ({block.kind}) is {margin:.3g} and must not be below 0; change lengths or "
            "the pose"
        )
