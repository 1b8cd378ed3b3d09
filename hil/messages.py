"""Payloads: the fields inside a packet, one frozen dataclass per message with its layout.

All little endian, natural alignment from the start of the payload, so that the C side copies whole structs.
Used by: `hil.session`; the C side is `targets/ecu/bench_protocol.h`.
"""

import struct
from dataclasses import astuple, dataclass, replace
from enum import IntEnum
from typing import Any, ClassVar, Self, TypeVar

from hil.errors import FramingError

MemberT = TypeVar("MemberT", bound=IntEnum)

MOST_ENTRIES = 65_535
"""Entries of one section of the records; a device that claims more is not believed."""


class Counter(IntEnum):
    """What the device measures durations with."""

    NONE = 0
    CYCLES = 1
    TIMER = 2
    SYSTICK = 3


COUNTER_NAMES: dict[Counter, str] = {
    Counter.NONE: "none",
    Counter.CYCLES: "DWT cycle counter",
    Counter.TIMER: "CMSDK APB timer",
    Counter.SYSTICK: "SysTick",
}


class StatisticsPart(IntEnum):
    """Which part of the records a STATS request asks for."""

    SUMMARY = 0
    HISTOGRAM = 1
    LOG = 2
    WORST = 3
    LATEST = 5  # 4 was an envelope of durations
    FINISHES = 6


class RunState(IntEnum):
    """Where the free run is."""

    IDLE = 0
    RUNNING = 1
    FINISHED = 2
    FAULTED = 3


class Fault(IntEnum):
    """What stopped the device's timer."""

    NONE = 0
    OVERRUNS = 1  # consecutive activations finished after their deadline
    STARVED = 2  # the timer runs but its interrupt does not come


FAULT_TEXT: dict[Fault, str] = {
    Fault.OVERRUNS: "consecutive activations finished after their deadline; it stopped its timer",
    Fault.STARVED: "its timer runs and the step is not activated",
}


class Outcome(IntEnum):
    """How an activation ended; the device's word for it."""

    IN_TIME = 0
    OVERRUN = 1  # the step itself took longer than the deadline
    LATE_START = 2  # the step was short enough but began too late to finish in time
    SKIPPED = 3  # releases that were never served


@dataclass(frozen=True, slots=True)
class Boot:
    """Sent once after every reset (BOOT event)."""

    export_id: int
    cause: int  # reset cause register of the chip, 0 where there is none

    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<II")

    @classmethod
    def unpack(cls, payload: bytes) -> Self:
        """Read a BOOT event."""
        return cls(*fields_of(cls.LAYOUT, payload, "BOOT"))


