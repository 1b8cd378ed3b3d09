"""Composes the program of a mechanism: its functions proven total, parameters, branches, notes.

In: a Mechanism. Used by: c99, sil, benchmarks. What the functions compute is written in `functions`.
"""

from collections.abc import Collection
from dataclasses import replace

from exporter.dynamics.switching.choices import choices_of
from exporter.errors import ModelError
from exporter.functions.chosen_outputs import chosen_notes, gives_nothing, require_chosen
from exporter.functions.flagged_design import flagged_design_notes
from exporter.functions.mechanism import (
    KINEMATIC_FUNCTIONS,
    RESIDUAL,
    Function,
    asked_functions,
    functions_of,
    newton_step,
)
from exporter.functions.reactions import check_reactions
from exporter.functions.signals import check_outputs
from exporter.kinematics.engine import Tell, solved_mechanism
from exporter.kinematics.planar.engine import PlanarSolution
from exporter.kinematics.protocol import solution as solved
from exporter.kinematics.protocol.scope import tunable_signals
from exporter.kinematics.protocol.solution import Solution
from exporter.kinematics.verification.design_pose import open_design_pose
from exporter.kinematics.verification.meeting import meeting_notes
from exporter.kinematics.verification.probe import Probe
from exporter.kinematics.verification.quarter_turns import quarter_turn_notes
from exporter.kinematics.verification.reach_notes import reach_notes
from exporter.model.mechanism import Mechanism
from exporter.progress import counted
from exporter.sequence.operations import EPSILON, OperationSequence, Precision
from exporter.sequence.pipeline import ALL_PASSES, ARITHMETIC_PASSES, Pass, divide_functions, finished
from exporter.sequence.program import Branch, FrozenParameter, Loop, Program
from exporter.sequence.shared_bounds import SharedBounds
from exporter.sequence.unread import unread_notes

HAS_ROOTS = ("triangular", "characteristic-pair")  # methods whose blocks choose between two roots
SMALLEST_TOLERANCE = 4  # eps: rounding leaves residuals of a few eps open


def program_of_mechanism(
    mechanism: Mechanism,
    precision: Precision,
    *,
    contract: bool = True,
    only: Collection[str] = (),
    tell: Tell | None = None,
    shared: SharedBounds | None = None,
) -> Program:
    """The program of a mechanism at one precision.

    With `contract=False` the guards are left out: for counting the arithmetic alone, never for use. `only` names the
    functions that are written, with what they need; all that the mechanism offers without it. `tell` hears of searches
    that take long. `shared` takes up the bounds over one box, for those who bound the program after its proof.

    Raises:
        ModelError: see `exporter.kinematics.planar.triangular`; an output or a function that does not exist, or a
            function that is named and gives none of the chosen outputs.
    """
    form = solved_mechanism(mechanism, tell)
    check_outputs(mechanism)
    offered, loop = functions_of(mechanism, form), _loop(form, precision)
    if "dynamics" in offered:
        check_reactions(mechanism, form)
    asked = tuple(asked_functions(offered, only, loop.functions if loop else ()))
    shared = SharedBounds() if shared is None else shared
    passes = ALL_PASSES if contract else ARITHMETIC_PASSES
    found = (offered[name](form, precision, contract=contract) for name in counted("writing", asked))
    written = [each if gives_nothing(each) else finished(each, passes, shared) for each in found]
    shared.forget_pieces()
    others = (offered[name](form, precision, contract=contract) for name in offered if name not in asked)
    choosing = [each for each in written if each.name != newton_step.__name__]  # the next iteration reads all of it
    require_chosen(mechanism, only, choosing, others)
    functions = tuple(each for each in written if not gives_nothing(each))
    tunable = tuple(tunable_signals(mechanism))
    in_blocks = mechanism.solver.method in HAS_ROOTS
    chosen = chosen_notes(mechanism, choosing)
    unread = unread_notes(functions, tunable)
    flagged = flagged_design_notes(functions) if contract else ()
    probe = Probe(form)
    passing = (*reach_notes(probe), *meeting_notes(probe), *quarter_turn_notes(probe)) if in_blocks else ()
    recalibrate, functions = divide_functions(functions, tunable)
    return Program(
        name=mechanism.name,
        title=mechanism.title,
        source=mechanism.source,
        precision=precision,
        model_hash=mechanism.model_hash,
        functions=functions,
        recalibrate=recalibrate,
        frozen=tuple(FrozenParameter(p.name, p.value, p.unit, p.about) for p in mechanism.parameters if p.frozen),
        parameters=tunable,
        branches=(*branches_of(form), *_alternative_branches(mechanism)),
        notes=(*form.notes, *passing, *flagged, *_alternative_note(mechanism), *chosen, *unread),
        loop=_loop_of(loop, [each.name for each in functions]),
        design=open_design_pose(probe),
    )


