"""The interpreter rounds every operation as IEEE 754 does; oracles are Python's own floats and struct."""

import struct
from fractions import Fraction

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.sequence.builder import Builder
from exporter.sequence.interpreter import CHUNK, interpret
from exporter.sequence.operations import KERNELS, Group, Kind, OperationSequence, Precision, Signal
from exporter.sequence.rounding import round_to_format


def signal(name: str) -> Signal:
    return Signal(name, "1", "", Fraction(-10), Fraction(10), Fraction(1))


def float32(value: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def one_output(precision: Precision, write: object, names: str = "xy") -> OperationSequence:
    builder = Builder("f", precision)
    value = write(builder, *(builder.input(signal(name)) for name in names))  # type: ignore[operator]
    builder.output(Signal("o", "1", group=Group.OUTPUT), value)
    return builder.finish()


def test_float32_is_rounded_after_every_operation() -> None:
    """x*y + x in float32 differs from the float64 result rounded once, and equals the doubly rounded one."""
    sequence = one_output("float32", lambda _, x, y: x * y + x)
    rows = np.random.default_rng(7).uniform(-10, 10, (2000, 2)).astype(np.float32)
    result = interpret(sequence, rows).outputs[:, 0]
    expected = [float32(float32(float(x) * float(y)) + float(x)) for x, y in rows]
    assert result.dtype == np.float32
    assert list(result) == expected


def test_rows_beyond_one_chunk_are_all_computed() -> None:
    """The result of a row does not depend on how many rows are given."""
    sequence = one_output("float64", lambda b, x, y: b.sqrt(b.square(x)) + b.sincos(y)[0])
    rows = np.random.default_rng(8).uniform(-10, 10, (CHUNK + 3, 2))
    whole = interpret(sequence, rows).outputs
    assert np.array_equal(whole[-3:], interpret(sequence, rows[-3:]).outputs)


def test_no_rows_give_no_results() -> None:
    """An empty batch is no error."""
    result = interpret(one_output("float32", lambda _, x, y: x + y), np.empty((0, 2)))
    assert result.outputs.shape == (0, 1)
    assert result.status.shape == (0,)


def test_comparisons_with_nan_are_false() -> None:
    """NaN is neither below nor above: the select takes its zero branch."""
    sequence = one_output("float64", lambda b, x, y: b.select((x <= y), 1, 2))
    rows = np.array([[np.nan, 1], [1, np.nan], [1, 1], [2, 1]])
    assert list(interpret(sequence, rows).outputs[:, 0]) == [2, 2, 1, 2]


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_truncation_goes_towards_zero(precision: Precision) -> None:
    """-1.5 becomes -1 in two's complement."""
    builder = Builder("f", precision)
    bits = builder.truncate(builder.input(signal("x")))
    flags = [bits.bit(number) for number in (0, 1, 31)]
    for number, flag in enumerate(flags):
        builder.output(Signal(f"o{number}", "1", group=Group.OUTPUT), builder.select(flag, 1, 0))
    result = interpret(builder.finish(), np.array([[-1.5], [2.9]])).outputs
    assert result.tolist() == [[1, 1, 1], [0, 1, 0]]


@pytest.mark.parametrize(("precision", "width"), [("float32", 32), ("float64", 64)])
def test_bits_are_those_of_the_float(precision: Precision, width: int) -> None:
    """Shifts, masks and casts act on the IEEE 754 pattern: here they clear the sign and double by the exponent."""
    exponent = 1 << (23 if width == 32 else 52)

    def doubled_magnitude(_: Builder, x: object) -> object:
        magnitude = (x.bits() << 1) >> 1  # type: ignore[attr-defined]
        return (magnitude ^ exponent).as_real()

    result = interpret(one_output(precision, doubled_magnitude, "x"), np.array([[-3.0], [3.0]])).outputs[:, 0]
    assert list(result) == [6.0, 6.0]


def test_the_row_must_fit() -> None:
    """The error names the sequence and both sizes."""
    with pytest.raises(ValueError, match=r"'f' takes rows of 2 inputs; an array of shape \(3, 5\)"):
        interpret(one_output("float32", lambda _, x, y: x + y), np.zeros((3, 5)))


@pytest.mark.parametrize("value", ["1/3", "1e-40", "16777217", "16777219", "3.4028235e38", "0", "-1e-46", "7e-46"])
def test_rounding_to_float32_matches_struct(value: str) -> None:
    """`round_to_format` agrees with the C library's conversion where that rounds once, subnormals included."""
    number = Fraction(value)
    assert round_to_format(number, "float32") == float32(float(number))


def test_rounding_to_float32_rounds_once() -> None:
    """A number just above a tie goes up, though its float64 is the tie itself, which would go to even."""
    just_above_tie = 1 + Fraction(1, 2**24) + Fraction(1, 2**80)
    assert float32(float(just_above_tie)) == 1.0
    assert round_to_format(just_above_tie, "float32") == 1 + 2.0**-23


def test_a_constant_beyond_the_range_is_refused() -> None:
    """1e39 is no float32; the sentence says what to do."""
    with pytest.raises(ModelError, match=r"1e\+39 exceeds the range of float32; scale"):
        round_to_format(Fraction(10**39), "float32")


def test_every_kind_has_an_interpretation() -> None:
    """No kind of operation is left to fail at run time."""
    from exporter.sequence import interpreter

    handled = set(interpreter._NUMPY_OPERATIONS) | {Kind.INPUT, Kind.CONSTANT, Kind.FLAG_CONSTANT, Kind.BITS_CONSTANT}
    handled |= {*KERNELS, Kind.READ, Kind.SINE, Kind.COSINE, Kind.BITS_OF, Kind.REAL_OF}
    handled |= {Kind.SHIFT_LEFT, Kind.SHIFT_RIGHT, Kind.TRUNCATE, Kind.BIT, Kind.WORD_OF}
    assert handled == set(Kind)
