"""Packets as CAN frames and back, on the host's side and, for a device in software, on the device's side.

In: frames of the wire protocol (00 | COBS | 00), or CAN frames. Out: the other. STEP and PARAMETERS travel as signals
with a COMMIT frame, their answers with a RESULT frame; both hold the CRC of the packet that they stand for, so that a
lost, doubled, late or changed frame is damage like any other. Everything else is bytes of a stream.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from hil.can.layout import FRAME_BYTES, CanLayout, SignalGroup
from hil.errors import FramingError
from hil.framing import DELIMITER, wrap
from hil.protocol import CRC, HEADER, VERSION, Flag, Packet, Type, pack, packet_in

MARK = struct.Struct("<HBBI")  # sequence, type, flags, CRC of the packet
HEAD_BYTES = 8
PARAMETERS_HEAD = struct.Struct("<HHI")  # first, count, status


class CanFrame(NamedTuple):
    """A data frame, its identifier as long as the layout's are."""

    id: int
    data: bytes


@dataclass(slots=True)
class ReceivedValues:
    """The latest bytes of some groups and of single frames."""

    groups: tuple[SignalGroup, ...]
    heads: tuple[int, ...] = ()
    bytes_of: dict[int, bytearray] = field(default_factory=dict)  # by first identifier

    def __post_init__(self) -> None:
        self.bytes_of = {group.first_id: bytearray(group.size) for group in self.groups if group.size}
        self.bytes_of |= {head: bytearray(HEAD_BYTES) for head in self.heads}

    def take(self, frame: CanFrame) -> None:
        """Keep what a frame holds; one of another length than its values need is not taken."""
        if frame.id in self.heads and len(frame.data) == HEAD_BYTES:
            self.bytes_of[frame.id][:] = frame.data
        for group in self.groups:
            number = frame.id - group.first_id
            if 0 <= number < group.frames and len(frame.data) == group.frame_size(number):
                at = FRAME_BYTES * number
                self.bytes_of[group.first_id][at : at + len(frame.data)] = frame.data

    def of(self, group: SignalGroup) -> bytes:
        """All reals of a group."""
        return bytes(self.bytes_of.get(group.first_id, b"")) if group.size else b""


def stream_frames(identifier: int, data: bytes) -> Iterator[CanFrame]:
    """Bytes in frames of one identifier."""
    for at in range(0, len(data), FRAME_BYTES):
        yield CanFrame(identifier, data[at : at + FRAME_BYTES])


def _mark(identifier: int, packet: Packet, crc: bytes) -> CanFrame:
    return CanFrame(identifier, MARK.pack(packet.sequence, packet.type, packet.flags & 0xFF, *CRC.unpack(crc)))


def _whole(frame: bytes) -> tuple[Packet, bytes] | None:
    """The packet in a frame and its CRC; None where it is none, so that the stream carries it as it is."""
    stuffed = frame.strip(DELIMITER)
    try:
        packet = packet_in(stuffed)
    except FramingError:
        return None
    return packet, pack(packet)[-CRC.size :]


def _rebuilt(mark: bytes, session: int, payload: bytes) -> bytes:
    """The frame that a mark stands for; its CRC shows whether the payload is the one that was meant."""
    sequence, kind, flags, crc = MARK.unpack(mark)
    return wrap(HEADER.pack(VERSION, kind, session, flags, sequence) + payload + CRC.pack(crc))


