"""What can happen to one frame on the line, each kind a pure function of the frame and of random numbers.

In: the bytes of a frame with its delimiters, or a CAN frame, and a `FrameDraw`. Out: `CarriedFrame`, what the receiver
gets instead.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

MOST_LOST = 8  # bytes in a row that a fault loses
MOST_GARBAGE = 40  # bytes of noise that a fault puts before a frame
MOST_BESIDE = 4  # identifiers on each side of those of the bench, for foreign frames
ID_BYTES = 4  # of the identifier before the data of a CAN frame
MOST_LATER = 64
"""Frames of the same direction that may overtake one."""


class Direction(StrEnum):
    """Which way a frame goes."""

    TO_DEVICE = "to device"
    TO_HOST = "to host"


class Kind(StrEnum):
    """Kinds of faults, as a faults file names them."""

    FLIP = "flip"
    LOSE_BYTES = "lose_bytes"
    REPEAT_BYTE = "repeat_byte"
    INSERT_ZERO = "insert_zero"
    TRUNCATE = "truncate"
    DROP = "drop"
    DOUBLE = "double"
    SPLIT = "split"
    GARBAGE = "garbage"
    DELAY = "delay"
    LATE_COPY = "late_copy"
    REORDER = "reorder"
    WRONG_DLC = "wrong_dlc"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class CarriedFrame:
    """What becomes of a frame: `now` arrives piece by piece, `late` after `after` later frames of its direction."""

    detail: str
    now: tuple[bytes, ...] = ()
    late: bytes = b""
    after: int = 0


class FrameDraw:
    """Random numbers of one frame: they follow from the seed, the direction and the number of the frame alone."""

    def __init__(self, seed: int, direction: Direction, frame: int) -> None:
        self._random = random.Random(f"{seed} {direction} {frame}")

    def part(self) -> float:
        """From 0 to 1, without 1."""
        return self._random.random()

    def below(self, limit: int) -> int:
        """From 0 to `limit` - 1."""
        return int(self.part() * limit)


def _flip(frame: bytes, draw: FrameDraw) -> CarriedFrame:
    """Makes no delimiter: what becomes of a frame shall not depend on what it says."""
    at, bit = draw.below(len(frame)), draw.below(8)
    changed = frame[at] ^ (1 << bit) or frame[at] ^ (1 << (bit + 1) % 8)
    return CarriedFrame(f"a bit of byte {at}", (frame[:at] + bytes([changed]) + frame[at + 1 :],))


def _lose_bytes(frame: bytes, draw: FrameDraw) -> CarriedFrame:
    at, count = draw.below(len(frame)), 1 + draw.below(MOST_LOST)
    lost = min(count, len(frame) - at)
    return CarriedFrame(f"{lost} from byte {at} on", (frame[:at] + frame[at + lost :],))


def _repeat_byte(frame: bytes, draw: FrameDraw) -> CarriedFrame:
    at = draw.below(len(frame))
    return CarriedFrame(f"byte {at}", (frame[: at + 1] + frame[at:],))


def _insert_zero(frame: bytes, draw: FrameDraw) -> CarriedFrame:
    at = 1 + draw.below(len(frame) - 1)
    return CarriedFrame(f"before byte {at}", (frame[:at] + b"\0" + frame[at:],))


def _truncate(frame: bytes, draw: FrameDraw) -> CarriedFrame:
    left = 1 + draw.below(len(frame) - 1)
    return CarriedFrame(f"to {left} of {len(frame)} bytes", (frame[:left],))


def _drop(frame: bytes, _: FrameDraw) -> CarriedFrame:
    return CarriedFrame(f"{len(frame)} bytes")


def _double(frame: bytes, _: FrameDraw) -> CarriedFrame:
    return CarriedFrame("twice at once", (frame, frame))


def _split_frame(frame: bytes, draw: FrameDraw) -> CarriedFrame:
    at = 1 + draw.below(len(frame) - 1)
    return CarriedFrame(f"before byte {at}", (frame[:at], frame[at:]))


def _garbage(frame: bytes, draw: FrameDraw) -> CarriedFrame:
    noise = bytes(draw.below(256) for _ in range(1 + draw.below(MOST_GARBAGE)))
    return CarriedFrame(f"{len(noise)} bytes before it", (noise, frame))


def _delay(frame: bytes, draw: FrameDraw) -> CarriedFrame:
    after = 2 + draw.below(MOST_LATER - 1)
    return CarriedFrame(f"until {after} frames later", (), frame, after)


def _late_copy(frame: bytes, draw: FrameDraw) -> CarriedFrame:
    after = 1 + draw.below(MOST_LATER)
    return CarriedFrame(f"{after} frames later", (frame,), frame, after)


def _reorder(frame: bytes, _: FrameDraw) -> CarriedFrame:
    return CarriedFrame("behind the next frame", (), frame, 1)


_DONE_BY: dict[Kind, Callable[[bytes, FrameDraw], CarriedFrame]] = {
    Kind.FLIP: _flip,
    Kind.LOSE_BYTES: _lose_bytes,
    Kind.REPEAT_BYTE: _repeat_byte,
    Kind.INSERT_ZERO: _insert_zero,
    Kind.TRUNCATE: _truncate,
    Kind.DROP: _drop,
    Kind.DOUBLE: _double,
    Kind.SPLIT: _split_frame,
    Kind.GARBAGE: _garbage,
    Kind.DELAY: _delay,
    Kind.LATE_COPY: _late_copy,
    Kind.REORDER: _reorder,
}


def _flip_data(frame: bytes, draw: FrameDraw) -> CarriedFrame:
    """A bit of the data: what the CRC of a CAN frame let through. As on a serial line it makes no delimiter."""
    if len(frame) == ID_BYTES:
        return CarriedFrame("a frame without data, as it was", (frame,))
    at, bit = ID_BYTES + draw.below(len(frame) - ID_BYTES), draw.below(8)
    changed = frame[at] ^ (1 << bit) or frame[at] ^ (1 << (bit + 1) % 8)
    detail = f"a bit of data byte {at - ID_BYTES}"
    return CarriedFrame(detail, (frame[:at] + bytes([changed]) + frame[at + 1 :],))


def _wrong_dlc(frame: bytes, draw: FrameDraw) -> CarriedFrame:
    was = len(frame) - ID_BYTES
    left = draw.below(was) if was else 0
    return CarriedFrame(f"{left} of {was} data bytes", (frame[: ID_BYTES + left],))


_DONE_ON_CAN_BY: dict[Kind, Callable[[bytes, FrameDraw], CarriedFrame]] = {
    Kind.FLIP: _flip_data,
    Kind.DROP: _drop,
    Kind.DOUBLE: _double,
    Kind.DELAY: _delay,
    Kind.LATE_COPY: _late_copy,
    Kind.REORDER: _reorder,
    Kind.WRONG_DLC: _wrong_dlc,
}

SERIAL_KINDS, CAN_KINDS = tuple(_DONE_BY), (*_DONE_ON_CAN_BY, Kind.FOREIGN)


def carry_frame(kind: Kind, frame: bytes, draw: FrameDraw) -> CarriedFrame:
    """Do a fault of this kind to a frame of three bytes or more, delimiters included."""
    return _DONE_BY[kind](frame, draw)


def carry_can_frame(kind: Kind, frame: bytes, draw: FrameDraw, own: range) -> CarriedFrame:
    """Do a fault of this kind to a CAN frame: four bytes of identifier, the highest first, then its data.

    `own` are the identifiers of the bench; a foreign frame has one of those next to them.
    """
    if kind is not Kind.FOREIGN:
        return _DONE_ON_CAN_BY[kind](frame, draw)
    near = [*range(max(0, own.start - MOST_BESIDE), own.start), *range(own.stop, own.stop + MOST_BESIDE)]
    identifier = near[draw.below(len(near))]
    data = bytes(draw.below(256) for _ in range(draw.below(9)))
    return CarriedFrame(f"0x{identifier:X} before it", (identifier.to_bytes(ID_BYTES, "big") + data, frame))
