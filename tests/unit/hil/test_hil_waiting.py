"""Limits on a device: by the clock for a board, by computing time for an emulator, by its length for a free run."""

import time

import pytest

from exporter.time_limits import WAITING_FACTOR, free_run_s
from hil.waiting import BY_THE_CLOCK, Wait, computing_clock

LONG_S = 1e6


def test_an_emulator_that_gets_no_core_is_waited_for() -> None:
    """Nothing was computed, so nothing of the limit is used up; only the clock far above goes on."""
    wait = Wait(LONG_S, computing_clock(lambda: 7.0))
    assert wait.remaining() == LONG_S


def test_an_emulator_that_has_computed_for_its_limit_is_late() -> None:
    spent = iter([7.0, 7.0 + LONG_S])
    wait = Wait(LONG_S, computing_clock(lambda: next(spent)))
    assert wait.remaining() == 0.0


def test_an_emulator_that_sleeps_for_ever_is_found_by_the_clock() -> None:
    """The far limit is a multiple of the limit, so a tiny one passes at once."""
    limit_s = 1e-9
    wait = Wait(limit_s, computing_clock(lambda: 7.0))
    end = time.monotonic() + WAITING_FACTOR * limit_s
    while time.monotonic() <= end:
        pass
    assert wait.remaining() == 0.0


def test_a_board_has_its_seconds_by_the_clock() -> None:
    assert Wait(0.0, BY_THE_CLOCK).remaining() == 0.0
    assert 0.0 < Wait(LONG_S, BY_THE_CLOCK).remaining() <= LONG_S


@pytest.mark.parametrize(("activations", "period_s"), [(60_000, 0.01), (1, 400e-6), (10_000_000, 1e-3)])
def test_a_free_run_of_a_board_can_end_within_its_limit(activations: int, period_s: float) -> None:
    """An oscillator that is a tenth slow ends in time; a frozen one is found after a quarter more and 10 s."""
    lasts_s = activations * period_s
    assert 1.1 * lasts_s < free_run_s(activations, period_s, None) <= 1.25 * lasts_s + 10.0


def test_a_free_run_of_an_emulator_is_given_what_its_instructions_take() -> None:
    """A minute at 64 ns an instruction is 937.5 million instructions: 23.4 s at 40 million a second."""
    assert free_run_s(60_000, 1e-3, 64) == pytest.approx(23.4375 + 10.0)
    assert free_run_s(60_000, 1e-3, 1024) == pytest.approx(1.46484375 + 10.0)
