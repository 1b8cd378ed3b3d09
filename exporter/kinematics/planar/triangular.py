"""From a mechanism to its triangular form, the branch chosen by the design pose.

In: a Mechanism. Used by: `functions`, show.
"""

from collections.abc import Sequence

from exporter.errors import ModelError, NotAssembled, SingularPose
from exporter.kinematics.planar.assembly import candidates
from exporter.kinematics.planar.form import TriangularForm, unsigned_form
from exporter.kinematics.planar.planarity import why_spatial
from exporter.kinematics.protocol.closest import check_left_behind, closest
from exporter.kinematics.protocol.solution import Assembly
from exporter.model.mechanism import Mechanism
from exporter.progress import say

SMALLEST_PIVOT = 1e-9  # a pivot below this at the design pose is a singular choice of coordinates


def triangular_form(mechanism: Mechanism) -> TriangularForm:
    """The triangular form with the branch that the pose picks.

    Raises:
        ModelError: the mechanism cannot be solved by this choice of coordinates, cannot be assembled at its design
            pose, is singular there, or its pose does not tell the assembly modes apart (the choices are listed).
    """
    if reason := why_spatial(mechanism):
        raise ModelError(
            f"{mechanism.name} is spatial: {reason}; this analysis is for planar mechanisms in this version, while "
            "export and sil take spatial ones"
        )
    say("solving the loops one after the other")
    form = unsigned_form(mechanism)
    _check_design_values(mechanism)
    tried = candidates(form)
    reachable = [mode for mode in tried.followed if mode.reachable]
    if not reachable:
        raise NotAssembled(_cannot_assemble(form, tried.followed))
    chosen = closest(mechanism, form.blocks, reachable)
    check_left_behind(mechanism, form.blocks, chosen, tried.left, tried.gaps)
    _check_pivots(form, chosen)
    names = tuple(_branch_name(mechanism, block.coordinates) for block in form.blocks)
    return form.with_signs(chosen.signs, names)


def _check_design_values(mechanism: Mechanism) -> None:
    missing = [name for name in mechanism.independent if name not in mechanism.pose]
    if missing:
        raise ModelError(
            f"{mechanism.name}: the pose gives no value of the independent coordinate {missing[0]}; "
            "add it under [coordinates] pose"
        )


def _cannot_assemble(form: TriangularForm, modes: Sequence[Assembly]) -> str:
    mechanism = form.mechanism
    best = max(modes, key=lambda mode: min(mode.margins.values()))
    block = min(best.margins, key=lambda name: best.margins[name])
    loop = next(entry.closure.name for entry in form.blocks if entry.id == block)
    where = ", ".join(f"{name} = {float(mechanism.pose[name]):.6g}" for name in mechanism.independent)
    return (
        f"{mechanism.name}: the loop '{loop}' cannot be assembled at {where}: its margin is "
        f"{best.margins[block]:.3g} and must not be below 0; change the lengths or the pose"
    )


def _check_pivots(form: TriangularForm, mode: Assembly) -> None:
    for block, pivot in mode.pivots.items():
        if abs(pivot) < SMALLEST_PIVOT:
            loop = next(entry.closure.name for entry in form.blocks if entry.id == block)
            raise SingularPose(
                f"{form.mechanism.name}: {', '.join(form.independent)} cannot drive the mechanism from its design "
                f"pose: the pivot of loop '{loop}' is {pivot:.3g} there; choose another pose or another independent "
                f"coordinate among {', '.join(form.dependent())}"
            )


def _branch_name(mechanism: Mechanism, coordinates: tuple[str, ...]) -> str:
    return next((mechanism.branches[name] for name in coordinates if name in mechanism.branches), "")
