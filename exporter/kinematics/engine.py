"""Chooses the engine: planar where all turning axes are parallel and all slides lie across them, else spatial.

A baseline (see `baselines`) is chosen by the mechanism's solver options. Independent coordinates that give no
triangular form are exchanged for others that do (see `exchanged`).
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from exporter.errors import ModelError, NoForm, NotAssembled, RangesRefused, SeveralAssemblies, SingularPose, Unsolved
from exporter.kinematics.closures.assemblies import pick_assembly
from exporter.kinematics.closures.reasons import true_reason, wrong_number
from exporter.kinematics.closures.redundant_loops import without_redundant_loops
from exporter.kinematics.planar.engine import PlanarSolution
from exporter.kinematics.planar.form import BlockKind
from exporter.kinematics.planar.planarity import why_spatial
from exporter.kinematics.planar.triangular import triangular_form
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.verification.verified import check
from exporter.model.complete import completed
from exporter.model.mechanism import Mechanism, SolverOptions
from exporter.model.once import once_per_model

if TYPE_CHECKING:
    from exporter.kinematics.spatial.loops.system import LoopSearch

PAIR_KIND = str(BlockKind.CHARACTERISTIC_PAIR)
WITH_COUPLINGS = ("triangular", "characteristic-pair")
"""Methods that solve mechanisms with couplings."""

Tell = Callable[[str], None]


def solved_mechanism(mechanism: Mechanism, tell: Tell | None = None) -> Solution:
    """The mechanism solved by its method: in triangular form, with the branch that its pose picks, or by a baseline.

    Where its coordinates give no triangular form they are exchanged for others that do. `tell` hears of progress.

    Raises:
        ModelError: see `exporter.kinematics.planar.triangular`, `exporter.kinematics.spatial.triangular` and
            `exporter.kinematics.baselines`; a mechanism that is spatial by one axis alone is told so.
    """
    method = mechanism.solver.method
    if mechanism.couplings and method not in WITH_COUPLINGS:
        raise ModelError(
            f"{mechanism.name}: the method {method} is for comparison and takes no couplings; leave the method out"
        )
    if method in ("newton", "newton-per-loop"):
        return _newton(mechanism, tell or (lambda _: None))
    if method == "lexicographic":
        from exporter.kinematics.baselines.lexicographic import lexicographic_solution  # noqa: PLC0415 - a method to compare with

        return lexicographic_solution(mechanism, _if_solvable(mechanism))
    solved = _solve_verified(mechanism, tell=tell or (lambda _: None))
    if method == "characteristic-pair" and all(block.kind != PAIR_KIND for block in solved.block_facts()):
        raise ModelError(
            f"{mechanism.name}: no loop of two unknown directions in a plane, so no characteristic pair of its own; "
            "its triangular form is the one to compare with"
        )
    return solved


@once_per_model
def _solve_verified(mechanism: Mechanism, *, tell: Tell) -> Solution:
    """The triangular form, or exchanged coordinates, held against the original closures; once per model.

    Raises:
        ModelError: there is neither; where no other coordinates give a triangular form, in the words of the first.
    """
    solved = _solve_by_method(mechanism, tell)
    _check_once(mechanism, solved=solved)
    return solved


@once_per_model
def _check_once(mechanism: Mechanism, *, solved: Solution) -> None:  # noqa: ARG001 - what is known of it is kept by it
    """Hold what a mechanism's coordinates give, its triangular form where there is one, against the closures."""
    check(solved)


def _solve_by_method(mechanism: Mechanism, tell: Tell) -> Solution:
    """The triangular form, or exchanged coordinates."""
    try:
        return triangular_solution(mechanism, tell=tell)
    except SeveralAssemblies:
        raise
    except Unsolved as error:
        refusal = error
    from exporter.kinematics.exchanged.search import exchanged_form  # noqa: PLC0415 - most planar mechanisms need none
    from exporter.kinematics.exchanged.solution import ExchangedSolution  # noqa: PLC0415

    try:
        form = exchanged_form(mechanism, triangular_solution, tell)
    except SeveralAssemblies:
        raise
    except Unsolved as error:
        return _closed_or(mechanism, error, tell)
    if form is not None:
        return ExchangedSolution(form)
    reason = true_reason(mechanism, refusal) if isinstance(refusal, NoForm) else refusal
    if isinstance(reason, SingularPose):
        raise reason
    return _closed_or(mechanism, reason, tell)


