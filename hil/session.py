"""A session with a device: identity first, then rows in lockstep or a free run.

In: a link and the export that the device should run. Out: outputs, ticks and records. The device answers no request
but HELLO before OPEN named the same model. The other side is `targets/ecu/bench_main.c`.
"""

import secrets
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.errors import FrameTimeout, FramingError, Refused, WrongFirmware
from hil.exchange import Exchange, Limits
from hil.links.link import Link
from hil.messages import Fault, Hello, Record, RunRequest, RunState, Section, Summary, reals_layout
from hil.protocol import Flag, Type
from hil.traffic import Traffic

OPEN = struct.Struct("<I32sI")
ROW_HEAD = struct.Struct("<II")  # status, ticks
BATCH_HEAD = struct.Struct("<HHI")  # rows, first slot, reserved
STATS_REQUEST = struct.Struct("<BBHI")  # section, reserved, reserved, offset
STATS_HEAD = struct.Struct("<BBHI")  # section, reserved, entries, offset
PAIR = struct.Struct("<II")


@dataclass(frozen=True, slots=True)
class Identity:
    """What the firmware must be."""

    export_id: int
    model_hash: bytes  # 32 bytes
    row_inputs: int
    row_outputs: int
    state_values: int
    operations: int
    build_id: int = 0  # 0: any build of that export


@dataclass(frozen=True, slots=True)
class Stepped:
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
    envelope: tuple[tuple[int, int], ...]  # least and greatest duration of each block of activations


