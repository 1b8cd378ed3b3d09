"""Positions by Newton's method on the closures, followed from the file's pose, for the differential test.

In: mechanisms along a path of parameters, values of the independent coordinates. Out: a `Reached` for each
row. The branch is that of the design pose: every row is followed along a straight line from there by small steps, a
tangent step and Newton's corrections each, and the worst condition on the way is kept. Where a line meets a singular
pose, what lies behind it is not judged.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from link_spins import Spin, spin_equations, spins_of
from plain_closures import Closures, antiparallel, closures
from plain_couplings import coupled
from plain_mechanism import Plain
from plain_rotations import Array
from tree_motion import moving_bodies

STRIDE = 0.1  # rad, or of the size, of one step of the independent coordinates
FEWEST, MOST = 6, 60  # steps
ENOUGH = 1e-9  # a correction below it leaves, squared, nothing but rounding
CORRECTIONS = 4
CLOSED = 1e-11  # residual over the size
RANK = 1e-7  # singular values below this, over the largest, are zero at the design pose
LARGEST_CORRECTION = 0.15  # rad, or of the size, of one step: beyond it the path is lost
LARGEST_CONDITION = 1e5  # on the way: beyond it the path has met a singular pose


@dataclass(frozen=True)
class Driven:
    """A mechanism with its spins held: what Newton's method works on."""

    plain: Plain
    spins: list[Spin]
    rank: int = -1  # of the dependent columns; -1: as many as there are

    def closures(self, at: Array, rates: Array | None = None) -> Closures:
        """All equations at coordinates (rows, n)."""
        bodies = moving_bodies(self.plain, at, rates)
        return closures(self.plain, bodies, spin_equations(self.plain, self.spins), coupled(self.plain, at))

    @property
    def free(self) -> list[int]:
        """Columns of the dependent coordinates."""
        return self.plain.columns(self.plain.dependent())

    @property
    def given(self) -> list[int]:
        """Columns of the independent coordinates."""
        return self.plain.columns(self.plain.independent)


@dataclass(frozen=True)
class Reached:
    """Coordinates (rows, n), which rows are on the branch, and the worst condition on the way there."""

    at: Array
    on_branch: Array
    closes: Array
    condition: Array
    now: Array  # condition at the row itself


def inverse_of(matrix: Array, rank: int) -> tuple[Array, Array]:
    """Pseudo-inverses of a rank (rows, k, m), and conditions (rows,): 1 where there is nothing to invert."""
    if not rank:
        return np.zeros((len(matrix), matrix.shape[2], matrix.shape[1])), np.ones(len(matrix))
    u, s, vt = np.linalg.svd(matrix, full_matrices=False)
    kept = s[:, :rank]
    with np.errstate(divide="ignore"):
        condition = s[:, 0] / np.maximum(kept[:, -1], 1e-300)
        inverse = np.einsum("nkc,nk,nmk->ncm", vt[:, :rank], 1 / np.maximum(kept, 1e-300), u[:, :, :rank])
    return inverse, condition


def corrected(driven: Driven, at: Array, count: int) -> tuple[Array, Array, Array]:
    """After so many steps of Newton's method: coordinates, conditions, and the largest correction of each row."""
    free, units = driven.free, driven.plain.units()
    condition, largest = np.ones(len(at)), np.zeros(len(at))
    for _ in range(count if free else 0):
        open_by = driven.closures(at)
        inverse, condition = inverse_of(open_by.jacobian[:, :, free] * units[free], driven.rank)
        change = np.einsum("ncm,nm->nc", inverse, open_by.residual)
        at = at.copy()
        at[:, free] -= np.clip(change, -1, 1) * units[free]
        largest = np.maximum(largest, np.abs(change).max(axis=1))
        if np.abs(change).max() < ENOUGH:
            break
    return at, condition, largest


def residual_of(driven: Driven, at: Array) -> Array:
    """The largest open equation of each row."""
    residual = driven.closures(at).residual
    return np.abs(residual).max(axis=1) if residual.shape[1] else np.zeros(len(at))


def assembled(plain: Plain) -> Driven | None:
    """The mechanism with its rank and spins told at its own design pose; None where that does not close."""
    start = Driven(plain, [], min(_rank(Driven(plain, []), plain.design()), len(plain.dependent())))
    at, _, _ = corrected(start, plain.design(), 12)
    held = Driven(plain, _needed_spins(start, at))
    held = Driven(plain, held.spins, _rank(held, at))
    at, _, _ = corrected(held, at, 12)
    closes = residual_of(held, at)[0] < CLOSED * 10
    if held.rank != len(held.free) or not closes or antiparallel(plain, moving_bodies(plain, at))[0]:
        return None
    return held


