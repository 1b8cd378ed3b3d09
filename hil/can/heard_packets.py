"""Frames of a bus as packets: the requests that the ECU was given and the answers that it gave, each whole.

In: frames of a log, in order. Out: packets of the wire protocol, each with a CRC that fits. Requests are built as the
ECU builds them, answers as the host does.
"""

import zlib
from collections.abc import Iterator

from hil.can.codec import CanFrame, DeviceCodec, HostCodec
from hil.can.layout import CanLayout
from hil.errors import FramingError
from hil.framing import DELIMITER, Deframer, cobs_decode, cobs_encode
from hil.protocol import CRC, HEADER, LONGEST_FRAME, Flag, Packet, Type, packet_in

SESSION_AT, SESSION_BITS = 2, 16
"""Where the session's number stands in a packet."""


class HeardPackets:
    """Goes through a log."""

    def __init__(self, layout: CanLayout) -> None:
        self._layout = layout
        self._ecu, self._host = DeviceCodec(layout), HostCodec(layout)
        self._asked, self._told = Deframer(LONGEST_FRAME), Deframer(LONGEST_FRAME)
        self._is_told = False  # which session is open

    def of(self, frame: CanFrame) -> Iterator[Packet]:
        """The packets that a frame completes."""
        if frame.id in (self._layout.commit, self._layout.result):
            found = [self._of_signals(frame)]
        else:
            ended = [*self._asked.feed(self._ecu.take(frame)), *self._told.feed(self._host.take(frame))]
            found = [_whole(stuffed) for stuffed in ended]
        for packet in found:
            if packet is not None:
                self._learn(packet)
                yield packet

    def _of_signals(self, frame: CanFrame) -> Packet | None:
        """The packet that a mark ends. It names no session: one that was opened before the log began is computed."""
        codec = self._ecu if frame.id == self._layout.commit else self._host
        stuffed = codec.take(frame).strip(DELIMITER)
        return _whole(stuffed) or (None if self._is_told else _of_unknown_session(stuffed))

    def _learn(self, packet: Packet) -> None:
        if packet.type in (Type.HELLO, Type.NACK, Type.BOOT):
            return
        self._is_told = self._is_told or Flag.REPLY in packet.flags
        if Flag.REPLY in packet.flags or not self._is_told:
            self._ecu.session = self._host.session = packet.session


def _whole(stuffed: bytes) -> Packet | None:
    try:
        return packet_in(stuffed)
    except FramingError:
        return None


def _of_unknown_session(stuffed: bytes) -> Packet | None:
    """The packet with the session for which its CRC fits; None where none does.

    A CRC is linear: each bit of the session that is one changes the same bits of it, wherever the others are.
    """
    try:
        data = cobs_decode(stuffed)
    except FramingError:
        return None
    if len(data) < HEADER.size + CRC.size:
        return None
    body, (wanted,) = data[: -CRC.size], CRC.unpack(data[-CRC.size :])
    right = zlib.crc32(body)
    changes = [(zlib.crc32(_with_session(body, 1 << bit)) ^ right, 1 << bit) for bit in range(SESSION_BITS)]
    session = _combination(changes, wanted ^ right)
    if not session:
        return None
    return _whole(cobs_encode(_with_session(body, session) + CRC.pack(wanted)))


def _with_session(body: bytes, bits: int) -> bytes:
    """A packet in which these bits of the session are the other way round."""
    given = int.from_bytes(body[SESSION_AT : SESSION_AT + 2], "little") ^ bits
    return body[:SESSION_AT] + given.to_bytes(2, "little") + body[SESSION_AT + 2 :]


def _combination(changes: list[tuple[int, int]], wanted: int) -> int:
    """Which of the changes give `wanted` together, as bits; 0 where none do. Elimination over bits."""
    chosen, left = 0, changes
    while left and wanted:
        change, bits = max(left)
        top = 1 << (change.bit_length() - 1) if change else 0
        if wanted & top:
            wanted, chosen = wanted ^ change, chosen ^ bits
        left = [(c ^ change, b ^ bits) if c & top else (c, b) for c, b in left if (c, b) != (change, bits)]
    return 0 if wanted else chosen
