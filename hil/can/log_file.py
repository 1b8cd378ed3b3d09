"""Frames out of a log of a CAN bus, channel by channel.

In: an ASC or BLF file. Out: `CanLog`. What ends before its end is read as far as it goes, and said to be cut.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import can

from hil.can.blf_objects import count_objects
from hil.can.codec import CanFrame
from hil.can.link import is_data
from hil.errors import BenchError


@dataclass(slots=True)
class CanLog:
    """What a log holds."""

    is_cut: bool = False  # it ends before its end
    frames: list[CanFrame] = field(default_factory=list)  # in the order of the file
    channels: dict[str, list[CanFrame]] = field(default_factory=dict)  # the same, by the channel's number in the file


def read_can_log(path: Path, is_extended: bool) -> CanLog:
    """The frames with data and identifiers of one length.

    Raises:
        BenchError: the file cannot be read, or is no log.
    """
    log = CanLog()
    try:
        messages = _blf_messages(path, log) if path.suffix.lower() == ".blf" else _asc_messages(path, log)
        for message in messages:
            if is_data(message, is_extended):
                frame = CanFrame(message.arbitration_id, bytes(message.data))
                log.frames.append(frame)
                log.channels.setdefault(_channel(message), []).append(frame)
    except Exception as error:  # python-can has no class for what its parts raise on bytes that are no log
        if log.is_cut and log.frames:
            return log
        why = str(error) or type(error).__name__
        raise BenchError(
            f"{path} cannot be read as a log of CAN frames ({why}); give an .asc or .blf file that is whole"
        ) from error
    return log


def _blf_messages(path: Path, log: CanLog) -> Iterator[can.Message]:
    """A log that was copied in part is shorter than its head says, or has fewer objects than that counts.

    One that was not closed has counted none.
    """
    content = path.read_bytes()
    reader = can.BLFReader(io.BytesIO(content))
    log.is_cut = reader.file_size > len(content) or reader.object_count == 0
    log.is_cut = log.is_cut or reader.object_count > count_objects(content)
    return iter(reader)


def _asc_messages(path: Path, log: CanLog) -> Iterator[can.Message]:
    """The last line of a log that was cut is not read: half a frame looks like a shorter one."""
    text = path.read_text(encoding="utf-8", errors="replace")
    *whole, last = text.split("\n")
    marks = text.lower()
    is_open = "begin triggerblock" in marks and "end triggerblock" not in marks
    is_end = last.strip().lower() in ("", "end triggerblock")
    log.is_cut = is_open or not is_end
    return iter(can.ASCReader(io.StringIO("\n".join(whole) + "\n")))


def _channel(message: can.Message) -> str:
    """As the file says it; python-can counts from 0."""
    return str(message.channel + 1) if isinstance(message.channel, int) else str(message.channel)
