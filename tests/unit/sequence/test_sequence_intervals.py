"""Interval analysis accepts what guards make total, refuses the rest by name, and encloses what is computed."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.sequence import guards
from exporter.sequence.builder import Builder, Value
from exporter.sequence.enclosure import BEYOND_FLOAT32, Arithmetic, Enclosure
from exporter.sequence.interpreter import interpret
from exporter.sequence.intervals import analyse, domain_notes
from exporter.sequence.operations import Group, OperationSequence, Precision, Signal

PRECISIONS: tuple[Precision, ...] = ("float32", "float64")
THRESHOLD = Fraction(1, 1000)


def signal(name: str, low: int | Fraction = -2, high: int | Fraction = 2) -> Signal:
    return Signal(name, "1", "", Fraction(low), Fraction(high), Fraction(low + high) / 2)


def start(
    precision: Precision = "float32", low: int | Fraction = -2, high: int | Fraction = 2
) -> tuple[Builder, Value]:
    builder = Builder("f", precision)
    return builder, guards.checked_input(builder, signal("x", low, high))


def finished(builder: Builder, value: Value) -> OperationSequence:
    builder.output(Signal("o", "1", group=Group.OUTPUT), value)
    return builder.finish()


def bounds(builder: Builder, value: Value) -> tuple[float, float]:
    sequence = finished(builder, value)
    enclosure = analyse(sequence).of(sequence.outputs[0].operation)
    return enclosure.low, enclosure.high


@pytest.mark.parametrize(("low", "high"), [(-2, 2), (-1, 3), (1, 3)])
def test_a_checked_input_has_its_range(low: int, high: int) -> None:
    """The select of a checked input restricts it, symmetric range or not."""
    builder, x = start("float64", low, high)
    assert bounds(builder, x) == (low, high)


def test_a_square_is_never_negative() -> None:
    """[-2, 2] squared is [0, 4], not [-4, 4]."""
    builder, x = start()
    assert bounds(builder, builder.square(x)) == (0, 4)


def test_positive_part_starts_at_zero() -> None:
    """(x + |x|)/2 of [-2, 2] is [0, 2]."""
    builder, x = start()
    assert bounds(builder, builder.positive_part(x)) == (0, 2)


def test_a_positive_pivot_starts_at_its_threshold() -> None:
    """So 1/pivot is at most 1/threshold."""
    builder, x = start("float64")
    low, high = bounds(builder, 1 / guards.positive_pivot(builder, x, THRESHOLD))
    assert (low, high) == pytest.approx((0.5, 1000))


def test_a_signed_pivot_stays_away_from_zero() -> None:
    """The interval of a signed pivot contains zero, and yet 1/pivot is bounded by 1/threshold on both sides."""
    builder, x = start("float64")
    assert bounds(builder, 1 / guards.signed_pivot(builder, x, THRESHOLD)) == pytest.approx((-1000, 1000))


def test_products_of_pivots_stay_away_from_zero() -> None:
    """A product of two signed pivots may be divided by."""
    builder, x = start("float64")
    y = guards.checked_input(builder, signal("y"))
    product = guards.signed_pivot(builder, x, THRESHOLD) * guards.signed_pivot(builder, y, THRESHOLD)
    assert bounds(builder, 1 / product) == pytest.approx((-1e6, 1e6))


def test_a_threshold_may_depend_on_a_parameter() -> None:
    """A pivot of at least scale/1000, with the scale in [1, 2], is at least 1/1000."""
    builder, x = start("float64")
    scale = guards.checked_input(builder, signal("scale", 1, 2))
    assert bounds(builder, 1 / guards.signed_pivot(builder, x, scale * THRESHOLD)) == pytest.approx((-1000, 1000))


def test_cosine_of_a_small_angle_may_be_divided_by() -> None:
    """On [-1, 1] rad the cosine is at least 0.54, so a tangent needs no guard."""
    builder, x = start("float64", -1, 1)
    sine, cosine = builder.sincos(x)
    assert bounds(builder, 1 / cosine) == pytest.approx((1, 1 / np.cos(1)))
    assert analyse(finished(builder, sine / cosine)).beyond_domain == ()


@pytest.mark.parametrize(
    ("low", "high", "sine", "cosine"),
    [
        (0, 2, (0, 1), (np.cos(2), 1)),
        (2, 4, (np.sin(4), np.sin(2)), (-1, np.cos(2))),
        (-2, 0, (-1, 0), (np.cos(2), 1)),
        (-100, 100, (-1, 1), (-1, 1)),
    ],
)
def test_sine_and_cosine_have_the_range_of_their_angle(
    low: int, high: int, sine: tuple[float, float], cosine: tuple[float, float]
) -> None:
    """Extrema inside the interval count."""
    for position, expected in enumerate((sine, cosine)):
        builder, x = start("float64", low, high)
        assert bounds(builder, builder.sincos(x)[position]) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_bounds_of_sine_and_cosine_hold_far_from_zero(precision: Precision) -> None:
    """Up to the end of the kernel's domain, of narrow ranges; the right values have 60 digits."""
    generator = np.random.Generator(np.random.Philox(8))
    arithmetic = Arithmetic(precision)
    for middle in generator.uniform(-9999, 9999, 300).tolist():
        ends = middle, middle + 1e-9
        with mpmath.workdps(60):
            for function, enclosure in (
                (mpmath.sin, arithmetic.sine(Enclosure(*ends))),
                (mpmath.cos, arithmetic.cosine(Enclosure(*ends))),
            ):
                assert all(enclosure.low <= function(mpmath.mpf(end)) <= enclosure.high for end in ends)


