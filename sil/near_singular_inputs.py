"""Finds inputs close to where a margin vanishes: by sign changes and bisection, else by shrinking the smallest one.

In: a domain and a function of rows that gives margins or pivots; out: rows close to a zero of one of them, from both
sides, at distances that are spread logarithmically.
"""

from collections.abc import Callable

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


def near_rows(domain: Domain, measure: Measure, seed: int, stream: int, count: int) -> Rows:
    """`count` rows near zeros of the measures; random rows where there is no measure at all."""
    samples = domain.around(seed, stream + 3, SAMPLES)
    values = measure(samples)
    if values.shape[1] == 0 or count == 0:
        return domain.spread(seed, stream, count)
    bases, directions = [], []
    for column in range(values.shape[1]):
        base, direction = _places(domain, measure, samples, values[:, column], column, seed, stream + 10 * column)
        bases.append(base)
        directions.append(direction)
    base, direction = np.concatenate(bases), np.concatenate(directions)
    chosen = np.arange(count) % len(base)
    exponent = FARTHEST + (NEAREST - FARTHEST) * uniform(seed, stream + 4, (count, 1))
    side = np.where(uniform(seed, stream + 5, (count, 1)) < 0.5, -1.0, 1.0)
    return domain.clip(base[chosen] + side * 2.0**exponent * direction[chosen])


def _places(
    domain: Domain,
    measure: Measure,
    samples: Rows,
    values: NDArray[np.float64],
    column: int,
    seed: int,
    stream: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows close to a zero of one measure, and a direction across it for each."""
    rows = samples.astype(np.float64)
    positive, negative = np.flatnonzero(values > 0), np.flatnonzero(values < 0)
    pairs = min(len(positive), len(negative), SEEDS)
    if pairs:
        start, end = rows[positive[:pairs]], rows[negative[:pairs]]
        return _bisect(domain, measure, column, start, end), end - start
    best = np.argsort(np.abs(values), kind="stable")[:SEEDS]
    return _shrink(domain, measure, column, rows[best], seed, stream), np.tile(
        (domain.maximum - domain.minimum).astype(np.float64) * 2.0**-6, (len(best), 1)
    )


def _bisect(
    domain: Domain, measure: Measure, column: int, start: NDArray[np.float64], end: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Halve the way from a positive to a negative value."""
    low, high = np.zeros((len(start), 1)), np.ones((len(start), 1))
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        above = measure(domain.clip(start + middle * (end - start)))[:, [column]] > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray(start + low * (end - start))


def _shrink(
    domain: Domain, measure: Measure, column: int, rows: NDArray[np.float64], seed: int, stream: int
) -> NDArray[np.float64]:
    """Move each row at random, ever less, and keep what makes the measure smaller."""
    spans = np.where(domain.angles, 2 * np.pi, (domain.maximum - domain.minimum).astype(np.float64))
    value = np.abs(measure(domain.clip(rows))[:, column])
    for turn in range(SHRINKING_STEPS):
        shift = (2 * uniform(seed, stream + 1000 + turn, rows.shape) - 1) * spans * 2.0**-turn
        moved = domain.clip(rows + shift).astype(np.float64)
        measured = np.abs(measure(domain.clip(moved))[:, column])
        better = measured < value
        rows, value = np.where(better[:, None], moved, rows), np.where(better, measured, value)
    return rows
