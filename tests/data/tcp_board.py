"""A board at a TCP port for tests: it steps the export's C on this computer, has a clock, and claims what it is told.

Behind it stands the software backend. What is added on the way out: ticks, another HELLO, the records of a free run,
which it computes by stepping its ring, and every fault that a test puts into them.
"""

import select
import socket
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from exporter.export import Export
from hil.errors import LinkError
from hil.framing import Deframer, cobs_decode, wrap
from hil.hello import Hello
from hil.identity import Identity
from hil.loopback import LoopDevice, start_loop_device
from hil.messages import Counter, RunRequest, RunState, StatisticsPart, Summary
from hil.protocol import LONGEST_FRAME, Flag, Packet, Type, pack, unpack
from targets.python.host import HostLibrary, cached_host
from targets.rows import function_of, nominal_parameters, tunable_fields

HZ = 25_000_000
CLOCK = {
    "counter": Counter.TIMER, "counter_bits": 32, "counter_moves": 1, "counter_hz": HZ, "timer_hz": HZ,
    "overhead_ticks": 5, "hardware_reals": 1,
}  # fmt: skip
TICKS, LATE, AFTER = 300, 20, 20
BENCH = """
schema = 1
[bench]
name = "board"
target = "board"
export = "{export}"
work = "{work}"
function = "dostep"
[target.board]
kind = "board"
{target}
[link.main]
kind = "tcp"
port = {port}
[timing]
period = "1 ms"
deadline = "400 us"
{more}
"""
BOOTED = Packet(Type.BOOT, 0, Flag.EVENT, 0, bytes(8))
Spoil = Callable[[Any, Any], tuple[Any, Any]]


@dataclass
class Board:
    """What the board claims; a test changes it before or between requests."""

    export: Export
    library: HostLibrary
    listening: socket.socket
    hello: dict[str, Any] = field(default_factory=lambda: dict(CLOCK))
    ticks: Callable[[int], int] = lambda _: TICKS  # of the row number n of an answer
    spoil: Spoil = lambda outputs, status: (outputs, status)  # what the step gives instead
    recalibrates: Callable[[int], int] = lambda status: status  # what recalibrate says instead
    summary: dict[str, int] = field(default_factory=dict)  # of the free run, instead of the right numbers
    histogram: dict[int, int] | None = None
    payload: Callable[[Packet, bytes], bytes] = lambda _, payload: payload  # of an answer, instead
    silent_end: bool = False  # sends no event when a run has ended
    accident: Callable[[Packet], str] = lambda _: ""  # what happens at a request: "pulled", "reset" or nothing
    request: RunRequest | None = None
    ring: bytes = b""
    state: bytes = b""

    def step(self, rows: Any, parameters: Any) -> tuple[Any, Any]:
        """Outputs and status, spoiled."""
        names = [each.name for each in tunable_fields(self.export.manifest)]
        called = self.library.call("dostep", rows, dict(zip(names, parameters.tolist(), strict=True)))
        return self.spoil(called.outputs.copy(), called.status.copy())

    def recalibrate(self, parameters: Any) -> int:
        """The status of recalibrate at these parameters."""
        return self.recalibrates(int(self.library.call("recalibrate", parameters[None, :]).status[0]))

    def answers(self, asked: Packet, answer: Packet) -> Iterator[Packet]:
        """What goes out instead of the software backend's answer."""
        reply = replace(answer, type=asked.type, flags=Flag.REPLY)
        match asked.type:
            case Type.HELLO:
                said = replace(Hello.unpack(answer.payload), **self.hello).pack()
                yield replace(answer, payload=said)
            case Type.RUN if answer.type is Type.NACK:
                self.request = RunRequest(*RunRequest.LAYOUT.unpack(asked.payload)[:-1])
                yield replace(reply, payload=b"")
                if not self.silent_end:
                    yield Packet(Type.STATS, asked.session, Flag.EVENT, 0)
            case Type.STATS:
                yield replace(reply, payload=self.payload(asked, self._records(asked.payload)))
            case Type.STEP | Type.BATCH if answer.type is asked.type:
                yield replace(answer, payload=self.payload(asked, self._timed(asked, answer.payload)))
            case _:
                yield replace(answer, payload=self.payload(asked, answer.payload))

    def _timed(self, asked: Packet, payload: bytes) -> bytes:
        """The rows of an answer, with ticks; rows of the ring are kept."""
        if Flag.STORE in asked.flags:
            first = struct.unpack_from("<HHI", asked.payload)[1]
            self.ring = (self.ring if first else b"") + asked.payload[8:]
            return payload
        head = 8 if asked.type is Type.BATCH else 0
        width = 8 + 4 * len(function_of(self.export.manifest, "dostep").row_outputs)
        data = bytearray(payload)
        for number, place in enumerate(range(head, len(data), width)):
            struct.pack_into("<I", data, place + 4, self.ticks(number))
        return bytes(data)

    def _records(self, payload: bytes) -> bytes:
        section, _, _, offset = struct.unpack("<BBHI", payload)
        used = {TICKS: self._summary().ran} if self.histogram is None else self.histogram
        if section == StatisticsPart.SUMMARY:
            told = self._summary()
            count, data = 0, Summary.LAYOUT.pack(told.state, told.fault, told.latest_used, *list(vars_of(told))[2:-1])
        else:
            rest = list(used.items())[offset:] if section == StatisticsPart.HISTOGRAM else []
            count, data = len(rest), b"".join(struct.pack("<II", *pair) for pair in rest)
        return struct.pack("<BBHI", section, 0, count, offset) + data

    def _summary(self) -> Summary:
        run = self.request
        ran = run.activations if run else 0
        right = dict.fromkeys((each.name for each in fields(Summary)), 0) | {
            "state": RunState.FINISHED if run else RunState.IDLE, "requested": ran, "ran": ran,
            "duration_min": TICKS, "duration_max": TICKS, "duration_sum": TICKS * ran, "late_min": LATE,
            "late_max": LATE, "late_sum": LATE * ran, "response_max": LATE + TICKS + AFTER, "envelope_block": 1,
            "histogram_used": 1, **self._computed(ran),
        }  # fmt: skip
        return Summary(**(right | self.summary))

    def _computed(self, count: int) -> dict[str, int]:
        """Facts of so many steps through the ring: CRC-32 over status and outputs, number of flagged ones, flags."""
        function = function_of(self.export.manifest, "dostep")
        state = np.array([each.nominal or 0.0 for each in function.row_inputs[:2]], dtype=np.float32)
        ring = np.frombuffer(self.ring, dtype=np.float32).reshape(-1, len(function.row_inputs) - 2)
        digest = flagged = flags = 0
        for number in range(count):
            called = self.library.call("dostep", np.concatenate([state, ring[number % len(ring)]])[None])
            state = called.outputs[0, :2]
            digest = zlib.crc32(called.status[:1].astype("<u4").tobytes() + called.outputs[:1].tobytes(), digest)
            status = int(called.status[0])
            flagged, flags = flagged + (status != 0), flags | status
        return {"digest": digest, "flagged": flagged, "status_or": flags}


