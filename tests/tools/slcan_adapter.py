"""An slcan adapter of this process, whose controller can be told to leave the bus.

In: a bus of python-can, which gets the frames of LAWICEL lines on a TCP port. Out: a URL for `channel`. Nothing of the
product's own: lines are read and written here.
"""

import socket
import threading
from contextlib import suppress

import can


class SlcanAdapter:
    """Serves one host."""

    def __init__(self, bus: can.BusABC) -> None:
        self.bus = bus
        self.is_off = False  # the controller has left the bus
        self.stays_off = False  # and does not come back
        self.lets_through = -1  # so many frames more, then the bus is stuck; negative: all
        self.reopened = 0
        self._closed = threading.Event()
        self._server = socket.create_server(("127.0.0.1", 0))
        self.url = f"socket://127.0.0.1:{self._server.getsockname()[1]}"
        self._host: socket.socket | None = None
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._from_host, self._from_bus)]
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """End both directions."""
        self._closed.set()
        for each in (self._host, self._server):
            if each is not None:
                with suppress(OSError):  # who waits in it is woken
                    each.shutdown(socket.SHUT_RDWR)
                each.close()
        for thread in self._threads:
            thread.join(10.0)
        self.bus.shutdown()

    def _from_host(self) -> None:
        try:
            self._host, _ = self._server.accept()
            rest = b""
            while data := self._host.recv(4096):
                *lines, rest = (rest + data).split(b"\r")
                for line in lines:
                    self._take(line.decode())
        except OSError:
            return

    def _take(self, line: str) -> None:
        if line.startswith("t") and not self.is_off and self._passes():
            self.bus.send(
                can.Message(arbitration_id=int(line[1:4], 16), data=bytes.fromhex(line[5:]), is_extended_id=False)
            )
        elif line == "F":
            self._say("F80" if self.is_off else "F00")
        elif line == "O" and self.is_off and not self.stays_off:
            self.is_off, self.reopened = False, self.reopened + 1

    def _from_bus(self) -> None:
        while not self._closed.is_set():
            message = self.bus.recv(0.05)
            if message is not None and not self.is_off and self._passes():
                self._say(f"t{message.arbitration_id:03X}{message.dlc}{message.data.hex().upper()}")

    def _passes(self) -> bool:
        self.lets_through -= self.lets_through > 0
        return self.lets_through != 0

    def _say(self, line: str) -> None:
        if self._host is not None:
            self._host.sendall(line.encode() + b"\r")
