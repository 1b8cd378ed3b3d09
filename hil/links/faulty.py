"""A link that damages, loses, repeats and delays frames by plan; over any other link.

It knows which frames it kept from arriving. So it also knows when the line is silent, everything that was heard having
been answered, and that waiting longer is in vain. A device that is merely slow owes an answer, and is waited for as
ever. So which frames are sent again does not depend on time.
"""

import threading
from collections import deque
from dataclasses import replace

from hil.errors import FramingError
from hil.faults.fault_file import FaultFile, require_kinds
from hil.faults.kinds import SERIAL_KINDS, Direction
from hil.faults.way import Way
from hil.framing import DELIMITER, Deframer
from hil.links.link import Link
from hil.messages import Nack
from hil.protocol import Flag, Packet, Type, packet_in
from hil.waiting import Clock

LONGEST_FRAME = 1 << 16
"""Bytes of a frame that is carried whole, far above what either side takes."""

LOOK_S = 0.005
"""How often a host that waits looks whether the line fell silent."""

ANY_REQUEST = "?"


class FaultyLink:
    """A link under faults from `arm` to `disarm`, else one that carries all frames as they are."""

    def __init__(self, inner: Link, file: FaultFile) -> None:
        """Over a link; raises `BenchError` where the file has faults of CAN alone."""
        require_kinds(file, SERIAL_KINDS, "a line of bytes")
        self.name = f"{inner.name} under faults"
        self.step = 0  # that is being asked for; for the log
        self.to_device = Way(Direction.TO_DEVICE, file)
        self.to_host = Way(Direction.TO_HOST, file)
        self._inner = inner
        self._lock = threading.Lock()
        self._armed = False
        self._steps: dict[int, int] = {}  # sequence number -> step
        self._from_device = Deframer(LONGEST_FRAME)
        self._heard = Deframer(LONGEST_FRAME)  # by the device
        self._ready: deque[bytes] = deque()  # for the host
        self._owed = 0  # answers of the device to frames that it heard
        self._taken = True  # all that the reader was given is in its queue

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
            self._inner.write(piece)

    def clock(self, inner: Clock) -> Clock:
        """The clock for limits on this link: as `inner`, and a wait on a silent line is in vain."""
        return replace(inner, in_vain=lambda: self.is_silent, look_s=LOOK_S)

    @property
    def is_silent(self) -> bool:
        """Whether faults are on and nothing is under way to the host, nor will be until it sends again."""
        with self._lock:
            return self._armed and self._taken and not self._ready and self._owed <= 0

    def read(self) -> bytes:
        """What arrives at the host next."""
        with self._lock:
            self._taken = not self._ready
            if self._ready:
                return self._ready.popleft()
        chunk = self._inner.read()
        if not chunk:
            return b""
        with self._lock:
            self._taken = False
            for stuffed in self._from_device.feed(chunk):
                self._ready += self._to_host(stuffed)
            return self._ready.popleft() if self._ready else b""

    def write(self, data: bytes) -> None:
        """Send one frame of the host."""
        with self._lock:
            pieces = self._to_device(data) if self._armed else [data]
            self._owed += sum(len(self._heard.feed(piece)) for piece in pieces)
        for piece in pieces:
            self._inner.write(piece)

    def close(self) -> None:
        """Close the link below."""
        self._inner.close()

    def _to_device(self, data: bytes) -> list[bytes]:
        packet = _packet(data.strip(DELIMITER))
        if packet is not None:
            self._steps[packet.sequence] = self.step
        return self.to_device.carry(data, _request(packet), self.step)

    def _to_host(self, stuffed: bytes) -> list[bytes]:
        frame, packet = DELIMITER + stuffed + DELIMITER, _packet(stuffed)
        is_answer = packet is None or packet.type is Type.NACK or Flag.REPLY in packet.flags
        self._owed -= is_answer
        if not self._armed:
            return [frame]
        step = self.step if packet is None else self._steps.get(packet.sequence, 0)
        return self.to_host.carry(frame, _request(packet), step)


def _packet(stuffed: bytes) -> Packet | None:
    try:
        return packet_in(stuffed)
    except FramingError:
        return None


def _request(packet: Packet | None) -> str:
    """The type of the request to which a packet belongs: of a refusal, that which was refused."""
    if packet is None:
        return ANY_REQUEST
    if packet.type is not Type.NACK:
        return packet.type.name
    try:
        refused = Nack.unpack(packet.payload).type
    except FramingError:  # a whole packet, and no refusal of ours: whoever reads it says so
        return Type.NACK.name
    return Type(refused).name if refused in set(Type) else Type.NACK.name