def _alternative_branches(mechanism: Mechanism) -> tuple[Branch, ...]:
    """The roots that the alternative choice takes at the design pose."""
    if not mechanism.alternative:
        return ()
    return tuple(
        replace(branch, equation=f"alternative.{branch.equation}")
        for branch in branches_of(PlanarSolution(choices_of(mechanism).second.form))
    )


def _alternative_note(mechanism: Mechanism) -> tuple[str, ...]:
    """That there are two choices of coordinates, where there are."""
    if not mechanism.alternative:
        return ()
    first, second = ", ".join(mechanism.independent), ", ".join(mechanism.alternative)
    return (
        f"two choices of coordinates: {first} (0) and {second} (1); a step goes on with the other one where it is "
        f"{float(mechanism.switch_ratio):g} times better",
    )


def _loop(form: Solution, precision: Precision) -> Loop | None:
    """What repeats `newton_step` before every other function, where the steps end at a tolerance.

    Raises:
        ModelError: rounding keeps the residual above the tolerance.
    """
    iteration = form.iterated_solution()
    if iteration is None or not iteration.tolerance:
        return None
    least = SMALLEST_TOLERANCE * EPSILON[precision]
    if iteration.tolerance < least:
        raise ModelError(
            f"{form.mechanism.name}: a residual of {float(iteration.tolerance):g} is below the rounding of "
            f"{precision}; give --tolerance {float(least):.1g} or more"
            f"{' or --precision float64' if precision == 'float32' else ''}"
        )
    return Loop(
        body=newton_step.__name__,
        functions=tuple(KINEMATIC_FUNCTIONS),
        carried=tuple((f"{name}.previous", f"{name}.next") for name in iteration.start_coordinates()),
        residual=RESIDUAL,
        tolerance=iteration.tolerance,
        most=iteration.most,
    )


def _loop_of(loop: Loop | None, given: Collection[str]) -> Loop | None:
    """The loop of those functions that are given."""
    functions = tuple(name for name in loop.functions if name in given) if loop else ()
    return replace(loop, functions=functions) if loop and functions else None


def total_function(
    write: Function,
    form: Solution,
    precision: Precision,
    passes: Collection[Pass] = ALL_PASSES,
    shared: SharedBounds | None = None,
) -> OperationSequence:
    """A function that is proven total, limited where its proof needs that; bounds are `shared` with other functions.

    Raises:
        ModelError: it cannot be proven even so.
    """
    return finished(write(form, precision, contract=True), passes, shared)


def arithmetic(write: Function, form: Solution, precision: Precision = "float64") -> OperationSequence:
    """A function without guards: for counting, never for use."""
    return finished(write(form, precision, contract=False), ARITHMETIC_PASSES)


def branches_of(form: Solution) -> tuple[Branch, ...]:
    """The root signs that the program takes, each with the root that it does not take."""
    rooted = form.branched_solution()
    others = rooted.other_roots() if rooted else {}
    return tuple(
        replace(branch, alternatives=(others[branch.equation],)) if branch.equation in others else branch
        for branch in solved.branches_of(form)
    )
