"""Why a mechanism is solved by no form: what its original closures say at its pose, before anything else is blamed.

In: a mechanism, and the refusal of the engine. Out: the refusal, or in its place what is true of the
closures by Newton's method and ranks: they do not close near the pose, leave another number of degrees of freedom, or
are not driven by the independent coordinates.
"""

import numpy as np

from exporter.errors import ModelError, NoForm, SingularPose
from exporter.kinematics.closures.closing import Array, Closures, close_rows, jacobians, residuals
from exporter.kinematics.closures.idle_points import idle_points
from exporter.kinematics.closures.passive_spins import closures_of
from exporter.kinematics.closures.pose_row import pose_row
from exporter.kinematics.closures.rank import ranks
from exporter.kinematics.closures.singular import (
    LEAST_DRIVE,
    Slack,
    next_step,
    pose_beside,
    slack_at,
    undriven_in_words,
)
from exporter.model.mechanism import Mechanism

TRIED_POSES = 10  # poses at which it is asked whether a loop closes
STAGES = 64  # of following
NOTHING_MOVES = "nothing can move"
BRANCH_JUMP = 0.5  # rad or lengths in one stage: another branch


def true_reason(mechanism: Mechanism, refusal: NoForm) -> ModelError:
    """The refusal, where the closures give no other reason at the pose of the file.

    It is a `NoForm` where as many other coordinates might do.
    """
    if not any(joint.closes for joint in mechanism.joints):
        return refusal
    closures, names = closures_of(mechanism), mechanism.coordinates()
    start = pose_row(mechanism)[None]
    row, closes = close_rows(closures, start, mechanism.independent)
    if not closes[0]:
        return _open(closures, start, row)
    jacobian = jacobians(closures, row)
    freedom = len(names) - int(ranks(jacobian)[0])
    if freedom != len(mechanism.independent):
        return ModelError(_other_number(mechanism, freedom))
    slack = slack_at(closures, row)
    return refusal if slack.drive > LEAST_DRIVE else NoForm(f"{mechanism.name}: {_undriven(slack)}")


def wrong_number(mechanism: Mechanism, *, fewer: bool = False) -> str:
    """That loops and couplings leave another number of degrees of freedom than are chosen; empty where they do not.

    Told where Newton's method, from the pose, closes the loops with nothing held. With `fewer` only that they leave
    less: in a singular pose they seem to leave more than elsewhere.
    """
    closures = closures_of(mechanism)
    row, closes = close_rows(closures, pose_row(mechanism)[None])
    freedom = row.shape[1] - int(ranks(jacobians(closures, row))[0])
    chosen = len(mechanism.independent)
    wrong = freedom < chosen if fewer else freedom != chosen
    return _other_number(mechanism, freedom) if closes[0] and wrong else ""


def nothing_moves(mechanism: Mechanism) -> str:
    """That loops and couplings hold everything, whatever was chosen."""
    return _other_number(mechanism, 0)


def _other_number(mechanism: Mechanism, freedom: int) -> str:
    chosen, by = mechanism.independent, "loops and couplings" if mechanism.couplings else "loops"
    advice = f"choose {freedom} of {', '.join(mechanism.coordinates())}" if freedom else NOTHING_MOVES
    hint = idle_points(mechanism) if freedom > len(chosen) else ""
    return (
        f"{mechanism.name}: {len(chosen)} independent coordinate{_s(len(chosen))} {_are(len(chosen))} chosen "
        f"({', '.join(chosen)}), but at the pose the {by} leave {freedom} degree{_s(freedom)} of freedom; "
        f"{advice}{hint}"
    )


