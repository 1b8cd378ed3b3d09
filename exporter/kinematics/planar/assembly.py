"""Assembly modes: every combination of root signs, evaluated at a pose.

In: a TriangularForm. Used by: `triangular` (the choice of the branch) and show (pictures side by side).
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import numpy as np

from exporter.kinematics.planar.form import TriangularForm
from exporter.kinematics.planar.position import Pose
from exporter.kinematics.planar.solution import solve_pose
from exporter.kinematics.protocol.coordinate_rows import coordinate_of, margins_of, write_margins
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.solution import Assembly
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal


def assembly_at(form: TriangularForm, independent: Mapping[str, float | Fraction]) -> Assembly:
    """The assembly mode of the form's own signs at given independent coordinates (rad, m)."""
    sequence = pose_sequence(form)
    row = np.array([[float(independent[name]) for name in form.independent]])
    outputs = interpret(sequence, row).outputs[0]
    values = {output.signal.name: value for output, value in zip(sequence.outputs, outputs, strict=True)}
    coordinates = {name: float(independent[name]) for name in form.independent}
    coordinates |= {name: float(coordinate_of(values, name)) for name in form.dependent()}
    return Assembly(
        tuple(block.sign for block in form.blocks),
        coordinates,
        {block: float(margin) for block, margin in margins_of(values, "margin").items()},
        {block: float(pivot) for block, pivot in margins_of(values, "pivot").items()},
    )


def assemblies(form: TriangularForm, independent: Mapping[str, float | Fraction]) -> tuple[Assembly, ...]:
    """All assembly modes at given independent coordinates, in a fixed order of signs."""
    choices = [(1, -1) if block.degree > 1 else (1,) for block in form.blocks]
    return tuple(assembly_at(form.with_signs(signs), independent) for signs in product(*choices))


def pose_sequence(form: TriangularForm) -> OperationSequence:
    """Positions in float64 at nominal parameters, with (sin, cos) of every dependent angle."""
    builder = Builder("pose", "float64")
    scope = Scope(builder, form.mechanism, nominal=True)
    coordinates = {name: builder.input(Signal(name, "1")) for name in form.independent}
    pose, _ = solve_pose(form, builder, scope, coordinates)
    for name in form.dependent():
        write_coordinate(pose, name)
    write_margins(builder, pose.margins)
    return builder.finish()


def write_coordinate(pose: Pose, name: str) -> None:
    """Declare a dependent coordinate as outputs: a displacement, or sine and cosine."""
    turn = pose.form.turn(name)
    if turn is None:
        pose.builder.output(Signal(name, "m", group=Group.OUTPUT), pose.slide[name])
        return
    pair = pose.relative(name)
    pose.builder.output(Signal(f"{name}.sin", "1", group=Group.OUTPUT), pair.im)
    pose.builder.output(Signal(f"{name}.cos", "1", group=Group.OUTPUT), pair.re)
