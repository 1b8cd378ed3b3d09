"""Whatever a device sends, the host ends with a sentence: seeded bytes into every parser and every request."""

import queue
import random
import struct
from collections.abc import Callable
from dataclasses import astuple, fields, replace

import numpy as np
import pytest

from hil.errors import BenchError, FramingError, OtherVersion
from hil.exchange import WaitLimits
from hil.framing import Deframer, cobs_decode, wrap
from hil.hello import Hello
from hil.messages import Boot, Nack, Outcome, Record, Summary, fields_of, member_of, reals_layout
from hil.protocol import LONGEST_FRAME, MAX_PAYLOAD, Flag, Packet, Type, pack, unpack
from hil.session import Session

SEED = 20_110_301
RIGHT = Hello(
    export_id=1, model_hash=bytes(32), build_id=0, max_payload=1024, real_bytes=4, counter=2, counter_bits=32,
    counter_moves=1, row_inputs=3, row_outputs=8, state_values=2, vector_slots=512, parameters=2,
    counter_hz=25_000_000, timer_hz=25_000_000, overhead_ticks=9, operations=64, digest_ticks=200, next_sequence=1,
)  # fmt: skip
HOSTILE = {
    "max_payload": (0, 5, 40, 1025, 65_535), "real_bytes": (0, 3, 5, 200), "counter": (4, 255),
    "counter_bits": (0, 33, 255), "row_inputs": (1, 65_535), "row_outputs": (0, 1, 65_535),
    "state_values": (4, 65_535), "counter_hz": (0,), "timer_hz": (0,), "protocol": (0, 1, 3),
}  # fmt: skip
PARSERS: dict[str, Callable[[bytes], object]] = {
    "cobs_decode": cobs_decode,
    "unpack": unpack,
    "Hello": Hello.unpack,
    "Boot": Boot.unpack,
    "Nack": Nack.unpack,
    "Summary": Summary.unpack,
    "Record": lambda data: Record.unpack_from(data.ljust(44, b"\0"), 0, reals_layout(3, 4)),
    "fields_of": lambda data: fields_of(struct.Struct("<II"), data, "PAIR"),
    "known": lambda data: member_of(Outcome, len(data), "outcome"),
}


def some_bytes(source: random.Random, near: int) -> bytes:
    """Bytes of any length or of a known length, often of few values."""
    if source.random() < 0.1:
        return bytes(near)
    size = source.choice((0, 1, near, near, near + 1, source.randrange(1200)))
    return bytes(source.choice((0, 1, 2, 255, source.randrange(256))) for _ in range(size))


@pytest.mark.parametrize(("name", "near"), list(zip(PARSERS, (20, 30, 80, 8, 12, 128, 44, 8, 3), strict=True)))
def test_no_bytes_escape_a_parser(name: str, near: int) -> None:
    """A value or a `FramingError`, whatever comes; and both of them do come."""
    source, refused, taken = random.Random(SEED), 0, 0
    for _ in range(400):
        data = some_bytes(source, near)
        if name == "unpack" and len(data) > 8:
            data = pack(Packet(source.choice(list(Type)), 0, Flag.NONE, 1, data[:MAX_PAYLOAD]))
            data = data if source.random() < 0.5 else data[:-1] + b"\1"
        if name == "Hello" and source.random() < 0.3:
            data = RIGHT.pack()
        try:
            PARSERS[name](data)
            taken += 1
        except FramingError:
            refused += 1
    assert min(refused, taken) > 0


def test_a_byte_stream_gives_what_went_in_and_nothing_else() -> None:
    """Frames amid noise, cut anywhere: all whole packets come out, and no exception."""
    source, deframer = random.Random(SEED), Deframer(LONGEST_FRAME)
    sent = [Packet(Type.STEP, 7, Flag.REPLY, number, source.randbytes(number)) for number in range(200)]
    stream = b"".join(source.randbytes(9) + wrap(pack(packet)) for packet in sent)
    got = []
    while stream:
        cut = source.randrange(1, 99)
        for frame in deframer.feed(stream[:cut]):
            try:
                got.append(unpack(cobs_decode(frame)))
            except FramingError:
                continue
        stream = stream[cut:]
    assert got == sent


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in HOSTILE for value in HOSTILE[name]])
def test_every_number_of_a_hello_that_cannot_be_is_named(name: str, value: int) -> None:
    """One number wrong: one sentence; its sound twin is read as it was written."""
    assert Hello.unpack(RIGHT.pack()) == RIGHT
    with pytest.raises((FramingError, OtherVersion), match=r"HELLO cannot be|speaks version"):
        Hello.unpack(replace(RIGHT, **{name: value}).pack())


