"""Evaluates a spatial form in float64 at nominal parameters: what its blocks give for some independent coordinates."""

from dataclasses import dataclass

import numpy as np

from exporter.kinematics.closures.numeric import Array
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.writing import solve_spatial_pose
from exporter.model.mechanism import Mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal


@dataclass(frozen=True, slots=True)
class Assembled:
    """What the form gives at some rows."""

    coordinates: Array  # (rows, c), all of them, rad and m
    margins: dict[str, Array]  # block -> (rows,)
    pivots: dict[str, float]  # block -> pivot of the first row
    status: Array  # (rows,)


def design_row(mechanism: Mechanism) -> Array:
    """The independent coordinates at the design pose, one row."""
    return np.array([[float(mechanism.pose[name]) for name in mechanism.independent]])


def assemble(form: SpatialForm, independent: Array) -> Assembled:
    """All coordinates from the independent ones, (rows, f), at nominal parameters in float64."""
    sequence = pose_sequence(form)
    result = interpret(sequence, independent)
    values = {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}
    columns = []
    for name in form.mechanism.coordinates():
        if name in form.independent:
            columns.append(independent[:, form.independent.index(name)])
        elif name in values:
            columns.append(values[name])
        else:
            columns.append(np.arctan2(values[f"{name}.sin"], values[f"{name}.cos"]))
    margins = {name.partition(".")[2]: value for name, value in values.items() if name.startswith("margin.")}
    pivots = {n.partition(".")[2]: abs(float(v[0])) for n, v in values.items() if n.startswith("pivot.")}
    return Assembled(np.stack(columns, axis=-1), margins, pivots, result.status)


def pose_sequence(form: SpatialForm) -> OperationSequence:
    """All dependent coordinates in float64 at nominal parameters, inputs unchecked."""
    builder = Builder("pose", "float64")
    scope = Scope(builder, form.mechanism, nominal=True)
    coordinates = {name: builder.input(Signal(name, "1")) for name in form.independent}
    pose = solve_spatial_pose(form, builder, scope, coordinates)
    for name in form.dependent():
        if name in pose.displacements:
            builder.output(Signal(name, "m", group=Group.OUTPUT), pose.displacement(name))
            continue
        cosine, sine = pose.pair(name)
        builder.output(Signal(f"{name}.sin", "1", group=Group.OUTPUT), sine)
        builder.output(Signal(f"{name}.cos", "1", group=Group.OUTPUT), cosine)
    for margin in pose.margins:
        builder.output(Signal(f"{margin.role}.{margin.block}", "1", group=Group.OUTPUT), margin.value)
    return builder.finish()
