"""Counters: wraps, over-range, counters that stand still, clocks that do not repeat. Numbers worked out by hand."""

import pytest

from hil.counter import CounterRate, does_move, repeatability
from hil.errors import BenchError


def test_a_span_across_the_wrap_is_right() -> None:
    """0xFFFFFF00 to 0x200 are 768 cycles: 4.57142857143 us at 168 MHz."""
    rate = CounterRate(168_000_000, 32)
    ticks = rate.elapsed(0xFFFFFF00, 0x00000200)
    assert ticks == 768
    assert ticks / rate.hz * 1e6 == pytest.approx(4.57142857143, rel=1e-11)


def test_a_24_bit_counter_wraps_at_24_bits() -> None:
    """SysTick is the fallback of cores without a cycle counter."""
    assert CounterRate(25_000_000, 24).elapsed(0xFFFFF0, 0x10) == 0x20


@pytest.mark.parametrize(("hz", "wrap_s"), [(168_000_000, 25.5652815238), (480_000_000, 8.94784853333)])
def test_a_span_longer_than_a_wrap_is_refused(hz: int, wrap_s: float) -> None:
    """30 s at 168 MHz cannot be told from 4.4 s."""
    rate = CounterRate(hz, 32)
    assert rate.wrap_s == pytest.approx(wrap_s, rel=1e-10)
    rate.require_unambiguous(wrap_s * 0.99, "interval")
    with pytest.raises(BenchError, match="longer than one wrap"):
        rate.require_unambiguous(30.0, "interval")
    with pytest.raises(BenchError, match="longer than one wrap"):
        rate.require_unambiguous(float("nan"), "interval")


@pytest.mark.parametrize(
    ("samples", "is_present", "moves"),
    [([0, 0, 0], True, False), ([0x1234] * 5, True, False), ([1, 2], False, False), ([5, 9], True, True)],
)
def test_a_counter_counts_only_if_it_was_seen_to(samples: list[int], is_present: bool, moves: bool) -> None:
    """Zeros, a constant, or a control word that says there is none: no measurement."""
    assert does_move(samples, is_present) is moves


def test_clocks_that_do_not_repeat_claim_no_worst_case() -> None:
    """Three runs without a fixed time per instruction differ by 53.95 %; with one they are equal."""
    loose, fixed = repeatability([14210, 21877, 15004]), repeatability([14230, 14230, 14230])
    assert 100 * loose.spread == pytest.approx(53.95, abs=0.005)
    assert loose.text == "non-deterministic (spread 53.95 %), no worst case claimed"
    assert fixed.text == "repeats exactly: instructions (icount), not cycles"


def test_nothing_measured_is_not_comparable() -> None:
    """Zeros repeat perfectly and say nothing."""
    with pytest.raises(BenchError, match="nothing to compare"):
        repeatability([0, 0, 0])
