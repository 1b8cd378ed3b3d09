"""Evaluates a spatial form in float64 at nominal parameters: what its blocks give for some independent coordinates."""

from dataclasses import dataclass

import numpy as np

from exporter.kinematics.closures.numeric import Array
from exporter.kinematics.protocol.coordinate_rows import coordinate_of, margins_of, write_coordinates, write_margins
from exporter.kinematics.protocol.scope import Scope
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.writing import solve_spatial_pose
from exporter.model.mechanism import Mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence, Signal


@dataclass(frozen=True, slots=True)
class AssembledRows:
    """What the form gives at some rows."""

    coordinates: Array  # (rows, c), all of them, rad and m
    margins: dict[str, Array]  # block -> (rows,)
    pivots: dict[str, float]  # block -> pivot of the first row
    status: Array  # (rows,)


def design_row(mechanism: Mechanism) -> Array:
    """The independent coordinates at the design pose, one row."""
    return np.array([[float(mechanism.pose[name]) for name in mechanism.independent]])


def assemble(form: SpatialForm, independent: Array) -> AssembledRows:
    """All coordinates from the independent ones, (rows, f), at nominal parameters in float64."""
    sequence = pose_sequence(form)
    result = interpret(sequence, independent)
    values = {output.signal.name: result.outputs[:, k] for k, output in enumerate(sequence.outputs)}
    given = dict(zip(form.independent, independent.T, strict=True))
    columns = [coordinate_of(values | given, name) for name in form.mechanism.coordinates()]
    pivots = {block: abs(float(pivot[0])) for block, pivot in margins_of(values, "pivot").items()}
    return AssembledRows(np.stack(columns, axis=-1), margins_of(values, "margin"), pivots, result.status)


def pose_sequence(form: SpatialForm) -> OperationSequence:
    """All dependent coordinates in float64 at nominal parameters, inputs unchecked."""
    builder = Builder("pose", "float64")
    scope = Scope(builder, form.mechanism, nominal=True)
    coordinates = {name: builder.input(Signal(name, "1")) for name in form.independent}
    pose = solve_spatial_pose(form, builder, scope, coordinates)
    write_coordinates(builder, pose, form.dependent(), pose.displacements)
    write_margins(builder, pose.margins)
    return builder.finish()
