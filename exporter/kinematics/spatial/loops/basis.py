"""The functions that seeds are sums of: polynomials in some coordinates times harmonics of those that turn fully.

In: values at places of the ranges. Out: `Series`, and their values in a sequence. A coordinate whose range is a full
turn or more enters by cosines and sines of its multiples, so that the seed comes round; all others are mapped to
[-1, 1] and enter by powers.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from exporter.kinematics.seeded.seed import Box, Polynomial, powers_of, split_constant, write_polynomial
from exporter.records import dataclass
from exporter.sequence.builder import Value

Array = NDArray[Any]
LEAST_PIVOT = 1e-8  # of a fit, over the largest
RIDGE = 1e-4  # of places that do not fill the box of a series: weight of the coefficients beside one place
Term = tuple[tuple[int, ...], tuple[int, ...]]
"""Numbers of harmonics (0: 1, 2k - 1: cos kq, 2k: sin kq) and exponents."""


@dataclass(frozen=True, slots=True)
class Series:
    """A sum of harmonics times polynomials, without its constant."""

    parts: tuple[tuple[tuple[int, ...], Polynomial], ...]


@dataclass(frozen=True)
class Basis:
    """The coordinates that seeds depend on, and the terms up to a degree."""

    turning: tuple[str, ...]  # by harmonics
    bounded: tuple[str, ...]  # by powers
    box: Box  # of the bounded ones
    degree: int

    @cached_property
    def terms(self) -> list[Term]:
        """All terms; harmonics count by their order, powers by their exponents."""
        harmonics = product(range(2 * self.degree + 1), repeat=len(self.turning))
        exponents = list(product(range(self.degree + 1), repeat=len(self.bounded)))
        exponents = [each for each in exponents if sum(each) <= self.degree]
        return [
            (turns, powers)
            for turns in harmonics
            if sum((each + 1) // 2 for each in turns) <= self.degree
            for powers in exponents
            if sum((each + 1) // 2 for each in turns) + sum(powers) <= self.degree
        ]

    def matrix(self, values: Mapping[str, Array]) -> Array:
        """Terms (n, k) at values (n,) of the coordinates."""
        count = len(next(iter(values.values())))
        found = np.ones((count, len(self.terms)))
        for position, name in enumerate(self.turning):
            single = np.stack([_harmonic(values[name], k) for k in range(2 * self.degree + 1)], axis=-1)
            found *= single[:, [turns[position] for turns, _ in self.terms]]
        for position, name in enumerate(self.bounded):
            unit = (values[name] - float(self.box.middle[position])) / float(self.box.half[position])
            single = chebyshev.chebvander(unit, self.degree)
            found *= single[:, [powers[position] for _, powers in self.terms]]
        return found

    def series(self, coefficients: Array) -> tuple[Fraction, Series]:
        """The constant, and what is left, of coefficients (k,); exact for their decimals."""
        groups: dict[tuple[int, ...], tuple[list[tuple[int, ...]], list[float]]] = {}
        for (turns, powers), value in zip(self.terms, coefficients.tolist(), strict=True):
            if value:
                exponents, values = groups.setdefault(turns, ([], []))
                exponents.append(powers)
                values.append(value)
        parts = {turns: powers_of(*group) for turns, group in groups.items()}
        still = (0,) * len(self.turning)
        middle = Fraction(0)
        if still in parts:
            middle, parts[still] = split_constant(parts[still])
        return middle, Series(tuple(parts.items()))

    def write(self, series: Series, values: Mapping[str, Value], pairs: Mapping[str, tuple[Value, Value]]) -> Value:
        """The series at values of a sequence; `pairs` has cosines and sines."""
        builder = next(iter(values.values())).builder
        unit = self.box.unit([values[name] for name in self.bounded])
        total = builder.real(0)
        harmonics = {name: written_harmonics(pairs[name], self.degree) for name in self.turning}
        for turns, polynomial in series.parts:
            if unit:
                part = write_polynomial(polynomial, unit, self.bounded[0])
            else:
                part = builder.real(polynomial.coefficients[()])
            for name, number in zip(self.turning, turns, strict=True):
                part = part * harmonics[name][number] if number else part
            total = total + part
        return total


def least_squares(matrix: Array, values: Array) -> Array:
    """Coefficients (k, u) whose sums of the columns of a matrix (n, k) are nearest to values (n, u)."""
    basis, triangle = np.linalg.qr(matrix)
    sizes = np.abs(np.diag(triangle))
    if sizes.min() < LEAST_PIVOT * sizes.max():  # places that do not tell all terms apart
        return np.asarray(np.linalg.lstsq(matrix, values, rcond=None)[0])
    return np.asarray(np.linalg.solve(triangle, basis.T @ values))


def ridge_squares(matrix: Array, values: Array) -> Array:
    """Coefficients (k, u) as of `least_squares`, kept small where the places do not tell them."""
    square = matrix.T @ matrix + RIDGE**2 * len(matrix) * np.eye(matrix.shape[1])
    return np.asarray(np.linalg.solve(square, matrix.T @ values))


def _harmonic(angle: Array, number: int) -> Array:
    if number == 0:
        return np.ones_like(angle)
    order = (number + 1) // 2
    return np.asarray(np.cos(order * angle) if number % 2 else np.sin(order * angle))


def written_harmonics(pair: tuple[Value, Value], degree: int) -> list[Value]:
    """1, cos q, sin q, cos 2q, sin 2q, ... from cosine and sine."""
    cosine, sine = pair
    found = [cosine.builder.real(1)]
    c, s = cosine, sine
    for _ in range(degree):
        found += [c, s]
        c, s = c * cosine - s * sine, s * cosine + c * sine
    return found
