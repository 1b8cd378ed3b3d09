"""Chooses the engine: planar where all turning axes are parallel and all slides lie across them, else spatial."""

from exporter.errors import ModelError
from exporter.kinematics.planar import why_spatial
from exporter.kinematics.planar_solution import PlanarSolution
from exporter.kinematics.solved import Solved
from exporter.kinematics.spatial.solution import SpatialSolution
from exporter.kinematics.spatial.triangular import spatial_form
from exporter.kinematics.triangular import triangular_form
from exporter.model.mechanism import Mechanism


def solved_mechanism(mechanism: Mechanism) -> Solved:
    """The triangular form of a mechanism with the branch that its pose picks.

    Raises:
        ModelError: see `exporter.kinematics.triangular` and `exporter.kinematics.spatial.triangular`; a mechanism that
            is spatial by one axis alone is told so.
    """
    reason = why_spatial(mechanism)
    if not reason:
        return PlanarSolution(triangular_form(mechanism))
    try:
        return SpatialSolution(spatial_form(mechanism))
    except ModelError as error:
        raise ModelError(f"{error} (it is spatial: {reason})") from None
