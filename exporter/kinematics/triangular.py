"""From a mechanism to its triangular form, the branch chosen by the design pose.

Comes from: a Mechanism. Goes to: compose, show.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from exporter.errors import ModelError
from exporter.kinematics.assembly import Assembly, assemblies
from exporter.kinematics.form import Block, TriangularForm, unsigned_form
from exporter.kinematics.planar import why_spatial
from exporter.model.mechanism import Mechanism

SAME = 1e-6  # rad or m: two assembly modes as close as this to the pose cannot be told apart
CLEARLY = 0.5  # a pose is a rough drawing of a mode where its gap to it is below this part of the gap to any other
LISTED = 4  # assembly modes that a refusal spells out
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
    form = unsigned_form(mechanism)
    independent = _design_values(mechanism)
    modes = assemblies(form, independent)
    reachable = [mode for mode in modes if mode.reachable]
    if not reachable:
        raise ModelError(_cannot_assemble(form, modes))
    chosen = _closest(form, reachable)
    _check_pivots(form, chosen)
    names = tuple(_branch_name(mechanism, block.coordinates) for block in form.blocks)
    return form.with_signs(chosen.signs, names)


def _design_values(mechanism: Mechanism) -> dict[str, Fraction]:
    missing = [name for name in mechanism.independent if name not in mechanism.pose]
    if missing:
        raise ModelError(
            f"{mechanism.name}: the pose gives no value of the independent coordinate {missing[0]}; "
            "add it under [coordinates] pose"
        )
    return {name: mechanism.pose[name] for name in mechanism.independent}


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


def distance(form: TriangularForm, mode: Assembly) -> float:
    """How far a mode is from the pose: the largest difference over the dependent coordinates that the pose gives."""
    pose = form.mechanism.pose
    gaps = [_gap(form, name, mode.coordinates[name], float(pose[name])) for name in form.dependent() if name in pose]
    return max(gaps, default=0.0)


def _gap(form: TriangularForm, name: str, value: float, wanted: float) -> float:
    if form.turn(name) is None:
        return abs(value - wanted)
    return abs(math.remainder(value - wanted, math.tau))


def _closest(form: TriangularForm, modes: list[Assembly]) -> Assembly:
    ranked = sorted(modes, key=lambda mode: distance(form, mode))
    chosen, others = ranked[0], ranked[1:]
    tied = others and distance(form, others[0]) - distance(form, chosen) < SAME
    if tied or any(_may_be_meant(form, chosen, other) for other in others):
        raise ModelError(_ambiguous(form, ranked))
    return chosen


def _may_be_meant(form: TriangularForm, chosen: Assembly, other: Assembly) -> bool:
    """Whether the first block that tells two modes apart is drawn about as far from the chosen one as from the other.

    Such a pose was that of other values of the independent coordinates, or is wrong.
    """
    signs = zip(form.blocks, chosen.signs, other.signs, strict=True)
    block = next(block for block, one, two in signs if one != two)
    return _gap_of_block(form, block, chosen) > CLEARLY * _gap_of_block(form, block, other)


def _gap_of_block(form: TriangularForm, block: Block, mode: Assembly) -> float:
    pose = form.mechanism.pose
    gaps = [_gap(form, name, mode.coordinates[name], float(pose[name])) for name in block.coordinates if name in pose]
    return max(gaps, default=0.0)


def _ambiguous(form: TriangularForm, modes: list[Assembly]) -> str:
    shown = "; ".join(
        ", ".join(f"{name} = {mode.coordinates[name]:.6g}" for name in form.dependent()) for mode in modes[:LISTED]
    )
    more = f"; and {len(modes) - LISTED} more" if len(modes) > LISTED else ""
    names = ", ".join(name for block in form.blocks if block.degree > 1 for name in block.coordinates)
    return (
        f"{form.mechanism.name}: {len(modes)} assembly modes fit the pose, none clearly: {shown}{more}; "
        f"give a value near the wanted one for {names} under [coordinates] pose"
    )


def _check_pivots(form: TriangularForm, mode: Assembly) -> None:
    for block, pivot in mode.pivots.items():
        if abs(pivot) < SMALLEST_PIVOT:
            loop = next(entry.closure.name for entry in form.blocks if entry.id == block)
            raise ModelError(
                f"{form.mechanism.name}: {', '.join(form.independent)} cannot drive the mechanism from its design "
                f"pose: the pivot of loop '{loop}' is {pivot:.3g} there; choose another pose or another independent "
                f"coordinate among {', '.join(form.dependent())}"
            )


def _branch_name(mechanism: Mechanism, coordinates: tuple[str, ...]) -> str:
    return next((mechanism.branches[name] for name in coordinates if name in mechanism.branches), "")
