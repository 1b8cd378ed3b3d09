"""A CAN link under faults: frames are lost, doubled, late, out of order, changed, cut, or foreign, by plan.

In: a `CanLink` of the host and a faults file. Out: a `FaultyCan` between its codec and its bus.
"""

from functools import partial

from hil.can.codec import CanFrame
from hil.can.link import CanLink
from hil.faults.fault_file import FaultFile
from hil.faults.kinds import CAN_KINDS, ID_BYTES, carry_can_frame
from hil.faults.line import ANY_REQUEST, FaultyLine, is_answer, whole_packet
from hil.faults.way import Way
from hil.framing import DELIMITER


class FaultyCan(FaultyLine):
    """Frames of the host under faults from `arm` to `disarm`, else as they are."""

    def __init__(self, link: CanLink, file: FaultFile) -> None:
        """Stand between codec and bus of `link`.

        Raises:
            BenchError: the file asks for a kind that there is on serial lines only.
        """
        layout = link.codec.layout
        super().__init__(file, CAN_KINDS, "CAN", partial(carry_can_frame, own=range(layout.commit, layout.last + 1)))
        self._link = link
        self._request = ANY_REQUEST  # type of the last one that was sent
        link.faults = self

    def _pass_on(self, piece: bytes) -> None:
        self._link.send(_frame(piece))

    def read(self) -> bytes:
        """What arrives at the host next."""
        with self._lock:
            self._taken = not self._ready
            if self._ready:
                return self._link.codec.take(_frame(self._ready.popleft()))
        frame = self._link.receive()
        if frame is None:
            return b""
        with self._lock:
            self._taken = False
            self._owed -= self._answers(frame)
            self._ready += self._carried(self.to_host, frame)
            return self._link.codec.take(_frame(self._ready.popleft())) if self._ready else b""

    def write(self, data: bytes) -> None:
        """Send one frame of the wire protocol."""
        with self._lock:
            self._request = _type_of(data)
            pieces = [each for frame in self._link.codec.encode(data) for each in self._carried(self.to_device, frame)]
            self._owed += sum(self._requests(_frame(piece)) for piece in pieces)
        for piece in pieces:
            self._pass_on(piece)

    def _carried(self, way: Way, frame: CanFrame) -> list[bytes]:
        return way.carry(_bytes(frame), self._request, self.step) if self._armed else [_bytes(frame)]

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
            return sum(is_answer(whole_packet(each)) for each in self._from_device.feed(frame.data))
        return int(frame.id == layout.result)


def _bytes(frame: CanFrame) -> bytes:
    return frame.id.to_bytes(ID_BYTES, "big") + frame.data


def _frame(piece: bytes) -> CanFrame:
    return CanFrame(int.from_bytes(piece[:ID_BYTES], "big"), piece[ID_BYTES:])


def _type_of(data: bytes) -> str:
    packet = whole_packet(data.strip(DELIMITER))
    return ANY_REQUEST if packet is None else packet.type.name
