"""TCP streams: the emulator's UART, or a serial server in front of a board.

A socket of the operating system, because the `socket://` of pyserial hands out one or two bytes a read.
"""

import select
import socket

from hil.errors import LinkError
from hil.links.serial_link import POLL_S

PREFIX = "socket://"
MOST_BYTES = 65_536  # that one call of recv takes


class SocketLink:
    """A byte stream over TCP."""

    def __init__(self, url: str, timeout_s: float) -> None:
        """Connect to "socket://host:port"; `timeout_s` limits connecting and every write.

        Raises `LinkError` where nobody answers there.
        """
        self.name = url
        host, _, port = url.removeprefix(PREFIX).rpartition(":")
        try:
            self._socket = socket.create_connection((host, int(port)), timeout=timeout_s)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except (OSError, ValueError, OverflowError) as error:
            raise LinkError(f"port {url} cannot be opened ({error}); check [link.main] in the bench file") from error

    def read(self) -> bytes:
        """Wait for the first byte, at most the polling time, and take all that has come."""
        try:
            ready, _, _ = select.select([self._socket], [], [], POLL_S)
            data = self._socket.recv(MOST_BYTES) if ready else None
        except (OSError, ValueError) as error:
            raise LinkError(f"{self.name} broke while reading ({error}); is the device still there?") from error
        if data == b"":
            raise LinkError(f"{self.name} broke while reading (the other end closed it); is the device still there?")
        return data or b""

    def write(self, data: bytes) -> None:
        """Send all of `data`."""
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise LinkError(f"{self.name} broke while writing ({error}); is the device still there?") from error

    def close(self) -> None:
        """Release the port."""
        self._socket.close()
