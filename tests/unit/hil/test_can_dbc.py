"""The CAN database and the frames: held against cantools, which reads the text and encodes and decodes by itself."""

import re
import struct
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import cantools
import numpy as np
import pytest

from exporter.cli import main
from exporter.errors import KinefixError
from exporter.export import Export, write_export
from hil.can.codec import CanFrame, DeviceCodec, HostCodec
from hil.can.database import dbc_text, frame_name, signal_name
from hil.can.database_check import require_database
from hil.can.layout import CanLayout, SignalGroup, layout_of
from hil.errors import BenchError
from hil.framing import DELIMITER, wrap
from hil.protocol import Flag, Packet, Type, pack, packet_in
from targets.rows import function_of

ODD = [0.0, -0.0, 1.5, 1e-45, -3.0e38, float("inf"), float("-inf"), float("nan")]
BENCH = """
schema = 1
[bench]
name = "identifiers"
target = "software"
export = "{export}"
function = "dostep"
[target.software]
kind = "sil"
[timing]
period = "1 ms"
[link.main]
kind = "can"
base = {base}
"""
REALS = pytest.mark.parametrize(("real", "letter"), [("float32", "f"), ("float64", "d")])


@pytest.fixture
def exported(tmp_path: Path, load_data_module: Callable[[str], ModuleType]) -> Callable[[str], Export]:
    """The hand-written slider-crank with a tunable crank, in either type."""

    def make(real: str) -> Export:
        program = load_data_module("sample_program").slider_crank_program(real, tunable=True)
        return write_export(program, tmp_path / real, {})

    return make


def layout_in(export: Export, base: int = 0x400) -> CanLayout:
    return layout_of(export.manifest, function_of(export.manifest, "dostep"), base)


def database(layout: CanLayout, words: bool = False) -> "cantools.database.can.Database":
    return cantools.database.load_string(dbc_text(layout, words), "dbc")


def groups(layout: CanLayout) -> list[SignalGroup]:
    return [*layout.groups_to_ecu, *layout.groups_to_host]


@REALS
def test_frames_hold_what_cantools_reads_bit_for_bit(exported: Callable[[str], Export], real: str, letter: str) -> None:
    """Odd numbers too, NaN among them: a float signal is the bits of the row."""
    layout = layout_in(exported(real))
    file = database(layout)
    for group in groups(layout):
        values = [ODD[number % len(ODD)] for number in range(len(group.fields))]
        packed = struct.pack(f"<{len(values)}{letter}", *values)
        for number, (identifier, data) in enumerate(group.split(packed)):
            message = file.get_message_by_frame_id(identifier)
            read = message.decode(data)
            assert message.name == frame_name(group, number)
            assert message.length == len(data)
            for field in group.fields_of(number):
                wanted = values[group.fields.index(field)]
                found = read[signal_name(group, field)]
                assert struct.pack(f"<{letter}", found) == struct.pack(f"<{letter}", wanted)


def test_doubles_in_words_are_the_same_bits(exported: Callable[[str], Export]) -> None:
    """The lower word first: what a tool without doubles sends is what one with doubles sends."""
    layout = layout_in(exported("float64"))
    doubles, words = database(layout), database(layout, words=True)
    name = frame_name(layout.inputs, 0)
    field = layout.inputs.fields[0].field
    whole = struct.unpack("<Q", struct.pack("<d", -12.75))[0]
    data = words.encode_message(name, {f"{field}_lo": whole & 0xFFFF_FFFF, f"{field}_hi": whole >> 32})
    assert data == doubles.encode_message(name, {field: -12.75})
    assert doubles.decode_message(name, data) == {field: -12.75}


@REALS
def test_units_ranges_and_comments_are_those_of_the_manifest(
    exported: Callable[[str], Export], real: str, letter: str
) -> None:
    del letter
    layout = layout_in(exported(real))
    file, names = database(layout), []
    for group in groups(layout):
        for number in range(group.frames):
            message = file.get_message_by_name(frame_name(group, number))
            for field in group.fields_of(number):
                signal = message.get_signal_by_name(signal_name(group, field))
                names.append(signal.name)
                assert signal.unit == field.unit
                assert signal.comment == (field.about or field.name)
                if field.minimum is not None:
                    assert (signal.minimum, signal.maximum) == pytest.approx((field.minimum, field.maximum))
    assert len(names) == len(set(names)) > 8


