"""Chooses the engine: planar where all turning axes are parallel and all slides lie across them, else spatial.

A rival method (see `rivals`) is chosen by the mechanism's solver options.
"""

from exporter.errors import ModelError
from exporter.kinematics.form import BlockKind
from exporter.kinematics.planar import why_spatial
from exporter.kinematics.planar_solution import PlanarSolution
from exporter.kinematics.rivals.lexicographic import lexicographic_solution
from exporter.kinematics.rivals.newton import newton_solution
from exporter.kinematics.solved import Solved
from exporter.kinematics.spatial.solution import SpatialSolution
from exporter.kinematics.spatial.triangular import spatial_form
from exporter.kinematics.triangular import triangular_form
from exporter.model.mechanism import Mechanism

PAIR = str(BlockKind.CHARACTERISTIC_PAIR)


def solved_mechanism(mechanism: Mechanism) -> Solved:
    """The mechanism solved by its method: in triangular form, with the branch that its pose picks, or by a rival.

    Raises:
        ModelError: see `exporter.kinematics.triangular`, `exporter.kinematics.spatial.triangular` and
            `exporter.kinematics.rivals`; a mechanism that is spatial by one axis alone is told so.
    """
    method = mechanism.solver.method
    if method in ("newton", "newton-per-loop"):
        return newton_solution(mechanism, _if_solvable(mechanism))
    if method == "lexicographic":
        return lexicographic_solution(mechanism, _if_solvable(mechanism))
    solved = _triangular(mechanism)
    if method == "characteristic-pair" and all(block.kind != PAIR for block in solved.block_facts()):
        raise ModelError(
            f"{mechanism.name}: no loop of two unknown directions in a plane, so no characteristic pair of its own; "
            "its triangular form is the one to compare with"
        )
    return solved


def _triangular(mechanism: Mechanism) -> Solved:
    reason = why_spatial(mechanism)
    if not reason:
        return PlanarSolution(triangular_form(mechanism))
    try:
        return SpatialSolution(spatial_form(mechanism))
    except ModelError as error:
        raise ModelError(f"{error} (it is spatial: {reason})") from None


def _if_solvable(mechanism: Mechanism) -> Solved | None:
    """The triangular form, None where there is none."""
    try:
        return _triangular(mechanism)
    except ModelError:
        return None
