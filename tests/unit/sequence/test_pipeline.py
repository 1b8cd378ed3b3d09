"""Passes keep values and save operations, each left out in turn; what is not proven is refused."""

from fractions import Fraction

import numpy as np
import pytest

from exporter.errors import NotProven
from exporter.functions.mechanism import position
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.guards import checked_input
from exporter.sequence.interpreter import interpret
from exporter.sequence.operations import OperationSequence, Signal
from exporter.sequence.pipeline import ALL_PASSES, Pass, divide_functions, finished


@pytest.fixture(scope="module")
def written() -> OperationSequence:
    return position(solved_mechanism(read_mechanism(model_path("scissor_lift"))), "float64", contract=True)


@pytest.fixture(scope="module")
def sums() -> OperationSequence:
    """Two sums that have a + b in common, which neither was written with."""
    builder, one = Builder("f", "float64"), Fraction(1)
    signals = [Signal(name, "1", minimum=-one, maximum=one, nominal=Fraction(0)) for name in "abcd"]
    a, b, c, d = (checked_input(builder, signal) for signal in signals)
    builder.output(Signal("y", "1"), (a + c) + b)
    builder.output(Signal("z", "1"), (a + d) + b)
    return builder.finish()


def bounds(signal: Signal) -> tuple[Fraction | None, Fraction | None]:
    return signal.minimum, signal.maximum


@pytest.mark.parametrize(("name", "left_out"), [("sums", Pass.SUMS), ("written", Pass.PROOF)])
def test_a_pass_saves_operations_and_keeps_values(request: pytest.FixtureRequest, name: str, left_out: Pass) -> None:
    sequence: OperationSequence = request.getfixturevalue(name)
    whole, without = finished(sequence), finished(sequence, ALL_PASSES - {left_out})
    assert len(whole.operations) < len(without.operations)
    low, high = (np.array([float(end or 0) for end in ends]) for ends in zip(*map(bounds, whole.inputs), strict=True))
    rows = np.random.Generator(np.random.Philox(5)).uniform(low, high, (50, len(low)))
    one, other = (interpret(each, rows) for each in (whole, without))
    np.testing.assert_array_equal(one.status, other.status)
    np.testing.assert_allclose(one.outputs, other.outputs, rtol=1e-10, atol=1e-12)


def test_hoisting_can_be_left_out(written: OperationSequence) -> None:
    parameter = Signal("p", "m", minimum=Fraction(1), maximum=Fraction(2))
    assert divide_functions((written,), (parameter,), ALL_PASSES - {Pass.HOIST}) == (None, (written,))


def test_what_may_overflow_is_not_proven() -> None:
    builder = Builder("f", "float64")
    builder.output(Signal("y", "1"), 1 / builder.input(Signal("x", "1", minimum=Fraction(-1), maximum=Fraction(1))))
    sequence = builder.finish()
    with pytest.raises(NotProven):
        finished(sequence)
    assert finished(sequence, ()) == sequence
