"""A line of bytes that damages, loses, repeats and delays frames by plan; over any other link.

In: a link and a faults file. Out: a `FaultyLink`, which is a link.
"""

from hil.errors import FramingError
from hil.faults.fault_file import FaultFile
from hil.faults.kinds import SERIAL_KINDS, carry_frame
from hil.faults.line import ANY_REQUEST, FaultyLine, is_answer, whole_packet
from hil.framing import DELIMITER
from hil.links.link import Link
from hil.messages import Nack
from hil.protocol import Packet, Type


class FaultyLink(FaultyLine):
    """A link under faults from `arm` to `disarm`, else one that carries all frames as they are."""

    def __init__(self, inner: Link, file: FaultFile) -> None:
        """Over a link; raises `BenchError` where the file has faults of CAN alone."""
        super().__init__(file, SERIAL_KINDS, "a line of bytes", carry_frame)
        self.name = f"{inner.name} under faults"
        self._inner = inner
        self._steps: dict[int, int] = {}  # sequence number -> step

    def _pass_on(self, piece: bytes) -> None:
        self._inner.write(piece)

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
        packet = whole_packet(data.strip(DELIMITER))
        if packet is not None:
            self._steps[packet.sequence] = self.step
        return self.to_device.carry(data, _request(packet), self.step)

    def _to_host(self, stuffed: bytes) -> list[bytes]:
        frame, packet = DELIMITER + stuffed + DELIMITER, whole_packet(stuffed)
        self._owed -= is_answer(packet)
        if not self._armed:
            return [frame]
        step = self.step if packet is None else self._steps.get(packet.sequence, 0)
        return self.to_host.carry(frame, _request(packet), step)


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
