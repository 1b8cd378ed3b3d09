"""Whether calls cost the same: the arithmetic against a simulated counter, and what is not judged, in words."""

from dataclasses import replace
from fractions import Fraction
from math import floor

import pytest

from hil.bench import Timing
from hil.constancy import Durations, instructions_apart, judge_constancy, resolution, why_not_fixed
from hil.duration import parse_duration
from hil.timebase import Timebase
from sil.verdict import Outcome

EMULATED = Timebase("CMSDK APB timer", 25_000_000, 32, 5, True, 64)
BOARD = Timebase("DWT cycle counter", 100_000_000, 32, 2, True, None)
SILENT = Timebase("none", 0, 0, 0, False, None)
ONE_MS = Timing(parse_duration("1 ms"), parse_duration("1 ms"))
SPREAD_100_NS = Timing(ONE_MS.period, ONE_MS.deadline, spread=parse_duration("100 ns"))


def ticks(begin: int, instructions: int, per: Fraction) -> int:
    """What a counter that ticks `per` times an instruction shows of a call that begins after `begin` instructions."""
    return floor((begin + instructions) * per) - floor(begin * per)


@pytest.mark.parametrize("shift", [6, 7, 8, 10])
def test_equal_calls_are_never_told_apart_and_unequal_ones_always_beyond_the_resolution(shift: int) -> None:
    """Calls of 50 to 54 instructions that begin anywhere, and that begin at one phase."""
    per = Fraction(2**shift, 40)
    for shorter in range(50, 54):
        for longer in range(shorter, 55):
            for first in range(6):
                one, other = ticks(first, shorter, per), ticks(first, longer, per)
                aligned = Durations("", 2, min(one, other), max(one, other), aligned=True)
                assert resolution(aligned, per) == ""
                assert (instructions_apart(aligned, per) > 0) is (longer > shorter)
                assert instructions_apart(aligned, per) <= longer - shorter
                for second in range(6):
                    other = ticks(second, longer, per)
                    found = Durations("", 2, min(one, other), max(one, other))
                    unseen = 1 if shift == 6 else 0
                    assert ("may not show" in resolution(found, per)) is (unseen > 0)
                    apart = instructions_apart(found, per)
                    assert apart <= longer - shorter
                    if longer - shorter > unseen:
                        assert apart > 0


def outcome(found: Durations, base: Timebase, timing: Timing = ONE_MS, soft: str = "") -> tuple[Outcome, str]:
    """How it ended, and the reason or the detail."""
    verdict = judge_constancy(found, "dostep", base, timing, soft, "replay")
    return verdict.outcome, verdict.reason or verdict.detail


def test_on_an_emulator_all_instructions_are_equal_or_it_fails() -> None:
    """345 and 346 ticks are 216 instructions; 345 and 348 are not one count; nor are 345 and 346 from one phase."""
    assert outcome(Durations("", 9, 345, 346), EMULATED)[0] is Outcome.PASSED
    assert outcome(Durations("", 9, 345, 348), EMULATED)[0] is Outcome.FAILED
    assert outcome(Durations("", 9, 345, 345, aligned=True), EMULATED)[0] is Outcome.PASSED
    assert outcome(Durations("", 9, 345, 346, aligned=True), EMULATED)[0] is Outcome.FAILED


def test_on_a_board_the_file_must_say_how_far() -> None:
    """10 ns a tick: 10 ticks are within 100 ns, 11 are not, and without [timing] spread nothing is judged."""
    assert outcome(Durations("", 9, 500, 510), BOARD, SPREAD_100_NS)[0] is Outcome.PASSED
    assert outcome(Durations("", 9, 500, 511), BOARD, SPREAD_100_NS)[0] is Outcome.FAILED
    ended, reason = outcome(Durations("", 9, 500, 500), BOARD)
    assert ended is Outcome.NOT_JUDGED
    assert reason == "[timing] spread is not stated; 9 calls took 500 to 500 ticks, 0 apart (0 ns)"


def test_what_is_not_judged_says_why() -> None:
    """No clock, a single call, a core that computes by routines. Some call took longer than no tick."""
    assert outcome(Durations("", 9, 0, 0), SILENT) == (Outcome.NOT_JUDGED, "no measurement (no counter moves)")
    assert outcome(Durations("", 1, 9, 9), EMULATED)[1].startswith("at least 2 calls are needed; 1 call took 9 to 9")
    assert why_not_fixed("float32", hardware_reals=True) == ""
    soft = why_not_fixed("float64", hardware_reals=False)
    for base, timing in ((EMULATED, ONE_MS), (BOARD, SPREAD_100_NS)):
        ended, reason = outcome(Durations("", 9, 500, 900), base, timing, soft)
        assert ended is Outcome.NOT_JUDGED
        assert reason.startswith("not fixed-time: this core computes float64 by routines")


@pytest.mark.parametrize(("base", "timing"), [(EMULATED, ONE_MS), (BOARD, SPREAD_100_NS), (BOARD, ONE_MS)])
def test_a_call_that_is_shorter_than_two_reads_of_the_counter_fails(base: Timebase, timing: Timing) -> None:
    """Two reads with nothing between take 5 and 2 ticks, a call among them takes no less."""
    reads = base.overhead_ticks
    for least, greatest in ((0, 0), (reads - 1, reads - 1), (reads - 1, reads)):
        verdict = judge_constancy(Durations("", 9, least, greatest), "dostep", base, timing, "", "replay")
        assert verdict.outcome is Outcome.FAILED
        assert f"a call took {least} tick" in verdict.unknown
        assert f"two reads of the counter with nothing between take {reads} ticks" in verdict.sentence()
    assert outcome(Durations("", 9, reads, reads), base, timing)[0] is not Outcome.FAILED


@pytest.mark.parametrize("base", [EMULATED, BOARD])
def test_a_counter_that_is_too_slow_to_see_a_call_shows_nothing(base: Timebase) -> None:
    """Where some call took a tick, it is judged."""
    slow = replace(base, overhead_ticks=0)
    ended, reason = outcome(Durations("", 9, 0, 0), slow, SPREAD_100_NS)
    assert ended is Outcome.NOT_JUDGED
    assert reason.startswith("the counter is too slow to see a call: every duration is 0 ticks")
    assert outcome(Durations("", 9, 0, 1), slow, SPREAD_100_NS)[0] is not Outcome.NOT_JUDGED


def test_an_export_to_a_tolerance_is_not_judged() -> None:
    """Newton's method takes as many steps as an input needs: no fault of the device; of two reasons both are told."""
    for hardware_reals in (True, False):
        reason = why_not_fixed("float64", hardware_reals=hardware_reals, tolerance=1e-6)
        assert reason.startswith("not fixed-time: this function repeats a step until its residual is at most 1e-06")
        assert ("by routines" in reason) is not hardware_reals
        assert outcome(Durations("", 9, 500, 900), EMULATED, soft=reason)[0] is Outcome.NOT_JUDGED
