"""The arithmetic of a spatial form alone: chosen coordinates and centres, without guards and margins.

In: a SpatialForm and what to write. Out: a sequence whose cost is what tables of this field count.
"""

from collections.abc import Sequence

from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.protocol.vectors import identity
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.writing import solve_spatial_pose
from exporter.sequence.builder import Builder, Value
from exporter.sequence.operations import Group, OperationSequence, Signal


def bare_position(
    form: SpatialForm, coordinates: Sequence[str] = (), centers: Sequence[str] = (), rotations: Sequence[str] = ()
) -> OperationSequence:
    """Positions of these coordinates, joints' centres and bodies' rotation matrices, in this order; for counting."""
    builder = Builder("position", "float64", contract=False)
    inputs = {name: builder.input(Signal(name, "1")) for name in form.independent}
    pose = solve_spatial_pose(form, builder, Scope(builder, form.mechanism), inputs)
    values: list[Value] = []
    for name in coordinates:
        values += [pose.displacement(name)] if name in pose.displacements else pose.pair(name)
    for name in centers:
        values += pose.center(name).parts()
    for body in rotations:
        for column in identity(builder).columns:
            values += pose.placement(body).direction(column).parts()
    for number, value in enumerate(values):
        builder.output(Signal(f"value{number}", "1", group=Group.OUTPUT), value)
    return builder.finish()