def _closed_or(mechanism: Mechanism, refusal: ModelError, tell: Tell) -> Solution:
    """Loops closed by tables and Newton steps; first as a spatial mechanism where its plane has no form.

    Raises:
        ModelError: the refusal, where that is of no use either; what it says of ranges is said instead.
    """
    planar = not why_spatial(mechanism)
    if not isinstance(refusal, (NoForm, RangesRefused) if planar else Unsolved):
        raise refusal from None
    if planar and isinstance(refusal, NoForm):
        with suppress(Unsolved):
            return _in_space(mechanism, tell)
    try:
        design, unclear = pick_assembly(mechanism)
    except NotAssembled:
        raise refusal from None
    if unclear is not None:
        raise unclear
    if other := wrong_number(mechanism, fewer=True):
        raise ModelError(other)
    from exporter.kinematics.spatial.loops.system import LoopSearch  # noqa: PLC0415 - most planar mechanisms need none

    for alone in (False, True):
        try:
            return _by_tables(LoopSearch(mechanism, design.coordinates, alone), tell)
        except RangesRefused:
            if planar and isinstance(refusal, RangesRefused):
                break
            raise
        except Unsolved:
            continue
    raise refusal from None


def _in_space(mechanism: Mechanism, tell: Tell) -> Solution:
    """A planar mechanism by the blocks of space."""
    solve = partial(_spatial_solution, tell=tell)
    return _coupled_solution(mechanism, solve) if mechanism.couplings else solve(mechanism)


def _by_tables(loops: "LoopSearch", tell: Tell) -> Solution:
    """With loops closed by tables, together with the couplings that only they tell."""
    if not loops.mechanism.couplings:
        return _spatial_solution(loops.mechanism, tell, loops)
    from exporter.kinematics.coupled.driven import beside_loops  # noqa: PLC0415 - most planar mechanisms need none
    from exporter.kinematics.coupled.solution import CoupledSolution  # noqa: PLC0415

    by = beside_loops(loops.mechanism)
    return CoupledSolution(by, _spatial_solution(by.inner, tell, loops))


def _spatial_solution(mechanism: Mechanism, tell: Tell, loops: "LoopSearch | None" = None) -> Solution:
    from exporter.kinematics.spatial.engine import SpatialSolution  # noqa: PLC0415 - most planar mechanisms need none
    from exporter.kinematics.spatial.triangular import spatial_form  # noqa: PLC0415

    return SpatialSolution(spatial_form(mechanism, tell, loops))


def _coupled_solution(mechanism: Mechanism, solve: Callable[[Mechanism], Solution]) -> Solution:
    from exporter.kinematics.coupled.solution import coupled_solution  # noqa: PLC0415 - most planar mechanisms need none

    return coupled_solution(mechanism, solve)


@once_per_model
def triangular_solution(mechanism: Mechanism, *, tell: Tell = lambda _: None) -> Solution:
    """The triangular form, planar or spatial, found once per model; `tell` hears of progress.

    Raises:
        ModelError: there is none for these independent coordinates.
    """
    if mechanism.couplings:
        return _coupled_solution(mechanism, partial(triangular_solution, tell=tell))
    reason = why_spatial(mechanism)
    if not reason:
        return _planar_solution(mechanism)
    try:
        return _spatial_solution(mechanism, tell)
    except SeveralAssemblies:
        raise
    except ModelError as error:
        raise type(error)(f"{error} (it is spatial: {reason})") from None


def verified_solution(mechanism: Mechanism) -> Solution:
    """The triangular form, held against the original closures over the ranges.

    Raises:
        ModelError: there is none, or it would be wrong somewhere without a flag.
    """
    solved = triangular_solution(mechanism)
    _check_once(mechanism, solved=solved)
    return solved


def _planar_solution(mechanism: Mechanism) -> PlanarSolution:
    """In its plane; where that fails, without loops that the others imply, and with a note on them."""
    try:
        return PlanarSolution(triangular_form(mechanism))
    except SeveralAssemblies:
        raise
    except Unsolved:
        fewer = without_redundant_loops(mechanism)
        if fewer is None:
            raise
    form = triangular_form(fewer.mechanism)
    return PlanarSolution(replace(form, model=replace(form.model, dropped=(*form.model.dropped, *fewer.notes))))


def _newton(mechanism: Mechanism, tell: Tell) -> Solution:
    """Newton's method from the triangular form's design pose, else from the file's, else from the exchanged one.

    Raises:
        ModelError: see `baselines.newton`; the search for exchanged coordinates comes last, for it takes long.
    """
    from exporter.kinematics.baselines.newton import newton_solution  # noqa: PLC0415 - a method to compare with

    triangular = _if_solvable(mechanism)
    try:
        return newton_solution(mechanism, triangular)
    except Unsolved:
        if triangular is not None:
            raise
    plain = completed(replace(mechanism, solver=SolverOptions()))
    return newton_solution(mechanism, _solve_verified(plain, tell=tell))


def _if_solvable(mechanism: Mechanism) -> Solution | None:
    """The triangular form, None where there is none."""
    try:
        return triangular_solution(mechanism)
    except Unsolved:
        return None