class HostCodec:
    """The host's side."""

    def __init__(self, layout: CanLayout) -> None:
        self.layout = layout
        self.session = 0  # of the last request
        self.asked: set[Type] = set()  # of the ECU so far
        self._values = ReceivedValues(layout.groups_to_host, (layout.stepped, layout.calibrated))

    def encode(self, frame: bytes) -> list[CanFrame]:
        """The CAN frames of one frame of the wire protocol."""
        whole = _whole(frame)
        if whole is not None:
            self.asked.add(whole[0].type)
        if whole is None or (signals := self._signals(*whole)) is None:
            return list(stream_frames(self.layout.to_ecu, frame))
        self.session = whole[0].session
        return signals

    def take(self, frame: CanFrame) -> bytes:
        """Bytes of the wire protocol that a CAN frame completes; none where it only holds values."""
        layout = self.layout
        if frame.id == layout.to_host:
            return frame.data
        if frame.id != layout.result:
            self._values.take(frame)
            return b""
        return self._answer(frame.data)

    def _signals(self, packet: Packet, crc: bytes) -> list[CanFrame] | None:
        layout = self.layout
        if packet.type is Type.STEP:
            states = layout.state.size if Flag.WITH_STATE in packet.flags else 0
            if len(packet.payload) != states + layout.inputs.size:
                return None
            state, inputs = packet.payload[:states], packet.payload[states:]
            values = [*(layout.state.split(state) if states else ()), *layout.inputs.split(inputs)]
        elif packet.type is Type.PARAMETERS and self._asks_for_all(packet):
            given = packet.payload[PARAMETERS_HEAD.size :]
            values = list(layout.parameters.split(given)) if given else []
        else:
            return None
        return [*(CanFrame(*each) for each in values), _mark(layout.commit, packet, crc)]

    def _asks_for_all(self, packet: Packet) -> bool:
        layout = self.layout
        head = PARAMETERS_HEAD.pack(0, len(layout.parameters.fields), 0)
        given = layout.parameters.size if Flag.SET in packet.flags else 0
        is_whole = packet.payload[: PARAMETERS_HEAD.size] == head and len(packet.payload) == len(head) + given
        return layout.parameters_fit and is_whole

    def _answer(self, mark: bytes) -> bytes:
        if len(mark) != MARK.size:
            return wrap(mark or b"\xff")  # no packet: damage
        layout, values = self.layout, self._values
        kind = MARK.unpack(mark)[1]
        if kind == Type.STEP:
            payload = bytes(values.bytes_of[layout.stepped]) + values.of(layout.next_state) + values.of(layout.outputs)
        elif kind == Type.PARAMETERS:
            payload = bytes(values.bytes_of[layout.calibrated]) + values.of(layout.in_force)
        else:
            return wrap(mark)
        return _rebuilt(mark, self.session, payload)


class DeviceCodec:
    """The device's side, for a device in software. The one in C is `targets/ecu/bench_can.c`."""

    def __init__(self, layout: CanLayout) -> None:
        self.layout = layout
        self.session = 0  # that is open
        self._by_signals = False
        self._values = ReceivedValues(layout.groups_to_ecu)

    def take(self, frame: CanFrame) -> bytes:
        """Bytes of the wire protocol that a CAN frame completes."""
        layout = self.layout
        if frame.id == layout.to_ecu:
            self._by_signals = False
            return frame.data
        if frame.id != layout.commit:
            self._values.take(frame)
            return b""
        self._by_signals = True
        return self._request(frame.data)

    def encode(self, frame: bytes) -> list[CanFrame]:
        """The CAN frames of an answer or an event."""
        whole, layout = _whole(frame), self.layout
        if whole is not None and whole[0].type is Type.OPEN and Flag.REPLY in whole[0].flags:
            self.session = whole[0].session
        if not self._by_signals or whole is None or whole[0].type not in (Type.STEP, Type.PARAMETERS):
            return list(stream_frames(layout.to_host, frame))
        packet, crc = whole
        head, values = packet.payload[:HEAD_BYTES], packet.payload[HEAD_BYTES:]
        if packet.type is Type.STEP:
            states = layout.next_state.size
            frames = [CanFrame(layout.stepped, head), *map(CanFrame._make, layout.next_state.split(values[:states]))]
            frames += map(CanFrame._make, layout.outputs.split(values[states:]))
        else:
            frames = [CanFrame(layout.calibrated, head), *map(CanFrame._make, layout.in_force.split(values))]
        return [*frames, _mark(layout.result, packet, crc)]

    def _request(self, mark: bytes) -> bytes:
        if len(mark) != MARK.size:
            return wrap(mark or b"\xff")
        layout, values = self.layout, self._values
        _, kind, flags, _ = MARK.unpack(mark)
        if kind == Type.STEP:
            payload = (values.of(layout.state) if flags & Flag.WITH_STATE else b"") + values.of(layout.inputs)
        elif kind == Type.PARAMETERS and layout.parameters_fit:
            payload = PARAMETERS_HEAD.pack(0, len(layout.parameters.fields), 0)
            payload += values.of(layout.parameters) if flags & Flag.SET else b""
        else:
            return wrap(mark)
        return _rebuilt(mark, self.session, payload)
