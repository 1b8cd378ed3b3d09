"""Durations: exact, with a unit, never zero."""

from fractions import Fraction

import pytest

from hil.duration import format_seconds, parse_duration
from hil.errors import BenchError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("400 us", Fraction(4, 10_000)),
        ("400us", Fraction(4, 10_000)),
        ("1.5 ms", Fraction(3, 2000)),
        ("40 ns", Fraction(40, 10**9)),
        ("2 s", Fraction(2)),
        ("250 µs", Fraction(1, 4000)),
        ("25 cycles", Fraction(1, 10**6)),
    ],
)
def test_durations_are_exact(text: str, seconds: Fraction) -> None:
    """400 us is not 0.0 s, and 25 cycles of a 25 MHz counter are a microsecond."""
    assert parse_duration(text).seconds(25_000_000) == seconds


@pytest.mark.parametrize(
    "text", ["0 us", "0.0 ms", "400", "us", "-1 us", "nan us", "inf s", "1e3 us", "1 hour", "", "1" + 400 * "0" + " s"]
)
def test_zero_and_nonsense_are_refused(text: str) -> None:
    """A limit of zero, of no unit or of no number is an error that quotes what was written."""
    with pytest.raises(BenchError, match="duration"):
        parse_duration(text)


def test_a_period_must_be_a_whole_number_of_ticks() -> None:
    """A period that the counter cannot express is refused, not rounded."""
    assert parse_duration("1 ms").whole_ticks(25_000_000, "period") == 25_000
    with pytest.raises(BenchError, match=r"'1.00001 ms' is 25000.25 ticks"):
        parse_duration("1.00001 ms").whole_ticks(25_000_000, "period")


def test_a_duration_without_a_counter_is_refused() -> None:
    """Nothing can be counted at zero hertz."""
    with pytest.raises(BenchError, match="no counter that moves"):
        parse_duration("5 cycles").ticks(0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(312.4e-6, "312.4 us"), (400e-6, "400 us"), (1e-3, "1 ms"), (40e-9, "40 ns"), (float("nan"), "no measurement")],
)
def test_times_for_people(seconds: float, text: str) -> None:
    """NaN is no number to print as one."""
    assert format_seconds(seconds) == text
