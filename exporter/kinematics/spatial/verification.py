"""Whether the blocks of a spatial form hold all of its closures somewhere: at its design pose and at poses around it.

In: a SpatialForm. Out: the form with notes on redundant closure equations, or a refusal with the residual.
The rank of the closures' Jacobian tells redundant equations and the degrees of freedom. Another form is sought
where this refuses; `exporter.kinematics.verification` then holds whatever was found against its closures over the
ranges.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from exporter.errors import NoForm, SingularPose, Unsolved
from exporter.kinematics.closures.coupled_rows import coupling_jacobian, nominal_rows
from exporter.kinematics.closures.numeric import Array, closing_jacobians, closing_residuals, numbers_of
from exporter.kinematics.closures.rank import rank as rank_of
from exporter.kinematics.closures.reasons import why_open
from exporter.kinematics.closures.tolerances import ASSEMBLY_RESIDUAL, SOLUTION_RESIDUAL
from exporter.kinematics.protocol.rooted_poses import AssembledRows, RootedPoses, Signs, design_row, own_signs
from exporter.kinematics.protocol.solution import Assembly
from exporter.kinematics.spatial.evaluation import poses_of
from exporter.kinematics.spatial.form import SpatialForm
from exporter.kinematics.spatial.loops.near_misses import near_miss_notes
from exporter.kinematics.spatial.loops.table import note_of
from exporter.kinematics.spatial.reached import with_reached_part
from exporter.model.mechanism import Mechanism

CONFIGURATIONS = 100  # random configurations within reach
RANDOM_ROWS = 250  # of which they are taken; the ranges are narrowed towards the design pose until there are enough
NEARBY_RANGE_RATIO = 0.1  # of the ranges, about the design pose: where open loops are no business of another root
MOST_NARROWINGS = 40  # times that the ranges are narrowed


def reachable(
    form: SpatialForm,
    poses: RootedPoses | None = None,
    count: int = CONFIGURATIONS,
    seed: int = 1,
    widest: float = 1.0,
) -> AssembledRows:
    """Random configurations without a flag, ranges narrowed towards the design pose until there are enough.

    `poses` are the form's own, if they are written already; `widest` is the part of the ranges that is tried first.

    Raises:
        ModelError: even at the design pose the form is flagged.
    """
    mechanism, poses = form.mechanism, poses or poses_of(form)
    design = design_row(mechanism)[0]
    low = np.array([float(mechanism.ranges[name].minimum) for name in mechanism.independent])
    high = np.array([float(mechanism.ranges[name].maximum) for name in mechanism.independent])
    generator = np.random.Generator(np.random.Philox(seed))
    for number in range(MOST_NARROWINGS):
        part = widest * 0.75**number
        rows = generator.uniform(
            design + part * (low - design), design + part * (high - design), (RANDOM_ROWS, len(design))
        )
        assembled = poses.at(own_signs(form.blocks), rows)
        good = np.flatnonzero((assembled.status == 0) & np.isfinite(assembled.coordinates).all(axis=1))[:count]
        if len(good) == count:
            margins = {name: value[good] for name, value in assembled.margins.items()}
            return replace(
                assembled, coordinates=assembled.coordinates[good], margins=margins, status=assembled.status[good]
            )
    raise SingularPose(
        f"{mechanism.name}: the design pose lies at the edge of the workspace or is singular; choose another pose"
    )


def verify_form(form: SpatialForm, poses: RootedPoses | None = None, original: Mechanism | None = None) -> SpatialForm:
    """The form with notes on closure equations that the others imply, its loops closed near the design pose at least.

    `poses` are the form's own, if they are written already. `original` is the mechanism with its couplings, where the
    form is that of a mechanism without them. Whether loops are closed over the whole ranges is the
    business of `exporter.kinematics.verification`.

    Raises:
        NoForm: a block has no value at the design pose.
        ModelError: a loop stays open, or the number of independent coordinates is not that of the degrees of freedom.
    """
    poses = poses or poses_of(form)
    assembled = poses.at_design(own_signs(form.blocks))
    residual, joint = largest_residual(form, assembled)
    if np.isinf(residual):
        raise NoForm(
            f"{form.mechanism.name}: the blocks that close '{joint}' divide by zero at the design pose; choose other "
            "independent coordinates"
        )
    if not residual <= ASSEMBLY_RESIDUAL:
        raise why_open(form.mechanism, assembled.coordinates, joint, residual)
    assembled = reachable(form, poses)
    residual, joint = largest_residual(form, assembled)
    if not residual <= SOLUTION_RESIDUAL:
        nearby, _ = largest_residual(form, reachable(form, poses, widest=NEARBY_RANGE_RATIO))
        if not nearby <= SOLUTION_RESIDUAL:
            raise why_open(form.mechanism, assembled.coordinates, joint, residual)
    closed = (note_of(form.mechanism, system, table) for system, table in form.loop_tables)
    missed = near_miss_notes(form.mechanism) if form.loop_tables else ()
    form = with_reached_part(replace(form, notes=(*closed, *missed)), poses, original or form.mechanism)
    return replace(form, notes=(*form.notes, *_redundant(form, assembled.coordinates[0])))


def largest_residual(form: SpatialForm, assembled: AssembledRows) -> tuple[float, str]:
    """The largest residual of the original closures over the length, infinite without a value, and its joint."""
    residuals = closing_residuals(numbers_of(form.mechanism), assembled.coordinates, float(form.length))
    worst = {name: float(np.abs(residual).max()) for name, residual in residuals.items() if residual.size}
    worst = {name: np.inf if np.isnan(value) else value for name, value in worst.items()}
    joint = max(worst, key=lambda name: worst[name], default="")
    return worst.get(joint, 0.0), joint


def assemblies(
    form: SpatialForm, poses: RootedPoses, signs: Sequence[Signs], place: Mapping[str, Fraction | float]
) -> tuple[Assembly, ...]:
    """The assemblies on these roots: within reach where margins allow and the original closures hold."""
    found = poses.at(signs, np.array([[float(place[name]) for name in form.independent]]))
    residuals = closing_residuals(numbers_of(form.mechanism), found.coordinates, float(form.length))
    closed = np.ones(len(signs), dtype=bool)
    for residual in residuals.values():
        closed &= np.abs(residual).max(axis=-1, initial=0.0) <= ASSEMBLY_RESIDUAL
    return tuple(found.assembly(form.mechanism, each, row, closed=bool(closed[row])) for row, each in enumerate(signs))


def _redundant(form: SpatialForm, row: Array) -> tuple[str, ...]:
    """Notes on closure equations that the others imply; the number of independent coordinates is checked."""
    mechanism = form.mechanism
    taken = np.zeros((0, len(mechanism.coordinates())))
    notes, rank = [], 0
    for joint, jacobian in closing_jacobians(numbers_of(mechanism), row, float(form.length)).items():
        taken = np.vstack([taken, jacobian])
        grown = rank_of(taken)
        spare = len(jacobian) - (grown - rank)
        rank = grown
        if spare:
            verb = "is redundant and was" if spare == 1 else "are redundant and were"
            notes.append(f"loop '{joint}': {spare} of its {len(jacobian)} closure equations {verb} dropped")
    tied = coupling_jacobian(mechanism, nominal_rows(mechanism), float(form.length))
    rank = rank_of(np.vstack([taken, tied])) if len(tied) else rank
    freedom = len(mechanism.coordinates()) - rank - len(form.plan.spins)
    if freedom != len(form.independent):
        raise Unsolved(
            f"{mechanism.name}: {len(form.independent)} independent coordinates chosen "
            f"({', '.join(form.independent)}), but the loops leave {freedom} degrees of freedom"
        )
    return (*notes, *(link.note for link in form.plan.spins))
