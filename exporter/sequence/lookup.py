"""Writes the value of a look-up table into a sequence, with a number of operations that no argument changes.

In: a `Table` and its arguments. Out: the value, or the slopes. An argument beyond an axis counts as its end and sets
TABLE_CLAMPED. The interval is found by a product where the knots are equidistant, else by a binary search of fixed
length; its coefficients are read from constant arrays.
"""

from fractions import Fraction
from itertools import pairwise

from exporter.errors import ModelError
from exporter.records import dataclass
from exporter.sequence.builder import Builder, Flag, Value
from exporter.sequence.interpolation import Numbers, Table, equidistant
from exporter.sequence.rounding import FORMATS, round_to_format

CLAMPED = "TABLE_CLAMPED"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an argument lies on an axis."""

    number: Value  # of its interval
    beyond: Value  # how far from the interval's first knot
    inside: Flag  # whether it is on the axis


def lookup(builder: Builder, table: Table, arguments: tuple[Value, ...], about: str) -> Value:
    """The value of a table, never beyond its own smallest and largest value.

    Raises:
        ModelError: neighbouring knots are one number in this precision.
    """
    places = _places(builder, table, arguments, about)
    u = places[0].beyond
    terms = _read(builder, table, places)
    if len(places) > 1:
        a, b, c, d = terms
        value = (a + b * u) + places[1].beyond * (c + d * u)
    else:
        value = terms[-1]
        for term in reversed(terms[:-1]):
            value = term + u * value
    return _within(builder, value, min(table.values), max(table.values))


def lookup_slopes(builder: Builder, table: Table, arguments: tuple[Value, ...], about: str) -> tuple[Value, ...]:
    """The derivative by each argument, 0 beyond the axis; at a knot that of the interval behind it."""
    places = _places(builder, table, arguments, about)
    u = places[0].beyond
    terms = _read(builder, table, places)
    if len(places) > 1:
        slopes = [terms[1] + places[1].beyond * terms[3], terms[2] + u * terms[3]]
    else:
        slope = (len(terms) - 1) * terms[-1]
        for power in range(len(terms) - 2, 0, -1):
            slope = power * terms[power] + u * slope
        slopes = [slope]
    return tuple(builder.select(place.inside, slope, 0) for place, slope in zip(places, slopes, strict=True))


def _places(builder: Builder, table: Table, arguments: tuple[Value, ...], about: str) -> list[_Place]:
    return [_place(builder, knots, each, about) for knots, each in zip(table.axes, arguments, strict=True)]


def _read(builder: Builder, table: Table, places: list[_Place]) -> list[Value]:
    number = places[0].number
    if len(places) > 1:
        number = (len(table.axes[1]) - 1) * number + places[1].number
    return [builder.read(number, row) for row in table.coefficients()]


def _place(builder: Builder, knots: Numbers, argument: Value, about: str) -> _Place:
    rounded = [round_to_format(knot, builder.precision) for knot in knots]
    if any(left >= right for left, right in pairwise(rounded)):
        raise ModelError(
            f"{about} has knots that are one number in {builder.precision}; leave some out, or take float64"
        )
    inside = (argument >= knots[0]) & (argument <= knots[-1])
    builder.condition(CLAMPED, ~inside, about)
    within = _within(builder, argument, knots[0], knots[-1])
    search = _by_product if equidistant(knots) else _by_halves
    number = search(builder, knots, within)
    return _Place(number, within - builder.read(number, knots[:-1]), inside)


def _within(builder: Builder, value: Value, low: Fraction, high: Fraction) -> Value:
    """The nearest number between the ends; the lower end of what is no number."""
    raised = builder.select(value >= low, value, low)
    return builder.select(raised <= high, raised, high)


def _by_product(builder: Builder, knots: Numbers, within: Value) -> Value:
    last = len(knots) - 2
    if not last:
        return builder.real(0)
    steps = (within - knots[0]) * (1 / (knots[1] - knots[0]))
    return builder.floor(builder.select(steps <= last, steps, last))


def _by_halves(builder: Builder, knots: Numbers, within: Value) -> Value:
    """The number of the last knot that is not above, by halves; what is missing to a power of two is above all."""
    last = len(knots) - 2
    size = 1 << last.bit_length()
    starts = knots[:-1] + (FORMATS[builder.precision].highest,) * (size - last - 1)
    number = builder.real(0)
    half = size // 2
    while half:
        middle = number + half
        number = builder.select(builder.read(middle, starts) <= within, middle, number)
        half //= 2
    return builder.select(number <= last, number, last)