@pytest.mark.parametrize("turns", [-1590, -3, 0, 5, 1591])
@pytest.mark.parametrize("quarter", range(4))
def test_the_extremes_of_sine_and_cosine_are_found_in_every_turn(turns: int, quarter: int) -> None:
    """Around a multiple of a quarter turn one of the two passes its extreme, and the other does not."""
    middle = (turns + quarter / 4) * 2 * np.pi
    around, arithmetic = Enclosure(middle - 0.1, middle + 0.1), Arithmetic("float64")
    one, other = (arithmetic.cosine, arithmetic.sine)[:: 1 if quarter % 2 == 0 else -1]
    passing, steep = one(around), other(around)
    assert (passing.high if quarter < 2 else -passing.low) == pytest.approx(1, abs=1e-14)
    assert (passing.low if quarter < 2 else -passing.high) == pytest.approx(np.cos(0.1), abs=1e-11)
    assert (steep.low, steep.high) == pytest.approx((-np.sin(0.1), np.sin(0.1)), abs=1e-11)


def test_division_by_zero_is_refused_by_equation() -> None:
    """The error names function, equation, operation and bounds, and says what to do."""
    builder, x = start()
    with builder.step("L1.2", "a step"):
        quotient = 1 / x
    with pytest.raises(ModelError, match=r"'f', equation L1\.2 .*: div of \[1, 1\] and \[-2, 2\].*signed_pivot"):
        analyse(finished(builder, quotient))


def test_a_root_of_a_negative_number_is_refused() -> None:
    """1 - x^2 on [-2, 2] may be -3."""
    builder, x = start()
    with builder.step("L2.1", "a step"):
        root = builder.sqrt(1 - builder.square(x))
    with pytest.raises(ModelError, match=r"equation L2\.1 .*: sqrt of \[-3, 1\].*clamped_radicand"):
        analyse(finished(builder, root))


def test_overflow_is_refused_in_the_precision_that_overflows() -> None:
    """(1e10)^4 is no float32, and a float64."""

    def fourth_power(precision: Precision) -> OperationSequence:
        builder, x = start(precision, -(10**10), 10**10)
        return finished(builder, builder.square(builder.square(x)))

    with pytest.raises(ModelError, match="may overflow float32; narrow the ranges, or take float64"):
        analyse(fourth_power("float32"))
    analyse(fourth_power("float64"))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_power_of_many_octaves_stays_within_its_bounds(precision: Precision) -> None:
    """Exponents of two are rounded: at 470 octaves float64's result left its bounds by 166 units."""
    builder = Builder("f", precision)
    many = 100 if precision == "float64" else 18
    low, high = Fraction(39, 1000), Fraction(1)
    base = guards.checked_input(builder, signal("x", low, high))
    exponent = guards.checked_input(builder, signal("y", many, many + 1))
    lowest, highest = bounds(builder, builder.pow(base, exponent))
    rows = np.array([[base, exponent] for base in (low, high) for exponent in (many, many + 1)], dtype=float)
    found = interpret(builder.finish(), rows).outputs[:, 0]
    assert lowest <= found.min()
    assert found.max() <= highest
    assert highest == pytest.approx(1, rel=1e-6)