def test_a_device_without_a_counter_needs_no_rates() -> None:
    """The software backend: no counter, no rates, and nothing wrong with that."""
    silent = replace(RIGHT, counter=0, counter_bits=0, counter_moves=0, counter_hz=0, timer_hz=0, row_inputs=2)
    assert Hello.unpack(silent.pack()) == silent
    assert len(fields(Hello)) == len(astuple(RIGHT))


class ConfusedDevice:
    """Answers every request at once with whole packets that make no sense, and always with one of the right type."""

    name = "confused device"

    def __init__(self, source: random.Random) -> None:
        self._source, self._deframer = source, Deframer(LONGEST_FRAME)
        self._waiting: queue.Queue[bytes] = queue.Queue()

    def read(self) -> bytes:
        """As a link does."""
        try:
            return self._waiting.get(timeout=0.005)
        except queue.Empty:
            return b""

    def write(self, data: bytes) -> None:
        """As a link does."""
        for frame in self._deframer.feed(data):
            request = unpack(cobs_decode(frame))
            noise = [self._answer(request, self._source.choice(list(Type))) for _ in range(self._source.randrange(3))]
            self._waiting.put(b"".join([*noise, self._answer(request, request.type)]))

    def close(self) -> None:
        """As a link does."""

    def _answer(self, request: Packet, kind: Type) -> bytes:
        source = self._source
        size = source.choice((0, 4, 8, 12, 16, 40, 76, 80, 136, source.randrange(MAX_PAYLOAD)))
        payload = bytes(source.choice((0, 0, 0, 1, source.randrange(256))) for _ in range(size))
        if kind is Type.HELLO:
            wrong = source.choice(list(HOSTILE))
            payload = replace(RIGHT, **({wrong: source.choice(HOSTILE[wrong])} if source.random() < 0.2 else {})).pack()
        if kind is Type.STATS and request.type is Type.STATS and source.random() < 0.8:
            payload = request.payload[:2] + payload[:2].ljust(2, b"\0") + request.payload[4:] + payload
        flags = source.choice((Flag.REPLY, Flag.EVENT)) if kind is not request.type else Flag.REPLY
        if kind in (Type.BOOT, Type.NACK) and request.session:
            kind = Type.FAULT  # a reset or a refusal ends the conversation in a sentence of its own
        return wrap(pack(Packet(kind, request.session, flags, request.sequence, payload)))


def test_no_answer_of_a_confused_device_escapes_a_session() -> None:
    """Whole packets with wrong payloads: a result or a `BenchError`, from every request, over 60 sessions."""
    ended = {"hello": 0, "request": 0, "done": 0}
    for number in range(60):
        try:
            session = Session(ConfusedDevice(random.Random(SEED + number)), WaitLimits(reply_s=5.0, retries=0))
        except BenchError:
            ended["hello"] += 1
            continue
        asks: list[Callable[[], object]] = [
            lambda: session.step(np.zeros((3, session.hello.row_inputs)), with_state=True),  # noqa: B023 - called here
            lambda: session.step_once((0.0,) * session.hello.row_inputs, with_state=True),  # noqa: B023
            session.get_state, session.summary, session.fault, session.records, session.get_parameters,
            lambda: session.set_parameters([1.0, 2.0]),  # noqa: B023
            lambda: session.store_vectors(np.zeros((4, 1))),  # noqa: B023
            lambda: session.await_end(0.01),  # noqa: B023
        ]  # fmt: skip
        for ask in asks:
            try:
                ask()
                ended["done"] += 1
            except BenchError:
                ended["request"] += 1
        session.close()
    assert min(ended.values()) > 0, ended
