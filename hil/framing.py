"""Bytes in, packets out: consistent overhead byte stuffing between zero delimiters.

A frame on the wire is ``00 | COBS(packet) | 00``. The stuffing removes every zero from the packet, so a zero is
always a delimiter and a receiver finds the next frame after any damage. The leading zero ends whatever noise stands
before the frame; without it noise would be taken for the frame's first bytes.
Used by `hil.links.receiver`; the C side is `targets/ecu/bench_frame.c`.
"""

from dataclasses import dataclass

from hil.errors import FramingError

DELIMITER = b"\x00"
LONGEST_RUN = 254
"""Longest run of non-zero bytes behind one code byte."""


def cobs_encode(packet: bytes) -> bytes:
    """Stuff `packet`; the result contains no zero. A final block of exactly 254 bytes gets no trailing code."""
    encoded = bytearray()
    for index, run in enumerate(runs := packet.split(DELIMITER)):
        is_last = index == len(runs) - 1
        encoded += _encode_run(run, is_last)
    return bytes(encoded)


def _encode_run(run: bytes, is_last: bool) -> bytes:
    """Encode one zero-free run; every run but the last stands before a zero of the packet."""
    encoded = bytearray()
    while len(run) >= LONGEST_RUN:
        encoded += b"\xff" + run[:LONGEST_RUN]
        run = run[LONGEST_RUN:]
        if not run and is_last:
            return bytes(encoded)
    return bytes(encoded) + bytes([len(run) + 1]) + run


def cobs_decode(encoded: bytes) -> bytes:
    """Undo `cobs_encode`; also accepts the redundant code 01 that some encoders put after a full final block.

    Raises `FramingError` when a code byte points past the end, or when a zero stands inside.
    """
    packet = bytearray()
    position = 0
    while position < len(encoded):
        code = encoded[position]
        block = encoded[position + 1 : position + code]
        if code == 0 or len(block) != code - 1 or 0 in block:
            raise FramingError(f"byte {position} of a frame of {len(encoded)} bytes is no COBS code; it was damaged")
        packet += block
        position += code
        if code <= LONGEST_RUN and position < len(encoded):
            packet.append(0)
    return bytes(packet)


def wrap(packet: bytes) -> bytes:
    """Return the bytes that carry `packet` on the wire."""
    return DELIMITER + cobs_encode(packet) + DELIMITER


@dataclass(slots=True)
class Deframer:
    """Collects a byte stream into stuffed frames; what comes out does not depend on how the stream was cut."""

    longest: int  # bytes of the longest stuffed frame that can be one
    pending: bytes = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take `chunk`, return the frames that it completes, still stuffed and without delimiters.

        One that went on for too long comes as its first `longest` + 1 bytes.
        """
        *closed, self.pending = (part[: self.longest + 1] for part in (self.pending + chunk).split(DELIMITER))
        return [frame for frame in closed if frame]