def test_an_unchecked_input_is_refused() -> None:
    """A raw input may be NaN: arithmetic with it proves nothing."""
    builder = Builder("f", "float64")
    raw = builder.input(signal("x"))
    with pytest.raises(ModelError, match="not checked for its range"):
        analyse(finished(builder, raw + 1))


def test_an_unchecked_output_is_refused() -> None:
    """An input that nothing checks is refused where it is passed on as an output."""
    builder = Builder("f", "float64")
    with pytest.raises(ModelError, match="output 'o' of 'f' is not bounded"):
        analyse(finished(builder, builder.input(signal("x"))))


def test_a_derived_input_has_its_range_without_a_check() -> None:
    """Recalibrate has checked it."""
    builder = Builder("f", "float64")
    length = builder.input(Signal("l", "m", "", Fraction(1), Fraction(2), Fraction(1), group=Group.DERIVED))
    assert bounds(builder, 1 / length) == (0.5, 1)


def test_an_angle_beyond_the_kernels_domain_is_noted() -> None:
    """It is no error, since the kernel stays finite; the note names the equation."""
    builder, x = start("float64", -20_000, 20_000)
    with builder.step("L1.1", "a step"):
        sine, _ = builder.sincos(x)
    sequence = finished(builder, sine)
    (note,) = domain_notes(sequence, analyse(sequence))
    assert "equation L1.1" in note
    assert "10000" in note


@pytest.mark.parametrize("precision", PRECISIONS)
def test_enclosures_hold_every_value_that_is_computed(precision: Precision) -> None:
    """Random inputs, the ends of the ranges and rejected ones: each output lies within its bounds."""
    builder, x = start(precision, Fraction(-1, 3), 2)
    y = guards.checked_input(builder, signal("y", -3, Fraction(1, 7)))
    sine, cosine = builder.sincos(x * y)
    root = builder.sqrt(guards.clamped_radicand(builder, 1 - builder.square(x + sine)))
    values = [
        sine, cosine, root, builder.atan2(sine, cosine), builder.acos(x / 2), builder.asin(y / 3),
        (x - y) / guards.signed_pivot(builder, sine - root, THRESHOLD),
        root / guards.positive_pivot(builder, cosine * y, THRESHOLD), abs(y) * x - y * x,
    ]  # fmt: skip
    for number, value in enumerate(values):
        builder.output(Signal(f"o{number}", "1", group=Group.OUTPUT), value)
    sequence = builder.finish()
    enclosures = analyse(sequence)
    rows = np.random.default_rng(11).uniform(-3, 3, (50_000, 2))
    rows[:4] = [[-1 / 3, -3], [2, 1 / 7], [-1 / 3, 1 / 7], [2, -3]]
    results = interpret(sequence, rows).outputs
    for position, output in enumerate(sequence.outputs):
        enclosure = enclosures.of(output.operation)
        assert enclosure.low <= results[:, position].min()
        assert results[:, position].max() <= enclosure.high


def test_a_limit_that_cannot_act_does_not_widen() -> None:
    """A value within [-2, 2] limited to 1000 stays within [-2, 2]."""
    builder, x = start()
    assert bounds(builder, guards.saturated(builder, x, Fraction(1000))) == (-2.0, 2.0)


def test_bounds_in_float32_are_those_of_numpy() -> None:
    """Done in float64 and rounded: the bits of numpy's float32, also where it overflows and at subnormals."""
    random = np.random.Generator(np.random.Philox(5))
    bits = random.integers(0, 2**32, 2000, dtype=np.uint32).view(np.float32)
    edges = [0.0, -0.0, np.inf, np.finfo(np.float32).max, np.nextafter(BEYOND_FLOAT32, 0), BEYOND_FLOAT32]
    numbers = np.array([*bits[~np.isnan(bits)], *edges], dtype=np.float64)
    others, arithmetic = random.permutation(numbers), Arithmetic("float32")
    with np.errstate(all="ignore"):
        left, right = numbers.astype(np.float32), others.astype(np.float32)
        expected = {"add": left + right, "sub": left - right, "mul": left * right}
    for name, values in expected.items():
        operation = getattr(arithmetic, name)
        found = [operation(Enclosure(a, a), Enclosure(b, b)).low for a, b in zip(numbers, others, strict=True)]
        assert np.array_equal(np.array(found), values.astype(np.float64), equal_nan=True)
