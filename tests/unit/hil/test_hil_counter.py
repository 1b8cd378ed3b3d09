"""How long a span a counter can tell. Numbers worked out by hand."""

import pytest

from hil.counter import CounterRate
from hil.errors import BenchError


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
