"""Look-up tables in a sequence: values, slopes, ends, and a number of operations that no argument changes.

Oracles: numpy.interp; PCHIP slopes written out by hand (Fritsch and Butland's mean, for the values below); bilinear
interpolation by the four corners' weights.
"""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.sequence.builder import Builder
from exporter.sequence.cost import cost
from exporter.sequence.guards import checked_input
from exporter.sequence.interpolation import Table, equidistant
from exporter.sequence.interpreter import interpret
from exporter.sequence.intervals import analyse
from exporter.sequence.lookup import lookup, lookup_slopes
from exporter.sequence.operations import Group, Kind, OperationSequence, Precision, Signal
from exporter.sequence.proven import drop_proven_guards
from exporter.sequence.status import BITS

CLAMPED = 1 << BITS["TABLE_CLAMPED"][0]
EVEN = tuple(Fraction(k, 4) for k in range(-4, 6))
UNEVEN = tuple(Fraction(text) for text in ("-1", "-0.9", "-0.5", "0", "0.125", "0.25", "1", "1.25"))
RISING = tuple(Fraction(text) for text in ("0", "0", "1", "1.5", "1.5", "4", "4.25", "9", "10", "20"))


def sequence_of(table: Table, precision: Precision = "float64", reach: int = 2) -> OperationSequence:
    """The value and the slopes, of arguments within +-reach."""
    builder = Builder("table", precision)
    arguments = tuple(
        checked_input(builder, Signal(name, "1", "", Fraction(-reach), Fraction(reach), Fraction(0)))
        for name in "xy"[: len(table.axes)]
    )
    builder.output(Signal("value", "1", group=Group.OUTPUT), lookup(builder, table, arguments, "table 't'"))
    for place, slope in enumerate(lookup_slopes(builder, table, arguments, "table 't'")):
        builder.output(Signal(f"slope{place}", "1", group=Group.OUTPUT), slope)
    return drop_proven_guards(builder.finish())


def floats(numbers: Any) -> Any:
    return np.array([float(number) for number in numbers])


def table_on(knots: tuple[Fraction, ...], method: Any) -> Table:
    return Table((knots,), RISING[: len(knots)], method)


@pytest.mark.parametrize(("precision", "room"), [("float32", 4e-6), ("float64", 8e-15)])
@pytest.mark.parametrize("knots", [EVEN, UNEVEN, UNEVEN[:2], UNEVEN[:5], UNEVEN[:6]])
def test_a_line_is_that_of_numpy(knots: Any, precision: Precision, room: float) -> None:
    """Between knots, at every knot, beside it, and beyond the ends; only there it is flagged."""
    at = np.concatenate([np.linspace(-1.5, 1.5, 1001), floats(knots), floats(knots) + 1e-7, floats(knots) - 1e-7])
    table = table_on(knots, "linear")
    result = interpret(sequence_of(table, precision), at[:, None])
    right = np.interp(at.astype(precision).astype(float), floats(knots), floats(table.values))
    assert np.abs(result.outputs[:, 0] - right).max() <= room * 10
    rounded = at.astype(precision)
    outside = (rounded < np.array(floats(knots)[0], precision)) | (rounded > np.array(floats(knots)[-1], precision))
    assert np.array_equal(result.status == CLAMPED, outside)
    assert set(result.status.tolist()) <= {0, CLAMPED}
    assert not result.outputs[outside, 1].any()


def test_a_monotone_cubic_has_the_slopes_of_pchip() -> None:
    """Knots 0, 1, 3, 4 with values 0, 1, 2, 6: secants 1, 1/2, 4; slopes by hand."""
    knots, values = tuple(map(Fraction, (0, 1, 3, 4))), tuple(map(Fraction, (0, 1, 2, 6)))
    lines, slopes, *_ = Table((knots,), values, "monotone_cubic").coefficients()
    first = Fraction((2 * 1 + 2) * 1) / 3 - Fraction(1, 3) * Fraction(1, 2)
    second = Fraction(5 + 4) / (5 / Fraction(1) + 4 / Fraction(1, 2))
    third = Fraction(4 + 5) / (4 / Fraction(1, 2) + 5 / Fraction(4))
    assert lines == values[:-1]
    assert slopes == (first, second, third)


@pytest.mark.parametrize("knots", [EVEN, UNEVEN, UNEVEN[:2]])
@pytest.mark.parametrize(("precision", "room"), [("float32", 2e-5), ("float64", 4e-14)])
def test_a_monotone_cubic_is_smooth_and_monotone(knots: Any, precision: Precision, room: float) -> None:
    """It takes the values at the knots, never falls where they rise, and its slope is the one that differences have."""
    table = table_on(knots, "monotone_cubic")
    sequence = sequence_of(table, precision)
    assert floats(table.values) == pytest.approx(
        interpret(sequence, floats(knots)[:, None]).outputs[:, 0].astype(float), abs=room
    )
    at = np.linspace(float(knots[0]), float(knots[-1]), 4001)
    values, slopes = interpret(sequence, at[:, None]).outputs.astype(float).T
    assert np.diff(values).min() >= -room
    if precision == "float64":
        middle = (values[2:] - values[:-2]) / (at[2:] - at[:-2])
        assert np.abs(middle - slopes[1:-1]).max() <= 0.05 * np.abs(slopes).max()


