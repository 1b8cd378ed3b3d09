"""Inputs "<coordinate>.previous": where an iterative method starts, as a caller fills them, and what it may leave open.

In: vectors of a function, the reference. Out: the same vectors, their previous solutions taken from the reference at a
pose that the mechanism can have had one period before: no independent coordinate farther than its rate is bounded. A
start at random would end on any assembly, which says nothing about the export.
"""

from dataclasses import replace

import numpy as np

from exporter.manifest import Function, Manifest
from sil.domain import Domain, Rows
from sil.generator import uniform
from sil.limits import Limits
from sil.reference.mechanism import Reference
from sil.reference.rotations import Array
from sil.vectors import KINDS, Vectors

SUFFIX = ".previous"
STREAM = 9000  # of the generator, so that no other vectors draw the same numbers
USUAL_RATE = 1.0  # rad/s or m/s, of a coordinate whose rate the file does not bound
OPEN_EPS = 1000  # eps: what an iteration from a previous solution may leave open without RESIDUAL_HIGH
TABLE_EPS = 64  # eps: what steps from a table may
REGULAR_CONDITION = 3.0  # condition number of the closure below which a pose counts as regular
OPENING_GROWTH = REGULAR_CONDITION**2  # of what is left open, until it is an error of an acceleration at such a pose


def starts_from_previous(function: Function) -> bool:
    """Whether a function takes a previous solution."""
    return any(field.name.endswith(SUFFIX) for field in function.row_inputs)


def may_leave_open(manifest: Manifest, function: Function, *, nominal: bool) -> bool:
    """Whether a fixed number of Newton's steps may end open, which the export flags above some eps alone.

    So do methods that start from a previous solution, and, away from nominal parameters, forms whose steps start from
    a table, which was made at nominal ones.
    """
    tabulated = any(field.role == "residual" for each in manifest.functions for field in each.row_outputs)
    return starts_from_previous(function) or (tabulated and not nominal)


def reaches_a_part(manifest: Manifest) -> bool:
    """Whether a table covers only the part of its ranges that is reached: its block tells the loops' pivot too."""
    fields = [field for function in manifest.functions for field in function.row_outputs]
    blocks = {role: {f.name.split(".")[-1] for f in fields if f.role == role} for role in ("residual", "pivot")}
    return bool(blocks["residual"] & blocks["pivot"])


def with_previous(made: Vectors, function: Function, domain: Domain, reference: Reference) -> Vectors:
    """The vectors with previous solutions. Invalid vectors, and those that nothing near can reach, stay as drawn."""
    mechanism = reference.skeleton.mechanism
    places = {field.name: number for number, field in enumerate(function.row_inputs)}
    columns = np.array([places[name] for name in mechanism.independent])
    valid = np.flatnonzero(made.kinds != KINDS.index("invalid"))
    now = made.rows[np.ix_(valid, columns)].astype(np.float64)
    moved = np.array([_one_period(reference, name) for name in mechanism.independent])
    way = (2 * uniform(made.seed, STREAM, (len(made.rows), len(columns))) - 1)[valid]
    before = _positions_before(reference, now - way * moved, now)
    rows = made.rows.copy()
    for number, name in enumerate(reference.coordinates):
        column = places.get(f"{name}{SUFFIX}")
        if column is not None:
            rows[valid, column] = _start(reference, domain, before, number, rows[valid, column], column)
    return replace(made, rows=rows)


def _one_period(reference: Reference, name: str) -> float:
    """How far an independent coordinate moves in one period at most."""
    mechanism = reference.skeleton.mechanism
    bound = mechanism.ranges[name].rate if name in mechanism.ranges else None
    return (USUAL_RATE if bound is None else float(bound)) * float(mechanism.step.period)


def _positions_before(reference: Reference, before: Array, now: Array) -> Array:
    """All coordinates one period before; those of now where the branch does not reach, NaN where it reaches neither."""
    found = reference.positions(before)
    lost = ~np.isfinite(found).all(axis=1)
    if lost.any():
        found[lost] = reference.positions(now[lost])
    return found


def _start(reference: Reference, domain: Domain, before: Array, number: int, drawn: Rows, column: int) -> Rows:
    """One column, in the type of the rows: angles within half a turn."""
    values = before[:, number]
    if reference.skeleton.angles[number]:
        values = values - 2 * np.pi * np.round(values / (2 * np.pi))
    low, high = float(domain.minimum[column]), float(domain.maximum[column])
    known = np.isfinite(values)
    return np.where(known, np.clip(np.where(known, values, 0.0), low, high), drawn).astype(drawn.dtype)


def limits_of(limits: Limits, manifest: Manifest, function: Function, *, nominal: bool) -> Limits:
    """The limits; where an iteration may end open, no less than what it may leave, as the export says.

    That is 1000 eps from a previous solution, or the tolerance of its loop, and 64 eps from a table.
    """
    if not may_leave_open(manifest, function, nominal=nominal):
        return limits
    tolerance = manifest.loop.tolerance if manifest.loop else 0.0
    eps = OPEN_EPS if starts_from_previous(function) else TABLE_EPS
    left = max(eps * 2 * limits.unit, tolerance)
    return replace(
        limits,
        residual=max(limits.residual, left),
        relative=max(limits.relative, OPENING_GROWTH * left),
        acceleration=max(limits.acceleration, OPENING_GROWTH * left),
        power=max(limits.power, OPENING_GROWTH * left),
    )
