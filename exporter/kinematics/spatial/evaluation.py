"""Evaluates a spatial form in float64 at nominal parameters: what its blocks give for some independent coordinates."""

from exporter.kinematics.closures.numeric import Array
from exporter.kinematics.protocol.rooted_poses import AssembledRows, RootedPoses, own_signs
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.writing import solve_spatial_pose


def poses_of(form: SpatialForm) -> RootedPoses:
    """The poses of a form on any of its roots, written once."""
    return RootedPoses(
        form.mechanism,
        form.blocks,
        form.dependent(),
        lambda builder, scope, coordinates, signs: solve_spatial_pose(form, builder, scope, coordinates, signs=signs),
    )


def assemble(form: SpatialForm, independent: Array) -> AssembledRows:
    """All coordinates from the independent ones, (rows, f), at nominal parameters in float64."""
    return poses_of(form).at(own_signs(form.blocks), independent)