def test_exact_values_are_those_of_the_sequence() -> None:
    """What folds at export is what runs."""
    for table in (table_on(UNEVEN, "linear"), table_on(UNEVEN, "monotone_cubic")):
        at = [Fraction(k, 7) for k in range(-9, 10)]
        made = interpret(sequence_of(table), floats(at)[:, None]).outputs[:, 0]
        assert list(made) == pytest.approx([float(table.value(each)) for each in at], abs=1e-14)


@pytest.mark.parametrize("axes", [(EVEN[:4], UNEVEN[:3]), (UNEVEN, EVEN), (UNEVEN[:2], UNEVEN[:2])])
def test_two_axes_are_bilinear(axes: Any) -> None:
    """By the weights of the four corners."""
    rows, columns = (floats(axis) for axis in axes)
    values = np.array([[3 * np.sin(2 * a) + a * b**2 for b in columns] for a in rows])
    table = Table(axes, tuple(Fraction(value) for value in values.ravel()))
    at = np.random.default_rng(1).uniform(-1.6, 1.6, (500, 2))
    result = interpret(sequence_of(table), at)
    along = np.array([[np.interp(y, columns, row) for row in values] for y in at[:, 1]])
    right = np.array([np.interp(x, rows, line) for x, line in zip(at[:, 0], along, strict=True)])
    assert result.outputs[:, 0] == pytest.approx(right, abs=1e-13)
    for place, axis in enumerate((rows, columns)):
        step = np.eye(2)[place] * 1e-7
        inside = (at[:, place] > axis[0] + 1e-6) & (at[:, place] < axis[-1] - 1e-6)
        ahead, behind = (interpret(sequence_of(table), at + sign * step).outputs[:, 0] for sign in (1, -1))
        near = np.abs(at[:, place, None] - axis).min(axis=1) < 1e-6
        chosen = inside & ~near
        assert (ahead - behind)[chosen] / 2e-7 == pytest.approx(result.outputs[chosen, 1 + place], abs=1e-6)


def test_the_search_costs_the_logarithm_of_the_knots() -> None:
    """One sequence for all arguments: three halvings for eight intervals; none where the knots are equidistant."""
    assert equidistant(EVEN)
    assert not equidistant(UNEVEN)
    uneven = cost(sequence_of(Table((UNEVEN,), RISING[:8]), reach=1))
    even = cost(sequence_of(Table((EVEN,), RISING), reach=1))
    assert uneven.read == 2 + 3
    assert uneven.floor == 0
    assert even.read == 3
    assert even.floor == 1


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1e300])
def test_no_argument_reads_beyond_the_table(bad: float) -> None:
    """An unchecked argument too ends at an end: nothing but the ends of the clamp keeps it."""
    builder = Builder("raw", "float64")
    raw = builder.input(Signal("x", "1"))
    builder.output(Signal("value", "1"), lookup(builder, table_on(UNEVEN, "linear"), (raw,), "t"))
    value = interpret(builder.finish(), np.array([[bad]])).outputs[0, 0]
    assert value in (float(RISING[0]), float(RISING[7]))


def test_a_number_that_is_not_limited_is_refused() -> None:
    """The proof of a sequence covers every read."""
    builder = Builder("read", "float64")
    x = checked_input(builder, Signal("x", "1", "", Fraction(0), Fraction(3), Fraction(0)))
    builder.output(Signal("value", "1"), builder.read(x, RISING[:3]))
    with pytest.raises(ModelError, match="a number that may be none of 3 constants"):
        analyse(builder.finish())
    builder = Builder("read", "float64")
    x = checked_input(builder, Signal("x", "1", "", Fraction(0), Fraction(2), Fraction(0)))
    builder.output(Signal("value", "1"), builder.read(x, RISING[:3]))
    intervals = analyse(builder.finish())
    assert Kind.READ in {operation.kind for operation in builder.finish().operations}
    assert (
        max(intervals.enclosures[k].high for k, o in enumerate(builder.finish().operations) if o.kind is Kind.READ) == 1
    )


def test_knots_that_are_one_float32_are_refused() -> None:
    """They are two numbers in float64."""
    knots = (Fraction(1), Fraction(1) + Fraction(1, 2**30), Fraction(2))
    sequence_of(Table((knots,), RISING[:3]), "float64")
    with pytest.raises(ModelError, match="knots that are one number in float32"):
        sequence_of(Table((knots,), RISING[:3]), "float32")
    assert all(left < right for left, right in pairwise(knots))
