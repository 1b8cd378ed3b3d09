"""Polynomials in several variables that seed Newton steps: fitted offline, written as nested Horner schemes.

In: values at points of the cube [-1, 1]^n, or of a table made of them. Out: `Polynomial`s of a total degree,
and their value in a sequence. The fit is by least squares in products of Chebyshev polynomials; its coefficients are
rounded to few decimals, so that the last bits of the least squares, which differ between computers, do not matter.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, floor, log10, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.model.mechanism import CoordinateRange
from exporter.records import dataclass
from exporter.sequence.builder import Value

Array = NDArray[Any]
Exponents = tuple[int, ...]

TRIED_DECIMALS = range(3, 11)  # that coefficients may have, in units of what they seed


@dataclass(frozen=True, slots=True)
class Box:
    """The ranges of the variables, and what maps them to [-1, 1]."""

    middle: tuple[Fraction, ...]
    half: tuple[Fraction, ...]

    def place(self, unit: Array) -> Array:
        """Points (m, n) of the cube as values of the variables."""
        middle, half = (np.array([float(each) for each in part]) for part in (self.middle, self.half))
        return np.asarray(middle + half * unit)

    def unit(self, values: Sequence[Value]) -> list[Value]:
        """The variables of a sequence on [-1, 1]."""
        return [
            (value - middle) * (1 / half) for value, middle, half in zip(values, self.middle, self.half, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class Polynomial:
    """Coefficients of t1^e1 ... tn^en by (e1, ..., en)."""

    coefficients: dict[Exponents, Fraction]


def box_of(ranges: Sequence[CoordinateRange]) -> Box:
    """The box of some ranges."""
    return Box(
        tuple((limits.maximum + limits.minimum) / 2 for limits in ranges),
        tuple((limits.maximum - limits.minimum) / 2 for limits in ranges),
    )


def exponents_of(variables: int, degree: int) -> list[Exponents]:
    """All exponents up to a total degree."""
    return [each for each in product(range(degree + 1), repeat=variables) if sum(each) <= degree]


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients of products of Chebyshev polynomials, a column per fitted value."""

    exponents: list[Exponents]
    matrix: Array  # (m, k), the products at the points of the fit
    coefficients: Array  # (k, u)

    def values(self) -> Array:
        """What the fit gives at its points, (m, u)."""
        return np.asarray(self.matrix @ self.coefficients)

    def without_small(self, limits: Array) -> "Fit":
        """Without the coefficients that are below the limit (u,) of their column."""
        return replace(self, coefficients=np.where(np.abs(self.coefficients) >= limits, self.coefficients, 0.0))

    def rounded(self, decimals: int, units: Sequence[float]) -> "Fit":
        """With coefficients of so many decimals after the first digit of their column's unit (u,)."""
        return replace(self, coefficients=rounded(self.coefficients, decimals, units))

    def polynomials(self) -> tuple[Polynomial, ...]:
        """The fit in powers, one polynomial per column; exact for the decimals of the coefficients."""
        return tuple(powers_of(self.exponents, column.tolist()) for column in self.coefficients.T)


def rounded(coefficients: Array, decimals: int, units: Sequence[float]) -> Array:
    """Coefficients (k, u) with so many decimals after the first digit of their column's unit (u,)."""
    places = [decimals - floor(log10(unit)) for unit in units]
    columns = [np.round(column, count) for column, count in zip(coefficients.T, places, strict=True)]
    return np.stack(columns, axis=-1)


def fit_polynomials(points: Array, values: Array, degree: int) -> Fit:
    """The fit of a total degree to values (m, u) at points (m, n) of the cube."""
    from numpy.polynomial import chebyshev  # noqa: PLC0415 - mechanisms without a table need none

    exponents = exponents_of(points.shape[1], degree)
    single = chebyshev.chebvander(points, degree)  # (m, n, degree + 1)
    matrix = np.ones((len(points), len(exponents)))
    for position in range(points.shape[1]):
        matrix *= single[:, position, [each[position] for each in exponents]]
    return Fit(exponents, matrix, np.linalg.lstsq(matrix, values, rcond=None)[0])


