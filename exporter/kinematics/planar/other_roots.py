"""The roots that an export does not take, in words: where they put the coordinates at the design pose.

In: a TriangularForm with its branch chosen. Used by: `functions`, and from there into manifest and report.
"""

from exporter.kinematics.planar.assembly import assemblies
from exporter.kinematics.planar.form import Block, TriangularForm
from exporter.kinematics.protocol.solution import Assembly

COORDINATE_DECIMALS = 4
"""Decimals of a coordinate: enough to tell the roots apart, too few to show rounding."""


def other_roots(form: TriangularForm) -> dict[str, str]:
    """Block of degree two -> its other root, such as "s = -0.1268 m, beta = 2.1293 rad"; independent of later blocks.

    The text says so where that root does not exist at the design pose, in this loop or in one that follows from it.
    """
    blocks = [block for block in form.blocks if block.degree > 1]
    flipped = [tuple(-each.sign if each is block else each.sign for each in form.blocks) for block in blocks]
    modes = assemblies(form, form.mechanism.pose, flipped) if blocks else ()
    return {block.id: _in_words(form, block, mode) for block, mode in zip(blocks, modes, strict=True)}


def _in_words(form: TriangularForm, block: Block, mode: Assembly) -> str:
    if not mode.reachable:
        return "cannot be assembled at the design pose"
    rounded = {name: round(mode.coordinates[name], COORDINATE_DECIMALS) + 0.0 for name in block.coordinates}
    return ", ".join(
        f"{name} = {value:g} {'m' if form.turn(name) is None else 'rad'}" for name, value in rounded.items()
    )
