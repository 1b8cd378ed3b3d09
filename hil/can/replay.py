"""Rows out of a log of CAN frames: what the ECU was stepped with, to be stepped with again.

In: an ASC or BLF file, a layout. Out: rows (state, then inputs) of the steps that the ECU answered, in order.
"""

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import can
import numpy as np
from numpy.typing import NDArray

from hil.can.codec import MARK, CanFrame, ReceivedValues
from hil.can.layout import CanLayout
from hil.can.link import is_data
from hil.errors import BenchError
from hil.protocol import Flag, Type
from targets.rows import REAL_TYPES


def rows_of_log(path: Path, layout: CanLayout) -> NDArray[Any]:
    """The rows of a log, (n, row_inputs).

    A step that was asked for without its state gets the state of the answer before it. A request that was repeated
    counts once, one that got no answer does not count.

    Raises:
        BenchError: the file cannot be read, is no log, or holds no step of this layout.
    """
    try:
        frames = [_frame(message) for message in _messages(path) if is_data(message, layout.is_extended)]
    except (OSError, ValueError, can.CanError, IndexError, AssertionError, struct.error) as error:
        raise BenchError(
            f"{path} cannot be read as a log of CAN frames ({error}); give an .asc or .blf file"
        ) from error
    rows = _Steps(layout).of(frames)
    if not rows:
        raise BenchError(
            f"{path} holds {len(frames)} frames and no answered step of {layout.model}, {layout.function} from "
            f"identifier 0x{layout.commit:X} on; does [link.main] base fit the log?"
        )
    return np.frombuffer(b"".join(rows), dtype=REAL_TYPES[layout.real]).reshape(len(rows), -1).copy()


def _messages(path: Path) -> list[can.Message]:
    """All messages of a log. The file is opened here: python-can leaves one open that it cannot read."""
    if path.suffix == ".blf":
        with path.open("rb") as content:
            return list(can.BLFReader(content))
    with path.open(encoding="utf-8") as text:
        return list(can.ASCReader(text))


def _frame(message: can.Message) -> CanFrame:
    return CanFrame(message.arbitration_id, bytes(message.data))


class _Steps:
    """Goes through a log."""

    def __init__(self, layout: CanLayout) -> None:
        self._layout = layout
        self._asked = ReceivedValues(layout.groups_to_ecu)
        self._told = ReceivedValues(layout.groups_to_host)
        self._waiting: dict[int, bytes] = {}  # number of a request -> its row
        self._rows: list[bytes] = []
        self._state = b""  # after the last answer
        self._done = -1  # number of the request that was answered last

    def of(self, frames: Iterable[CanFrame]) -> list[bytes]:
        """The rows of all answered steps."""
        for frame in frames:
            if frame.id == self._layout.commit and len(frame.data) == MARK.size:
                self._ask(*MARK.unpack(frame.data)[:3])
            elif frame.id == self._layout.result and len(frame.data) == MARK.size:
                self._answer(*MARK.unpack(frame.data)[:2])
            else:
                self._asked.take(frame)
                self._told.take(frame)
        return self._rows

    def _ask(self, number: int, kind: int, flags: int) -> None:
        if kind == Type.STEP:
            layout = self._layout
            state = self._asked.of(layout.state) if flags & Flag.WITH_STATE else self._state
            self._waiting = {number: state + self._asked.of(layout.inputs)}

    def _answer(self, number: int, kind: int) -> None:
        row = self._waiting.pop(number, None)
        if kind != Type.STEP or row is None or number == self._done:
            return
        self._done = number
        self._state = self._told.of(self._layout.next_state)
        if len(row) == self._layout.state.size + self._layout.inputs.size:
            self._rows.append(row)
