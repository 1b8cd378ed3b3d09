"""Packets and payloads: what Python says is what the firmware's header and the wire-protocol page say."""

import re
import struct
import zlib
from enum import IntEnum
from pathlib import Path

import pytest

from hil.errors import FramingError
from hil.hello import Hello
from hil.messages import Boot, Counter, Fault, Nack, Outcome, Record, RunRequest, RunState, StatisticsPart, Summary
from hil.protocol import HEADER, MAX_PAYLOAD, VERSION, Flag, Packet, Reason, Type, pack, unpack

ROOT = Path(__file__).resolve().parents[3]
HEADER_TEXT = (ROOT / "targets" / "ecu" / "bench_protocol.h").read_text(encoding="utf-8")
COUNTER_TEXT = (ROOT / "targets" / "ecu" / "counter.h").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "wire-protocol.md").read_text(encoding="utf-8")

SIZES = {"uint8_t": 1, "uint16_t": 2, "uint32_t": 4, "uint64_t": 8}


def enum_of(text: str, prefix: str) -> dict[str, int]:
    """The constants `<prefix>NAME = number` of a C header."""
    return {name: int(number) for name, number in re.findall(rf"\b{prefix}([A-Z_]+) = (\d+)", text)}


def layout_of(struct_name: str) -> str:
    """A C struct as a format of `struct`: an oracle that reads the header instead of our layouts."""
    body = re.search(rf"typedef struct {struct_name} \{{(.*?)\}} {struct_name};", HEADER_TEXT, re.DOTALL)
    assert body is not None
    codes = {"uint8_t": "B", "uint16_t": "H", "uint32_t": "I", "uint64_t": "Q"}
    members = re.findall(r"^\s*(uint\d+_t) (\w+)(\[\w+\])?;", body[1], re.MULTILINE)
    return "<" + "".join("32s" if array else codes[kind] for kind, _, array in members)


@pytest.mark.parametrize(
    ("members", "text", "prefix"),
    [
        (Type, HEADER_TEXT, "BENCH_TYPE_"),
        (Reason, HEADER_TEXT, "BENCH_REASON_"),
        (StatisticsPart, HEADER_TEXT, "BENCH_SECTION_"),
        (RunState, HEADER_TEXT, "BENCH_RUN_STATE_"),
        (Fault, HEADER_TEXT, "BENCH_FAULT_"),
        (Outcome, HEADER_TEXT, "BENCH_OUTCOME_"),
        (Counter, COUNTER_TEXT, "ECU_COUNTER_"),
    ],
)
def test_constants_are_those_of_the_firmware(members: type[IntEnum], text: str, prefix: str) -> None:
    """Every name has one number on both sides."""
    known = enum_of(text, prefix)
    known.pop("NONE", None)
    assert {member.name: member.value for member in members if member.name != "NONE"} == known


def test_flags_are_those_of_the_firmware() -> None:
    """Every flag has one bit on both sides."""
    known = re.findall(r"#define BENCH_FLAG_(\w+)\s+UINT16_C\((\d+)\)", HEADER_TEXT)
    assert {flag.name: flag.value for flag in Flag} == {name: int(bit) for name, bit in known}


@pytest.mark.parametrize(
    ("layout", "struct_name"),
    [
        (HEADER.format, "bench_header_t"),
        (Hello.LAYOUT.format, "bench_hello_t"),
        (Boot.LAYOUT.format, "bench_boot_t"),
        (Nack.LAYOUT.format, "bench_nack_t"),
        (RunRequest.LAYOUT.format, "bench_run_t"),
        (Summary.LAYOUT.format, "bench_summary_t"),
        (Record.HEAD.format, "bench_record_t"),
    ],
)
def test_layouts_are_the_structs_of_the_firmware(layout: str, struct_name: str) -> None:
    """Field by field, in order; and no compiler would put a hole into them."""
    expanded = re.sub(r"(\d+)([BHIQ])", lambda found: found[2] * int(found[1]), layout)
    assert expanded == layout_of(struct_name)
    assert struct.calcsize(layout) == struct.calcsize("@" + layout[1:])


def test_the_page_names_every_type_and_every_reason() -> None:
    """The documentation has the same numbers."""
    for member in [*Type, *Reason, *StatisticsPart, *Outcome, *Fault]:
        assert re.search(rf"\| {member.value} \| `?{member.name}`? \|", PAGE), member.name
    for flag in Flag:
        assert f"| {flag.value} | {flag.name} |" in PAGE


def test_a_packet_is_what_the_page_says_byte_by_byte() -> None:
    """A GETSTATE request, written by hand."""
    body = bytes.fromhex("02 07 3412 0000 7856")
    assert pack(Packet(Type.GETSTATE, 0x1234, Flag(0), 0x5678)) == body + zlib.crc32(body).to_bytes(4, "little")


def test_every_single_bit_error_is_found() -> None:
    """No packet with one wrong bit is accepted."""
    good = pack(Packet(Type.STEP, 7, Flag.REPLY, 9, bytes(range(24))))
    assert unpack(good).payload == bytes(range(24))
    for bit in range(8 * len(good)):
        wrong = bytearray(good)
        wrong[bit // 8] ^= 1 << bit % 8
        with pytest.raises(FramingError):
            unpack(bytes(wrong))


def _with_crc(body: bytes) -> bytes:
    return body + zlib.crc32(body).to_bytes(4, "little")


@pytest.mark.parametrize(
    "body",
    [
        bytes([VERSION + 1, Type.HELLO, 0, 0, 0, 0, 0, 0]),
        bytes([VERSION, 99, 0, 0, 0, 0, 0, 0]),
        bytes([VERSION, Type.HELLO, 0, 0, 0, 0x80, 0, 0]),
        bytes([VERSION, Type.HELLO]),
    ],
)
def test_unknown_versions_types_and_flags_are_refused(body: bytes) -> None:
    """A valid CRC does not make a packet ours."""
    with pytest.raises(FramingError):
        unpack(_with_crc(body))


def test_a_hello_of_another_length_is_refused() -> None:
    """A payload that does not fit its layout is a framing error, not a struct.error."""
    with pytest.raises(FramingError, match="HELLO"):
        Hello.unpack(bytes(Hello.LAYOUT.size - 1))


def test_the_largest_payload_holds_a_row_of_the_largest_function() -> None:
    """HELLO's limit is the one that the firmware compiles in."""
    assert f"#define BENCH_PAYLOAD_BYTES {MAX_PAYLOAD}U" in HEADER_TEXT
