"""Packets: what stands inside a frame. `docs/wire-protocol.md` is the text, `targets/ecu/bench_protocol.h` the C side.

A packet is ``version u8, type u8, session u16, flags u16, sequence u16, payload, crc32 u32``, little endian, with the
CRC-32 of `zlib.crc32` over everything before it. Used by: `hil.exchange` and `hil.session`.
"""

import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum, IntFlag

from hil.errors import FramingError, OtherVersion
from hil.framing import cobs_decode

VERSION = 2
BOOT_VERSION = 1
"""Of the header of BOOT, which is the same in every version, so that every host gets as far as HELLO."""
HEADER = struct.Struct("<BBHHH")
CRC = struct.Struct("<I")
MAX_PAYLOAD = 1024
"""Bytes of payload that a device must be able to take; HELLO says what it does take."""

LONGEST_FRAME = (HEADER.size + MAX_PAYLOAD + CRC.size) * 255 // 254 + 2
"""Bytes of the longest stuffed frame."""


class Type(IntEnum):
    """What a packet is; the device answers a request with the same type and REPLY set."""

    BOOT = 1
    HELLO = 2
    OPEN = 3
    STEP = 4
    BATCH = 5
    SETSTATE = 6
    GETSTATE = 7
    RUN = 8
    STATS = 9
    FAULT = 10
    NACK = 11
    PARAMETERS = 12


class Flag(IntFlag):
    """Bits of the header's flags."""

    NONE = 0
    REPLY = 1  # device to host, answers the request with this sequence number
    REPEATED = 2  # with REPLY: the cached answer to a request that came twice
    EVENT = 4  # device to host, nobody asked
    WITH_STATE = 8  # STEP, BATCH: rows begin with the state; without it the device's own state goes on
    STORE = 16  # BATCH: keep the rows as vectors of the free run, step nothing
    CLEAR = 32  # FAULT: clear the latched fault
    SET = 64  # PARAMETERS: reals of the next set follow
    APPLY = 128  # PARAMETERS: bring the set into force


class Reason(IntEnum):
    """Why a device refused."""

    UNDECODABLE = 1
    UNKNOWN_TYPE = 2
    BAD_LENGTH = 3
    NO_SESSION = 4
    OTHER_MODEL = 5
    OUT_OF_ORDER = 6
    BUSY = 7
    FAULT_LATCHED = 8
    NO_COUNTER = 9
    OUT_OF_RANGE = 10
    UNSUPPORTED = 11
    OTHER_VERSION = 12


REASONS: dict[Reason, str] = {
    Reason.UNDECODABLE: "it could not decode the request",
    Reason.UNKNOWN_TYPE: "it does not know this type of packet",
    Reason.BAD_LENGTH: "the payload has another length than this export needs",
    Reason.NO_SESSION: "no session is open, or another one is",
    Reason.OTHER_MODEL: "it runs another model or another build",
    Reason.OUT_OF_ORDER: "the sequence number is not the next one",
    Reason.BUSY: "a free run is going on",
    Reason.FAULT_LATCHED: "a fault is latched; clear it with FAULT first",
    Reason.NO_COUNTER: "it has no free-running counter that moves",
    Reason.OUT_OF_RANGE: "a count, a period or an offset is out of range",
    Reason.UNSUPPORTED: "it cannot do this",
    Reason.OTHER_VERSION: "it speaks another version of the protocol",
}
"""What to tell the user."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One decoded packet."""

    type: Type
    session: int
    flags: Flag
    sequence: int
    payload: bytes = b""


def pack(packet: Packet) -> bytes:
    """Bytes of `packet` with its CRC, ready for `framing.wrap`."""
    version = BOOT_VERSION if packet.type is Type.BOOT else VERSION
    head = HEADER.pack(version, packet.type, packet.session, packet.flags, packet.sequence)
    return head + packet.payload + CRC.pack(zlib.crc32(head + packet.payload))


def unpack(data: bytes) -> Packet:
    """Undo `pack`.

    Raises:
        OtherVersion: a whole packet of another version; BOOT is read in any.
        FramingError: a wrong length, CRC, type or flag.
    """
    if len(data) < HEADER.size + CRC.size:
        raise FramingError(f"a packet of {len(data)} bytes is shorter than header and CRC ({HEADER.size + CRC.size})")
    body, (crc,) = data[: -CRC.size], CRC.unpack(data[-CRC.size :])
    if zlib.crc32(body) != crc:
        raise FramingError(f"the CRC-32 of a packet of {len(data)} bytes is {zlib.crc32(body):08x}, not {crc:08x}")
    return _unpack_body(body)


def packet_in(frame: bytes) -> Packet:
    """Read the packet in a stuffed frame without delimiters, as `framing.Deframer` hands it out.

    Raises:
        OtherVersion: as `unpack`.
        FramingError: as `unpack`; or the frame is no COBS, or longer than a frame can be.
    """
    if len(frame) > LONGEST_FRAME:
        raise FramingError(f"a frame went on for more than {LONGEST_FRAME:,} bytes")
    return unpack(cobs_decode(frame))


def _unpack_body(body: bytes) -> Packet:
    version, kind, session, flags, sequence = HEADER.unpack_from(body)
    if version != VERSION and kind != Type.BOOT:
        raise OtherVersion(
            f"the device speaks version {version} of the wire protocol, this Kinefix version {VERSION}; "
            "load firmware that this Kinefix built"
        )
    if kind not in set(Type) or flags & ~sum(Flag):
        raise FramingError(f"a packet of type {kind} with flags {flags:#06x} came; neither may be unknown")
    return Packet(Type(kind), session, Flag(flags), sequence, body[HEADER.size :])