def test_identifiers_follow_one_another_and_grow_to_29_bits(exported: Callable[[str], Export]) -> None:
    export = exported("float32")
    low, high = layout_in(export), layout_in(export, 0x7FA)
    for layout in (low, high):
        file = database(layout)
        assert sorted(message.frame_id for message in file.messages) == list(range(layout.commit, layout.last + 1))
        assert {message.is_extended_frame for message in file.messages} == {layout.is_extended}
    assert (low.is_extended, high.is_extended) == (False, True)
    with pytest.raises(KinefixError, match=r"from 0x1FFFFFFF on the last would be 0x2000000., and 0x1FFFFFFF is the"):
        layout_in(export, 0x1FFF_FFFF)


def test_the_command_writes_the_same_bytes_again(exported: Callable[[str], Export], tmp_path: Path) -> None:
    folder, texts = exported("float32").folder, []
    for name in ("a.dbc", "b.dbc"):
        with pytest.raises(SystemExit) as left:
            main(["dbc", str(folder), "--function", "dostep", "--base", "1024", "--out", str(tmp_path / name)])
        assert not left.value.code
        texts.append((tmp_path / name).read_bytes())
    assert texts[0] == texts[1] == dbc_text(layout_in(exported("float32"))).encode()
    with pytest.raises(SystemExit) as left:
        main(["dbc", str(folder), "--base", "low"])
    assert left.value.code == 2


@pytest.mark.parametrize(
    ("base", "said"),
    [
        (0x1FFF_FFF8, "identifiers; from 0x1FFFFFF8 on the last would be 0x2000000"),
        (0x2000_0000, "identifiers; from 0x20000000 on the last would be 0x2000000|is more than 536,870,911, the most"),
        (-1, "-1 is no CAN identifier; choose a base from 0 on|-1 is less than 0, the least"),
    ],
)
def test_identifiers_that_do_not_exist_are_one_sentence_of_the_command(
    exported: Callable[[str], Export], tmp_path: Path, capsys: pytest.CaptureFixture[str], base: int, said: str
) -> None:
    """By the option and by the bench file; exit code 2."""
    folder, bench = exported("float32").folder, tmp_path / "bench.toml"
    bench.write_text(BENCH.format(export=folder, base=base), encoding="utf-8")
    for arguments in (["dbc", str(folder), "--function", "dostep", f"--base={base}"], ["hil", str(bench)]):
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert left.value.code == 2
        told = capsys.readouterr().err
        assert re.search(said, told)
        assert told.count("\n") == 1
    assert not list(tmp_path.rglob("*.dbc"))


