"""Finds inputs close to where a margin vanishes: by sign changes and bisection, else by shrinking the smallest one.

In: a domain and a function of rows that gives margins or pivots; out: rows close to a zero of one of them, from both
sides, at distances that are spread logarithmically.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sil.domain import Domain, Rows
from sil.generator import uniform

SAMPLES = 2048  # among which a change of a margin's sign is looked for
BISECTIONS = 60  # of a way between two samples; float64 is used up
SHRINKING_STEPS = 24  # each half as wide as the one before
SEEDS = 256
"""Distinct places that rows are gathered around, per margin."""
FARTHEST, NEAREST = -4.0, -50.0
"""Distances are 2^u of the way between two samples, u uniform between these."""

Measure = Callable[[Rows], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Search:
    """Places where the zero of one measure is looked for: ways to its other sign, or starts where it has one sign."""

    column: int  # of the measure
    stream: int
    starts: NDArray[np.float64]
    ends: NDArray[np.float64] | None  # of the other sign


def near_rows(domain: Domain, measure: Measure, seed: int, stream: int, count: int) -> Rows:
    """`count` rows near zeros of the measures; random rows where there is no measure at all."""
    samples = domain.around(seed, stream + 3, SAMPLES)
    values = measure(samples)
    if values.shape[1] == 0 or count == 0:
        return domain.spread(seed, stream, count)
    rows = samples.astype(np.float64)
    searches = [_search(rows, values[:, k], k, stream + 10 * k) for k in range(values.shape[1])]
    base, direction = _places(domain, measure, _first_places(searches, count), seed)
    chosen = np.arange(count) % len(base)
    exponent = FARTHEST + (NEAREST - FARTHEST) * uniform(seed, stream + 4, (count, 1))
    side = np.where(uniform(seed, stream + 5, (count, 1)) < 0.5, -1.0, 1.0)
    return domain.clip(base[chosen] + side * 2.0**exponent * direction[chosen])


def _search(rows: NDArray[np.float64], values: NDArray[np.float64], column: int, stream: int) -> Search:
    positive, negative = np.flatnonzero(values > 0), np.flatnonzero(values < 0)
    pairs = min(len(positive), len(negative), SEEDS)
    if pairs:
        return Search(column, stream, rows[positive[:pairs]], rows[negative[:pairs]])
    return Search(column, stream, rows[np.argsort(np.abs(values), kind="stable")[:SEEDS]], None)


def _first_places(searches: Sequence[Search], count: int) -> list[Search]:
    """The searches of the first places, which so many rows are gathered around; what one finds depends on no other."""
    found, left = [], count
    for each in searches:
        starts, ends = each.starts[:left], None if each.ends is None else each.ends[:left]
        left -= len(starts)
        if len(starts):
            found.append(replace(each, starts=starts, ends=ends))
    return found


def _places(
    domain: Domain, measure: Measure, searches: Sequence[Search], seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows close to a zero of one measure each, and a direction across it; all searches are measured together."""
    across = [(each, each.ends) for each in searches if each.ends is not None]
    along = [each for each in searches if each.ends is None]
    found = dict(zip([each.column for each, _ in across], _bisect(domain, measure, across), strict=True))
    found |= dict(zip([each.column for each in along], _shrink(domain, measure, along, seed), strict=True))
    span = (domain.maximum - domain.minimum).astype(np.float64) * 2.0**-6
    directions = [
        np.tile(span, (len(each.starts), 1)) if each.ends is None else each.ends - each.starts for each in searches
    ]
    return np.concatenate([found[each.column] for each in searches]), np.concatenate(directions)


def _bisect(
    domain: Domain, measure: Measure, searches: Sequence[tuple[Search, NDArray[np.float64]]]
) -> list[NDArray[np.float64]]:
    """Halve the ways from positive to negative values."""
    if not searches:
        return []
    start, end = np.concatenate([each.starts for each, _ in searches]), np.concatenate([ends for _, ends in searches])
    own = _own_measure(domain, measure, [each for each, _ in searches])
    low, high = np.zeros((len(start), 1)), np.ones((len(start), 1))
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        above = own(start + middle * (end - start))[:, None] > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return _parts(start + low * (end - start), [each for each, _ in searches])


def _shrink(domain: Domain, measure: Measure, searches: Sequence[Search], seed: int) -> list[NDArray[np.float64]]:
    """Move each row at random, ever less, and keep what makes its measure smaller."""
    if not searches:
        return []
    spans = np.where(domain.angles, 2 * np.pi, (domain.maximum - domain.minimum).astype(np.float64))
    own, rows = _own_measure(domain, measure, searches), np.concatenate([each.starts for each in searches])
    value = np.abs(own(rows))
    for turn in range(SHRINKING_STEPS):
        drawn = np.concatenate([uniform(seed, each.stream + 1000 + turn, each.starts.shape) for each in searches])
        moved = domain.clip(rows + (2 * drawn - 1) * spans * 2.0**-turn).astype(np.float64)
        measured = np.abs(own(moved))
        better = measured < value
        rows, value = np.where(better[:, None], moved, rows), np.where(better, measured, value)
    return _parts(rows, searches)


def _own_measure(
    domain: Domain, measure: Measure, searches: Sequence[Search]
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """The measure of each row's own search, (rows,), of rows of all searches, one after the other."""
    columns = np.repeat([each.column for each in searches], [len(each.starts) for each in searches])
    return lambda rows: measure(domain.clip(rows))[np.arange(len(rows)), columns]


def _parts(rows: NDArray[np.float64], searches: Sequence[Search]) -> list[NDArray[np.float64]]:
    """The rows of each search."""
    return np.split(rows, np.cumsum([len(each.starts) for each in searches])[:-1])
