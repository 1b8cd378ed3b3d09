"""Conditions that are joined anew: the same status on every row, of fewer operations on flags."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from exporter.functions.mechanism import functions_of
from exporter.kinematics.engine import solved_mechanism
from exporter.model.library import model_path
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.builder import Builder
from exporter.sequence.guards import checked_input
from exporter.sequence.interpreter import interpret
from exporter.sequence.joined_flags import join_flags
from exporter.sequence.operations import Kind, OperationSequence, Signal
from exporter.sequence.pipeline import ALL_PASSES, Pass, divide_functions, finished

ON_FLAGS = (Kind.FLAG_AND, Kind.FLAG_OR, Kind.FLAG_NOT)


def on_flags(sequence: OperationSequence) -> dict[str, int]:
    """How many operations on flags there are, by kind."""
    counted = Counter(operation.kind for operation in sequence.operations)
    return {kind.value: counted[kind] for kind in ON_FLAGS if counted[kind]}


def rows_of(sequence: OperationSequence, count: int) -> np.ndarray:
    """Rows inside the ranges, of which every third has an input that is not accepted."""
    random = np.random.Generator(np.random.Philox(3))
    low, high = (
        np.array([float(end or 0) for end in ends]) for ends in zip(*map(bounds, sequence.inputs), strict=True)
    )
    rows = random.uniform(low, high, (count, len(low)))
    wrong = np.arange(0, count, 3)
    rows[wrong, random.integers(0, len(low), len(wrong))] = random.choice([np.nan, np.inf, -1e30, 1e30], len(wrong))
    return rows


def bounds(signal: Signal) -> tuple[Fraction | None, Fraction | None]:
    return signal.minimum, signal.maximum


def checked(names: str) -> tuple[Builder, list]:
    builder = Builder("f", "float64")
    signals = [Signal(name, "1", minimum=Fraction(-1), maximum=Fraction(1), nominal=Fraction(0)) for name in names]
    return builder, [checked_input(builder, signal) for signal in signals]


def test_a_flag_that_is_joined_twice_counts_once() -> None:
    """A pivot that three conditions of one name tell, as where rates of one loop are asked for three times."""
    builder, (a, b) = checked("ab")
    small, other = a < Fraction(1, 4), b < Fraction(1, 8)
    for flag in (small, small | other, other | small):
        builder.condition("NEAR_SINGULAR", flag)
    builder.output(Signal("y", "1"), a + b)
    written = builder.finish()
    joined = join_flags(written)
    assert (on_flags(joined)["flag_or"], on_flags(written)["flag_or"]) == (2, 4)
    rows = rows_of(written, 300)
    assert len(set(interpret(written, rows).status.tolist())) > 2
    np.testing.assert_array_equal(interpret(written, rows).status, interpret(joined, rows).status)


def test_what_saves_nothing_is_left_as_it_is() -> None:
    """Inputs are told by a flag each, which nothing joins twice."""
    builder, (a, b) = checked("ab")
    builder.output(Signal("y", "1"), a + b)
    written = builder.finish()
    assert join_flags(written) is written


@pytest.mark.parametrize("name", ["parallel_robot", "excavator"])
def test_status_and_outputs_keep_their_bits(name: str) -> None:
    """All functions that a mechanism exports, also where inputs are not accepted."""
    mechanism = read_mechanism(model_path(name))
    form, saved = solved_mechanism(mechanism), 0
    for write in functions_of(mechanism, form).values():
        written = write(form, "float32", contract=True)
        other = finished(written)
        one = join_flags(other)
        saved += sum(on_flags(other).values()) - sum(on_flags(one).values())
        if one.inputs:
            rows = rows_of(one, 100)
            for mine, theirs in zip(status_and_outputs(one, rows), status_and_outputs(other, rows), strict=True):
                np.testing.assert_array_equal(mine, theirs)
    assert saved > 0


def status_and_outputs(sequence: OperationSequence, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found = interpret(sequence, rows)
    return found.status, found.outputs


def test_functions_are_joined_once_their_parameters_have_left_them() -> None:
    """The pass comes last, and can be left out."""
    builder, (a, b) = checked("ab")
    small = a < Fraction(1, 4)
    for flag in (small, small | (b < Fraction(1, 8))):
        builder.condition("NEAR_SINGULAR", flag)
    builder.output(Signal("y", "1"), a + b)
    written = finished(builder.finish())
    _, (joined,) = divide_functions((written,), ())
    _, (left,) = divide_functions((written,), (), ALL_PASSES - {Pass.FLAGS})
    assert (on_flags(joined)["flag_or"], on_flags(left)["flag_or"]) == (2, 3)
