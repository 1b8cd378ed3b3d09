"""Polynomials up to a degree as rows of numbers in echelon form, modulo a prime.

In: a ring, a degree, polynomials to start from. Out: which monomials lead what these generate without exceeding the
degree on the way. A row has a column for each monomial, the highest first. Products with a generator are
sums of columns.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.kinematics.degrees.linear_elimination import PRIME, Monomial, Polynomial
from exporter.kinematics.degrees.reduced_rows import ReducedRows, no_rows
from exporter.kinematics.degrees.rings import Ring
from exporter.records import dataclass

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class _Layer:
    """Columns that are added to different columns, each with a factor."""

    sources: Array
    targets: Array
    factors: Array


class EchelonRows:
    """Independent rows with different leading monomials, reduced, so that few entries are left."""

    def __init__(
        self,
        ring: Ring,
        degree: int,
        start: Iterable[Polynomial],
        lower: "EchelonRows | None" = None,
    ) -> None:
        """Start from polynomials, and from the filled rows of the degree below."""
        self.monomials = tuple(ring.monomials(degree))
        self._column = {monomial: k for k, monomial in enumerate(self.monomials)}
        self._degrees = np.array([ring.degree(monomial) for monomial in self.monomials])
        self._degree = degree
        self._generators = _generator_layers(ring, degree)
        self._multiplied = np.zeros(len(self.monomials), dtype=bool)  # by leading column
        self._known = no_rows(len(self.monomials))
        products = [] if lower is None else self._take(lower)
        self._add([self._dense(list(start)), *products])

    def fill(self) -> None:
        """Multiply what has fallen in degree, until nothing new falls."""
        while True:
            leaders = self._known.leaders
            fresh = (self._degrees[leaders] < self._degree) & ~self._multiplied[leaders]
            if not fresh.any():
                return
            self._multiplied[leaders[fresh]] = True
            self._add(self._products(self._known.rows[fresh]))

    def rest(self) -> list[Monomial]:
        """Monomials that lead no row."""
        leading = set(self._known.leaders.tolist())
        return [monomial for k, monomial in enumerate(self.monomials) if k not in leading]

    def _dense(self, polynomials: Sequence[Polynomial]) -> Array:
        rows = np.zeros((len(polynomials), len(self.monomials)), dtype=np.int64)
        for row, polynomial in zip(rows, polynomials, strict=True):
            row[[self._column[monomial] for monomial in polynomial]] = list(polynomial.values())
        return rows

    def _take(self, lower: "EchelonRows") -> list[Array]:
        """Take the rows of the degree below; the products of those that were not multiplied there."""
        columns = np.array([self._column[monomial] for monomial in lower.monomials], dtype=int)
        rows = np.zeros((len(lower._known.rows), len(self.monomials)), dtype=np.int64)
        rows[:, columns] = lower._known.rows
        leaders = columns[lower._known.leaders]
        self._known = ReducedRows(rows, leaders)
        self._multiplied[leaders] = True
        return self._products(rows[self._degrees[leaders] == self._degree - 1])

    def _products(self, rows: Array) -> list[Array]:
        """The rows times each generator."""
        return [_times(rows, layers) for layers in self._generators]

    def _add(self, rows: Sequence[Array]) -> None:
        self._known = self._known.with_rows(np.vstack(rows))


@lru_cache(maxsize=4)  # choices of coordinates come in rows with the same ring
def _generator_layers(ring: Ring, degree: int) -> tuple[list[_Layer], ...]:
    """What multiplies rows below a degree by each generator."""
    column = {monomial: k for k, monomial in enumerate(ring.monomials(degree))}
    below = [monomial for monomial in column if ring.degree(monomial) < degree]
    return tuple(_layers(ring, generator, below, column) for generator in ring.generators())


def _layers(
    ring: Ring, generator: Monomial, monomials: Sequence[Monomial], column: dict[Monomial, int]
) -> list[_Layer]:
    """What multiplies rows by a generator; no layer adds to a column twice."""
    seen: Counter[Monomial] = Counter()
    layers: list[list[tuple[int, int, int]]] = []
    for monomial in monomials:
        product = tuple(a + b for a, b in zip(monomial, generator, strict=True))
        for target, factor in ring.reduced(product):
            if seen[target] == len(layers):
                layers.append([])
            layers[seen[target]].append((column[monomial], column[target], factor % PRIME))
            seen[target] += 1
    return [_Layer(*np.array(layer, dtype=np.int64).T) for layer in layers]


def _times(rows: Array, layers: Sequence[_Layer]) -> Array:
    total = np.zeros_like(rows)
    for layer in layers:
        total[:, layer.targets] = (total[:, layer.targets] + rows[:, layer.sources] * layer.factors) % PRIME
    return total
