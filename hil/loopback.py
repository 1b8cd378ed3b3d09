"""The software backend: a device made of a Python function, on the far end of a loop link.

It speaks the same protocol as the firmware, so the host's side is the same for all backends. It has no counter: it
answers rows in lockstep and refuses a free run, because times on a desktop are no evidence.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.errors import FramingError, LinkError
from hil.framing import Deframer, wrap
from hil.hello import Hello
from hil.identity import Identity
from hil.links.link import Link
from hil.messages import Counter, Nack
from hil.protocol import LONGEST_FRAME, MAX_PAYLOAD, Flag, Packet, Reason, Type, pack, packet_in
from hil.session import BATCH_HEAD, ENTRY_PAIR, OPEN_REQUEST, PARAMETERS_HEAD

Step = Callable[[NDArray[Any], NDArray[Any]], tuple[NDArray[Any], NDArray[np.uint32]]]
"""Rows (n, row_inputs) and tunable parameters to outputs (n, row_outputs) and status (n,), of the generated type."""

Recalibrate = Callable[[NDArray[Any]], int]
"""Tunable parameters to the status of recalibrate."""


def _takes_all(_: NDArray[Any]) -> int:
    return 0


VECTOR_SLOTS = 512  # as the device tells in HELLO


@dataclass(slots=True)
class LoopDevice:
    """State of the device; `serve` is its main loop."""

    identity: Identity
    real_bytes: int
    step: Step
    link: Link
    nominal: tuple[float, ...] = ()  # tunable parameters
    recalibrate: Recalibrate = _takes_all
    session: int = 0
    last: int = 0  # sequence number of the last request that was served, in whatever session
    damaged: int = 0
    kept: tuple[Packet, Packet] | None = None  # the last request and its answer, for a request that comes again
    state: NDArray[Any] = field(default_factory=lambda: np.zeros(0))
    parameters: "LoopParameters" = field(init=False)
    stopping: threading.Event = field(default_factory=threading.Event)

    def serve(self) -> None:
        """Answer until the link is closed or `stopping` is set."""
        deframer = Deframer(LONGEST_FRAME)
        self.state = np.zeros(self.identity.state_values, dtype=self.real)
        self.parameters = LoopParameters(self.nominal, self.real, self.recalibrate)
        try:
            while not self.stopping.is_set():
                for frame in deframer.feed(self.link.read()):
                    self._take(frame)
        except LinkError:
            return

    @property
    def real(self) -> str:
        """Type of a real on the wire."""
        return "<f4" if self.real_bytes == 4 else "<f8"

    def _take(self, frame: bytes) -> None:
        try:
            request = packet_in(frame)
        except FramingError:
            self.damaged += 1
            self._send(Packet(Type.NACK, self.session, Flag.EVENT, self.last, self._nack(Reason.UNDECODABLE, 0)))
            return
        if request.flags & (Flag.REPLY | Flag.EVENT):
            return  # an echo of the line: devices send these
        if request.type is Type.HELLO:
            self._send(Packet(Type.HELLO, request.session, Flag.REPLY, request.sequence, self._hello()))
        elif self.kept is not None and request == self.kept[0]:
            self._send(replace(self.kept[1], flags=self.kept[1].flags | Flag.REPEATED))
        elif (reason := self._check(request)) is not None:
            self._send(self._refusal(request, reason))
        else:
            self._answer(request)

    def _refusal(self, request: Packet, reason: Reason) -> Packet:
        return Packet(Type.NACK, request.session, Flag.REPLY, request.sequence, self._nack(reason, request.type))

    def _check(self, request: Packet) -> Reason | None:
        if not request.session or (request.type is not Type.OPEN and request.session != self.session):
            return Reason.NO_SESSION
        return None if request.sequence == (self.last + 1) & 0xFFFF else Reason.OUT_OF_ORDER

    def _answer(self, request: Packet) -> None:
        served = self._serve(request)
        self.last = request.sequence
        if isinstance(served, Reason):
            answer = self._refusal(request, served)
        else:
            if request.type is Type.OPEN:
                self.session = request.session
            answer = Packet(request.type, request.session, Flag.REPLY, request.sequence, served)
        self.kept = (request, answer)
        self._send(answer)

    def _serve(self, request: Packet) -> bytes | Reason:
        doing: dict[Type, Callable[[], bytes | Reason]] = {
            Type.OPEN: lambda: self._open(request.payload),
            Type.STEP: lambda: self._rows(request.payload, request.flags, 1),
            Type.BATCH: lambda: self._batch(request),
            Type.SETSTATE: lambda: self._set_state(request.payload),
            Type.GETSTATE: lambda: bytes(self.state.tobytes()),
            Type.RUN: lambda: Reason.NO_COUNTER,
            Type.FAULT: lambda: ENTRY_PAIR.pack(0, 0),
            Type.PARAMETERS: lambda: self.parameters.serve(request),
        }
        return doing.get(request.type, lambda: Reason.UNSUPPORTED)()

    def _hello(self) -> bytes:
        wanted = self.identity
        hello = Hello(
            export_id=wanted.export_id, model_hash=wanted.model_hash, build_id=wanted.build_id,
            max_payload=MAX_PAYLOAD, real_bytes=self.real_bytes, counter=Counter.NONE, counter_bits=0, counter_moves=0,
            row_inputs=wanted.row_inputs, row_outputs=wanted.row_outputs, state_values=wanted.state_values,
            vector_slots=VECTOR_SLOTS, parameters=wanted.parameters, counter_hz=0, timer_hz=0, overhead_ticks=0,
            operations=wanted.operations, digest_ticks=0, next_sequence=(self.last + 1) & 0xFFFF, hardware_reals=1,
        )  # fmt: skip
        return hello.pack()

    def _open(self, payload: bytes) -> bytes | Reason:
        if len(payload) != OPEN_REQUEST.size:
            return Reason.BAD_LENGTH
        export_id, model_hash, build_id = OPEN_REQUEST.unpack(payload)
        is_same = (export_id, model_hash) == (self.identity.export_id, self.identity.model_hash)
        is_build = build_id in (0, self.identity.build_id)
        if not is_same or not is_build:
            return Reason.OTHER_MODEL
        self.parameters = LoopParameters(self.nominal, self.real, self.recalibrate)
        return b""

    def _set_state(self, payload: bytes) -> bytes | Reason:
        if len(payload) != self.state.nbytes:
            return Reason.BAD_LENGTH
        self.state = np.frombuffer(payload, dtype=self.real)
        return b""

    def _batch(self, request: Packet) -> bytes | Reason:
        if len(request.payload) < BATCH_HEAD.size:
            return Reason.BAD_LENGTH
        if Flag.STORE in request.flags:
            return b""
        count, _, _ = BATCH_HEAD.unpack_from(request.payload)
        rows = self._rows(request.payload[BATCH_HEAD.size :], request.flags, count)
        return rows if isinstance(rows, Reason) else BATCH_HEAD.pack(count, 0, 0) + rows

    def _rows(self, payload: bytes, flags: Flag, count: int) -> bytes | Reason:
        width = self.identity.row_inputs - (0 if Flag.WITH_STATE in flags else self.identity.state_values)
        if len(payload) != count * width * self.real_bytes:
            return Reason.BAD_LENGTH
        rows = np.frombuffer(payload, dtype=self.real).reshape(count, width)
        return b"".join(self._row(row, flags) for row in rows)

    def _row(self, row: NDArray[Any], flags: Flag) -> bytes:
        full = row if Flag.WITH_STATE in flags else np.concatenate([self.state, row])
        outputs, status = self.step(full[None, :], self.parameters.in_force)
        self.state = outputs[0, : self.identity.state_values].astype(self.real)
        return ENTRY_PAIR.pack(int(status[0]), 0) + bytes(outputs[0].astype(self.real).tobytes())

    def _nack(self, reason: Reason, kind: int) -> bytes:
        return Nack(reason, kind, (self.last + 1) & 0xFFFF, self.damaged, 0).pack()

    def _send(self, packet: Packet) -> None:
        self.link.write(wrap(pack(packet)))


class LoopParameters:
    """Tunable parameters of the device: given in parts, taken as one set, or not at all where it is flagged."""

    def __init__(self, nominal: tuple[float, ...], real: str, recalibrate: Recalibrate) -> None:
        self.in_force = np.array(nominal, dtype=real)
        self._staged = self.in_force.copy()
        self._recalibrate = recalibrate
        self._status = 0

    def serve(self, request: Packet) -> bytes | Reason:
        """Answer a PARAMETERS request."""
        if len(request.payload) < PARAMETERS_HEAD.size:
            return Reason.BAD_LENGTH
        first, count, _ = PARAMETERS_HEAD.unpack_from(request.payload)
        given = request.payload[PARAMETERS_HEAD.size :]
        if len(given) != (count * self.in_force.itemsize if Flag.SET in request.flags else 0):
            return Reason.BAD_LENGTH
        if first + count > len(self.in_force):
            return Reason.OUT_OF_RANGE
        if Flag.SET in request.flags:
            self._staged[first : first + count] = np.frombuffer(given, dtype=self.in_force.dtype)
        if Flag.APPLY in request.flags:
            self._apply()
        part = self.in_force[first : first + count].tobytes()
        return PARAMETERS_HEAD.pack(first, count, self._status) + bytes(part)

    def _apply(self) -> None:
        self._status = self._recalibrate(self._staged)
        if self._status == 0:
            self.in_force = self._staged.copy()
        else:
            self._staged = self.in_force.copy()


def start_loop_device(device: LoopDevice) -> threading.Thread:
    """Run the device in a thread of its own until its link closes."""
    thread = threading.Thread(target=device.serve, name="loop device", daemon=True)
    thread.start()
    return thread
