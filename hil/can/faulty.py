"""A CAN link under faults: frames are lost, doubled, late, out of order, changed, cut, or foreign, by plan.

In: a `CanLink` of the host and a faults file. Out: a `FaultyCan` between its codec and its bus. As on a serial line it
knows which frames it kept from arriving, and so when waiting is in vain.
"""

import threading
from collections import deque
from dataclasses import replace
from functools import partial

from hil.can.codec import CanFrame
from hil.can.link import CanLink
from hil.errors import FramingError
from hil.faults.fault_file import FaultFile, require_kinds
from hil.faults.kinds import CAN_KINDS, ID_BYTES, Direction, carry_can_frame
from hil.faults.way import Way
from hil.framing import DELIMITER, Deframer
from hil.links.faulty import ANY_REQUEST, LONGEST_FRAME, LOOK_S
from hil.protocol import Flag, Packet, Type, packet_in
from hil.waiting import Clock


class FaultyCan:
    """Frames of the host under faults from `arm` to `disarm`, else as they are."""

    def __init__(self, link: CanLink, file: FaultFile) -> None:
        """Stand between codec and bus of `link`.

        Raises:
            BenchError: the file asks for a kind that there is on serial lines only.
        """
        require_kinds(file, CAN_KINDS, "CAN")
        self.step = 0  # that is being asked for; for the log
        do = partial(carry_can_frame, own=range(link.codec.layout.commit, link.codec.layout.last + 1))
        self.to_device = Way(Direction.TO_DEVICE, file, CAN_KINDS, do)
        self.to_host = Way(Direction.TO_HOST, file, CAN_KINDS, do)
        self._link = link
        self._lock = threading.Lock()
        self._armed = False
        self._request = ANY_REQUEST  # type of the last one that was sent
        self._heard = Deframer(LONGEST_FRAME)  # of the stream, by the device
        self._from_device = Deframer(LONGEST_FRAME)
        self._ready: deque[CanFrame] = deque()  # for the host
        self._owed = 0  # answers of the device to requests that it heard
        self._taken = True  # all that the reader was given is in its queue
        link.faults = self

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
            self._ready += map(_frame, self.to_host.rest())
        for piece in self.to_device.rest():
            self._link.send(_frame(piece))

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
                return self._link.codec.take(self._ready.popleft())
        frame = self._link.receive()
        if frame is None:
            return b""
        with self._lock:
            self._taken = False
            self._owed -= self._answers(frame)
            self._ready += self._carried(self.to_host, frame)
            return self._link.codec.take(self._ready.popleft()) if self._ready else b""

    def write(self, data: bytes) -> None:
        """Send one frame of the wire protocol."""
        with self._lock:
            self._request = _type_of(data)
            frames = [each for frame in self._link.codec.encode(data) for each in self._carried(self.to_device, frame)]
            self._owed += sum(map(self._requests, frames))
        for frame in frames:
            self._link.send(frame)

    def _carried(self, way: Way, frame: CanFrame) -> list[CanFrame]:
        if not self._armed:
            return [frame]
        return [_frame(piece) for piece in way.carry(_bytes(frame), self._request, self.step)]

    def _requests(self, frame: CanFrame) -> int:
        """How many answers a frame that arrives at the device calls for."""
        layout = self._link.codec.layout
        if frame.id == layout.to_ecu:
            return len(self._heard.feed(frame.data))
        return int(frame.id == layout.commit)

    def _answers(self, frame: CanFrame) -> int:
        """How many answers of the device a frame ends."""
        layout = self._link.codec.layout
        if frame.id == layout.to_host:
            return sum(map(_is_answer, self._from_device.feed(frame.data)))
        return int(frame.id == layout.result)


def _bytes(frame: CanFrame) -> bytes:
    return frame.id.to_bytes(ID_BYTES, "big") + frame.data


def _frame(piece: bytes) -> CanFrame:
    return CanFrame(int.from_bytes(piece[:ID_BYTES], "big"), piece[ID_BYTES:])


def _packet(stuffed: bytes) -> Packet | None:
    try:
        return packet_in(stuffed)
    except FramingError:
        return None


def _type_of(data: bytes) -> str:
    packet = _packet(data.strip(DELIMITER))
    return ANY_REQUEST if packet is None else packet.type.name


def _is_answer(stuffed: bytes) -> bool:
    packet = _packet(stuffed)
    return packet is None or packet.type is Type.NACK or Flag.REPLY in packet.flags
