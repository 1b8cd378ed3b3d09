"""Whether every call costs the same: a verdict on durations that the device measured.

On an emulator a duration is a number of instructions, and all must be equal. On a board caches and flash spread it, so
the bench file must say how far. Where a core computes reals by routines, whose time depends on the numbers, or a
function steps to a tolerance, there is nothing to be claimed, and the verdict says so in words.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from hil.bench import Timing
from hil.check_names import BenchCheck
from hil.duration import format_seconds
from hil.timebase import TOO_SLOW, Timebase
from sil.figures import figure
from sil.verdict import Verdict, not_judged


@dataclass(frozen=True, slots=True)
class Durations:
    """What is judged, in ticks of the device's counter."""

    mode: str  # "in lockstep"
    count: int
    least: int
    greatest: int
    aligned: bool = False  # on an emulator: all began at one phase of the counter, so equal calls are equal in ticks


def instructions_apart(found: Durations, per_instruction: Fraction) -> int:
    """How many instructions at least the shortest and the longest call differ by; 0 where one count explains both.

    A call of n instructions shows as n * per_instruction ticks, rounded up or down by where it began; calls that began
    at one phase of the counter are rounded alike.
    """
    if found.aligned:
        apart = found.greatest - found.least
        return math.floor((apart - 1) / per_instruction) + 1 if apart > 0 else 0
    most_of_shortest = math.ceil((found.least + 1) / per_instruction) - 1
    fewest_of_longest = math.floor((found.greatest - 1) / per_instruction) + 1
    return max(0, fewest_of_longest - most_of_shortest)


def ticks_per_instruction(base: Timebase) -> Fraction | None:
    """On an emulator; None elsewhere."""
    if base.instruction_ns is None or not base.moves:
        return None
    return Fraction(base.instruction_ns * base.counter_hz, 1_000_000_000)


def resolution(found: Durations, per_instruction: Fraction) -> str:
    """What a verdict on an emulator cannot tell, in words; empty where it tells one instruction."""
    unseen = 0 if found.aligned and per_instruction >= 1 else math.ceil(2 / per_instruction) - 1
    if unseen == 0:
        return ""
    return (
        f"; an instruction lasts {float(per_instruction):g} ticks and calls began at any phase of the counter, "
        f"so {unseen} more may not show"
    )


def why_not_fixed(real: str, *, hardware_reals: bool, tolerance: float | None = None) -> str:
    """Why calls may cost differently by design, in words; empty where they must not.

    Args:
        real: number type of the export.
        hardware_reals: whether the core has instructions for it.
        tolerance: of a function that repeats a step until its residual is no larger.
    """
    reasons = []
    if tolerance is not None:
        reasons.append(f"this function repeats a step until its residual is at most {figure(tolerance)}")
    if not hardware_reals:
        reasons.append(f"this core computes {real} by routines whose time depends on the numbers")
    return f"not fixed-time: {', and '.join(reasons)}" if reasons else ""


def judge_constancy(found: Durations, function: str, base: Timebase, timing: Timing, soft: str, replay: str) -> Verdict:
    """One verdict; `soft` is what `why_not_fixed` says. Durations shorter than two reads of the counter fail."""
    check = f"{BenchCheck.CONSTANCY} {found.mode}"
    if not base.moves:
        return not_judged(check, function, base.label, replay=replay)
    seen, per_instruction = _durations_text(found, base), ticks_per_instruction(base)
    if base.is_too_slow(found.greatest):
        return not_judged(check, function, TOO_SLOW, seen, replay)
    if why := base.why_wrong(found.least):
        return Verdict(check, function, math.nan, 0.0, "instructions", seen, replay=replay, unknown=why)
    if reason := _why_not_judged(found, timing, soft, is_emulated=per_instruction is not None):
        return not_judged(check, function, f"{reason}; {seen}", seen, replay)
    if per_instruction is not None:
        detail = f"{seen}{resolution(found, per_instruction)}"
        apart = instructions_apart(found, per_instruction)
        return Verdict(check, function, float(apart), 0.0, "instructions", detail, replay=replay, compared=found.count)
    assert timing.spread is not None  # or it is not judged
    limit = base.seconds(float(timing.spread.ticks(base.counter_hz))) * 1e6
    apart_us = base.seconds(found.greatest - found.least) * 1e6
    return Verdict(check, function, apart_us, limit, "us", seen, replay=replay, compared=found.count)


def _why_not_judged(found: Durations, timing: Timing, soft: str, *, is_emulated: bool) -> str:
    if soft:
        return soft
    if found.count < 2:
        return "at least 2 calls are needed"
    return "" if is_emulated or timing.spread is not None else "[timing] spread is not stated"


def _durations_text(found: Durations, base: Timebase) -> str:
    apart = found.greatest - found.least
    return (
        f"{found.count:,} call{'' if found.count == 1 else 's'} took {found.least:,} to {found.greatest:,} ticks, "
        f"{apart:,} apart ({format_seconds(base.seconds(apart))})"
    )
