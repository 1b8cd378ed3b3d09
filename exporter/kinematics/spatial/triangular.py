"""From a spatial mechanism to its triangular form: signs by the design pose, redundancy, verification.

Comes from: a Mechanism. Goes to: compose. Each block takes the sign whose coordinates lie nearer to the pose. The form
is then held against the original closures at random configurations within the ranges.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from exporter.errors import ModelError
from exporter.kinematics.scope import Scope
from exporter.kinematics.spatial.form import SpatialForm, unsigned_spatial_form
from exporter.kinematics.spatial.numeric import Array, closing_jacobians, closing_residuals, numbers_of
from exporter.kinematics.spatial.plan import Block
from exporter.kinematics.spatial.search import with_cheapest_blocks
from exporter.kinematics.spatial.writing import solve_spatial_pose
from exporter.model.joint_types import dimensions_of_joints
from exporter.model.mechanism import Mechanism
from exporter.model.units import LENGTH
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import Group, OperationSequence, Signal

CONFIGURATIONS = 100  # random configurations of a verification
ENOUGH = 40  # of them that must be within reach; the ranges are narrowed towards the design pose until they are
NARROWER = 40  # times that the ranges are narrowed
TOLERANCE = 1e-10  # closure residual over the length scale above which an export is refused
SAME = 1e-6  # rad or m: two assembly modes as close as this to the pose cannot be told apart
RANK = 1e-8  # singular values below this, over the largest, are zero


def spatial_form(mechanism: Mechanism) -> SpatialForm:
    """The triangular form with the branch that the pose picks, verified.

    Raises:
        ModelError: the mechanism cannot be solved by this choice of coordinates or assembled at its design pose, its
            pose does not tell the branches apart, a loop does not close, or the number of independent coordinates is
            not that of its degrees of freedom.
    """
    form = replace(_searched(mechanism), mechanism=mechanism)
    for number in range(len(form.blocks)):
        form = _with_nearer_sign(form, number)
    form = form.with_signs(tuple(block.sign for block in form.blocks), tuple(_name(form, b) for b in form.blocks))
    if not any(joint.closes for joint in mechanism.joints):
        return form
    residual, where = verify(form)
    if not residual <= TOLERANCE:
        raise ModelError(_open(form, residual, where))
    return replace(form, notes=_redundant(form))


def _searched(mechanism: Mechanism) -> SpatialForm:
    """The cheapest form, searched once per model."""
    key = mechanism.model_hash
    if not key:
        return with_cheapest_blocks(unsigned_spatial_form(mechanism))
    if key not in _FORMS:
        _FORMS[key] = with_cheapest_blocks(unsigned_spatial_form(mechanism))
    return _FORMS[key]


_FORMS: dict[str, SpatialForm] = {}  # by model hash


def _name(form: SpatialForm, block: Block) -> str:
    branches = form.mechanism.branches
    return next((branches[name] for name in block.coordinates if name in branches), "")


# -- the signs -----------------------------------------------------------------------------------------------------


def _with_nearer_sign(form: SpatialForm, number: int) -> SpatialForm:
    block = form.blocks[number]
    signs = [each.sign for each in form.blocks]
    if block.degree == 1:
        return form
    tried = []
    for sign in (1, -1):
        signs[number] = sign
        candidate = form.with_signs(tuple(signs))
        row = design_row(form.mechanism)
        assembled = assemble(candidate, row)
        _check_margin(form, block, assembled)
        tried.append((_distance(form, block, assembled.coordinates[0]), candidate))
    (nearer, chosen), (farther, _) = sorted(tried, key=lambda pair: pair[0])
    if farther - nearer < SAME:
        names = ", ".join(block.coordinates) or block.body
        raise ModelError(
            f"{form.mechanism.name}: two assembly modes fit the pose in block {block.id} ({block.kind}); give values "
            f"near the wanted ones for {names} under [coordinates] pose"
        )
    return chosen


def _distance(form: SpatialForm, block: Block, row: Array) -> float:
    mechanism = form.mechanism
    names, kinds = mechanism.coordinates(), dimensions_of_joints(mechanism.joints)
    gaps = []
    for name in block.coordinates:
        if name in mechanism.pose:
            gap = float(row[names.index(name)]) - float(mechanism.pose[name])
            gaps.append(abs(gap) if kinds[name] == LENGTH else abs(math.remainder(gap, math.tau)))
    return max(gaps, default=0.0)


def _check_margin(form: SpatialForm, block: Block, assembled: "Assembled") -> None:
    margin = assembled.margins.get(block.id)
    if margin is not None and margin[0] < -1e-9:
        mechanism = form.mechanism
        where = ", ".join(f"{name} = {float(mechanism.pose[name]):.6g}" for name in mechanism.independent)
        raise ModelError(
            f"{mechanism.name}: {', '.join(block.coordinates) or block.body} cannot be assembled at {where}: the "
            f"margin of block {block.id} ({block.kind}) is {margin[0]:.3g} and must not be below 0; change lengths or "
            "the pose"
        )


# -- evaluation ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assembled:
    """What the form gives at some rows."""

    coordinates: Array  # (rows, c), all of them, rad and m
    margins: dict[str, Array]  # block -> (rows,)
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
    return Assembled(np.stack(columns, axis=-1), margins, result.status)


def pose_sequence(form: SpatialForm) -> OperationSequence:
    """All dependent coordinates in float64 at nominal parameters, inputs unchecked."""
    builder = Builder("pose", "float64")
    scope = Scope(builder, form.mechanism, nominal=True)
    coordinates = {name: builder.input(Signal(name, "1")) for name in form.independent}
    pose = solve_spatial_pose(form, builder, scope, coordinates)
    for name in form.dependent():
        if pose.kinds[name] == "slide":
            builder.output(Signal(name, "m", group=Group.OUTPUT), pose.displacement(name))
            continue
        cosine, sine = pose.pair(name)
        builder.output(Signal(f"{name}.sin", "1", group=Group.OUTPUT), sine)
        builder.output(Signal(f"{name}.cos", "1", group=Group.OUTPUT), cosine)
    for margin in pose.margins:
        builder.output(Signal(f"{margin.role}.{margin.block}", "1", group=Group.OUTPUT), margin.value)
    return builder.finish()


# -- verification --------------------------------------------------------------------------------------------------


def reachable(form: SpatialForm, count: int = CONFIGURATIONS, seed: int = 1) -> Assembled:
    """Random configurations without a flag, ranges narrowed towards the design pose until there are enough.

    Raises:
        ModelError: even at the design pose the form is flagged.
    """
    mechanism = form.mechanism
    design = design_row(mechanism)[0]
    low = np.array([float(mechanism.ranges[name].minimum) for name in mechanism.independent])
    high = np.array([float(mechanism.ranges[name].maximum) for name in mechanism.independent])
    generator = np.random.Generator(np.random.Philox(seed))
    for number in range(NARROWER):
        part = 0.75**number
        rows = generator.uniform(design + part * (low - design), design + part * (high - design), (count, len(design)))
        assembled = assemble(form, rows)
        good = np.asarray(assembled.status == 0) & np.isfinite(assembled.coordinates).all(axis=1)
        if good.sum() >= ENOUGH:
            margins = {name: value[good] for name, value in assembled.margins.items()}
            return Assembled(assembled.coordinates[good], margins, assembled.status[good])
    raise ModelError(
        f"{mechanism.name}: the design pose lies at the edge of the workspace or is singular; choose another pose"
    )


def verify(form: SpatialForm) -> tuple[float, str]:
    """The largest residual of the original closures over the length scale, and the joint that it is of."""
    assembled = reachable(form)
    residuals = closing_residuals(numbers_of(form.mechanism), assembled.coordinates, float(form.length))
    worst = {name: float(np.abs(residual).max()) for name, residual in residuals.items() if residual.size}
    joint = max(worst, key=lambda name: worst[name], default="")
    return worst.get(joint, 0.0), joint


def _open(form: SpatialForm, residual: float, joint: str) -> str:
    chosen = len(form.independent)
    return (
        f"{form.mechanism.name}: the loop of '{joint}' does not close: its equations stay open by {residual:.3g} of "
        f"the longest length although every block is solved; it is overconstrained, or {chosen} independent "
        "coordinates are too many; check lengths and axes, or choose fewer"
    )


def _redundant(form: SpatialForm) -> tuple[str, ...]:
    """Notes on closure equations that the others imply; the number of independent coordinates is checked."""
    mechanism = form.mechanism
    row = reachable(form).coordinates[0]
    taken = np.zeros((0, len(mechanism.coordinates())))
    notes, rank = [], 0
    for joint, jacobian in closing_jacobians(numbers_of(mechanism), row, float(form.length)).items():
        taken = np.vstack([taken, jacobian])
        grown = _rank(taken)
        spare = len(jacobian) - (grown - rank)
        rank = grown
        if spare:
            verb = "is redundant and was" if spare == 1 else "are redundant and were"
            notes.append(f"loop '{joint}': {spare} of its {len(jacobian)} closure equations {verb} dropped")
    freedom = len(mechanism.coordinates()) - rank
    if freedom != len(form.independent):
        raise ModelError(
            f"{mechanism.name}: {len(form.independent)} independent coordinates chosen "
            f"({', '.join(form.independent)}), but the loops leave {freedom} degrees of freedom"
        )
    return tuple(notes)


def _rank(matrix: Array) -> int:
    values = np.linalg.svd(matrix, compute_uv=False)
    return int((values > RANK * values[0]).sum()) if len(values) else 0
