"""A link inside the process: two ends of a pipe made of queues. Carries the software backend and the tests."""

import queue

from hil.errors import LinkError

POLL_S = 0.05
"""How long one read blocks."""


class LoopEnd:
    """One end; what is written here is read at the other end."""

    def __init__(self, name: str, incoming: "queue.Queue[bytes]", outgoing: "queue.Queue[bytes]") -> None:
        self.name = name
        self._incoming = incoming
        self._outgoing = outgoing
        self._closed = False

    def read(self) -> bytes:
        """Block for one chunk, at most the polling time."""
        if self._closed:
            raise LinkError(f"{self.name} is closed")
        try:
            return self._incoming.get(timeout=POLL_S)
        except queue.Empty:
            return b""

    def write(self, data: bytes) -> None:
        """Hand `data` to the other end."""
        if self._closed:
            raise LinkError(f"{self.name} is closed")
        self._outgoing.put(data)

    def close(self) -> None:
        """End both directions for this side."""
        self._closed = True


def loop_pair() -> tuple[LoopEnd, LoopEnd]:
    """Return the host's end and the device's end."""
    to_device: queue.Queue[bytes] = queue.Queue()
    to_host: queue.Queue[bytes] = queue.Queue()
    return LoopEnd("loop (host)", to_host, to_device), LoopEnd("loop (device)", to_device, to_host)
