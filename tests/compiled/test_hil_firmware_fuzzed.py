"""The firmware's C on this computer, with sanitizers, fed with sound, odd and damaged frames in seeded order.

Oracle: what a request gets by the rules of docs/wire-protocol.md, section Sequence, from the bytes that the device
heard; and the sanitizers. The program is the firmware's own C but for its drivers, see tests/data/fuzzed_firmware.c.
"""

import random
import re
import struct
import subprocess
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from exporter.export import write_export
from hil.can.codec import MARK, CanFrame, HostCodec, stream_frames
from hil.can.layout import CanLayout, layout_of
from hil.errors import FramingError
from hil.faults.fault_file import FaultFile, Rule
from hil.faults.kinds import CAN_KINDS, Direction, carry_can_frame
from hil.faults.way import Way
from hil.framing import Deframer, cobs_decode, wrap
from hil.protocol import MAX_PAYLOAD, Flag, Reason, Type
from targets.ecu import firmware as building
from targets.ecu.glue import GLUE_SOURCE, glue_files
from targets.rows import function_of

pytestmark = pytest.mark.compiled

HARNESS = Path(__file__).resolve().parents[1] / "data" / "fuzzed_firmware.c"
SANITIZED = ("-std=c11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
HEAD = struct.Struct("<BBHHH")
WIRE = 1042  # bytes of the longest stuffed frame, and more
MANY, AT_ONCE = 500_000, 20_000


@dataclass(frozen=True)
class Device:
    """A program that was built, and what OPEN must say to it."""

    program: Path
    opening: bytes
    real: str  # struct's letter of a real
    layout: CanLayout

    def answers(self, heard: bytes, seed: int, port: str = "0") -> tuple[bytes, str]:
        """What the firmware says to these bytes, and what the sanitizers say."""
        done = subprocess.run([str(self.program), str(seed), port], input=heard, capture_output=True, check=False)
        said = done.stderr.decode(errors="replace")
        return done.stdout, said if said or done.returncode == 0 else f"exit code {done.returncode}"


def build(
    folder: Path,
    sample_program: ModuleType,
    change: Callable[[str, str], str] = lambda _, text: text,
    real: str = "float32",
) -> Device:
    """Compile the firmware's C; `change` may edit a source by its name."""
    export = write_export(sample_program.slider_crank_program(real, tunable=True), folder / "export", {})
    function = function_of(export.manifest, "dostep")
    source = folder / "src"
    (source / "model").mkdir(parents=True)
    texts = {path.name: path.read_text(encoding="utf-8") for path in building.ECU.glob("*.[ch]")}
    texts |= {HARNESS.name: HARNESS.read_text(encoding="utf-8"), **glue_files(export.manifest, function, 7)}
    exported = [name for name in export.manifest.files if name.endswith((".c", ".h"))]
    texts |= {f"model/{name}": (export.folder / name).read_text(encoding="utf-8") for name in exported}
    for name, text in texts.items():
        (source / name).write_text(change(name, text), encoding="utf-8")
    (source / "empty.c").write_text(
        '#include "model.h"\nslider_crank_status_t kfx_model_empty(slider_crank_state_t *state, '
        "const slider_crank_dostep_in_t *in, slider_crank_dostep_out_t *out);\n"
        "slider_crank_status_t kfx_model_empty(slider_crank_state_t *state, const slider_crank_dostep_in_t *in,\n"
        "    slider_crank_dostep_out_t *out){(void)state;(void)in;(void)out;return 0U;}\n",
        encoding="utf-8",
    )
    units = sorted(name for name in texts if name.endswith(".c") and (name.startswith(("bench_", "model/"))))
    units = [*(name for name in units if name != "bench_main.c"), "rows.c", "slcan.c", GLUE_SOURCE, "empty.c"]
    subprocess.run(["gcc", *SANITIZED, "-I.", *units, HARNESS.name, "-o", "firmware", "-lm"], cwd=source, check=True)
    model = bytes.fromhex(export.manifest.model_hash)
    opening = struct.pack("<I32sI", export.manifest.export_id, model, 0)
    layout = layout_of(export.manifest, function)
    return Device(source / "firmware", opening, "f" if real == "float32" else "d", layout)


@dataclass
class Rules:
    """Who is served and who is refused, by number and session alone."""

    opening: bytes
    session: int = 0
    last: int = 0
    kept: bytes = b""

    def class_of(self, packet: bytes | None) -> str:
        """What the device says to a packet that it heard, "" for nothing; None is damage."""
        if packet is None:
            return Reason.UNDECODABLE.name
        version, kind, _, flags, _ = HEAD.unpack_from(packet)
        if flags & (Flag.REPLY | Flag.EVENT):
            return ""
        if version != 2:
            return Reason.OTHER_VERSION.name
        return "HELLO" if kind == Type.HELLO else self._numbered(packet)

    def _numbered(self, packet: bytes) -> str:
        _, kind, session, _, sequence = HEAD.unpack_from(packet)
        if packet == self.kept:
            return "again"
        if session == 0 or (kind != Type.OPEN and session != self.session):
            return Reason.NO_SESSION.name
        if sequence != (self.last + 1) & 0xFFFF:
            return Reason.OUT_OF_ORDER.name
        self.kept, self.last = packet, sequence
        if kind == Type.OPEN and packet[8:-4] == self.opening:
            self.session = session
        return "served"


def packet_in(stuffed: bytes) -> bytes | None:
    """The packet of a frame, or None where it is damaged."""
    try:
        packet = cobs_decode(stuffed)
    except FramingError:
        return None
    fits = HEAD.size + 4 <= len(packet) <= HEAD.size + MAX_PAYLOAD + 4
    return packet if fits and zlib.crc32(packet[:-4]) == struct.unpack("<I", packet[-4:])[0] else None


def payload_of(kind: int, flags: int, draw: random.Random, device: Device) -> bytes:
    """Mostly of the right length, with any content."""
    size = struct.calcsize(device.real)
    width = 3 * size if flags & Flag.WITH_STATE else size
    rows = draw.choice((0, 1, 2, 20, 25, 40, 90, 400))
    start = draw.choice((0, 1, 300, 511, 512, 65_535))
    numbers = ((0, 1, 50, 4000), (2, 2500, 1 << 31), (2, 2500), (0, 1, 4000), (1, 3), (1, 10), (1, 7, 512, 513), (0,))
    run = struct.pack("<IIIIIIHH", *(draw.choice(each) for each in numbers))
    sized = {
        Type.OPEN: draw.choice((device.opening,) * 9 + (bytes(len(device.opening)),)),
        Type.STEP: draw.randbytes(width), Type.SETSTATE: draw.randbytes(2 * size),
        Type.BATCH: struct.pack("<HHI", rows, start, 0) + draw.randbytes(min(rows * width, MAX_PAYLOAD - 8)),
        Type.RUN: run,
        Type.STATS: struct.pack("<BBHI", draw.randrange(7), 0, 0, draw.choice((0, 1, 40, 2000, 1 << 31))),
        Type.PARAMETERS: struct.pack("<HHI", draw.choice((0, 0, 0, 1, 65_535)), draw.choice((0, 1, 1, 2, 65_535)), 0)
        + (struct.pack(f"<{device.real}", draw.choice((0.1, 0.25, 3.0, float("nan")))) if flags & Flag.SET else b""),
    }  # fmt: skip
    right = sized.get(kind, b"")
    return draw.choice((right,) * 12 + (right[:-1], right + b"\1", draw.randbytes(draw.randrange(MAX_PAYLOAD + 1))))


def request(rules: Rules, draw: random.Random, device: Device) -> bytes:
    """A frame that is mostly in turn, or the last one that was served."""
    if rules.kept and draw.random() < 0.05:
        return wrap(rules.kept)
    kind = draw.choice((*Type, Type.STEP, Type.STEP, Type.BATCH, Type.BATCH, Type.GETSTATE, Type.STATS, 0, 200))
    flags = draw.choice((0, 0, 8, 8, 16, 24, 32, 64, 192, 192, 128, 1, 4, 0xFFF8))
    session = draw.choice((rules.session,) * 30 + (0, draw.randrange(1 << 16)))
    if kind == Type.OPEN or not rules.session:
        kind, session = Type.OPEN, draw.randrange(1, 1 << 16)
    sequence = (rules.last + draw.choice((1,) * 30 + (0, 2, draw.randrange(1 << 16)))) & 0xFFFF
    head = HEAD.pack(draw.choice((2,) * 60 + (0, 1, 3)), kind, session, flags, sequence)
    body = head + payload_of(kind, flags, draw, device)
    return wrap(body + zlib.crc32(body).to_bytes(4, "little"))


def conversation(device: Device, seed: int, count: int) -> tuple[bytes, list[str]]:
    """Bytes on the line with faults in a fifth of the frames, and what the device says to them."""
    draw, rules, ear = random.Random(seed), Rules(device.opening), Deframer(1 << 16)
    way = Way(Direction.TO_DEVICE, FaultFile(Path("fuzz"), "", (Rule(0.2),), seed))
    line, expected = bytearray(), []
    for _ in range(count):
        noise = draw.randbytes(draw.choice((3, 60, 3000))) if draw.random() < 0.02 else b""
        for piece in (noise, *way.carry(request(rules, draw, device), "", 0)):
            line += piece
            expected += [said for frame in ear.feed(piece) if (said := rules.class_of(packet_in(frame)))]
    return bytes(line), expected


def classes(answers: bytes) -> Iterator[tuple[str, str]]:
    """What the device said, in order: the class, and the type or the reason; every frame must be sound."""
    own = {Reason.OTHER_VERSION, Reason.NO_SESSION, Reason.OUT_OF_ORDER, Reason.UNDECODABLE}
    for frame in Deframer(WIRE).feed(answers):
        packet = packet_in(frame)
        assert packet is not None, "the device sent a damaged frame"
        _, kind, _, flags, _ = HEAD.unpack_from(packet)
        reason = Reason(packet[8]) if kind == Type.NACK else None
        if flags & Flag.EVENT and kind != Type.NACK:
            continue
        if reason in own and not flags & Flag.REPEATED:
            yield reason.name, ""
        elif kind == Type.HELLO:
            yield "HELLO", ""
        else:
            what = Type(kind).name if reason is None else reason.name
            yield ("again" if flags & Flag.REPEATED else "served"), what


def fuzz(device: Device, seed: int, count: int) -> Counter[str]:
    """Hold one conversation; returns how often what was said."""
    line, expected = conversation(device, seed, count)
    answers, complaint = device.answers(line, seed)
    assert not complaint, f"seed {seed}: {complaint[:2000]}"
    found = list(classes(answers))
    assert [said for said, _ in found] == expected, f"seed {seed}"
    return Counter(what or said for said, what in found) + Counter(said for said, what in found if what)


@pytest.fixture(scope="module")
def device(
    tmp_path_factory: pytest.TempPathFactory,
    load_data_module: Callable[[str], ModuleType],
    require_tool: Callable[[str], str],
) -> Device:
    """The firmware of the slider-crank with a tunable crank."""
    require_tool("gcc")
    return build(tmp_path_factory.mktemp("fuzzed"), load_data_module("sample_program"))


def test_a_few_thousand_frames_find_nothing(device: Device) -> None:
    """Every request is served, and every reason that there is for this device is given."""
    said = fuzz(device, 1, 4000)
    unheard = {Reason.NO_COUNTER, Reason.UNSUPPORTED}
    assert {each.name for each in Reason if each not in unheard} <= set(said)
    assert {each.name for each in Type if each not in (Type.BOOT, Type.NACK)} <= set(said)
    assert said["served"] > 1500
    assert said["again"] > 100


def line_of(frame: CanFrame) -> bytes:
    """A CAN frame as slcan writes it."""
    return f"t{frame.id:03X}{len(frame.data)}{frame.data.hex().upper()}\r".encode()


def frames_in(lines: bytes) -> Iterator[CanFrame]:
    """The CAN frames that a device sent; what it answered to commands and damaged lines is left out."""
    for line in re.findall(rb"t([0-9A-F]{3})([0-8])([0-9A-F]*)\r", lines):
        data = bytes.fromhex(line[2].decode())
        assert len(data) == int(line[1])
        yield CanFrame(int(line[0], 16), data)


def fuzz_stream(device: Device, seed: int, count: int) -> None:
    """The conversation of the serial line in frames of the stream: the same answers."""
    line, expected = conversation(device, seed, count)
    pieces = map(line_of, stream_frames(device.layout.to_ecu, line))
    answers, complaint = device.answers(b"".join(pieces), seed, "1")
    assert not complaint, f"seed {seed}: {complaint[:2000]}"
    stream = b"".join(frame.data for frame in frames_in(answers) if frame.id == device.layout.to_host)
    assert [said for said, _ in classes(stream)] == expected, f"seed {seed}"


def fuzz_signals(device: Device, seed: int, count: int) -> Counter[str]:
    """Rows and parameters as signals, under faults of frames and among lines that are none.

    Each answer holds the CRC of what it stands for: a damaged one would be seen.
    """
    draw, rules, codec = random.Random(seed), Rules(device.opening), HostCodec(device.layout)
    do = partial(carry_can_frame, own=range(device.layout.commit, device.layout.last + 1))
    way = Way(Direction.TO_DEVICE, FaultFile(Path("fuzz"), "", (Rule(0.02),), seed), CAN_KINDS, do)
    lines = bytearray(b"C\rS6\r\rO\rF\rV\rN\r")
    for _ in range(count):
        if draw.random() < 0.05:
            lines += draw.choice((b"t", b"T", b"t4029", b"\r\r", b"t402100\a\r", draw.randbytes(40))) + b"\r"
        frame = request(rules, draw, device)
        rules.class_of(packet_in(frame[1:-1]))
        sound = codec.encode(frame)
        for each in sound:
            pieces = way.carry(each.id.to_bytes(4, "big") + each.data, "", 0)
            lines += b"".join(line_of(CanFrame(int.from_bytes(piece[:4], "big"), piece[4:])) for piece in pieces)
        lines += b"".join(map(line_of, sound))  # again, as a host that heard no answer
    answers, complaint = device.answers(bytes(lines), seed, "1")
    assert not complaint, f"seed {seed}: {complaint[:2000]}"
    ends = [frame for frame in frames_in(answers) if frame.id == device.layout.result]
    stepped = [MARK.unpack(frame.data)[1] for frame in ends]
    return Counter(Type(kind).name for kind in stepped)


def test_the_stream_over_can_is_the_serial_line(device: Device) -> None:
    fuzz_stream(device, 2, 1500)


def test_signals_over_can_find_nothing(device: Device) -> None:
    """Steps and parameters are answered as signals; lines that are no frames are refused."""
    said = fuzz_signals(device, 3, 1500)
    assert said["STEP"] > 40
    assert said["PARAMETERS"] > 3


@pytest.mark.slow
@pytest.mark.parametrize("real", ["float32", "float64"])
def test_many_frames_find_nothing(
    tmp_path: Path,
    load_data_module: Callable[[str], ModuleType],
    require_tool: Callable[[str], str],
    capsys: pytest.CaptureFixture[str],
    real: str,
) -> None:
    """In conversations with seeds of their own; the counts are printed."""
    require_tool("gcc")
    device = build(tmp_path, load_data_module("sample_program"), real=real)
    said = sum((fuzz(device, seed, AT_ONCE) for seed in range(100, 100 + MANY // AT_ONCE)), Counter())
    with capsys.disabled():
        print(f"\n{MANY:,} frames, {real}: {dict(sorted(said.items()))}")  # noqa: T201
    assert said["served"] > MANY / 3
    for seed in range(200, 210):
        fuzz_stream(device, seed, AT_ONCE)
        fuzz_signals(device, seed, AT_ONCE)


WRONG = {
    "takes a byte more than it has room for": (
        "bench_frame.c", "filled < sizeof receiver->packet.bytes", "filled <= sizeof receiver->packet.bytes",
        "out of bounds|overflow",
    ),
    "does not look at the length of a batch": (
        "bench_requests.c", "(sizeof head + (head.rows * row_bytes(request->flags)))", "request->size",
        "out of bounds|overflow",
    ),
    "takes another request for a repeated one": (
        "bench_main.c", "(answered_crc == heard->crc)", "true", "seed 1\n",
    ),
    "serves what comes late": (
        "bench_main.c", "(request->sequence == (uint16_t)(session.last + 1U))", "(request->sequence != 0U)", "seed 1\n",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", WRONG)
def test_firmware_that_was_made_wrong_is_found(
    tmp_path: Path, load_data_module: Callable[[str], ModuleType], require_tool: Callable[[str], str], what: str
) -> None:
    """By a sanitizer, or because it says something else."""
    require_tool("gcc")
    name, right, wrong, complaint = WRONG[what]

    def change(path: str, text: str) -> str:
        assert path != name or text.count(right) == 1
        return text.replace(right, wrong) if path == name else text

    device = build(tmp_path, load_data_module("sample_program"), change)
    with pytest.raises(AssertionError, match=complaint):
        fuzz(device, 1, 4000)
