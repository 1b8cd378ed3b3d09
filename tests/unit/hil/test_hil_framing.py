"""Frames on the wire: stuffing, delimiters, damage. Expected encodings are written out by hand."""

import random

import pytest

from hil.errors import FramingError
from hil.framing import Deframer, cobs_decode, cobs_encode, wrap

RUN_254 = bytes(range(1, 255))
RUN_255 = bytes(range(1, 256))

CASES = [
    (b"", b"\x01"),
    (b"\x00", b"\x01\x01"),
    (b"\x00\x00", b"\x01\x01\x01"),
    (bytes.fromhex("11223300"), bytes.fromhex("0411223301")),
    (bytes.fromhex("11000000"), bytes.fromhex("0211010101")),
    (bytes.fromhex("0102030000803f"), bytes.fromhex("040102030103803f")),
    (RUN_254, b"\xff" + RUN_254),
    (RUN_255, b"\xff" + RUN_254 + b"\x02\xff"),
    (b"\x00" + RUN_255, b"\x01\xff" + RUN_254 + b"\x02\xff"),
    (RUN_254 + b"\x00", b"\xff" + RUN_254 + b"\x01\x01"),
]
"""Zero runs and blocks of 254 bytes are the usual mistakes (electricui-embedded 73, mcuboot 2773, pycyphal 126)."""


@pytest.mark.parametrize(("packet", "encoded"), CASES)
def test_stuffing_gives_the_known_bytes(packet: bytes, encoded: bytes) -> None:
    """Each known packet has one encoding, and it decodes to the packet."""
    assert cobs_encode(packet) == encoded
    assert cobs_decode(encoded) == packet


def test_a_redundant_code_behind_a_full_block_is_accepted() -> None:
    """Other encoders put 01 behind a final block of 254 bytes; that is the same packet."""
    assert cobs_decode(b"\xff" + RUN_254 + b"\x01") == RUN_254


@pytest.mark.parametrize("damaged", [b"\x05\x01\x02", b"\x00", b"\x02\x00", b"\x03\x01\x00\x01"])
def test_damage_is_an_error_of_its_own(damaged: bytes) -> None:
    """A code that points past the end and a zero inside raise FramingError, nothing else."""
    with pytest.raises(FramingError):
        cobs_decode(damaged)


def test_random_packets_come_back() -> None:
    """Any packet survives, and its encoding has no zero."""
    source = random.Random(20110301)
    for _ in range(500):
        packet = bytes(source.choice((0, 1, 255, source.randrange(256))) for _ in range(source.randrange(600)))
        assert 0 not in cobs_encode(packet)
        assert cobs_decode(cobs_encode(packet)) == packet


def test_frames_do_not_depend_on_how_the_stream_is_cut() -> None:
    """Two frames come out whole for every pair of cuts (python-can 1700 lost a byte per incomplete chunk)."""
    first, second = b"\x0b\x0b\x00\x03\x00", b"\x0b\x0b\x00\x04\x01"
    stream = wrap(first) + wrap(second)
    for i in range(len(stream) + 1):
        for k in range(i, len(stream) + 1):
            deframer = Deframer(100)
            frames = [frame for part in (stream[:i], stream[i:k], stream[k:]) for frame in deframer.feed(part)]
            assert [cobs_decode(frame) for frame in frames] == [first, second]


def test_noise_before_a_frame_does_not_kill_it() -> None:
    """The leading delimiter ends the noise, so the frame behind it is whole."""
    frames = Deframer(100).feed(b"\xff\xfe\x10" + wrap(b"\x01\x00\x02"))
    assert cobs_decode(frames[-1]) == b"\x01\x00\x02"


def test_a_frame_without_end_is_cut_where_it_is_too_long() -> None:
    """Endless garbage takes no endless memory, and the next frame is received."""
    deframer = Deframer(64)
    for _ in range(50):
        assert deframer.feed(b"\x55" * 40) == []
    assert len(deframer.pending) <= 65
    cut, whole = deframer.feed(wrap(b"ok"))
    assert (cut, cobs_decode(whole)) == (b"\x55" * 65, b"ok")
