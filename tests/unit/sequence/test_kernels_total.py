"""Kernels are total, branch-free and small: any finite input gives a finite result, signed zeros included."""

import math

import numpy as np
import pytest

from exporter.sequence.interpreter import interpret
from exporter.sequence.kernels import kernel
from exporter.sequence.kernels.domains import domain, domain_text
from exporter.sequence.operations import KERNELS, Kind, Precision

PRECISIONS: tuple[Precision, ...] = ("float32", "float64")
ZEROS = (0.0, -0.0)
SIGNED = (0.0, -0.0, 1.0, -1.0, 0.4, -0.3, 1e30, -1e30)
PLAIN_KINDS = {
    Kind.INPUT, Kind.CONSTANT, Kind.ADD, Kind.SUB, Kind.MUL, Kind.DIV, Kind.SQRT, Kind.ABS, Kind.NEG, Kind.SELECT,
    Kind.BITS_CONSTANT, Kind.BITS_OF, Kind.REAL_OF, Kind.BITS_AND, Kind.BITS_OR, Kind.BITS_XOR, Kind.SHIFT_LEFT,
    Kind.SHIFT_RIGHT, Kind.BIT, Kind.LESS, Kind.LESS_EQUAL,
}  # fmt: skip


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("kind", sorted(KERNELS))
def test_any_finite_input_gives_a_finite_result(kind: Kind, precision: Precision) -> None:
    """Random bit patterns, the largest numbers, subnormals; far outside the domain too."""
    width = np.uint32 if precision == "float32" else np.uint64
    inputs = len(kernel(kind, precision).inputs)
    bits = np.random.default_rng(9).integers(0, np.iinfo(width).max, (200_000, inputs), dtype=width, endpoint=True)
    values = bits.view(precision)
    limits = np.finfo(precision)
    values[:4] = [[limits.max] * inputs, [-limits.max] * inputs, [limits.smallest_subnormal] * inputs, [0.0] * inputs]
    values = values[np.isfinite(values).all(axis=1)]
    assert np.isfinite(interpret(kernel(kind, precision), values).outputs).all()


@pytest.mark.parametrize("precision", PRECISIONS)
def test_not_a_number_and_infinity_do_not_crash(precision: Precision) -> None:
    """They cannot occur behind checked inputs; sine and cosine give zeros."""
    rows = np.array([[np.nan], [np.inf], [-np.inf]])
    assert not interpret(kernel(Kind.SINCOS, precision), rows).outputs.any()
    for kind in (Kind.ASIN, Kind.ACOS):
        interpret(kernel(kind, precision), rows)
    interpret(kernel(Kind.ATAN2, precision), np.repeat(rows, 2, axis=1))
    for kind in (Kind.EXP, Kind.LOG, Kind.TANH):
        assert np.isfinite(interpret(kernel(kind, precision), rows[:2]).outputs).all()
    for kind in (Kind.POW, Kind.MOD):
        pairs = np.array([[np.nan, 1], [1, np.nan], [np.nan, np.nan]])
        assert np.isfinite(interpret(kernel(kind, precision), pairs).outputs).all()