def why_open(mechanism: Mechanism, rows: Array, joint: str, residual: float) -> ModelError:
    """Why solved blocks leave a loop open at some of the rows (n, c): it does not close there, or it does otherwise."""
    closures = closures_of(mechanism)
    tried = rows[:: max(1, len(rows) // TRIED_POSES)]
    _, closes = close_rows(closures, tried, mechanism.independent)
    by = f"{residual:.3g} of the longest length"
    if closes.all():
        return NoForm(
            f"{mechanism.name}: the loop of '{joint}' closes by Newton's method, but the blocks that were found for it "
            f"leave it open by {by}: they do not hold all of its equations, and no other block of this version does"
        )
    free, may = close_rows(closures, tried)
    chosen = len(mechanism.independent)
    freedom = rows.shape[1] - int(ranks(jacobians(closures, free[may][:1]))[0]) if may.any() else chosen
    many = f"the loops leave {freedom} degree{_s(freedom)} of freedom for {chosen} independent coordinate{_s(chosen)}: "
    return ModelError(
        f"{mechanism.name}: the loop of '{joint}' does not close: its equations stay open by {by}, and Newton's method "
        f"closes it at {int(closes.sum())} of {len(closes)} poses; "
        f"{many if freedom < chosen else ''}{'' if freedom else f'{NOTHING_MOVES}; '}check lengths and axes"
        f"{', or narrow the ranges' if freedom else ''}"
    )


def reaches(mechanism: Mechanism, start: Array, target: Array) -> bool:
    """Whether Newton's method on the closures follows the design pose to a target of the independent coordinates, (f,).

    In small stages, without a jump of any coordinate between them.
    """
    closures, names = closures_of(mechanism), mechanism.coordinates()
    driven = [names.index(name) for name in mechanism.independent]
    row, closes = close_rows(closures, pose_row(mechanism)[None], mechanism.independent)
    for stage in range(1, STAGES + 1):
        aim = row.copy()
        aim[0, driven] = start + (target - start) * (stage / STAGES)
        before, (row, closes) = row, close_rows(closures, aim, mechanism.independent)
        if not closes[0] or (np.abs(row - before) / closures.units).max() > BRANCH_JUMP:
            return False
    return bool(closes[0])


def _open(closures: Closures, start: Array, row: Array) -> ModelError:
    """Why nothing closes with the independent coordinates held; a row (1, c) is where Newton's method ended."""
    mechanism = closures.mechanism
    free, closes = close_rows(closures, start)
    left = f"they stay open by {float(np.abs(residuals(closures, row)).max()):.3g} of the longest length"
    before = f"{mechanism.name}: Newton's method does not close the loops from the pose"
    if not closes[0]:
        return ModelError(
            f"{before}: {left}, with any values of the coordinates near it; check lengths and axes, or give a pose "
            f"nearer to an assembly{idle_points(mechanism)}"
        )
    freedom = free.shape[1] - int(ranks(jacobians(closures, free))[0])
    if freedom < len(mechanism.independent):
        return ModelError(_other_number(mechanism, freedom))
    held = ", ".join(f"{name} = {float(mechanism.pose[name]):.6g}" for name in mechanism.independent)
    near = _printed(mechanism, free)
    told = f"{before} at {held}: {left}; they close at {near}"
    slack = slack_at(closures, free)
    if freedom > len(mechanism.independent) or (slack.drive > LEAST_DRIVE and _closes_as_told(closures, start, free)):
        return ModelError(told)
    beside = pose_beside(slack)
    return SingularPose(f"{told}, a singular pose: {undriven_in_words(slack)}; {next_step(slack, beside)}", beside)


def _printed(mechanism: Mechanism, row: Array) -> str:
    names = mechanism.coordinates()
    return ", ".join(f"{name} = {row[0, names.index(name)]:.6g}" for name in mechanism.independent)


def _closes_as_told(closures: Closures, start: Array, row: Array) -> bool:
    """Whether the file's pose (1, c) closes with the independent coordinates of a row, as they are printed."""
    mechanism, aim = closures.mechanism, start.copy()
    for name in mechanism.independent:
        position = mechanism.coordinates().index(name)
        aim[0, position] = float(f"{row[0, position]:.6g}")
    return bool(close_rows(closures, aim, mechanism.independent)[1][0])


def _undriven(slack: Slack) -> str:
    """That it can move while the independent coordinates rest."""
    chosen = slack.closures.mechanism.independent
    return (
        f"{', '.join(chosen)} {'does' if len(chosen) == 1 else 'do'} not drive the mechanism at its pose, which is "
        f"singular for {'it' if len(chosen) == 1 else 'them'}: {undriven_in_words(slack)}; "
        f"{next_step(slack, pose_beside(slack))}"
    )


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
