"""Householder's elimination over many matrices of one structure: what no equation reads is neither made nor moved.

In: which unknowns every equation reads, matrices (k, k, rows) and right sides (k, sides, rows); rows stand last. Out:
solutions and determinants. An unknown that few equations read is eliminated first, so that the unknowns of one leg of a
machine are gone before those that all legs share (George and Heath 1980, over columns).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sil.reference.rotations import Array

Places = slice | list[int]
Reads = tuple[tuple[int, ...], ...]
"""The unknowns that every equation reads."""


@dataclass(frozen=True, slots=True)
class Step:
    """One unknown is eliminated from all equations but one, which gives it."""

    unknown: int
    equations: tuple[int, ...]  # of those that are left, the ones that read it; the first one keeps it
    width: int  # unknowns and sides that these equations read together, this unknown first
    places: tuple[Places, ...]  # where, among these, each equation's own ones are
    others: Places  # unknowns that are found before this one
    known: int  # how many
    sides: Places


@dataclass(frozen=True, slots=True)
class Elimination:
    """The steps of one structure with some right sides."""

    reads: Reads  # by equation: unknowns, then sides, counted on
    unknowns: int
    steps: tuple[Step, ...]  # none where some unknowns are read by too few equations
    odd: bool  # whether equations and unknowns change places an odd number of times, mirrors counted

    def solve(self, matrices: Array, sides: Array) -> tuple[Array, Array, Array]:
        """X of A X = B, (k, sides, rows), from (k, k, rows) and B, with R's diagonal, (k, rows), and det(A), (rows,).

        Where a pivot is exactly zero, or too few equations read some unknowns, X is not finite; a matrix that is
        singular but for rounding has a finite X, which means nothing, and a pivot of a few units of rounding.
        """
        if not self.steps:
            return np.full_like(sides, np.nan), np.zeros(sides[:, 0].shape), np.zeros(sides.shape[-1])
        diagonal, triangular = self._triangular(matrices, sides)
        determinants = np.where((diagonal == 0.0).any(axis=0), 0.0, np.prod(diagonal, axis=0))
        return self._back(diagonal, triangular, sides), diagonal, -determinants if self.odd else determinants

    def _triangular(self, matrices: Array, sides: Array) -> tuple[Array, list[Array]]:
        """R's diagonal, (k, rows), by unknown, and for every step what the equation that is kept reads beside."""
        count, held = self.unknowns, []
        for equation, reads in enumerate(self.reads):
            unknowns, given = [k for k in reads if k < count], [k - count for k in reads if k >= count]
            held.append(np.concatenate([matrices[equation, places_of(unknowns)], sides[equation, places_of(given)]]))
        diagonal, triangular = np.empty(sides[:, 0].shape), []
        for step in self.steps:
            diagonal[step.unknown], left = _mirrored(step, held)
            for equation, row in zip(step.equations, left, strict=True):
                held[equation] = row
            triangular.append(left[0])
        return diagonal, triangular

    def _back(self, diagonal: Array, triangular: list[Array], sides: Array) -> Array:
        """Unknowns from the last one that is eliminated to the first."""
        found = np.zeros(sides.shape)
        for step, row in zip(reversed(self.steps), reversed(triangular), strict=True):
            own = found[step.unknown]
            own[step.sides] = row[step.known :]
            if step.known:
                own -= np.einsum("kr,ksr->sr", row[: step.known], found[step.others])
            own /= diagonal[step.unknown]
        return found


def _mirrored(step: Step, held: Sequence[Array]) -> tuple[Array, Array]:
    """Equations after a mirror that leaves the unknown to the first: its coefficient, and (equations, others, rows).

    The mirror is 1 - v v^T / (n |v_1|), with v = x - r e_1, r = -sign(x_1) n and n = |x|.
    """
    block = np.zeros((len(step.equations), step.width, held[0].shape[-1]))
    for equation, places, row in zip(step.equations, step.places, block, strict=True):
        row[places] = held[equation]
    mirror, others = block[:, 0], block[:, 1:]
    if len(block) == 1:
        return mirror[0], others
    length = np.sqrt(np.einsum("er,er->r", mirror, mirror))
    coefficient = -np.copysign(length, mirror[0])
    mirror[0] -= coefficient
    share = np.einsum("er,eor->or", mirror, others)
    share /= length * np.abs(mirror[0])
    for factor, beside in zip(mirror, others, strict=True):
        np.subtract(beside, factor * share, out=beside)
    return coefficient, others


@lru_cache(maxsize=256)
def elimination_of(reads: Reads, sides: int | None = None) -> Elimination:
    """The steps for equations that read these unknowns, with so many sides; None: every equation has a side alone."""
    count = len(reads)
    given = [{count + k} if sides is None else set(range(count, count + sides)) for k in range(count)]
    patterns = [set(unknowns) | own for unknowns, own in zip(reads, given, strict=True)]
    whole = tuple(tuple(sorted(each)) for each in patterns)
    steps, left = [], dict(enumerate(patterns))
    unknowns = set(range(count))
    while unknowns:
        unknown = min(unknowns, key=lambda each: (_work(each, left.values()), each))
        equations = tuple(k for k, pattern in left.items() if unknown in pattern)
        if not equations:
            return Elimination(whole, count, (), odd=False)
        union = set().union(*(left[k] for k in equations)) - {unknown}
        steps.append(_step(unknown, equations, union, left, count))
        left.update(dict.fromkeys(equations, union))
        del left[equations[0]]
        unknowns.remove(unknown)
    odd = (_odd(steps) + sum(len(step.equations) > 1 for step in steps)) % 2 == 1
    return Elimination(whole, count, tuple(steps), odd)


def _work(unknown: int, patterns: Collection[set[int]]) -> int:
    """About how many numbers are written to eliminate an unknown."""
    reading = [pattern for pattern in patterns if unknown in pattern]
    return len(reading) * len(set().union(*reading))


def _step(unknown: int, equations: tuple[int, ...], union: set[int], left: dict[int, set[int]], count: int) -> Step:
    order = {each: place for place, each in enumerate([unknown, *sorted(union)])}
    places = tuple(places_of([order[each] for each in sorted(left[k])]) for k in equations)
    others = sorted(each for each in union if each < count)
    sides = sorted(each - count for each in union if each >= count)
    return Step(unknown, equations, len(order), places, places_of(others), len(others), places_of(sides))


def places_of(numbers: list[int]) -> Places:
    """Numbers as a slice where they follow one another: numpy copies these faster."""
    if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return numbers
    return slice(numbers[0], numbers[0] + len(numbers))


def _odd(steps: Sequence[Step]) -> int:
    """How many pairs of steps take equation and unknown in another order, modulo 2: the sign of the permutation."""
    taken = [step.unknown for step in sorted(steps, key=lambda step: step.equations[0])]
    return sum(one > other for k, one in enumerate(taken) for other in taken[k + 1 :]) % 2