@pytest.mark.parametrize("precision", PRECISIONS)
def test_floor_keeps_what_is_whole_and_the_sign_of_zero(precision: Precision) -> None:
    """Huge numbers, -0, infinities and NaN stay; the smallest number below zero is above -1."""
    limits = np.finfo(precision)
    tiny, large = float(limits.smallest_subnormal), float(2 ** (limits.nmant + 1)) - 1
    values = np.array([0.0, -0.0, tiny, -tiny, 0.5, -0.5, 1.5, -1.5, large, -large, limits.max, -limits.max])
    values = np.concatenate([values, [np.inf, -np.inf, np.nan, 2.0**limits.nmant - 0.5, 0.5 - 2.0**limits.nmant]])
    made = interpret(kernel(Kind.FLOOR, precision), values[:, None]).outputs[:, 0]
    right = np.floor(values.astype(precision))
    assert np.array_equal(made, right, equal_nan=True)
    assert np.array_equal(np.signbit(made[:-3]), np.signbit(right[:-3]))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_beyond_its_domain_an_argument_counts_as_the_nearer_end(precision: Precision) -> None:
    """exp of 1e30, log of -1, 0 and a subnormal, 2^1e30, (1e-30)^1e30; tanh is 1 from its limit on."""
    (last,) = (float(reach.high) for reach in domain(Kind.EXP, precision))
    exponential = interpret(kernel(Kind.EXP, precision), np.array([[last], [1e30], [-last], [-1e30]])).outputs[:, 0]
    assert exponential[0] == exponential[1] == pytest.approx(math.exp(last), rel=1e-6)
    assert exponential[2] == exponential[3] == pytest.approx(math.exp(-last), rel=1e-6)
    limits = np.finfo(precision)
    logarithm = interpret(kernel(Kind.LOG, precision), np.array([[limits.tiny], [0.0], [-1.0], [1e-320]])).outputs
    assert logarithm[:, 0] == pytest.approx(math.log(float(limits.tiny)), rel=1e-6)
    power = interpret(kernel(Kind.POW, precision), np.array([[2, 1e30], [1e-30, 1e30], [0, 1], [1, 1e30]])).outputs
    octaves = 126 if precision == "float32" else 1022
    assert list(power[:, 0]) == [2.0**octaves, 2.0**-octaves, float(limits.tiny), 1]
    saturated = interpret(kernel(Kind.TANH, precision), np.array([[20.0], [-20.0], [1e30], [-0.0]])).outputs[:, 0]
    assert list(saturated) == [1, -1, 1, 0]
    assert np.signbit(saturated[3])


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_rest_is_within_its_modulus(precision: Precision) -> None:
    """Whole multiples leave +0; a tiny number below zero leaves the number below the modulus; beyond it is limited."""
    rows = np.array([[0, 3], [-0.0, 3], [6, 3], [-6, 3], [7, 3], [-7, 3], [-1e-30, 4], [1e38, 3], [5, 0], [5, -2]])
    made = interpret(kernel(Kind.MOD, precision), rows).outputs[:, 0]
    assert list(made[:7]) == [0, 0, 0, 0, 1, 2, np.nextafter(np.array(4, precision), np.array(0, precision))]
    assert not np.signbit(made[:4]).any()
    assert 0 <= made[7] < 3
    assert np.isfinite(made).all()


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("y", SIGNED)
@pytest.mark.parametrize("x", SIGNED)
def test_arctangent_honours_signed_zeros(y: float, x: float, precision: Precision) -> None:
    """The sign of every zero and the half turn at -0 are those of C's atan2."""
    result = float(interpret(kernel(Kind.ATAN2, precision), np.array([[y, x]])).outputs[0, 0])
    expected = math.atan2(y, x)
    assert result == pytest.approx(expected, rel=3e-7)
    assert math.copysign(1, result) == math.copysign(1, expected)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_arctangent_of_subnormals_is_that_of_their_ratio(precision: Precision) -> None:
    """(3, -4) and (3, 4) times the smallest number have the angles of 3-4-5."""
    tiny = float(np.finfo(precision).smallest_subnormal)
    rows = np.array([[3 * tiny, 4 * tiny], [3 * tiny, -4 * tiny], [tiny, tiny], [tiny, 0]])
    expected = [math.atan2(3, 4), math.atan2(3, -4), math.pi / 4, math.pi / 2]
    assert list(interpret(kernel(Kind.ATAN2, precision), rows).outputs[:, 0]) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_ratios_beyond_one_count_as_one(precision: Precision) -> None:
    """asin and acos of 1.0000001, 2 or 1e38 are those of 1."""
    rows = np.array([[1.0], [1.0000002], [2.0], [1e38], [-1.0], [-1.0000002], [-1e38]])
    arcsine = interpret(kernel(Kind.ASIN, precision), rows).outputs[:, 0]
    arccosine = interpret(kernel(Kind.ACOS, precision), rows).outputs[:, 0]
    assert arcsine == pytest.approx([math.pi / 2] * 4 + [-math.pi / 2] * 3)
    assert arccosine == pytest.approx([0.0] * 4 + [math.pi] * 3, abs=0)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("kind", sorted(KERNELS))
def test_kernels_are_plain_operations(kind: Kind, precision: Precision) -> None:
    """No kernel calls another, none sets a status; some divide once, the arc functions root once."""
    sequence = kernel(kind, precision)
    kinds = [operation.kind for operation in sequence.operations]
    assert set(kinds) <= PLAIN_KINDS
    assert sequence.status is None
    assert kinds.count(Kind.DIV) == (kind in {Kind.ATAN2, Kind.LOG, Kind.TANH, Kind.POW, Kind.MOD})
    assert kinds.count(Kind.SQRT) == (kind in {Kind.ASIN, Kind.ACOS})


def test_kernels_are_made_once() -> None:
    """A kernel is one object however often it is asked for, and every kernel states its domain."""
    assert kernel(Kind.ATAN2, "float32") is kernel(Kind.ATAN2, "float32")
    for kind in KERNELS:
        assert len(domain(kind, "float32")) == len(kernel(kind, "float32").inputs)
        assert domain_text(kind, "float32")


def test_other_kinds_are_no_kernels() -> None:
    """The sentence lists the ones there are."""
    with pytest.raises(ValueError, match="'add' is no kernel; those are acos, asin, atan2, exp"):
        kernel(Kind.ADD, "float32")
