"""Attitudes along a path: neither the quaternion nor its sign jumps between neighbouring poses.

As a matrix, q and -q are one attitude; for whoever interpolates or filters it they are not. The export gives the one on
the side of the design pose's attitude, so that the sign may change only half a turn away from there.
"""

import numpy as np
from numpy.typing import NDArray

from sil.check_names import Check
from sil.checks.attitudes import columns_of_quaternion, quaternion_outputs
from sil.checks.condition_scaling import Judgement
from sil.checks.mechanism_case import Case
from sil.domain import Rows
from sil.evidence import flagged_rows
from sil.reference.rotations import Array

PATHS, POSES = 16, 65
"""Straight ways between vectors, and the poses along each."""
LEAST_AGREEMENT = 0.9
"""Neighbours whose quaternions agree by less, up to sign, are too far apart for a sign to be told."""
HALF_TURN_MARGIN = 0.2
"""|q . q0| below which an attitude is next to half a turn away from the design pose's, q0."""


def check_continuity(case: Case) -> Judgement:
    """Pairs of neighbouring poses between which a quaternion changes its sign; at nominal parameters."""
    evidence = case.evidence
    given = [columns_of_quaternion(case, name) for name, _ in quaternion_outputs(case.reference.skeleton.mechanism)]
    quaternions = [columns for columns in given if columns is not None]
    if not quaternions or evidence.parameters.changed:
        return [], []
    ways = _ways(case)
    ran = evidence.call(evidence.function.name, ways.reshape(-1, ways.shape[-1]))
    good = ~flagged_rows(evidence.export.manifest, ran).reshape(ways.shape[:2])
    start = evidence.doubles(evidence.call(evidence.function.name, evidence.domain.nominal[None]).outputs)[0]
    pairs, jumps = np.zeros(len(ways)), np.zeros(len(ways))
    for columns in quaternions:
        q = evidence.doubles(ran.outputs)[:, columns].reshape(*ways.shape[:2], 4)
        told, jumped = _jumps(q, good, start[columns])
        pairs, jumps = pairs + told.sum(axis=1), jumps + jumped.sum(axis=1)
    known = pairs > 0
    detail = f"changes of sign on straight ways of {POSES} poses from these vectors to the next, but half a turn away"
    rows = _starts(case)[known]
    return [evidence.verdict(Check.CONTINUITY, jumps[known], rows, 0, "jumps", detail)], []


def _starts(case: Case) -> NDArray[np.int64]:
    return case.rows[: max(0, len(case.rows) - 1)][:PATHS]


def _ways(case: Case) -> Rows:
    """Inputs along the ways, (ways, poses, inputs): from a vector that is judged to the next one."""
    rows = case.evidence.doubles(case.evidence.vectors.rows)
    first = _starts(case)
    last = case.rows[1 : len(first) + 1]
    part = np.linspace(0.0, 1.0, POSES)[None, :, None]
    between = rows[first][:, None, :] * (1 - part) + rows[last][:, None, :] * part
    return case.evidence.domain.clip(between)


def _jumps(q: Array, good: NDArray[np.bool_], start: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Per pair of neighbours (ways, poses - 1): whether a sign can be told, and whether it changes where it may not."""
    agree = np.einsum("wpk,wpk->wp", q[:, :-1], q[:, 1:])
    turned = np.minimum(np.abs(q[:, :-1] @ start), np.abs(q[:, 1:] @ start)) < HALF_TURN_MARGIN
    told = good[:, :-1] & good[:, 1:] & (np.abs(agree) > LEAST_AGREEMENT) & ~turned
    return told, told & (agree < 0)
