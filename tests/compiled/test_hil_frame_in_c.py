"""The firmware's framing, compiled for this computer, against the known bytes and against Python's."""

import ctypes
import random
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from hil.framing import cobs_encode, wrap
from hil.protocol import MAX_PAYLOAD

pytestmark = pytest.mark.compiled

ECU = Path(__file__).resolve().parents[2] / "targets" / "ecu"
HEADER = bytes(8)
PACKET, DAMAGE = 1, 2


class Receiver(ctypes.Structure):
    """bench_receiver_t with room to spare behind the packet."""

    _fields_ = [("memory", ctypes.c_uint8 * 4096)]


@pytest.fixture(scope="module")
def firmware(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """bench_frame.c and bench_crc.c as a shared library."""
    library = tmp_path_factory.mktemp("frame") / "frame.so"
    flags = ["-std=c11", "-O2", "-fPIC", "-shared", "-fsanitize=undefined", "-fno-sanitize-recover"]
    subprocess.run(
        ["gcc", *flags, "bench_frame.c", "bench_crc.c", "-o", str(library)], cwd=ECU, check=True, capture_output=True
    )
    return ctypes.CDLL(str(library))


@pytest.fixture(autouse=True)
def compiler(require_tool: Callable[[str], str]) -> None:
    """Nothing here works without one."""
    require_tool("gcc")


def wrapped(firmware: ctypes.CDLL, payload: bytes) -> bytes:
    """What the firmware puts on the wire for a header of zeros and this payload."""
    packet = (ctypes.c_uint8 * 2048).from_buffer_copy((HEADER + payload).ljust(2048, b"\0"))
    wire = (ctypes.c_uint8 * 2048)()
    firmware.bench_frame_wrap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    firmware.bench_frame_wrap.restype = ctypes.c_size_t
    size = firmware.bench_frame_wrap(packet, len(payload), wire)
    return bytes(wire[:size])


def fed(firmware: ctypes.CDLL, receiver: Receiver, data: bytes) -> list[int]:
    """What the firmware says after each byte that says something."""
    said = [firmware.bench_frame_take(ctypes.byref(receiver), ctypes.c_uint8(byte)) for byte in data]
    return [each for each in said if each]


def packet_of(payload: bytes) -> bytes:
    """Header, payload, CRC."""
    body = HEADER + payload
    return body + zlib.crc32(body).to_bytes(4, "little")


def payloads() -> list[bytes]:
    """Zero runs, blocks around 254 bytes, the largest, and random ones."""
    source = random.Random(42)
    known = [b"", b"\x00", b"\x00\x00", bytes(range(1, 255)), bytes(range(1, 256)), bytes(range(256))]
    known += [bytes([7]) * size for size in (241, 242, 243, 253, 254, 255, 508, MAX_PAYLOAD)]
    mixed = [bytes(source.choice((0, 1, 255)) for _ in range(source.randrange(MAX_PAYLOAD))) for _ in range(200)]
    return known + mixed


def test_the_crc_is_that_of_zlib(firmware: ctypes.CDLL) -> None:
    """By bytes and by words, whole and in two parts."""
    by_bytes, by_word = firmware.bench_crc_bytes, firmware.bench_crc_word
    by_bytes.argtypes, by_bytes.restype = [ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t], ctypes.c_uint32
    by_word.argtypes, by_word.restype = [ctypes.c_uint32, ctypes.c_uint32], ctypes.c_uint32
    start = 0xFFFFFFFF
    for payload in payloads():
        half = len(payload) // 2
        parts = by_bytes(by_bytes(start, payload[:half], half), payload[half:], len(payload) - half)
        assert by_bytes(start, payload, len(payload)) ^ start == parts ^ start == zlib.crc32(payload)
        words = payload[: len(payload) // 4 * 4]
        crc = start
        for place in range(0, len(words), 4):
            crc = by_word(crc, int.from_bytes(words[place : place + 4], "little"))
        assert crc ^ start == zlib.crc32(words)


def test_frames_of_the_firmware_are_those_of_python(firmware: ctypes.CDLL) -> None:
    """Byte for byte, over all kinds of payload."""
    for payload in payloads():
        assert wrapped(firmware, payload) == wrap(packet_of(payload))


def test_the_firmware_takes_what_python_sends(firmware: ctypes.CDLL) -> None:
    """One packet per frame, unchanged; noise before it is damage of its own."""
    for payload in payloads():
        receiver = Receiver()
        assert fed(firmware, receiver, b"\xff\xfe\x10" + wrap(packet_of(payload))) == [DAMAGE, PACKET]
        assert bytes(receiver.memory)[: len(packet_of(payload))] == packet_of(payload)


def test_a_full_final_block_with_a_trailing_code_is_taken(firmware: ctypes.CDLL) -> None:
    """Encoders that put 01 behind a final block of 254 bytes are understood."""
    payload = next(
        bytes([9]) * size + bytes([tail])
        for size in range(241, 256)
        for tail in range(1, 256)
        if cobs_encode(packet_of(bytes([9]) * size + bytes([tail])))[8:9] == b"\xff"
        and len(cobs_encode(packet_of(bytes([9]) * size + bytes([tail])))) == 8 + 255
    )
    receiver = Receiver()
    assert fed(firmware, receiver, b"\0" + cobs_encode(packet_of(payload)) + b"\x01\0") == [PACKET]


def test_no_wrong_bit_is_taken(firmware: ctypes.CDLL) -> None:
    """Each single-bit error in a frame is damage, or the delimiter moved and nothing was taken."""
    frame = wrap(packet_of(bytes(range(40))))
    for bit in range(8, 8 * (len(frame) - 1)):
        wrong = bytearray(frame)
        wrong[bit // 8] ^= 1 << bit % 8
        assert PACKET not in fed(firmware, Receiver(), bytes(wrong))


def test_endless_garbage_is_damage_and_the_next_frame_is_taken(firmware: ctypes.CDLL) -> None:
    """The buffer does not overflow, and the receiver finds its way back."""
    receiver = Receiver()
    assert fed(firmware, receiver, b"\x55" * 5000 + wrap(packet_of(b"ok"))) == [DAMAGE, PACKET]