def _needed_spins(start: Driven, at: Array) -> list[Spin]:
    """None where the independent coordinates are to drive spins too."""
    jacobian = start.closures(at).jacobian * start.plain.units()
    return [] if _rank_of(jacobian) + len(start.given) >= jacobian.shape[2] else spins_of(start.plain, at)


def _rank(driven: Driven, at: Array) -> int:
    return _rank_of(driven.closures(at).jacobian[:, :, driven.free] * driven.plain.units()[driven.free])


def _rank_of(jacobian: Array) -> int:
    if not jacobian.size:
        return 0
    values = np.linalg.svd(jacobian[0], compute_uv=False)
    return int((values > RANK * values[0]).sum())


def followed(models: Callable[[float], Driven], start: Array, goal: Array) -> Reached:
    """Rows (rows, k) of independent coordinates, reached from an assembled pose (1, n); `models` is by 0 to 1."""
    last = models(1.0)
    rows, given, free = len(goal), last.given, last.free
    at, steps = np.repeat(start, rows, axis=0), _steps(last, start, goal)
    on, worst = np.ones(rows, dtype=bool), np.ones(rows)
    before = None
    for step in range(1, steps + 1):
        driven = models(step / steps)
        wanted = start[:, given] + (goal - start[:, given]) * (step / steps)
        slopes = driven.closures(at).jacobian * driven.plain.units()
        on &= ~_passed_singular(before, slopes[:, :, free])
        before, _ = inverse_of(slopes[:, :, free], driven.rank)
        at, condition, largest = corrected(driven, _tangent(driven, at, wanted, slopes, before), CORRECTIONS)
        worst = np.maximum(worst, condition)
        on &= (largest < LARGEST_CORRECTION) & (condition < LARGEST_CONDITION)
    if free:
        at, condition, _ = corrected(last, at, 3)
        on &= ~_passed_singular(before, (last.closures(at).jacobian * last.plain.units())[:, :, free])
    else:
        condition = np.ones(rows)
    closes = residual_of(last, at) < CLOSED * np.maximum(1, condition / 1e3)
    return Reached(at, on & closes, closes, worst, condition)


def moved_to(driven: Driven, at: Array, goal: Array) -> Array:
    """Closed rows (rows, n) at other independent coordinates (rows, k): as far as a step of an integration leads."""
    given, free, start = driven.given, driven.free, at[:, driven.given]
    travel = np.abs((goal - start) / driven.plain.units()[given]).max(initial=0.0)
    count = int(np.clip(np.ceil(travel / STRIDE), 1, MOST)) if free else 1
    for step in range(1, count + 1):
        slopes = driven.closures(at).jacobian * driven.plain.units()
        inverse, _ = inverse_of(slopes[:, :, free], driven.rank)
        at, _, _ = corrected(driven, _tangent(driven, at, start + (goal - start) * (step / count), slopes, inverse), 5)
    return at


def _steps(driven: Driven, start: Array, goal: Array) -> int:
    """How many steps move no independent coordinate by more than the stride, within limits."""
    if not driven.free or not len(goal):
        return 1
    travel = np.abs((goal - start[:, driven.given]) / driven.plain.units()[driven.given]).max()
    return int(np.clip(np.ceil(travel / STRIDE), FEWEST, MOST))


def _passed_singular(before: Array | None, slopes: Array) -> Array:
    """Rows whose dependent Jacobian (rows, m, k) turned over against the inverse of the step before, (rows,).

    There the way leads through a singular pose, behind which any assembly that meets there may be meant. Where two
    directions turn over at once, as hip and knee of a leg whose foot passes through the hip, the sign of the
    determinant stays: the eigenvalues of the change tell. They are near 1 where that is near the identity.
    """
    found = np.zeros(len(slopes), dtype=bool)
    if before is None or not slopes.shape[2]:
        return found
    change = before @ slopes
    far = np.abs(change - np.eye(slopes.shape[2])).max(axis=(1, 2)) > 0.5 / slopes.shape[2]
    far &= np.isfinite(change).all(axis=(1, 2))
    if far.any():
        found[far] = np.linalg.eigvals(change[far]).real.min(axis=1) <= 0
    return found


def _tangent(driven: Driven, at: Array, wanted: Array, slopes: Array, inverse: Array) -> Array:
    """The independent coordinates as wanted, the others moved along the tangent by the Jacobian (rows, m, n)."""
    given, free, units = driven.given, driven.free, driven.plain.units()
    change = wanted - at[:, given]
    moved = at.copy()
    moved[:, given] = wanted
    if free:
        pull = np.einsum("nmk,nk->nm", slopes[:, :, given], change / units[given])
        moved[:, free] -= np.clip(np.einsum("ncm,nm->nc", inverse, pull), -0.5, 0.5) * units[free]
    return moved
