"""A session with a device: identity first, then rows in lockstep or a free run.

In: a link and the export that the device should run. Out: outputs, ticks and records. The device answers no request
but HELLO before OPEN named the same model. The other side is `targets/ecu/bench_main.c`.
"""

import secrets
import struct
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exporter.progress import counted, unnamed
from hil.errors import BenchError, FrameTimeout, FramingError, RefusedRequest, WrongFirmware
from hil.exchange import Exchange, WaitLimits
from hil.hello import Hello
from hil.identity import Identity, check_identity
from hil.links.link import Link
from hil.messages import Fault, Record, RunRequest, RunState, StatisticsPart, Summary, member_of, reals_layout
from hil.protocol import Flag, Reason, Type
from hil.traffic import Traffic

OPEN_REQUEST = struct.Struct("<I32sI")  # export id, model hash, build id
ROW_HEAD = struct.Struct("<II")  # status, ticks
BATCH_HEAD = struct.Struct("<HHI")  # rows, first slot, reserved
STATS_REQUEST = struct.Struct("<BBHI")  # section, reserved, reserved, offset
STATS_HEAD = struct.Struct("<BBHI")  # section, reserved, entries, offset
ENTRY_PAIR = struct.Struct("<II")  # an entry of a histogram or an envelope; a fault
PARAMETERS_HEAD = struct.Struct("<HHI")  # first, count, status


@dataclass(frozen=True, slots=True)
class StepAnswers:
    """Answers of the device, one row per vector."""

    outputs: NDArray[np.floating]  # (n, row_outputs), of the generated type
    status: NDArray[np.uint32]  # (n,)
    ticks: NDArray[np.uint32]  # (n,), of the device's counter, measuring overhead included


@dataclass(frozen=True, slots=True)
class FreeRun:
    """All that the device recorded during a free run."""

    summary: Summary
    histogram: dict[int, int]  # duration in ticks -> activations, exact unless summary.histogram_lost
    log: tuple[Record, ...]  # violations with three activations before and after
    worst: tuple[Record, ...]  # the longest durations
    envelope: tuple[tuple[int, int], ...]  # least and greatest finish after the release of each block of activations
    latest: tuple[Record, ...] = ()  # the latest finish with three activations before and after


