"""Look-up tables as data, and what is computed of them once: exact coefficients of every interval or cell.

In: increasing knots and values. Out: coefficients of polynomials in the distance from an interval's first knot. Cubics
take the slopes of Fritsch and Butland (1984), as PCHIP does: they are monotone where the values are.
"""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from exporter.records import dataclass

Method = Literal["linear", "monotone_cubic"]
Numbers = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Values at the knots of one axis, or of two: then by rows, one for each knot of the first axis."""

    axes: tuple[Numbers, ...]
    values: Numbers
    method: Method = "linear"

    def __hash__(self) -> int:
        """By the sizes: there may be thousands of numbers, and a Fraction is slow to hash."""
        return hash((self.method, len(self.values), *map(len, self.axes)))

    def coefficients(self) -> tuple[Numbers, ...]:
        """By ascending power, each for all intervals; of a cell a + b u + c v + d u v, the cells by rows."""
        return _coefficients(self)

    def value(self, *arguments: Fraction) -> Fraction:
        """The exact value; beyond an axis that of its end."""
        places = [_interval(knots, argument) for knots, argument in zip(self.axes, arguments, strict=True)]
        number, u = places[0]
        if len(places) > 1:
            column, v = places[1]
            number = number * (len(self.axes[1]) - 1) + column
            a, b, c, d = (row[number] for row in self.coefficients())
            return a + b * u + v * (c + d * u)
        return sum((row[number] * u**power for power, row in enumerate(self.coefficients())), Fraction(0))


@lru_cache(maxsize=32)
def _coefficients(table: Table) -> tuple[Numbers, ...]:
    first = table.axes[0]
    if len(table.axes) > 1:
        return _cells(first, table.axes[1], table.values)
    return _cubics(first, table.values) if table.method == "monotone_cubic" else _lines(first, table.values)


def _interval(knots: Numbers, argument: Fraction) -> tuple[int, Fraction]:
    """Which interval an argument lies in, and how far from its first knot."""
    within = min(max(argument, knots[0]), knots[-1])
    number = max(place for place, knot in enumerate(knots[:-1]) if knot <= within)
    return number, within - knots[number]


def equidistant(knots: Numbers) -> bool:
    """Whether all intervals have the same width, exactly."""
    return len({right - left for left, right in pairwise(knots)}) == 1


def _secants(knots: Numbers, values: Numbers) -> list[Fraction]:
    return [(b - a) / (right - left) for (left, right), (a, b) in zip(pairwise(knots), pairwise(values), strict=True)]


def _lines(knots: Numbers, values: Numbers) -> tuple[Numbers, ...]:
    return values[:-1], tuple(_secants(knots, values))


def _cubics(knots: Numbers, values: Numbers) -> tuple[Numbers, ...]:
    widths = [right - left for left, right in pairwise(knots)]
    secants = _secants(knots, values)
    slopes = monotone_slopes(widths, secants)
    square, cube = [], []
    for width, secant, (first, last) in zip(widths, secants, pairwise(slopes), strict=True):
        square.append((3 * secant - 2 * first - last) / width)
        cube.append((first + last - 2 * secant) / width**2)
    return values[:-1], tuple(slopes[:-1]), tuple(square), tuple(cube)


def monotone_slopes(widths: list[Fraction], secants: list[Fraction]) -> list[Fraction]:
    """The slope at every knot: a weighted harmonic mean of the secants beside it, 0 at an extremum."""
    if len(secants) == 1:
        return [secants[0], secants[0]]
    inner = [_mean(*pair) for pair in zip(pairwise(widths), pairwise(secants), strict=True)]
    first = _end(widths[0], widths[1], secants[0], secants[1])
    return [first, *inner, _end(widths[-1], widths[-2], secants[-1], secants[-2])]


def _mean(widths: tuple[Fraction, Fraction], secants: tuple[Fraction, Fraction]) -> Fraction:
    (left, right), (before, behind) = widths, secants
    if before * behind <= 0:
        return Fraction(0)
    one, other = 2 * right + left, right + 2 * left
    return (one + other) / (one / before + other / behind)


def _end(width: Fraction, next_width: Fraction, secant: Fraction, next_secant: Fraction) -> Fraction:
    """The slope of a parabola at its end, limited so that it stays monotone."""
    slope = ((2 * width + next_width) * secant - width * next_secant) / (width + next_width)
    if slope * secant <= 0:
        return Fraction(0)
    limited = secant * next_secant < 0 and abs(slope) > 3 * abs(secant)
    return 3 * secant if limited else slope


def _cells(rows: Numbers, columns: Numbers, values: Numbers) -> tuple[Numbers, ...]:
    width = len(columns)
    found: list[tuple[Fraction, ...]] = []
    for row, (top, bottom) in enumerate(pairwise(rows)):
        for column, (left, right) in enumerate(pairwise(columns)):
            at = row * width + column
            a, b, c, d = values[at], values[at + width], values[at + 1], values[at + width + 1]
            u, v = bottom - top, right - left
            found.append((a, (b - a) / u, (c - a) / v, (d - b - c + a) / (u * v)))
    return tuple(zip(*found, strict=True))
