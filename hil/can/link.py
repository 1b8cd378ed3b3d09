"""A link over a CAN bus: what the bench sends and hears are bytes, what the bus carries are frames.

In: a bus of python-can and a layout. Out: a `Link`. Any interface of python-can will do; a log is kept where asked.
"""

import threading
import time
from contextlib import suppress
from typing import Protocol

import can

from hil.can.bus import mend
from hil.can.codec import CanFrame, DeviceCodec, HostCodec
from hil.can.frame_log import FrameLog
from hil.errors import LinkError

POLL_S = 0.05
"""How long one read blocks."""
MOST_TOLD = 4
"""Identifiers that an error names."""
SEND_S = 1.0
"""How long a frame may wait for the interface to take it."""


class ByteSide(Protocol):
    """Bytes in, bytes out."""

    def read(self) -> bytes:
        """What arrives next."""

    def write(self, data: bytes) -> None:
        """Send a frame of the wire protocol."""


class HeardFrames:
    """The last data of each identifier, and how often it was heard. Filled by the reader, read by others."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._frames: dict[int, tuple[int, bytes]] = {}

    def take(self, frame: CanFrame) -> None:
        """Note a frame."""
        with self._changed:
            count, _ = self._frames.get(frame.id, (0, b""))
            self._frames[frame.id] = count + 1, frame.data
            self._changed.notify_all()

    def last(self, identifier: int) -> bytes | None:
        """The last data; None where none was heard."""
        with self._changed:
            return self._frames[identifier][1] if identifier in self._frames else None

    def counts(self) -> dict[int, int]:
        """How often each identifier was heard so far."""
        with self._changed:
            return {identifier: count for identifier, (count, _) in self._frames.items()}

    def after(self, identifier: int, count: int, limit_s: float) -> bytes | None:
        """The data of the last frame, once more than `count` were heard; None where that is not within the limit."""
        with self._changed:
            came = self._changed.wait_for(lambda: self._frames.get(identifier, (0, b""))[0] > count, limit_s)
            return self._frames[identifier][1] if came else None


class CanLink:
    """Bytes over CAN. `codec` says which side this is."""

    def __init__(self, bus: can.BusABC, codec: HostCodec | DeviceCodec, name: str, log: FrameLog | None = None) -> None:
        self.name = name
        self._bus = bus
        self.codec = codec
        self.faults: ByteSide | None = None  # what stands between the codec and the bus
        self.heard = HeardFrames()
        self.log = log  # of every frame that was sent or heard
        self._keeping = threading.Lock()  # an answer is kept after its request, though another thread hears it

    def read(self) -> bytes:
        """Bytes that the next frame completes; waits at most the polling time."""
        if self.faults is not None:
            return self.faults.read()
        frame = self.receive()
        return b"" if frame is None else self.codec.take(frame)

    def write(self, data: bytes) -> None:
        """Send a frame of the wire protocol."""
        if self.faults is not None:
            self.faults.write(data)
            return
        for frame in self.codec.encode(data):
            self.send(frame)

    def receive(self) -> CanFrame | None:
        """The next frame with data; None where none came within the polling time, or another one came."""
        try:
            message = self._bus.recv(POLL_S)
        except (can.CanError, OSError, ValueError, TypeError) as error:
            raise LinkError(f"{self.name} broke while reading ({error}); is the adapter still there?") from error
        if message is None:
            return None
        with self._keeping:
            self._keep(message)
        if not is_data(message, self.codec.layout.is_extended):
            return None
        frame = CanFrame(message.arbitration_id, bytes(message.data))
        self.heard.take(frame)
        return frame

    def send(self, frame: CanFrame) -> None:
        """Send one CAN frame."""
        message = can.Message(
            arbitration_id=frame.id,
            data=frame.data,
            is_extended_id=self.codec.layout.is_extended,
            is_rx=False,
            timestamp=time.time(),
        )
        with self._keeping:
            try:
                self._bus.send(message, SEND_S)
            except (can.CanError, OSError, ValueError) as error:
                raise LinkError(f"{self.name} did not take a frame ({error}); is the adapter still there?") from error
            self._keep(message)

    def _keep(self, message: can.Message) -> None:
        if self.log is not None:
            self.log.keep(message)

    def mend(self) -> str:
        """Where the controller has left the bus, join it again."""
        try:
            return mend(self._bus)
        except (can.CanError, OSError, ValueError) as error:
            raise LinkError(f"{self.name} does not answer ({error}); is the adapter still there?") from error

    def why_silent(self) -> str:
        """Whether other frames came tells a wrong identifier from a wrong bit rate."""
        layout = self.codec.layout
        firmware = f"is this the bench firmware, built for identifiers from 0x{layout.commit:X} on?"
        others = sorted(each for each in self.heard.counts() if not layout.owns(each))
        if others:
            told = ", ".join(f"0x{each:X}" for each in others[:MOST_TOLD]) + (" ..." if others[MOST_TOLD:] else "")
            return f"only frames with other identifiers came ({told}); {firmware}"
        return f"no frame came; do all nodes run at the bench file's bit rate, and {firmware}"

    def close(self) -> None:
        """Leave the bus."""
        with suppress(can.CanError, OSError, ValueError):  # it may be gone
            self._bus.shutdown()


def is_data(message: can.Message, is_extended: bool) -> bool:
    """Whether a message can be one of the layout's: data, no remote or error frame, identifiers of its length."""
    return not (message.is_error_frame or message.is_remote_frame) and message.is_extended_id == is_extended