def test_recalibrate_is_no_function_of_a_bench(
    exported: Callable[[str], Export], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A step of it would bring its row into force as parameters: refused before anything is built, run or written."""
    folder, bench = exported("float32").folder, tmp_path / "bench.toml"
    text = BENCH.format(export=folder, base=0x400).replace('"dostep"', '"recalibrate"')
    bench.write_text(text, encoding="utf-8")
    out = tmp_path / "a.dbc"
    suite = ["hil", str(folder), "--suite", "--bench", str(bench)]
    for arguments in (["hil", str(bench)], suite, ["dbc", str(folder), "--function", "recalibrate", "--out", str(out)]):
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert left.value.code == 2
        assert re.search(
            "'recalibrate' is not stepped on a bench: it brings parameters .*; choose one of .*dostep",
            capsys.readouterr().err,
        )
    assert {each.name for each in tmp_path.iterdir()} == {"bench.toml", folder.name}


def codecs(layout: CanLayout) -> tuple[HostCodec, DeviceCodec]:
    """Both sides, with an open session."""
    host, device = HostCodec(layout), DeviceCodec(layout)
    for frame in device.encode(wrap(pack(Packet(Type.OPEN, 7, Flag.REPLY, 1)))):
        host.take(frame)
    return host, device


def heard(codec: HostCodec | DeviceCodec, frames: list[CanFrame]) -> list[Packet]:
    """What a side makes of frames: sound packets only."""
    stuffed = b"".join(map(codec.take, frames)).split(DELIMITER)
    found = []
    for each in stuffed:
        try:
            found.append(packet_in(each))
        except Exception:  # noqa: BLE001 - damage of whatever kind
            continue
    return found


def test_a_row_that_lacks_a_frame_is_damage(exported: Callable[[str], Export]) -> None:
    """Whatever single frame of a request or an answer is lost, changed or late, nothing else is heard for it."""
    layout, draw = layout_in(exported("float32")), np.random.default_rng(5)

    def packet(number: int, answer: bool) -> Packet:
        size = 8 + layout.next_state.size + layout.outputs.size if answer else layout.state.size + layout.inputs.size
        flags = Flag.REPLY if answer else Flag.WITH_STATE
        return Packet(Type.STEP, 7, flags, number, draw.bytes(size))

    for answer in (False, True):
        host, device = codecs(layout)
        sender, taker = (device, host) if answer else (host, device)
        before = packet(1, answer)
        if answer:  # it is asked for by signals
            device.take(host.encode(wrap(pack(packet(0, False))))[-1])
        assert heard(taker, sender.encode(wrap(pack(before)))) == [before]
        for number in range(2, 40):
            now = packet(number, answer)
            frames = sender.encode(wrap(pack(now)))
            lost = int(draw.integers(len(frames)))
            assert heard(taker, frames[:lost] + frames[lost + 1 :]) == []
            bad = frames[lost]._replace(data=bytes([frames[lost].data[0] ^ 4]) + frames[lost].data[1:])
            assert now not in heard(taker, [*frames[:lost], bad, *frames[lost + 1 :]]) or lost == len(frames) - 1
            assert heard(taker, frames) == [now]
            assert heard(taker, [frame._replace(data=frame.data[:-1]) for frame in frames]) == []


def test_the_frames_of_the_page_are_those_that_the_bench_sends(exported: Callable[[str], Export]) -> None:
    """docs/can.md makes them by cantools and zlib alone."""
    row = struct.pack("<3f", 0.5, 2.0, -12.5)
    frames = HostCodec(layout_in(exported("float32"))).encode(wrap(pack(Packet(Type.STEP, 7, Flag.WITH_STATE, 3, row))))
    page = (Path(__file__).resolve().parents[3] / "docs" / "can.md").read_text(encoding="utf-8")
    assert "\n".join(f"{frame.id:X}  {frame.data.hex(' ')}" for frame in frames) in page


@pytest.mark.parametrize("words", [False, True])
def test_the_database_of_an_export_is_taken_among_other_messages(
    exported: Callable[[str], Export], tmp_path: Path, words: bool
) -> None:
    layout, file = layout_in(exported("float64")), tmp_path / "network.dbc"
    others = 'BO_ 291 Dash: 8 Vector__XXX\n SG_ speed : 0|16@1+ (0.01,0) [0|655] "km/h" Vector__XXX\n'
    head, body = dbc_text(layout, words).split("BO_ ", 1)
    file.write_text(f"{head}{others}\nBO_ {body}", encoding="cp1252")
    assert cantools.database.load_file(file).get_message_by_name("Dash").frame_id == 291
    require_database(file, layout)


@pytest.mark.parametrize(
    ("identifier", "taken"), [(0x402, True), (0x400, True), (0x402 | 1 << 31, False), (0x3FF, False)]
)
def test_a_database_in_which_another_message_has_an_identifier_of_the_export_is_refused(
    exported: Callable[[str], Export], tmp_path: Path, identifier: int, taken: bool
) -> None:
    """Both are named. One of 29 bits is another identifier, and stays apart on the bus."""
    layout, file = layout_in(exported("float32")), tmp_path / "network.dbc"
    other = f'BO_ {identifier} Dash: 8 Vector__XXX\n SG_ speed : 0|16@1+ (0.01,0) [0|655] "km/h" Vector__XXX\n'
    head, body = dbc_text(layout).split("BO_ ", 1)
    for text in (f"{head}{other}\nBO_ {body}", f"{head}BO_ {body.replace('BO_ ', other + chr(10) + 'BO_ ', 1)}"):
        file.write_text(text, encoding="cp1252")
        if not taken:
            require_database(file, layout)
            continue
        name = {0x402: "State1", 0x400: "Commit"}[identifier]
        with pytest.raises(BenchError, match=rf"'Dash' has the identifier 0x{identifier:X} of '{name}'; give one of"):
            require_database(file, layout)


@pytest.mark.parametrize("first", [True, False])
def test_a_message_that_is_there_twice_is_refused_in_either_order(
    exported: Callable[[str], Export], tmp_path: Path, first: bool
) -> None:
    """Whichever of them another tool takes."""
    layout, file = layout_in(exported("float32")), tmp_path / "network.dbc"
    head, *blocks = re.split(r"(?m)^(?=BO_ )", dbc_text(layout))
    place = next(number for number, block in enumerate(blocks) if " Inputs1:" in block)
    double = f"{blocks[place].split(chr(10) * 2)[0]}\n\n".replace("BO_ 1027 ", "BO_ 1280 ")
    blocks.insert(place + (not first), double)
    text = head + "".join(blocks)
    assert text.count(" Inputs1:") == 2
    file.write_text(text, encoding="cp1252")
    with pytest.raises(BenchError, match=r"'Inputs1' is there 2 times, with the identifiers 0x[45]0[03] and 0x"):
        require_database(file, layout)


DIFFERENCES = {
    "another base": (lambda text: text, 0x500, r"the identifier of 'Commit' is 0x400, not 0x500; write it with: kine"),
    "a message less": (lambda text: text.replace(" Outputs1:", " Elsewhere:"), 0x400, "message 'Outputs1' is missing"),
    "a signal less": (lambda text: text.replace("F_N :", "G_N :"), 0x400, "message 'Inputs1' has no signal 'F_N'"),
    "a unit": (
        lambda text: text.replace('"N"', '"kN"'),
        0x400,
        r"'F_N' of 'Inputs1' .* \[kN\], not .* \[N\]",
    ),
    "a scale": (lambda text: text.replace("F_N : 0|32@1+ (1,0)", "F_N : 0|32@1+ (0.1,0)"), 0x400, "times 0.1 plus 0"),
    "an order": (lambda text: text.replace("F_N : 0|32@1+", "F_N : 7|32@0+"), 0x400, "from bit 7, big endian"),
    "integers": (lambda text: text.replace("SIG_VALTYPE_ 1027 F_N : 1;", ""), 0x400, "'F_N' .* as unsigned, 32 bits"),
    "a length": (lambda text: text.replace("Commit: 8", "Commit: 7"), 0x400, "length of 'Commit' is 7 bytes, not 8"),
    "a multiplexed signal": (
        lambda text: text.replace("crc : 32|32@1+", "crc m1 : 32|32@1+").replace("type : 16", "type M : 16"),
        0x400,
        "'type' of 'Commit' is spelled as unsigned, 8 bits from bit 16, little endian, a multiplexer .*, not as",
    ),
    "a signal in some frames": (
        lambda text: text.replace("SG_ sequence : 0", "SG_ sequence m1 : 0").replace("type : 16", "more M : 16"),
        0x400,
        "'sequence' of 'Commit' is .*, in some frames alone .multiplexed.",
    ),
    "a signal over others": (
        lambda text: text.replace(" SG_ F_N :", ' SG_ gear : 30|4@1+ (1,0) [0|15] "" Ecu\n SG_ F_N :'),
        0x400,
        "signal 'gear' of 'Inputs1' lies over bits of 'F_N'",
    ),
    "a big-endian signal over others": (
        lambda text: text.replace(" SG_ F_N :", ' SG_ gear : 23|12@0+ (1,0) [0|15] "" Ecu\n SG_ F_N :'),
        0x400,
        "signal 'gear' of 'Inputs1' lies over bits of 'F_N'",
    ),
    "a signal twice": (
        lambda text: text.replace(" SG_ F_N :", ' SG_ F_N : 8|8@1+ (1,0) [0|15] "" Ecu\n SG_ F_N :'),
        0x400,
        "message 'Inputs1' has 2 signals 'F_N'",
    ),
    "no text of a DBC": (lambda _: "BO_ nonsense", 0x400, "cannot be read"),
}


@pytest.mark.parametrize("what", DIFFERENCES)
def test_a_database_with_other_frames_is_refused(exported: Callable[[str], Export], tmp_path: Path, what: str) -> None:
    change, base, said = DIFFERENCES[what]
    export, file = exported("float32"), tmp_path / "other.dbc"
    right = dbc_text(layout_in(export))
    file.write_text(change(right), encoding="cp1252")
    assert what == "another base" or file.read_text(encoding="cp1252") != right
    with pytest.raises(BenchError, match=said):
        require_database(file, layout_in(export, base))
    with pytest.raises(BenchError, match=r"none\.dbc cannot be read .*; correct \[link.main\] dbc"):
        require_database(tmp_path / "none.dbc", layout_in(export))
