"""What links under faults share, whatever they carry: when faults are on, what is under way, when the line is silent.

A line knows which frames it kept from arriving. So it also knows when everything that was heard is answered and that
waiting longer is in vain. A device that is merely slow owes an answer, and is waited for as ever. So which frames are
sent again does not depend on time.
"""

import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from hil.errors import FramingError
from hil.faults.fault_file import FaultFile, require_kinds
from hil.faults.kinds import CarriedFrame, Direction, FrameDraw, Kind
from hil.faults.way import Way
from hil.framing import Deframer
from hil.protocol import Flag, Packet, Type, packet_in
from hil.waiting import Clock

LONGEST_FRAME = 1 << 16
"""Bytes of a frame that is carried whole, far above what either side takes."""

LOOK_S = 0.005
"""How often a host that waits looks whether the line fell silent."""

ANY_REQUEST = "?"


class FaultyLine(ABC):
    """Frames under faults from `arm` to `disarm`, else as they are."""

    def __init__(
        self,
        file: FaultFile,
        kinds: tuple[Kind, ...],
        medium: str,
        do: Callable[[Kind, bytes, FrameDraw], CarriedFrame],
    ) -> None:
        """A line on which faults of these kinds can happen; raises `BenchError` where the file has another one."""
        require_kinds(file, kinds, medium)
        self.step = 0  # that is being asked for; for the log
        self.to_device = Way(Direction.TO_DEVICE, file, kinds, do)
        self.to_host = Way(Direction.TO_HOST, file, kinds, do)
        self._lock = threading.Lock()
        self._armed = False
        self._heard = Deframer(LONGEST_FRAME)  # by the device
        self._from_device = Deframer(LONGEST_FRAME)
        self._ready: deque[bytes] = deque()  # for the host
        self._owed = 0  # answers of the device to requests that it heard
        self._taken = True  # all that the reader was given is in its queue

    @abstractmethod
    def _pass_on(self, piece: bytes) -> None:
        """Let a piece arrive at the device."""

    def arm(self) -> None:
        """Begin with faults; counts and log are those from here on, and the faults those of the seed's beginning."""
        with self._lock:
            self._armed, self._owed = True, 0
            for way in (self.to_device, self.to_host):
                way.frames, way.log = 0, []

    def disarm(self) -> None:
        """End with faults, and let arrive what is still under way."""
        with self._lock:
            self._armed = False
            self._ready += self.to_host.rest()
        for piece in self.to_device.rest():
            self._pass_on(piece)

    def clock(self, inner: Clock) -> Clock:
        """The clock for limits on this link: as `inner`, and a wait on a silent line is in vain."""
        return replace(inner, in_vain=lambda: self.is_silent, look_s=LOOK_S)

    @property
    def is_silent(self) -> bool:
        """Whether faults are on and nothing is under way to the host, nor will be until it sends again."""
        with self._lock:
            return self._armed and self._taken and not self._ready and self._owed <= 0


def whole_packet(stuffed: bytes) -> Packet | None:
    """The packet in a frame without its delimiters; None where it is none."""
    try:
        return packet_in(stuffed)
    except FramingError:
        return None


def is_answer(packet: Packet | None) -> bool:
    """Whether the host need not wait after it: a reply, a refusal, or what cannot be read."""
    return packet is None or packet.type is Type.NACK or Flag.REPLY in packet.flags