def vars_of(summary: Summary) -> Iterator[int]:
    """The numbers of a summary in their order."""
    return (getattr(summary, each.name) for each in fields(summary))


class BoardLink:
    """The board's end of the wire."""

    name = "the board's end"

    def __init__(self, board: Board) -> None:
        self._board, self._requests, self._answers = board, Deframer(LONGEST_FRAME), Deframer(LONGEST_FRAME)
        self._socket: socket.socket | None = None
        self._asked = Packet(Type.HELLO, 0, Flag.NONE, 0)

    def read(self) -> bytes:
        """As a link does; waits for a host first, and for the next one when it has gone."""
        waiting = self._board.listening if self._socket is None else self._socket
        try:
            if not select.select([waiting], [], [], 0.05)[0]:
                return b""
            if self._socket is None:
                self._socket = self._board.listening.accept()[0]
                return b""
            data = self._socket.recv(65_536)
        except (OSError, ValueError) as error:
            raise LinkError("closed") from error
        if not data:
            self.close()
        for frame in self._requests.feed(data):
            self._asked = unpack(cobs_decode(frame))
        return data

    def write(self, data: bytes) -> None:
        """As a link does."""
        for frame in self._answers.feed(data):
            accident = self._board.accident(self._asked)
            if accident == "pulled":
                self.close()
            answers = self._board.answers(self._asked, unpack(cobs_decode(frame)))
            for packet in (BOOTED,) if accident == "reset" else answers:
                if self._socket is not None:
                    self._socket.sendall(wrap(pack(packet)))

    def close(self) -> None:
        """Let the host go."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None


def identity_of(export: Export) -> Identity:
    """What the firmware of `dostep` says: two of its inputs are the state."""
    manifest, function = export.manifest, function_of(export.manifest, "dostep")
    return Identity(
        export_id=manifest.export_id, model_hash=bytes.fromhex(manifest.model_hash),
        row_inputs=len(function.row_inputs), row_outputs=len(function.row_outputs), state_values=2,
        operations=sum(function.cost.values()), parameters=len(tunable_fields(manifest)),
    )  # fmt: skip


@contextmanager
def board_of(export: Export) -> Iterator[Board]:
    """A board that listens until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        board = Board(export, cached_host(export, export.folder.parent / "work" / "host"), listening)
        nominal = tuple(each.value for each in nominal_parameters(export.manifest))
        link = BoardLink(board)
        device = LoopDevice(identity_of(export), 4, board.step, link, nominal, board.recalibrate)
        thread = start_loop_device(device)
        try:
            yield board
        finally:
            device.stopping.set()
            thread.join(5.0)
            link.close()


def bench_file(board: Board, folder: Path, target: str = "", more: str = "") -> Path:
    """A bench file that reaches the board."""
    port = board.listening.getsockname()[1]
    path = folder / "bench.toml"
    export = board.export.folder
    work = export.parent / "work"
    text = BENCH.format(export=export.as_posix(), work=work.as_posix(), target=target, port=port, more=more)
    path.write_text(text, encoding="utf-8")
    return path