class Session:
    """An open conversation. Use as a context manager, or call `close`."""

    def __init__(self, link: Link, limits: WaitLimits, just_started: bool = False, by_row: bool = False) -> None:
        """Ask the device who it is; one that was `just_started` may take the limit of its boot until it answers."""
        self._exchange = Exchange(link, limits)
        self._by_row = by_row  # one request for each row: a link that carries rows as signals
        try:
            self.greet(just_started)
        except BaseException:
            self._exchange.close()
            raise
        self._inputs = reals_layout(self.hello.row_inputs - self.hello.state_values, self.hello.real_bytes)
        self._full_inputs = reals_layout(self.hello.row_inputs, self.hello.real_bytes)
        self._outputs = reals_layout(self.hello.row_outputs, self.hello.real_bytes)

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the conversation and release the link."""
        self._exchange.close()

    @property
    def traffic(self) -> Traffic:
        """Retries, refusals and resets so far."""
        return self._exchange.traffic

    def greet(self, just_started: bool = False) -> None:
        """Ask the device who it is and which request it serves next; at any time."""
        exchange = self._exchange
        self.hello = Hello.unpack(exchange.reach() if just_started else exchange.request(Type.HELLO))
        exchange.go_on_from(self.hello.next_sequence)

    def count_apart(self) -> AbstractContextManager[Traffic]:
        """Count what happens on the link meanwhile in counters of its own, which come with the context."""
        return self._exchange.count_apart()

    def open(self, expected: Identity) -> None:
        """Hold the device's identity against `expected` and open a session.

        The device's parameters are nominal from here on. Raises `WrongFirmware` naming both hashes; the device checks
        as well and refuses by itself.
        """
        check_identity(self.hello, expected)
        self._exchange.session = secrets.randbelow(0xFFFF) + 1
        payload = OPEN_REQUEST.pack(expected.export_id, expected.model_hash, expected.build_id)
        try:
            self._exchange.request(Type.OPEN, payload)
        except RefusedRequest as error:
            self._exchange.session = 0
            if error.reason != Reason.OTHER_MODEL:
                raise
            raise WrongFirmware(f"{error}; load the firmware that belongs to this export") from error

    def step(self, rows: NDArray[np.floating], with_state: bool) -> StepAnswers:
        """Step once for each row of `rows` (n, row_inputs or inputs without the state), in lockstep.

        With `with_state` a row begins with the state from which to step; without it the device's own state goes on.
        """
        real = np.float32 if self.hello.real_bytes == 4 else np.float64
        data = np.ascontiguousarray(rows, dtype=real)
        answer = np.dtype([("status", "<u4"), ("ticks", "<u4"), ("outputs", real, (self.hello.row_outputs,))])
        size = 1 if self._by_row else self._rows_per_batch(self._full_inputs if with_state else self._inputs)
        starts = counted("request", range(0, len(data), size), unnamed)
        parts = [self._answers(data[i : i + size], with_state, answer.itemsize) for i in starts]
        table = np.frombuffer(b"".join(parts), dtype=answer)
        return StepAnswers(table["outputs"].copy(), table["status"].copy(), table["ticks"].copy())

    def step_once(self, row: tuple[float, ...], with_state: bool) -> tuple[int, int, tuple[float, ...]]:
        """Step for one row with a STEP packet; returns status, ticks and outputs."""
        layout = self._full_inputs if with_state else self._inputs
        payload = self._row(layout.pack(*row), with_state, ROW_HEAD.size + self._outputs.size)
        status, ticks = ROW_HEAD.unpack_from(payload)
        return status, ticks, self._outputs.unpack_from(payload, ROW_HEAD.size)

    def step_bytes(self, row: bytes, with_state: bool) -> int:
        """Step for the bytes of one row; returns the status."""
        payload = self._row(row, with_state, ROW_HEAD.size + self._outputs.size)
        return int(ROW_HEAD.unpack_from(payload)[0])

    def set_state(self, state: tuple[float, ...]) -> None:
        """Set the state from which the device's next step goes on."""
        layout = reals_layout(self.hello.state_values, self.hello.real_bytes)
        self._exchange.request(Type.SETSTATE, layout.pack(*state))

    def get_state(self) -> tuple[float, ...]:
        """Read the device's state."""
        payload = self._exchange.request(Type.GETSTATE)
        layout = reals_layout(self.hello.state_values, self.hello.real_bytes)
        _expect_length("GETSTATE", payload, layout.size)
        return layout.unpack(payload)

    def set_parameters(self, values: Sequence[float]) -> int:
        """Give the device all tunable parameters, in struct order, as one set, and read back what is in force.

        Returns the status of recalibrate. Where it is not 0 the device took nothing: the set before stays in force.
        Raises `BenchError` where the device took the set and holds other bits.
        """
        with np.errstate(over="ignore"):
            reals = np.asarray(values, dtype=f"<f{self.hello.real_bytes}").tobytes()
        size = self._parameters_per_packet()
        for first in range(0, len(values), size):
            count = min(size, len(values) - first)
            part = reals[first * self.hello.real_bytes : (first + count) * self.hello.real_bytes]
            flags = Flag.SET | (Flag.APPLY if first + count == len(values) else Flag.NONE)
            self._parameters(first, count, part, flags)
        in_force, status = self.get_parameters()
        if status == 0 and reals_layout(len(in_force), self.hello.real_bytes).pack(*in_force) != reals:
            raise BenchError(f"the device was given the parameters {list(values)} and holds {list(in_force)}")
        return status

    def get_parameters(self) -> tuple[tuple[float, ...], int]:
        """Read the tunable parameters in force, and the status of recalibrate for the set that was given last."""
        values: list[float] = []
        status, size, total = 0, self._parameters_per_packet(), self.hello.parameters
        while len(values) < total:
            count = min(size, total - len(values))
            part, status = self._parameters(len(values), count, b"", Flag.NONE)
            values += part
        return tuple(values), status

    def store_vectors(self, rows: NDArray[np.floating]) -> int:
        """Store rows of inputs (without the state) as the ring that a free run goes through; returns how many fit."""
        real = np.float32 if self.hello.real_bytes == 4 else np.float64
        data = np.ascontiguousarray(rows[: self.hello.vector_slots], dtype=real)
        size = max(1, (self.hello.max_payload - BATCH_HEAD.size) // max(1, self._inputs.size))
        for first in range(0, len(data), size):
            part = data[first : first + size]
            self._exchange.request(Type.BATCH, BATCH_HEAD.pack(len(part), first, 0) + part.tobytes(), Flag.STORE)
        return len(data)

    def start(self, request: RunRequest) -> None:
        """Start a free run; `RefusedRequest` where the device has no counter, a latched fault or too few vectors."""
        self._exchange.request(Type.RUN, request.pack())

    def await_end(self, limit_s: float) -> None:
        """Wait until the free run ended by itself or by a fault; raises `FrameTimeout` naming how far it came.

        The link is silent meanwhile: a poll would interrupt the activations that are measured.
        """
        wait = self._exchange.wait(limit_s)
        while self._exchange.await_event(Type.STATS, wait) is not None:
            if self.summary().state != RunState.RUNNING:  # else it tells the end of another run, late
                return
        summary = self.summary()
        if summary.state == RunState.RUNNING:
            raise FrameTimeout(
                f"the free run came to activation {summary.ran + summary.skipped} of {summary.requested} "
                f"in {limit_s:.3g} {self._exchange.limits.clock.unit}; raise [timeouts] run, or look why the timer "
                "interrupt stays away"
            )

    def summary(self) -> Summary:
        """Read the run's numbers; during a run only its state and counts are of one moment."""
        return Summary.unpack(self._stats(StatisticsPart.SUMMARY, 0)[1])

    def records(self) -> FreeRun:
        """Fetch everything that the last free run left behind."""
        summary = self.summary()
        record_bytes = Record.HEAD.size + self._full_inputs.size
        pairs = [
            ENTRY_PAIR.unpack(part)
            for part in self._entries(StatisticsPart.HISTOGRAM, summary.histogram_used, ENTRY_PAIR.size)
        ]
        envelope = [
            ENTRY_PAIR.unpack(part)
            for part in self._entries(StatisticsPart.FINISHES, summary.envelope_used, ENTRY_PAIR.size)
        ]
        log = self._entries(StatisticsPart.LOG, summary.log_used, record_bytes)
        worst = self._entries(StatisticsPart.WORST, summary.worst_used, record_bytes)
        latest = self._entries(StatisticsPart.LATEST, summary.latest_used, record_bytes)
        return FreeRun(
            summary=summary,
            histogram={ticks: count for ticks, count in sorted(pairs) if count},
            log=self._activations(log),
            worst=self._activations(worst),
            envelope=tuple(envelope),
            latest=self._activations(latest),
        )

    def fault(self, clear: bool = False) -> Fault:
        """Read the latched fault; with `clear` remove it, so that a free run can start again."""
        payload = self._exchange.request(Type.FAULT, b"", Flag.CLEAR if clear else Flag.NONE)
        _expect_length("FAULT", payload, ENTRY_PAIR.size)
        return member_of(Fault, ENTRY_PAIR.unpack(payload)[0], "fault")

    def _activations(self, parts: Sequence[bytes]) -> tuple[Record, ...]:
        return tuple(Record.unpack_from(part, 0, self._full_inputs) for part in parts)

    def _parameters_per_packet(self) -> int:
        return (self.hello.max_payload - PARAMETERS_HEAD.size) // self.hello.real_bytes

    def _parameters(self, first: int, count: int, reals: bytes, flags: Flag) -> tuple[tuple[float, ...], int]:
        """One PARAMETERS request; the reals in force at these places, and the status."""
        payload = self._exchange.request(Type.PARAMETERS, PARAMETERS_HEAD.pack(first, count, 0) + reals, flags)
        layout = reals_layout(count, self.hello.real_bytes)
        _expect_length("PARAMETERS", payload, PARAMETERS_HEAD.size + layout.size)
        return layout.unpack_from(payload, PARAMETERS_HEAD.size), PARAMETERS_HEAD.unpack_from(payload)[2]

    def _rows_per_batch(self, layout: struct.Struct) -> int:
        room = self.hello.max_payload - BATCH_HEAD.size
        return max(1, min(room // max(1, layout.size), room // (ROW_HEAD.size + self._outputs.size)))

    def _row(self, row: bytes, with_state: bool, answer_bytes: int) -> bytes:
        payload = self._exchange.request(Type.STEP, row, Flag.WITH_STATE if with_state else Flag.NONE)
        _expect_length("STEP", payload, answer_bytes)
        return payload

    def _answers(self, rows: NDArray[Any], with_state: bool, answer_bytes: int) -> bytes:
        if self._by_row:
            return self._row(rows.tobytes(), with_state, answer_bytes)
        flags = Flag.WITH_STATE if with_state else Flag.NONE
        payload = self._exchange.request(Type.BATCH, BATCH_HEAD.pack(len(rows), 0, 0) + rows.tobytes(), flags)
        _expect_length("BATCH", payload, BATCH_HEAD.size + len(rows) * answer_bytes)
        return payload[BATCH_HEAD.size :]

    def _stats(self, section: StatisticsPart, offset: int) -> tuple[int, bytes]:
        payload = self._exchange.request(Type.STATS, STATS_REQUEST.pack(section, 0, 0, offset))
        if len(payload) < STATS_HEAD.size:
            raise FramingError(f"a STATS answer of {len(payload)} bytes is shorter than its head")
        answered, _, count, at = STATS_HEAD.unpack_from(payload)
        if (answered, at) != (section, offset):
            raise FramingError(f"STATS answered section {answered} at {at} where {section.name} at {offset} was asked")
        return count, payload[STATS_HEAD.size :]

    def _entries(self, section: StatisticsPart, total: int, size: int) -> list[bytes]:
        parts: list[bytes] = []
        while len(parts) < total:
            count, data = self._stats(section, len(parts))
            _expect_length(f"STATS {section.name}", data, count * size)
            if count == 0:
                raise FramingError(f"STATS {section.name} ended after {len(parts)} of {total} entries")
            parts += [data[i * size : (i + 1) * size] for i in range(count)]
        return parts


def _expect_length(what: str, payload: bytes, length: int) -> None:
    if len(payload) != length:
        raise FramingError(f"a {what} answer has {len(payload)} bytes where this export needs {length}")
