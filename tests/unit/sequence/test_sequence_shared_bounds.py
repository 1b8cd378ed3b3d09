"""Bounds that functions have in common are those that each of them has alone."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from exporter.functions.mechanism import functions_of
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder, Value
from exporter.sequence.enclosure import Enclosure
from exporter.sequence.guards import checked_input, limitable
from exporter.sequence.in_pieces import PiecewiseAnalysis, analysis_in_pieces
from exporter.sequence.intervals import Analysis, analyse
from exporter.sequence.limiting import limit_where_needed
from exporter.sequence.operations import Group, OperationSequence, Precision, Signal
from exporter.sequence.shared_bounds import SharedBounds


def function_of(
    write: Callable[[Builder, Value, Value], Value], high: int = 1, precision: Precision = "float64"
) -> OperationSequence:
    """z = write(x, y), both within [-high, high]."""
    builder = Builder("f", precision)
    x, y = (
        checked_input(builder, Signal(name, "1", minimum=Fraction(-high), maximum=Fraction(high), nominal=Fraction(0)))
        for name in "xy"
    )
    builder.output(Signal("z", "1"), write(builder, x, y))
    return builder.finish()


def bounds(sequence: OperationSequence, shared: SharedBounds) -> Enclosure:
    """Bounds of its output."""
    return analyse(sequence, shared).of(sequence.outputs[0].operation)


def product(_: Builder, x: Value, y: Value) -> Value:
    """An operation on both inputs."""
    return x * y


@pytest.mark.parametrize("name", ["slider_crank", "landing_gear", "gough_stewart"])
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_functions_of_a_mechanism_get_the_bounds_that_they_have_alone(name: str, precision: Precision) -> None:
    """By box, by pieces and with limits; every operation, every decided flag and every limit."""
    form, shared = solved_mechanism(read_mechanism(model_path(name))), SharedBounds()
    for write in functions_of(form.mechanism, form).values():
        sequence = write(form, precision, contract=True)
        together, alone = limit_where_needed(sequence, shared=shared), limit_where_needed(sequence)
        assert together[0].operations == alone[0].operations
        assert together[1] == alone[1]


@pytest.mark.parametrize("in_pieces", [False, True])
def test_what_two_functions_compute_alike_is_enclosed_once(in_pieces: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second function encloses what it does not share."""
    kind, found = PiecewiseAnalysis if in_pieces else Analysis, list[int]()
    alone = kind._enclose
    monkeypatch.setattr(kind, "_enclose", lambda self, index: (found.append(index), alone(self, index)))
    shared = SharedBounds()
    for write in (lambda _, x, y: 1 / (2 + x * y), lambda _, x, y: 3 + 1 / (2 + x * y)):
        sequence = function_of(write)
        analysis = analysis_in_pieces(sequence, shared) if in_pieces else Analysis(sequence, shared)
        assert analysis is not None
        found.clear()
        analysis.whole()
    assert 0 < len(found) < 4


def test_functions_of_other_ranges_share_nothing() -> None:
    """The ranges of inputs stand in the comparisons that check them."""
    shared = SharedBounds()
    assert bounds(function_of(product), shared) == Enclosure(-1.0, 1.0)
    assert bounds(function_of(product, high=2), shared) == Enclosure(-4.0, 4.0)


def test_a_product_of_two_inputs_is_no_square() -> None:
    """Two inputs are two numbers, of whatever ranges."""
    shared = SharedBounds()
    assert bounds(function_of(lambda _, x, _y: x * x), shared).low == 0
    assert bounds(function_of(product), shared).low == -1


def test_derived_constants_of_other_ranges_share_nothing() -> None:
    """They have no check that would tell their ranges."""
    shared = SharedBounds()
    for high in (2, 3):
        builder = Builder("f", "float64")
        given = Signal("c", "1", minimum=Fraction(1), maximum=Fraction(high), group=Group.DERIVED)
        builder.output(Signal("z", "1"), 2 * builder.input(given))
        assert bounds(builder.finish(), shared).high == 2.0 * high


def test_precisions_share_nothing() -> None:
    """A third is another number in each."""
    shared = SharedBounds()
    third = [
        bounds(function_of(lambda _, x, y: x * y * Fraction(1, 3), precision=precision), shared).high
        for precision in ("float64", "float32")
    ]
    assert third[0] == 1 / 3 != third[1]


def test_what_one_function_limits_is_not_limited_in_another() -> None:
    """Bounds behind a limit hold where it is taken, and nowhere else."""
    shared = SharedBounds()

    def near(builder: Builder, x: Value, y: Value) -> Value:
        return limitable(builder, x * y * 10**30, Fraction(10))

    squared = function_of(lambda builder, x, y: builder.square(near(builder, x, y)) * 2, precision="float32")
    limited, _ = limit_where_needed(squared, shared=shared)
    assert len(limited.operations) > len(squared.operations)
    plain = function_of(lambda builder, x, y: near(builder, x, y) * 2, precision="float32")
    assert bounds(plain, shared).high > 10**30


def test_bounds_over_one_box_outlive_those_over_pieces() -> None:
    """What a program keeps for who bounds it after its proof."""
    shared, sequence = SharedBounds(), function_of(lambda _, x, y: 1 / (2 + x * y))
    analysis = analysis_in_pieces(sequence, shared)
    assert analysis is not None
    analysis.whole()
    whole = analyse(sequence, shared)
    assert len(shared.of(sequence, analysis.axes).found) == len(shared.of(sequence).found)
    shared.forget_pieces()
    assert not shared.of(sequence, analysis.axes).found
    assert len(shared.of(sequence).found) == len(sequence.operations)
    assert analyse(sequence, shared) == whole
