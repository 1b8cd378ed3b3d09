"""All limits in time, each with its reason: what never ends is stopped, and what is merely slow is not.

A machine may be ten times as busy as this one. So a limit counts what the work itself takes: computing time (CPU) of a
program and its children, virtual time of an emulator, periods of a device. The clock on the wall is a second limit far
above, for what waits and computes nothing. The limit of one test of the suite stands in pyproject.toml.
"""

from exporter.records import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """How long a program may take.

    Args:
        computing_s: CPU seconds of the program and all its children.
        clock_s: seconds by the clock: for a program that waits.
        next_step: what a user does when it is reached.
    """

    computing_s: float
    clock_s: float
    next_step: str


COMPILE = Limit(600.0, 3600.0, "run the command by hand, or make the export smaller")
"""One step of a build. `zig rc` first compiles itself, which took a minute; this is ten times that."""

VERSION = Limit(20.0, 600.0, "run it by hand; if it hangs there too, install it again")
"""A compiler or emulator says its version in some 0.02 s; a first start reads from the disk."""

FLASH = Limit(120.0, 900.0, "run the command by hand and look at the probe and its cable")
"""A board is flashed at the speed of its probe: 1 MB at 10 kB/s is 100 s by the clock, whatever this computer does."""

BATCH = Limit(120.0, 3600.0, "look for a loop in the exported C that does not end, or pass fewer rows")
"""Counted since its last rows: any number of them may take its time."""

SINGULAR = Limit(10.0, 600.0, "choose other coordinates")
"""A basis by Singular: one that takes longer is taken to be too large to be of use."""

PRINT_PAGE = Limit(120.0, 900.0, "open the page in a browser and print it there")
"""A browser starts and prints a report in some 0.7 s of CPU."""

UNICORN_S = 300.0
"""CPU seconds of one run in unicorn: one that takes longer is taken to hang."""

EMULATOR_START = Limit(20.0, 600.0, "start it by hand")
"""An emulator offers its port as it starts; one that computes for so long has no port to offer."""

END_S = 60.0
"""By the clock, how long a process that was killed, or a thread that was told to end, may take until it is gone."""

ASKED_S = 0.5
"""By the clock, how long a program that is asked to end may take before it is killed: a compiler removes some files."""

LAST_WORDS_S = 5.0
"""By the clock, how long an emulator whose link broke may take to end; its last words depend on it and no more."""

BOOT_S = 10.0
"""How long a device that was just started may take until it answers: our firmware takes milliseconds."""

REPLY_S = 2.0
"""How long the reply to one request may take: 20 times the 0.1 s of the longest frame at 115,200 baud."""

WAITING_FACTOR = 30.0
"""A device that is an emulator is given CPU seconds, and by the clock this many times as much: it may have a tenth of a
core, and it may be frozen without computing."""

RUN_MARGIN = 1.25
"""A board's oscillator may be off by a few percent, an RC oscillator by ten."""

RUN_SPARE_S = 10.0
"""For the end of a run, whatever its length."""

EMULATED_INSTRUCTIONS_PER_S = 4e7
"""Assumed, not measured: what an emulator does at least in a CPU second. One that does less is taken to be frozen."""


def free_run_s(activations: int, period_s: float, instruction_ns: int | None) -> float:
    """How long a free run may take: its activations times its period, with a margin.

    Args:
        activations: that were asked for.
        period_s: of the device's timer.
        instruction_ns: virtual time of an emulated instruction; None for a board.

    Returns:
        Seconds by the clock for a board, CPU seconds for an emulator.
    """
    lasts_s = activations * period_s
    if instruction_ns is None:
        return RUN_MARGIN * lasts_s + RUN_SPARE_S
    return lasts_s * 1e9 / instruction_ns / EMULATED_INSTRUCTIONS_PER_S + RUN_SPARE_S
