"""Couplings of coordinates in numbers: sum of factor * coordinate = constant, one equation among closures.

In: a `Skeleton` and coordinates. Out: the equation of each coupling as a row beside those of loops; what it makes of
coordinates that no loop tells, with all whole turns. Ratios are evaluated anew, at the skeleton's own parameters.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from exporter.model.mechanism import Mechanism
from sil.reference.expressions import Real, evaluate
from sil.reference.rotations import Array

WHOLE = 1e-12  # how far a number of turns is from a whole one at most


@dataclass(frozen=True, slots=True)
class Tie:
    """factors . coordinates = constant; the first factor, of what the file says to follow, is 1."""

    factors: tuple[tuple[int, float], ...]
    constant: float

    def residual(self, values: Sequence[Array] | Array) -> Array:
        """What is open, (rows,), rad or m."""
        return np.asarray(sum(factor * values[k] for k, factor in self.factors) - self.constant)

    def rest(self, column: int, values: Sequence[Array] | Array) -> Array:
        """The value of one coordinate from those of the others, (rows,)."""
        own = dict(self.factors)[column]
        others = (factor * values[k] for k, factor in self.factors if k != column)
        return np.asarray((self.constant - sum(others)) / own)


def ties_of(mechanism: Mechanism, values: Mapping[str, Real]) -> tuple[Tie, ...]:
    """The couplings of a mechanism in their order."""
    columns, found = mechanism.coordinates(), []
    for coupling in mechanism.couplings:
        factors = [(columns.index(coupling.follower), 1.0)]
        factors += [(columns.index(name), -float(evaluate(ratio, values))) for name, ratio in coupling.ratios.items()]
        found.append(Tie(tuple(factors), float(evaluate(coupling.offset, values))))
    return tuple(found)


def told(ties: Sequence[Tie], given: Sequence[int]) -> tuple[tuple[int, Tie], ...]:
    """The columns that couplings tell where some are given, each with the coupling that does, in order."""
    known, waiting = set(given), list(ties)
    found: list[tuple[int, Tie]] = []
    while True:
        ready = [tie for tie in waiting if sum(k not in known for k, _ in tie.factors) == 1]
        if not ready:
            return tuple(found)
        (column,) = (k for k, _ in ready[0].factors if k not in known)
        found.append((column, ready[0]))
        known.add(column)
        waiting.remove(ready[0])


def told_behind_loops(
    ties: Sequence[Tie], given: Sequence[int], looped: Collection[int]
) -> tuple[tuple[int, Tie], ...]:
    """The columns that the couplings tell which read what loops give, each with the coupling that does, in order.

    Of a coupling that is the one that no loop and no coupling before it tells; else what the file says to follow.
    """
    order = told(ties, given)
    known = {*given, *looped, *(column for column, _ in order)}
    used = [tie for _, tie in order]
    waiting = [tie for tie in ties if tie not in used and any(column not in given for column, _ in tie.factors)]
    found: list[tuple[int, Tie]] = []
    while waiting:
        unknown = [[column for column, _ in tie.factors if column not in known] for tie in waiting]
        number = next((k for k, columns in enumerate(unknown) if len(columns) == 1), 0)
        column = unknown[number][0] if len(unknown[number]) == 1 else waiting[number].factors[0][0]
        found.append((column, waiting.pop(number)))
        known.add(column)
    return tuple(found)


def followed(ties: Sequence[Tie], given: Sequence[int], rows: Array) -> Array:
    """Rows (n, c) with the columns that couplings tell where some are given."""
    order = told(ties, given)
    if not order:
        return rows
    columns = list(rows.T)
    for column, tie in order:
        columns[column] = tie.rest(column, columns)
    return np.ascontiguousarray(np.stack(columns, axis=-1))


def told_sizes(order: Sequence[tuple[int, Tie]], units: Array, values: Array) -> Array:
    """What rounding of coordinates (n, c) is measured by, over their units: 1 but for what couplings tell, in order.

    There it is the sum of what they are told from, by magnitude, each at least its unit, times its ratio.
    """
    sizes = np.ones_like(values)
    for column, tie in order:
        own = abs(dict(tie.factors)[column]) * units[column]
        terms = [abs(factor) * np.maximum(units[k] * sizes[:, k], np.abs(values[:, k])) for k, factor in tie.factors]
        others = [term for (k, _), term in zip(tie.factors, terms, strict=True) if k != column]
        sizes[:, column] = np.maximum(1.0, sum(others) / own)
    return sizes


def is_periodic(ties: Sequence[Tie], given: Sequence[int], angles: Sequence[bool], column: int) -> bool:
    """Whether everything stands as it did after a whole turn of an angle that is given."""
    if not angles[column]:
        return False
    turns = {column: 1.0}
    order = told(ties, given)
    for follower, tie in order:
        own = dict(tie.factors)[follower]
        moved = -sum(factor * turns.get(k, 0.0) for k, factor in tie.factors if k != follower) / own
        if abs(moved - round(moved)) > WHOLE or (moved and not angles[follower]):
            return False
        turns[follower] = moved
    used = [tie for _, tie in order]
    return not any(k in turns for tie in ties if tie not in used for k, _ in tie.factors)


def notices_whole_turns(following_loops: Sequence[tuple[int, Tie]], angles: Sequence[bool]) -> bool:
    """Whether anything that follows what loops give stands elsewhere after a whole turn of an angle that it reads."""
    for follower, tie in following_loops:
        own = dict(tie.factors)[follower]
        ratios = [-factor / own for k, factor in tie.factors if k != follower and angles[k]]
        if ratios and not (angles[follower] and all(abs(ratio - round(ratio)) <= WHOLE for ratio in ratios)):
            return True
    return False