class Session:
    """An open conversation. Use as a context manager, or call `close`."""

    def __init__(self, link: Link, limits: Limits, expect_boot: bool = False) -> None:
        """Ask the device who it is; with `expect_boot` wait for the frame that follows its start."""
        self._exchange = Exchange(link, limits)
        try:
            if expect_boot:
                self._exchange.await_boot()
            self.hello = Hello.unpack(self._exchange.request(Type.HELLO))
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

    def open(self, expected: Identity) -> None:
        """Hold the device's identity against `expected` and open a session.

        Raises `WrongFirmware` naming both hashes; the device checks as well and refuses by itself.
        """
        _check_identity(self.hello, expected)
        self._exchange.session = secrets.randbelow(0xFFFF) + 1
        payload = OPEN.pack(expected.export_id, expected.model_hash, expected.build_id)
        try:
            self._exchange.request(Type.OPEN, payload)
        except Refused as error:
            self._exchange.session = 0
            raise WrongFirmware(f"{error}; load the firmware that belongs to this export") from error

    def step(self, rows: NDArray[np.floating], with_state: bool) -> Stepped:
        """Step once for each row of `rows` (n, row_inputs or inputs without the state), in lockstep.

        With `with_state` a row begins with the state from which to step; without it the device's own state goes on.
        """
        layout = self._full_inputs if with_state else self._inputs
        real = np.float32 if self.hello.real_bytes == 4 else np.float64
        data = np.ascontiguousarray(rows, dtype=real)
        answer = np.dtype([("status", "<u4"), ("ticks", "<u4"), ("outputs", real, (self.hello.row_outputs,))])
        size = self._rows_per_batch(layout)
        parts = [self._batch(data[i : i + size], with_state, answer.itemsize) for i in range(0, len(data), size)]
        table = np.frombuffer(b"".join(parts), dtype=answer)
        return Stepped(table["outputs"].copy(), table["status"].copy(), table["ticks"].copy())

    def step_once(self, row: tuple[float, ...], with_state: bool) -> tuple[int, int, tuple[float, ...]]:
        """Step for one row with a STEP packet; returns status, ticks and outputs."""
        layout = self._full_inputs if with_state else self._inputs
        payload = self._exchange.request(Type.STEP, layout.pack(*row), Flag.WITH_STATE if with_state else Flag.NONE)
        _expect_length("STEP", payload, ROW_HEAD.size + self._outputs.size)
        status, ticks = ROW_HEAD.unpack_from(payload)
        return status, ticks, self._outputs.unpack_from(payload, ROW_HEAD.size)

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
        """Start a free run; raises `Refused` when the device has no counter, a latched fault or too few vectors."""
        self._exchange.request(Type.RUN, request.pack())

    def await_end(self, limit_s: float) -> None:
        """Wait until the free run ended by itself or by a fault; raises `FrameTimeout` naming how far it came.

        The link is silent meanwhile: a poll would interrupt the activations that are measured.
        """
        if self._exchange.await_event(Type.STATS, limit_s) is not None:
            return
        summary = self.summary()
        if summary.state == RunState.RUNNING:
            raise FrameTimeout(
                f"the free run came to activation {summary.ran + summary.skipped} of {summary.requested} "
                f"in {limit_s:g} s; raise [timeouts] run, or look why the timer interrupt stays away"
            )

    def summary(self) -> Summary:
        """Read the run's numbers; during a run only its state and counts are of one moment."""
        return Summary.unpack(self._stats(Section.SUMMARY, 0)[1])

    def records(self) -> FreeRun:
        """Fetch everything that the last free run left behind."""
        summary = self.summary()
        record_bytes = Record.HEAD.size + self._full_inputs.size
        pairs = [PAIR.unpack(part) for part in self._entries(Section.HISTOGRAM, summary.histogram_used, PAIR.size)]
        envelope = [PAIR.unpack(part) for part in self._entries(Section.ENVELOPE, summary.envelope_used, PAIR.size)]
        log = self._entries(Section.LOG, summary.log_used, record_bytes)
        worst = self._entries(Section.WORST, summary.worst_used, record_bytes)
        return FreeRun(
            summary=summary,
            histogram=dict(sorted(pairs)),
            log=tuple(Record.unpack_from(part, 0, self._full_inputs) for part in log),
            worst=tuple(Record.unpack_from(part, 0, self._full_inputs) for part in worst),
            envelope=tuple(envelope),
        )

    def fault(self, clear: bool = False) -> Fault:
        """Read the latched fault; with `clear` remove it, so that a free run can start again."""
        payload = self._exchange.request(Type.FAULT, b"", Flag.CLEAR if clear else Flag.NONE)
        _expect_length("FAULT", payload, PAIR.size)
        return Fault(PAIR.unpack(payload)[0])

    def _rows_per_batch(self, layout: struct.Struct) -> int:
        room = self.hello.max_payload - BATCH_HEAD.size
        return max(1, min(room // max(1, layout.size), room // (ROW_HEAD.size + self._outputs.size)))

    def _batch(self, rows: NDArray[Any], with_state: bool, answer_bytes: int) -> bytes:
        flags = Flag.WITH_STATE if with_state else Flag.NONE
        payload = self._exchange.request(Type.BATCH, BATCH_HEAD.pack(len(rows), 0, 0) + rows.tobytes(), flags)
        _expect_length("BATCH", payload, BATCH_HEAD.size + len(rows) * answer_bytes)
        return payload[BATCH_HEAD.size :]

    def _stats(self, section: Section, offset: int) -> tuple[int, bytes]:
        payload = self._exchange.request(Type.STATS, STATS_REQUEST.pack(section, 0, 0, offset))
        if len(payload) < STATS_HEAD.size:
            raise FramingError(f"a STATS answer of {len(payload)} bytes is shorter than its head")
        answered, _, count, at = STATS_HEAD.unpack_from(payload)
        if (answered, at) != (section, offset):
            raise FramingError(f"STATS answered section {answered} at {at} where {section.name} at {offset} was asked")
        return count, payload[STATS_HEAD.size :]

    def _entries(self, section: Section, total: int, size: int) -> list[bytes]:
        parts: list[bytes] = []
        while len(parts) < total:
            count, data = self._stats(section, len(parts))
            _expect_length(f"STATS {section.name}", data, count * size)
            if count == 0:
                raise FramingError(f"STATS {section.name} ended after {len(parts)} of {total} entries")
            parts += [data[i * size : (i + 1) * size] for i in range(count)]
        return parts


def _check_identity(hello: Hello, expected: Identity) -> None:
    if hello.model_hash != expected.model_hash or hello.export_id != expected.export_id:
        raise WrongFirmware(
            f"the device runs model {hello.model_hash.hex()[:16]} (export {hello.export_id:08x}), the export on disk "
            f"is model {expected.model_hash.hex()[:16]} (export {expected.export_id:08x}); "
            "load the firmware that belongs to this export"
        )
    runs = (hello.row_inputs, hello.row_outputs, hello.state_values, hello.operations)
    wanted = (expected.row_inputs, expected.row_outputs, expected.state_values, expected.operations)
    if runs != wanted:
        raise WrongFirmware(
            f"the device runs another function of this export: inputs, outputs, state values and operations are "
            f"{runs}, expected {wanted}; correct [bench] function or load the other firmware"
        )
    if expected.build_id and hello.build_id != expected.build_id:
        raise WrongFirmware(
            f"the device runs build {hello.build_id:08x}, the bench expects build {expected.build_id:08x}; "
            "load the firmware that was just built"
        )


def _expect_length(what: str, payload: bytes, length: int) -> None:
    if len(payload) != length:
        raise FramingError(f"a {what} answer has {len(payload)} bytes where this export needs {length}")
