"""Logs of a CAN bus that were damaged or cut: one sentence, or a word that they are cut; never a fault of Kinefix."""

import struct
from pathlib import Path

import can
import numpy as np
import pytest

from hil.can.blf_objects import count_objects
from hil.can.log_file import CanLog, read_can_log
from hil.errors import BenchError

FILE_SIZE = struct.Struct("<Q")
COUNT = struct.Struct("<L")
FILE_SIZE_AT, COUNT_AT = 16, 32  # in the head of a BLF file


def written(path: Path, compression: int = -1, container: int = 2000, count: int = 300) -> bytes:
    """A log of python-can's writer in several containers."""
    writer = can.Logger(str(path), **({"compression_level": compression} if path.suffix == ".blf" else {}))
    writer.max_container_size = container
    for number in range(count):
        data = bytes([number % 256] * (number % 9))
        writer.on_message_received(can.Message(number / 100, 0x400 + number % 5, is_extended_id=False, data=data))
    writer.stop()
    return path.read_bytes()


def read_or_refused(path: Path) -> CanLog | None:
    """What the file holds; None where it is refused, in the sentence for files that are no log."""
    try:
        return read_can_log(path, is_extended=False)
    except BenchError as error:
        if not str(error).startswith(f"{path} cannot be read as a log of CAN frames ("):
            raise
        return None


@pytest.mark.parametrize("compression", [-1, 0])
@pytest.mark.parametrize("container", [333, 10**6])
def test_objects_are_counted_however_they_lie(tmp_path: Path, compression: int, container: int) -> None:
    """The writer's own count, over objects that go on in the next container."""
    content = written(tmp_path / "a.blf", compression, container)
    assert (count_objects(content), *COUNT.unpack_from(content, COUNT_AT)) == (300, 300)


@pytest.mark.parametrize("last", [True, False])
def test_a_log_with_fewer_objects_than_its_head_counts_is_cut(tmp_path: Path, last: bool) -> None:
    """A container is gone, and the head says the size that the file has: its count alone tells."""
    content = written(tmp_path / "a.blf")
    assert not read_can_log(tmp_path / "a.blf", is_extended=False).is_cut
    places = [at for at in range(len(content)) if content.startswith(b"LOBJ", at)]
    assert len(places) > 3
    rest = content[: places[-1]] if last else content[: places[0]]
    head = bytearray(rest)
    FILE_SIZE.pack_into(head, FILE_SIZE_AT, len(rest))
    (tmp_path / "a.blf").write_bytes(head)
    log = read_can_log(tmp_path / "a.blf", is_extended=False)
    assert log.is_cut
    assert (0 < len(log.frames) < 300) == last


def test_a_damaged_log_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """Any bit of a BLF file: what is taken has all frames, or says that it is cut."""
    content, draw = written(tmp_path / "a.blf"), np.random.default_rng(4)
    whole, refused, damaged = read_can_log(tmp_path / "a.blf", is_extended=False).frames, 0, tmp_path / "b.blf"
    for place in draw.choice(8 * len(content), 150, replace=False).tolist():
        changed = bytearray(content)
        changed[place // 8] ^= 1 << place % 8
        damaged.write_bytes(changed)
        log = read_or_refused(damaged)
        refused += log is None
        assert log is None or log.is_cut or log.frames == whole
    assert refused > 100


def test_objects_without_an_end_are_refused(tmp_path: Path) -> None:
    """python-can reads an object of no size over and over."""
    content = written(tmp_path / "a.blf", compression=0)
    inner = content.index(b"LOBJ", content.index(b"LOBJ") + 4)
    changed = bytearray(content)
    struct.pack_into("<L", changed, inner + 8, 0)
    (tmp_path / "a.blf").write_bytes(changed)
    with pytest.raises(BenchError, match="an object of the log has 0 bytes, and its head alone 16"):
        read_can_log(tmp_path / "a.blf", is_extended=False)


@pytest.mark.parametrize("suffix", [".asc", ".blf"])
def test_what_is_no_log_is_refused_in_one_sentence(tmp_path: Path, suffix: str) -> None:
    """Bytes at random, nothing at all, and a head alone."""
    path, draw = tmp_path / f"a{suffix}", np.random.default_rng(6)
    for content in (b"", b"LOGG", b"LOGG" + draw.bytes(400), draw.bytes(400), b"date x\n0.1 1 400 Rx d 9 zz\n0.2 1\n"):
        path.write_bytes(content)
        log = read_or_refused(path)
        assert log is None or log.frames == []


@pytest.mark.parametrize("seed", range(6))
def test_a_damaged_asc_file_gives_frames_or_one_sentence(tmp_path: Path, seed: int) -> None:
    """Characters changed at random; a line that can still be read is a frame, as in any text."""
    content, draw = bytearray(written(tmp_path / "a.asc", count=60)), np.random.default_rng(seed)
    for place in draw.choice(len(content), 40, replace=False).tolist():
        content[place] = int(draw.integers(256))
    (tmp_path / "a.asc").write_bytes(content)
    log = read_or_refused(tmp_path / "a.asc")
    assert log is None or len(log.frames) < 60
