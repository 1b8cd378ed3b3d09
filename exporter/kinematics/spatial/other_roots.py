"""The roots that a spatial export does not take, in words: where they put a block's coordinates at the design pose.

In: a SpatialForm with its branch chosen. Used by: `functions`, and from there into manifest and report. Each
block is solved by its other root after the blocks before it by their own; later blocks are not asked.
"""

import math
from collections.abc import Sequence

import numpy as np

from exporter.kinematics.protocol.coordinate_rows import write_coordinates
from exporter.kinematics.protocol.rooted_poses import design_row
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.writing import solve_spatial_pose
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal

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
    sequence = _sequence(form, chosen)
    own = design_row(form.mechanism)[0]
    rows = [[*own, *(-each.sign if each is block else each.sign for each in chosen)] for block in chosen]
    names = [output.signal.name for output in sequence.outputs]
    found = interpret(sequence, np.array(rows, dtype=float)).outputs.tolist()
    return {
        block.id: _in_words(block, dict(zip(names, row, strict=True))) for block, row in zip(chosen, found, strict=True)
    }


def _sequence(form: SpatialForm, chosen: Sequence[Block]) -> OperationSequence:
    """The coordinates and margins of some blocks, by the independent coordinates and the signs of their roots."""
    builder = Builder("other_roots", "float64")
    given = {name: builder.input(Signal(name, "1")) for name in form.independent}
    signs = {block.id: builder.input(Signal(f"{block.id}.sign", "1")) for block in chosen}
    pose = solve_spatial_pose(form, builder, Scope(builder, form.mechanism, nominal=True), given, signs=signs)
    margins = {margin.block: margin.value for margin in pose.margins if margin.role == "margin"}
    for block in chosen:
        write_coordinates(builder, pose, block.coordinates, pose.displacements, f"{block.id} ")
        if block.id in margins:
            builder.output(Signal(f"{block.id} margin", "1", group=Group.OUTPUT), margins[block.id])
    return builder.finish()


def _in_words(block: Block, values: dict[str, float]) -> str:
    if values.get(f"{block.id} margin", 0.0) < LEAST_MARGIN:
        return NOT_ASSEMBLED
    return ", ".join(_coordinate(f"{block.id} {name}", name, values) for name in block.coordinates)


def _coordinate(key: str, name: str, values: dict[str, float]) -> str:
    if key in values:
        return f"{name} = {round(values[key], COORDINATE_DECIMALS) + 0.0:g} m"
    angle = math.atan2(values[f"{key}.sin"], values[f"{key}.cos"])
    return f"{name} = {round(angle, COORDINATE_DECIMALS) + 0.0:g} rad"
