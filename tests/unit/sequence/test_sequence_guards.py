"""Guards are total: every input gives a finite result at the same cost, and the status says what happened."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.sequence import guards
from exporter.sequence.builder import Builder, Value
from exporter.sequence.interpreter import InterpretedRows, interpret
from exporter.sequence.operations import Group, OperationSequence, Precision, Signal
from exporter.sequence.status import BITS

REJECTED, WORKSPACE, SINGULAR = (1 << BITS[n][0] for n in ("ARG_REJECTED", "OUT_OF_WORKSPACE", "NEAR_SINGULAR"))
THRESHOLD = Fraction(1, 1000)
PRECISIONS: tuple[Precision, ...] = ("float32", "float64")
LARGEST = 3.4e38


def signal(low: int = -2, high: int = 3) -> Signal:
    return Signal("x", "1", "", Fraction(low), Fraction(high), Fraction(1, 2))


def guarded(precision: Precision, guard: object) -> OperationSequence:
    builder = Builder("f", precision)
    raw = builder.input(signal())
    builder.output(Signal("o", "1", group=Group.OUTPUT), guard(builder, raw))  # type: ignore[operator]
    return builder.finish()


def run(sequence: OperationSequence, *values: float) -> InterpretedRows:
    return interpret(sequence, np.array([[value] for value in values]))


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize(("low", "high"), [(-2, 3), (-2, 2), (1, 3)])
def test_an_input_out_of_range_becomes_nominal(precision: Precision, low: int, high: int) -> None:
    """Bounds themselves are accepted; beyond them, NaN and infinities are replaced and flagged."""
    builder = Builder("f", precision)
    builder.output(Signal("o", "1", group=Group.OUTPUT), guards.checked_input(builder, signal(low, high)))
    sequence = builder.finish()
    fine = run(sequence, low, high, (low + high) / 2)
    assert list(fine.outputs[:, 0]) == [low, high, (low + high) / 2]
    assert not fine.status.any()
    bad = run(sequence, low - 1e-3, high + 1e-3, np.nan, np.inf, -np.inf, LARGEST)
    assert set(bad.outputs[:, 0]) == {0.5}
    assert set(bad.status) == {REJECTED}


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_radicand_below_rounding_is_flagged(precision: Precision) -> None:
    """-4 eps is rounding, clamped silently; -16 eps is out of the workspace; positive ones pass exactly."""
    sequence = guarded(precision, lambda b, x: b.sqrt(guards.clamped_radicand(b, x)))
    eps = float(np.finfo(precision).eps)
    result = run(sequence, 0.25, 0.0, -4 * eps, -16 * eps, -1.0)
    assert list(result.outputs[:, 0]) == [0.5, 0, 0, 0, 0]
    assert list(result.status) == [0, 0, 0, WORKSPACE, WORKSPACE]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_positive_pivot_never_falls_below_its_threshold(precision: Precision) -> None:
    """A NaN becomes the threshold, since it fails the comparison."""
    sequence = guarded(precision, lambda b, x: guards.positive_pivot(b, x, THRESHOLD))
    result = run(sequence, 0.5, 1e-4, -1.0, np.nan)
    assert result.outputs[:, 0] == pytest.approx([0.5, 1e-3, 1e-3, 1e-3], rel=1e-7)
    assert list(result.status) == [0, SINGULAR, SINGULAR, SINGULAR]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_signed_pivot_keeps_its_sign(precision: Precision) -> None:
    """-1e-5 becomes -threshold; -0 counts as minus."""
    sequence = guarded(precision, lambda b, x: guards.signed_pivot(b, x, THRESHOLD))
    result = run(sequence, -0.5, -1e-5, -0.0, 0.0, 1e-5, 0.5)
    assert result.outputs[:, 0] == pytest.approx([-0.5, -1e-3, -1e-3, 1e-3, 1e-3, 0.5], rel=1e-7)
    assert list(result.status) == [0, SINGULAR, SINGULAR, SINGULAR, SINGULAR, 0]


def test_positive_part_is_exact() -> None:
    """(x + |x|)/2 gives x and 0 for every finite float32 that may be doubled."""
    sequence = guarded("float32", lambda b, x: b.positive_part(x))
    values = np.random.default_rng(3).integers(0, 2**32, 200_000, dtype=np.uint32).view(np.float32)
    values = values[np.abs(values) < LARGEST / 2]
    result = interpret(sequence, values[:, None]).outputs[:, 0]
    assert np.array_equal(result, np.maximum(values, np.float32(0)))


def test_without_contract_nothing_is_guarded() -> None:
    """A benchmark's builder leaves the arithmetic alone."""
    builder = Builder("f", "float64", contract=False)
    x: Value = guards.checked_input(builder, signal())
    assert guards.signed_pivot(builder, x, THRESHOLD) == guards.clamped_radicand(builder, x) == x


def test_an_input_needs_a_range() -> None:
    """No range, no guard: the error names the input."""
    builder = Builder("f", "float64")
    with pytest.raises(ValueError, match="input 'x' has no range"):
        guards.checked_input(builder, Signal("x", "1"))


@pytest.mark.parametrize("guard", [guards.positive_pivot, guards.signed_pivot])
def test_a_pivot_that_is_zero_in_every_pose_is_refused(guard: Callable[..., Value]) -> None:
    """What would divide by zero whatever the input is an error of the model, with or without guards."""
    for contract in (True, False):
        builder = Builder("f", "float64", contract=contract)
        with pytest.raises(ModelError, match="an arm has no length, and that in every pose"):
            guard(builder, builder.real(0), THRESHOLD, "an arm has no length")