def powers_of(exponents: Sequence[Exponents], coefficients: Sequence[float]) -> Polynomial:
    """From products of Chebyshev polynomials to powers; exact for the decimals of the coefficients."""
    from numpy.polynomial import chebyshev  # noqa: PLC0415

    degree = max(sum(each) for each in exponents)
    powers = [[int(c) for c in chebyshev.cheb2poly(np.eye(degree + 1)[k])] for k in range(degree + 1)]
    total: dict[Exponents, Fraction] = defaultdict(Fraction, {(0,) * len(exponents[0]): Fraction(0)})
    for each, coefficient in zip(exponents, coefficients, strict=True):
        for lower in product(*(range(k % 2, k + 1, 2) for k in each)) if coefficient else ():
            total[lower] += Fraction(repr(coefficient)) * prod(
                powers[k][low] for k, low in zip(each, lower, strict=True)
            )
    return Polynomial(dict(total))


def split_constant(polynomial: Polynomial) -> tuple[Fraction, Polynomial]:
    """The constant of a polynomial, and what is left without it."""
    constant = (0,) * len(next(iter(polynomial.coefficients)))
    rest = Polynomial({**polynomial.coefficients, constant: Fraction(0)})
    return polynomial.coefficients.get(constant, Fraction(0)), rest


def write_polynomial(polynomial: Polynomial, variables: Sequence[Value], first: str) -> Value:
    """The polynomial at values of a sequence, by a Horner scheme within a Horner scheme.

    Headings call the first variable `first`.
    """
    if len(variables) == 1:
        return _horner(polynomial, variables)
    inner = []
    for power, part in enumerate(_parts(polynomial)):
        with variables[0].builder.part(str(power), f"what multiplies power {power} of {first}"):
            inner.append(_horner(part, variables[1:]))
    return _sum_powers(inner, variables[0])


def _horner(polynomial: Polynomial, variables: Sequence[Value]) -> Value:
    if len(variables) == 1:
        builder = variables[0].builder
        return _sum_powers([builder.real(value) for value in _by_first(polynomial)], variables[0])
    return _sum_powers([_horner(part, variables[1:]) for part in _parts(polynomial)], variables[0])


def _sum_powers(inner: Sequence[Value], variable: Value) -> Value:
    """What multiplies the powers of a variable, from the highest down."""
    total = inner[-1]
    for value in inner[-2::-1]:
        total = total * variable + value
    return total


def _by_first(polynomial: Polynomial) -> Iterator[Fraction]:
    highest = max(first for (first,) in polynomial.coefficients)
    return (polynomial.coefficients.get((power,), Fraction(0)) for power in range(highest + 1))


def _parts(polynomial: Polynomial) -> list[Polynomial]:
    """The polynomials in the other variables by which the powers of the first are multiplied."""
    parts: dict[int, dict[Exponents, Fraction]] = {}
    for (first, *others), value in polynomial.coefficients.items():
        parts.setdefault(first, {})[tuple(others)] = value
    count = len(next(iter(polynomial.coefficients))) - 1
    nothing = {(0,) * count: Fraction(0)}
    return [Polynomial(parts.get(power, nothing)) for power in range(max(parts) + 1)]


def spread(variables: int, count: int) -> Array:
    """Points (count, n) of the cube, denser towards its faces as the nodes of Chebyshev are, the same at every call.

    Additive recurrence by powers of the generalised golden ratio (Roberts 2018).
    """
    ratio = 1.5
    for _ in range(60):
        ratio = (1 + ratio) ** (1 / (variables + 1))
    steps = ratio ** -np.arange(1.0, variables + 1)
    flat = np.remainder(0.5 + np.outer(np.arange(1, count + 1), steps), 1.0)
    return np.asarray(-np.cos(np.pi * flat))


def corners(variables: int) -> Array:
    """The corners of the cube, (2^n, n)."""
    return np.array(list(product((-1.0, 1.0), repeat=variables)))


def rounded_up(value: float, digits: int) -> Fraction:
    """A limit with few digits that is not below its value: a seed at the end of a range must not be cut."""
    unit = Fraction(10) ** (int(f"{value:e}".partition("e")[2]) - digits + 1)
    return ceil(Fraction(value) / unit) * unit
