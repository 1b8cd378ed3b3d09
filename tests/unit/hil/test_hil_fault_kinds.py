"""Faults on a link: what each kind does to a frame, which frames are met, and what a faults file may say."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hil.errors import BenchError
from hil.faults.fault_file import FaultFile, Rule, read_faults
from hil.faults.kinds import (
    CAN_KINDS,
    SERIAL_KINDS,
    CarriedFrame,
    Direction,
    FrameDraw,
    Kind,
    carry_can_frame,
    carry_frame,
)
from hil.faults.way import Way

ROOT = Path(__file__).resolve().parents[3]
FRAME = b"\0" + bytes(range(1, 30)) + b"\0"
GOOD = "schema = 1\nseed = 5\nsteps = 300\n[[fault]]\nrate = 0.25\n"


def differing_bits(one: bytes, other: bytes) -> int:
    return sum((a ^ b).bit_count() for a, b in zip(one, other, strict=True))


def is_subsequence(part: bytes, whole: bytes) -> bool:
    rest = iter(whole)
    return all(byte in rest for byte in part)


KINDS: dict[Kind, Callable[[CarriedFrame], bool]] = {
    Kind.FLIP: lambda got: len(got.now) == 1 and differing_bits(got.now[0], FRAME) == 1,
    Kind.LOSE_BYTES: lambda got: 1 <= len(FRAME) - len(got.now[0]) <= 8 and is_subsequence(got.now[0], FRAME),
    Kind.REPEAT_BYTE: lambda got: len(got.now[0]) == len(FRAME) + 1 and is_subsequence(FRAME, got.now[0]),
    Kind.INSERT_ZERO: lambda got: got.now[0].count(0) == 3 and got.now[0].replace(b"\0", b"") == FRAME[1:-1],
    Kind.TRUNCATE: lambda got: 0 < len(got.now[0]) < len(FRAME) and FRAME.startswith(got.now[0]),
    Kind.DROP: lambda got: got.now == (),
    Kind.DOUBLE: lambda got: got.now == (FRAME, FRAME),
    Kind.SPLIT: lambda got: len(got.now) == 2 and all(got.now) and b"".join(got.now) == FRAME,
    Kind.GARBAGE: lambda got: len(got.now) == 2 and 1 <= len(got.now[0]) <= 40 and got.now[1] == FRAME,
    Kind.DELAY: lambda got: got.now == () and got.late == FRAME and 2 <= got.after <= 64,
    Kind.LATE_COPY: lambda got: got.now == (FRAME,) and got.late == FRAME and 1 <= got.after <= 64,
    Kind.REORDER: lambda got: got.now == () and got.late == FRAME and got.after == 1,
}
LATE = (Kind.DELAY, Kind.LATE_COPY, Kind.REORDER)


@pytest.mark.parametrize("kind", SERIAL_KINDS)
def test_a_kind_does_what_its_name_says(kind: Kind) -> None:
    """At many places of a frame, and not always at the same one."""
    results = [carry_frame(kind, FRAME, FrameDraw(3, Direction.TO_HOST, frame)) for frame in range(300)]
    assert all(KINDS[kind](result) for result in results)
    assert all(not result.late for result in results if kind not in LATE)
    if kind not in (Kind.DROP, Kind.DOUBLE, Kind.REORDER):
        assert len({(result.now, result.after) for result in results}) > 10


OWN = range(0x400, 0x40C)
CAN_FRAME = (0x402).to_bytes(4, "big") + bytes(range(8))
ON_CAN: dict[Kind, Callable[[CarriedFrame], bool]] = {
    Kind.FLIP: lambda got: got.now[0][:4] == CAN_FRAME[:4] and differing_bits(got.now[0], CAN_FRAME) == 1,
    Kind.DROP: lambda got: got.now == (),
    Kind.DOUBLE: lambda got: got.now == (CAN_FRAME, CAN_FRAME),
    Kind.DELAY: lambda got: got.now == () and got.late == CAN_FRAME and 2 <= got.after <= 64,
    Kind.LATE_COPY: lambda got: got.now == (CAN_FRAME,) and got.late == CAN_FRAME and 1 <= got.after <= 64,
    Kind.REORDER: lambda got: got.now == () and got.late == CAN_FRAME and got.after == 1,
    Kind.WRONG_DLC: lambda got: 4 <= len(got.now[0]) < 12 and CAN_FRAME.startswith(got.now[0]),
    Kind.FOREIGN: lambda got: got.now[1] == CAN_FRAME and is_beside(got.now[0]),
}


def is_beside(frame: bytes) -> bool:
    """A frame of another device, at most four identifiers away, of eight bytes at most."""
    identifier = int.from_bytes(frame[:4], "big")
    return (0x3FC <= identifier < 0x400 or 0x40C <= identifier < 0x410) and len(frame) <= 12


@pytest.mark.parametrize("kind", CAN_KINDS)
def test_a_kind_does_to_a_can_frame_what_its_name_says(kind: Kind) -> None:
    results = [carry_can_frame(kind, CAN_FRAME, FrameDraw(3, Direction.TO_HOST, frame), OWN) for frame in range(300)]
    assert all(ON_CAN[kind](result) for result in results)
    if kind not in (Kind.DROP, Kind.DOUBLE, Kind.REORDER):
        assert len({(result.now, result.after) for result in results}) > 7


def file_of(*rules: Rule, seed: int = 1) -> FaultFile:
    return FaultFile(Path("faults.toml"), "", rules, seed)


def frames(count: int) -> list[bytes]:
    return [b"\0" + (1000 + number).to_bytes(2, "big") + b"\0" for number in range(count)]


def test_a_late_frame_comes_behind_the_number_of_frames_that_the_log_says() -> None:
    """Counted in what arrives, for delays, late copies and reordering; at the end nothing is lost."""
    for kind in LATE:
        way = Way(Direction.TO_DEVICE, file_of(Rule(0.05, kinds=(kind,))))
        sent = frames(2000)
        arrived = [way.carry(frame, "STEP", 0) for frame in sent]
        arrived.append(way.rest())
        assert len(way.log) > 50
        for fault in way.log:
            after = 1 if kind is Kind.REORDER else int("".join(filter(str.isdigit, fault.detail)))
            expected = min(fault.frame + after, len(sent))
            places = [place for place, pieces in enumerate(arrived) if sent[fault.frame] in pieces]
            assert places == ([fault.frame, expected] if kind is Kind.LATE_COPY else [expected])
            if kind is Kind.REORDER and fault.frame + 1 not in {each.frame for each in way.log}:
                assert arrived[expected][:2] == [sent[expected], sent[fault.frame]]


def test_a_fault_follows_from_seed_direction_and_number_alone() -> None:
    """Frames carried again get the same faults; another seed or direction gives others, at about the rate."""

    def log(seed: int, direction: Direction) -> list[tuple[int, Kind, str]]:
        way = Way(direction, file_of(Rule(0.1), seed=seed))
        for frame in frames(5000):
            way.carry(frame, "STEP", 0)
        return [(fault.frame, fault.kind, fault.detail) for fault in way.log]

    first = log(1, Direction.TO_DEVICE)
    assert first == log(1, Direction.TO_DEVICE)
    assert 400 < len(first) < 600
    assert {kind for _, kind, _ in first} == set(SERIAL_KINDS)
    assert len({frame for frame, _, _ in first} & {frame for frame, _, _ in log(2, Direction.TO_DEVICE)}) < 150
    assert len({frame for frame, _, _ in first} & {frame for frame, _, _ in log(1, Direction.TO_HOST)}) < 150


def test_a_rule_meets_its_direction_and_its_requests_alone() -> None:
    """A rule for TO_HOST and OPEN before one for everything: the first rule that draws is used."""
    drops = Rule(1.0, (Direction.TO_HOST,), (Kind.DROP,), ("OPEN",))
    way = Way(Direction.TO_HOST, file_of(drops, Rule(1.0, kinds=(Kind.DOUBLE,), requests=("STEP", "OPEN"))))
    assert way.carry(FRAME, "OPEN", 0) == []
    assert way.carry(FRAME, "STEP", 0) == [FRAME, FRAME]
    assert way.carry(FRAME, "BATCH", 0) == [FRAME]
    other = Way(Direction.TO_DEVICE, file_of(drops))
    assert other.carry(FRAME, "OPEN", 0) == [FRAME]


def test_what_is_left_out_of_a_faults_file_has_a_stated_default(tmp_path: Path) -> None:
    path = tmp_path / "faults.toml"
    path.write_text("schema = 1\n[[fault]]\nrate = 1\n", encoding="utf-8")
    read = read_faults(path)
    assert (read.seed, read.steps) == (1, 10_000)
    assert read.rules == (Rule(1.0, tuple(Direction), (), ()),)  # no kinds: all that the link knows


def test_the_example_names_every_kind() -> None:
    """What people copy: 1 % of the frames, and all kinds by name."""
    read = read_faults(ROOT / "examples" / "faults.toml")
    assert read.steps == 2_000
    assert read.rules[0] == Rule(0.01, kinds=SERIAL_KINDS)
    assert read.rules[1].requests == ("HELLO", "OPEN")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("rate = 0.25", "rate = 0"), "fault.0.rate: 0 is not above 0 (Part of the frames"),
        (("rate = 0.25", 'rate = 0.25\nkinds = ["flip", "flip"]'), 'kinds: ["flip", "flip"] has an entry twice'),
        (("rate = 0.25", "rate = 1.5"), "fault.0.rate: 1.5 is more than 1, the most"),
        (("rate = 0.25", "rate = nan"), "is no finite number"),
        (("rate = 0.25", 'rate = 0.25\nkinds = ["flop"]'), '"flop" is none of'),
        (("rate = 0.25", "rate = 0.25\nkinds = []"), "fault.0.kinds: [] is empty"),
        (("rate = 0.25", 'rate = 0.25\nrequests = ["RUN"]'), '"RUN" is none of'),
        (("rate = 0.25", 'rate = 0.25\ndirection = "up"'), '"up" is none of'),
        (("rate = 0.25", "rates = 0.25"), "fault.0"),
        (
            ("steps = 300", "steps = 300.0"),
            "steps: 300.0 is not a whole number such as 3 (Steps of the device under faults); write 300",
        ),
        (("[[fault]]", "[fault]"), 'fault: {"rate": 0.25} is not a list; write [[fault]]'),
        (("steps = 300", "steps = 0"), "steps: 0 is less than 1, the least"),
        (("[[fault]]\nrate = 0.25\n", "fault = []"), "fault"),
        (("schema = 1", "schema = 2"), "schema: version 2 is not known; this version of Kinefix reads schema 1"),
        (("schema = 1", "schema = 1.0"), "schema: version 1.0 is not known"),
        (("schema = 1", "schema = true"), "schema: version true is not known"),
        (("schema = 1", "schema = '1'"), 'schema: version "1" is not known'),
        (("schema = 1", "schema = "), "is no TOML file"),
    ],
)
def test_a_wrong_faults_file_is_one_sentence(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    """With file, key and what is allowed."""
    path = tmp_path / "faults.toml"
    path.write_text(GOOD, encoding="utf-8")
    assert read_faults(path).rules[0].rate == 0.25
    path.write_text(GOOD.replace(*change), encoding="utf-8")
    with pytest.raises(BenchError, match=r"faults\.toml") as caught:
        read_faults(path)
    assert words in str(caught.value)
    with pytest.raises(BenchError, match=r"copy examples/faults\.toml"):
        read_faults(tmp_path / "none.toml")
