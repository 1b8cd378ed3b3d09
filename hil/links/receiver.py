"""The reader thread: takes bytes from a link as they come, hands out whole packets, counts what was damaged.

Everything that waits does so here and with a limit; no verdict depends on when a byte arrived at the host.
"""

import queue
import threading
from dataclasses import dataclass, field

from exporter.time_limits import END_S
from hil.errors import FramingError, OtherVersion
from hil.framing import Deframer
from hil.links.link import Link
from hil.protocol import LONGEST_FRAME, Packet, packet_in

KEPT_NOTES = 20
"""How many notes on damage are kept for the report; the counters go on."""


@dataclass(slots=True)
class Damage:
    """What came in and was no packet."""

    frames: int = 0
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Count one damaged frame and remember the first few."""
        self.frames += 1
        if len(self.notes) < KEPT_NOTES:
            self.notes.append(text)


@dataclass(frozen=True, slots=True)
class DamagedFrame:
    """Something came that is no packet: a frame that was damaged, or noise."""


class Receiver:
    """Owns the reading side of a link from construction to `stop`."""

    def __init__(self, link: Link) -> None:
        self.damage = Damage()
        self._link = link
        self._deframer = Deframer(LONGEST_FRAME)
        self._packets: queue.Queue[Packet | DamagedFrame | Exception] = queue.Queue()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"reader of {link.name}", daemon=True)
        self._thread.start()

    def listen(self, limit_s: float) -> Packet | DamagedFrame | None:
        """Return what comes next, damaged or not, or None when nothing came within `limit_s`.

        Raises:
            LinkError: the link broke.
            OtherVersion: a whole packet of another version of the protocol came.
            Exception: reading failed in another way, which is an error of this program.
        """
        try:
            heard = self._packets.get(timeout=max(0.0, limit_s))
        except queue.Empty:
            return None
        if isinstance(heard, Exception):
            if not isinstance(heard, OtherVersion):
                self._packets.put(heard)  # a broken link stays broken for the next caller
            raise heard
        return heard

    @property
    def unfinished(self) -> int:
        """Bytes of a frame that has begun and not ended."""
        return len(self._deframer.pending)

    def stop(self) -> None:
        """End the thread; the link stays open."""
        self._stopping.set()
        self._thread.join(END_S)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                chunk = self._link.read()
                self._take(chunk)
            except Exception as error:  # noqa: BLE001 - whatever it is, its place is with who waits, not in a thread
                self._packets.put(error)
                return

    def _take(self, chunk: bytes) -> None:
        for frame in self._deframer.feed(chunk):
            try:
                self._packets.put(packet_in(frame))
            except OtherVersion as error:
                self._packets.put(error)
            except FramingError as error:
                self.damage.note(str(error))
                self._packets.put(DamagedFrame())