@dataclass(frozen=True, slots=True)
class Nack:
    """Refusal with the receiver's counters (NACK reply)."""

    reason: int  # protocol.Reason
    type: int  # of the request, 0 when it could not be decoded
    expected: int  # sequence number that the device waits for
    damaged: int  # frames with a bad CRC, stuffing or length since reset
    lost_bytes: int  # bytes that found the receive buffer full

    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BBHII")

    @classmethod
    def unpack(cls, payload: bytes) -> Self:
        """Read a NACK."""
        return cls(*fields_of(cls.LAYOUT, payload, "NACK"))

    def pack(self) -> bytes:
        """Write a NACK."""
        return self.LAYOUT.pack(self.reason, self.type, self.expected, self.damaged, self.lost_bytes)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Start a free run (RUN request); zero activations stop one."""

    activations: int
    period_ticks: int  # of the counter
    timer_ticks: int  # the same period, of the timer
    deadline_ticks: int  # of the counter, after the release
    latch_after: int  # consecutive misses that latch the fault
    envelope_block: int  # activations per point of the envelope
    vectors: int  # stored vectors to go through in a ring

    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<IIIIIIHH")

    def pack(self) -> bytes:
        """Write a RUN request."""
        return self.LAYOUT.pack(*astuple(self), 0)


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything of a free run that is one number (STATS reply, section SUMMARY)."""

    state: int  # RunState
    fault: int  # Fault
    requested: int
    ran: int
    skipped: int
    missed: int  # executed and finished after the deadline
    longest_run: int  # most consecutive misses, skipped ones included
    coalesced: int  # interrupts that came for a release already served
    period_ticks: int
    deadline_ticks: int
    latch_after: int
    duration_min: int
    duration_max: int
    duration_sum: int
    late_min: int
    late_max: int
    late_sum: int
    response_max: int  # release to finish
    flagged: int  # activations whose status was not zero
    status_or: int
    digest: int  # CRC-32 over status and outputs of all activations, see docs/wire-protocol.md
    worst_index: int  # of the longest duration
    latest_index: int  # of the latest start
    histogram_used: int
    histogram_lost: int
    log_used: int
    log_lost: int
    worst_used: int
    envelope_used: int
    envelope_block: int
    response_index: int  # of the latest finish
    latest_used: int = 0  # entries around it; the third number on the wire

    LAYOUT: ClassVar[struct.Struct] = struct.Struct("<BBH11IQIIQ14I")

    @classmethod
    def unpack(cls, payload: bytes) -> Self:
        """Read a STATS summary."""
        state, fault, latest, *numbers = fields_of(cls.LAYOUT, payload, "STATS summary")
        known = cls(member_of(RunState, state, "run state"), member_of(Fault, fault, "fault"), *numbers)
        summary = replace(known, latest_used=latest)
        used = (summary.histogram_used, summary.log_used, summary.worst_used, summary.envelope_used, latest)
        if summary.ran + summary.skipped > summary.requested or max(used) > MOST_ENTRIES:
            raise FramingError(
                f"the device's numbers cannot be: {summary.ran:,} activations ran and {summary.skipped:,} were skipped "
                f"of {summary.requested:,}, its records have {max(used):,} entries (at most {MOST_ENTRIES:,})"
            )
        return summary


@dataclass(frozen=True, slots=True)
class Record:
    """One activation as the device logged it (STATS reply, sections LOG, WORST and LATEST)."""

    index: int
    late_ticks: int  # start of the step minus release
    duration_ticks: int
    response_ticks: int  # release to finish
    status: int
    skipped: int  # how many releases, when the outcome is SKIPPED
    vector: int
    outcome: int  # Outcome
    row: tuple[float, ...]  # state, then inputs, as the step saw them

    HEAD: ClassVar[struct.Struct] = struct.Struct("<IIIIIIHBBI")

    @classmethod
    def unpack_from(cls, payload: bytes, offset: int, reals: struct.Struct) -> Self:
        """Read the record at `offset`; `reals` is the layout of a row.

        The payload must hold it: its length is checked by the caller. Raises `FramingError` on an unknown outcome.
        """
        index, late, duration, response, status, skipped, vector, outcome, _, _ = cls.HEAD.unpack_from(payload, offset)
        row = reals.unpack_from(payload, offset + cls.HEAD.size)
        outcome = member_of(Outcome, outcome, "outcome of an activation")
        return cls(index, late, duration, response, status, skipped, vector, outcome, row)


def member_of(members: type[MemberT], value: int, what: str) -> MemberT:
    """The member of this number; raises `FramingError` where the protocol has none."""
    try:
        return members(value)
    except ValueError as error:
        names = ", ".join(f"{member.value} {member.name}" for member in members)
        raise FramingError(
            f"the device says {what} {value}, which the protocol does not know; it knows {names}"
        ) from error


def reals_layout(count: int, real_bytes: int) -> struct.Struct:
    """Layout of `count` reals of the generated type."""
    return struct.Struct(f"<{count}{'f' if real_bytes == 4 else 'd'}")


def fields_of(layout: struct.Struct, payload: bytes, what: str) -> tuple[Any, ...]:
    """The fields of a payload of a fixed layout; raises `FramingError` where its length is another."""
    if len(payload) != layout.size:
        raise FramingError(f"a {what} payload has {len(payload)} bytes where the protocol says {layout.size}")
    return layout.unpack(payload)
