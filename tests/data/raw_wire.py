"""Talks frames to a device by hand: chosen sessions and numbers, requests that come twice or late, other versions."""

import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

from detectors import note_answer

from hil.framing import Deframer, cobs_decode, wrap
from hil.protocol import LONGEST_FRAME, Flag, Reason, Type

POLLS = 400  # of a link; each takes at most 50 ms


@dataclass(frozen=True)
class Answer:
    """What came, field by field."""

    version: int
    type: int
    session: int
    flags: int
    sequence: int
    payload: bytes

    @property
    def said(self) -> str:
        """In short: the type, REPEATED, or why not."""
        if self.type == Type.NACK:
            return Reason(self.payload[0]).name
        return Type(self.type).name + (" again" if self.flags & Flag.REPEATED else "")


@dataclass
class RawHost:
    """The host's side of a link, without any memory."""

    link: Any
    frames: list[bytes] = field(default_factory=list)
    deframer: Deframer = field(default_factory=lambda: Deframer(LONGEST_FRAME))
    booted_with_version: int = 0

    def send(
        self, kind: int, session: int, sequence: int, payload: bytes = b"", flags: int = 0, version: int = 2
    ) -> None:
        """One request."""
        body = struct.pack("<BBHHH", version, kind, session, flags, sequence) + payload
        self.link.write(wrap(body + struct.pack("<I", zlib.crc32(body))))

    def hear(self) -> Answer:
        """The next packet that is no event."""
        for _ in range(POLLS):
            while self.frames:
                packet = cobs_decode(self.frames.pop(0))
                answer = Answer(*struct.unpack_from("<BBHHH", packet), packet[8:-4])
                if answer.type == Type.BOOT:
                    self.booted_with_version = answer.version
                if not answer.flags & Flag.EVENT:
                    return answer
            self.frames += self.deframer.feed(self.link.read())
        raise AssertionError("nothing came")

    def ask(self, *request: Any, **more: Any) -> Answer:
        """A request and what came of it."""
        self.send(*request, **more)
        answer = self.hear()
        note_answer(Type(request[0]).name if request[0] in set(Type) else "no type", answer.said)
        return answer


def late_copies(host: RawHost, opening: bytes, state: bytes, row: bytes) -> list[str]:
    """Every kind of late or repeated request in one conversation; what the device said, in order.

    `opening` is the payload of OPEN, `state` of SETSTATE, `row` of a STEP without state. Asserts that the state never
    moved but by the one step.
    """
    said = []

    def ask(*request: Any, **more: Any) -> Answer:
        answer = host.ask(*request, **more)
        said.append(answer.said)
        return answer

    def state_now(session: int, sequence: int) -> bytes:
        answer = host.ask(Type.GETSTATE, session, sequence)
        assert answer.said == "GETSTATE"
        return answer.payload

    (first,) = struct.unpack_from("<H", ask(Type.HELLO, 0, 40_000).payload, 76)
    ask(Type.OPEN, 77, first, opening)
    ask(Type.SETSTATE, 77, first + 1, state)
    stepped = ask(Type.STEP, 77, first + 2, row)
    after = stepped.payload[8 : 8 + len(state)]
    assert after != state
    assert ask(Type.STEP, 77, first + 2, row).payload == stepped.payload
    ask(Type.OPEN, 77, first, opening)  # a late copy
    ask(Type.SETSTATE, 77, first + 1, state)  # another
    ask(Type.HELLO, 0, 9)  # of anybody
    assert ask(Type.STEP, 77, first + 2, row).payload == stepped.payload  # its answer was lost on the way
    ask(Type.STEP, 77, first + 2, bytes(len(row)))  # its number, another request
    ask(Type.STEP, 77, first + 4, row)  # one too far
    assert state_now(77, first + 3) == after
    ask(Type.OPEN, 78, first + 4, opening)
    ask(Type.OPEN, 77, first, opening)  # a late copy, of the session before
    ask(Type.STEP, 77, first + 2, row)
    host.send(Type.STEP, 78, first + 5, row, flags=Flag.REPLY)  # an echo of the line: no word to it
    assert state_now(78, first + 5) == after
    ask(Type.OPEN, 79, first + 6, bytes(len(opening)))  # of another model: refused, and counted
    ask(Type.OPEN, 79, first + 6, bytes(len(opening)))
    assert state_now(78, first + 7) == after
    return said


LATE_COPIES = [
    "HELLO", "OPEN", "SETSTATE", "STEP", "STEP again", "OUT_OF_ORDER", "OUT_OF_ORDER", "HELLO", "STEP again",
    "OUT_OF_ORDER", "OUT_OF_ORDER", "OPEN", "OUT_OF_ORDER", "NO_SESSION", "OTHER_MODEL", "OTHER_MODEL",
]  # fmt: skip
"""What a right device says."""
