"""The roots that a spatial export does not take, in words: where they put a block's coordinates at the design pose.

In: a SpatialForm with its branch chosen. Used by: `functions`, and from there into manifest and report. Each
block is solved by its other root after the blocks before it by their own; later blocks are not asked.
"""

from exporter.kinematics.protocol.rooted_poses import AssembledRows
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.evaluation import poses_of
from exporter.kinematics.spatial.form import SpatialForm

COORDINATE_DECIMALS = 4
"""Decimals of a coordinate: enough to tell the roots apart, too few to show rounding."""
LEAST_MARGIN = -1e-9
"""A margin down to this counts as reachable."""
NOT_ASSEMBLED = "cannot be assembled at the design pose"


def other_roots_in_space(form: SpatialForm) -> dict[str, str]:
    """Block with two roots -> its other root, such as "beta = 2.1293 rad"."""
    chosen = [block for block in form.blocks if block.degree > 1 and block.coordinates]
    if not chosen:
        return {}
    flipped = [tuple(-each.sign if each is block else each.sign for each in form.blocks) for block in chosen]
    found = poses_of(form).at_design(flipped)
    return {block.id: _in_words(form, block, found, row) for row, block in enumerate(chosen)}


def _in_words(form: SpatialForm, block: Block, found: AssembledRows, row: int) -> str:
    if block.id in found.margins and found.margins[block.id][row] < LEAST_MARGIN:
        return NOT_ASSEMBLED
    names, displacements = form.mechanism.coordinates(), form.mechanism.displacements()
    values = {name: float(found.coordinates[row, names.index(name)]) for name in block.coordinates}
    return ", ".join(
        f"{name} = {round(value, COORDINATE_DECIMALS) + 0.0:g} {'m' if name in displacements else 'rad'}"
        for name, value in values.items()
    )
