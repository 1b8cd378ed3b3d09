"""The roots that a spatial export does not take, in words: where they put a block's coordinates at the design pose.

In: a SpatialForm with its branch chosen. Used by: `functions`, and from there into manifest and report. Each
block is solved by its other root after the blocks before it by their own; later blocks are not asked.
"""

import math
from dataclasses import replace

from exporter.kinematics.protocol.coordinate_rows import write_coordinates
from exporter.kinematics.protocol.rooted_poses import design_row
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.spatial.block import Block
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.writing import solve_spatial_pose
from exporter.sequence.builder import Builder, Value
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, Signal

COORDINATE_DECIMALS = 4
"""Decimals of a coordinate: enough to tell the roots apart, too few to show rounding."""
LEAST_MARGIN = -1e-9
"""A margin down to this counts as reachable."""
NOT_ASSEMBLED = "cannot be assembled at the design pose"


def other_roots_in_space(form: SpatialForm) -> dict[str, str]:
    """Block with two roots -> its other root, such as "beta = 2.1293 rad"."""
    builder = Builder("other_roots", "float64")
    scope = Scope(builder, form.mechanism, nominal=True)
    given = {name: builder.input(Signal(name, "1")) for name in form.independent}
    chosen = {k: block for k, block in enumerate(form.blocks) if block.degree > 1 and block.coordinates}
    for number, block in chosen.items():
        _write(form, number, block, builder, scope, given)
    sequence = builder.finish()
    outputs = interpret(sequence, design_row(form.mechanism)).outputs[0]
    values = {o.signal.name: float(value) for o, value in zip(sequence.outputs, outputs, strict=True)}
    return {block.id: _in_words(block, values) for block in chosen.values()}


def _write(
    form: SpatialForm, number: int, block: Block, builder: Builder, scope: Scope, given: dict[str, Value]
) -> None:
    """The coordinates of one block by its other root, and its margin."""
    blocks = (*form.blocks[:number], replace(block, sign=-block.sign))
    pose = solve_spatial_pose(replace(form, plan=replace(form.plan, blocks=blocks)), builder, scope, given)
    write_coordinates(builder, pose, block.coordinates, pose.displacements, f"{block.id} ")
    for margin in pose.margins:
        if margin.block == block.id and margin.role == "margin":
            builder.output(Signal(f"{block.id} margin", "1", group=Group.OUTPUT), margin.value)


def _in_words(block: Block, values: dict[str, float]) -> str:
    if values.get(f"{block.id} margin", 0.0) < LEAST_MARGIN:
        return NOT_ASSEMBLED
    return ", ".join(_coordinate(f"{block.id} {name}", name, values) for name in block.coordinates)


def _coordinate(key: str, name: str, values: dict[str, float]) -> str:
    if key in values:
        return f"{name} = {round(values[key], COORDINATE_DECIMALS) + 0.0:g} m"
    angle = math.atan2(values[f"{key}.sin"], values[f"{key}.cos"])
    return f"{name} = {round(angle, COORDINATE_DECIMALS) + 0.0:g} rad"
